"""Formula engines beside LibreOffice: how many results of the same list each of them gets.

    engines.py RESULTS WORKBOOKS…

RESULTS is a folder of `NAME.json` as `oracle.py base --flat` writes them (`results`: cell -> [kind, value], after a hard recalculation);
WORKBOOKS are the files they were made from. Needs the wheels `formualizer==0.13.0` and `ironcalc==0.9.1`. Stet's own calculator is measured on
the same list by `STET_RESULTS=RESULTS cargo test -p documents agrees_with_recorded_results -- --nocapture`.
A number agrees within 1e-9, an error with any error.
"""

import datetime
import json
import multiprocessing
import os
import re
import sys


def agrees(value, recorded):
    kind, stored = recorded
    if isinstance(value, dict) or (isinstance(value, str) and re.fullmatch(r"#[A-Z/0]+[!?A]?", value)):
        return kind == "e"
    if isinstance(value, (datetime.date, datetime.datetime)):
        since = datetime.datetime(1899, 12, 30)
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
        value = (moment - since) / datetime.timedelta(days=1)
    if isinstance(value, bool):
        return kind == "b" and bool(int(stored)) == value or kind == "n" and float(stored) == float(value)
    if isinstance(value, (int, float)):
        try:
            other = float(stored)
        except (TypeError, ValueError):
            return False
        return abs(value - other) <= 1e-9 * max(abs(value), abs(other), 1e-6)
    if value is None:
        return stored in (None, "", 0)
    return kind in ("s", "str") and str(stored) == str(value)


def place(address):
    sheet, cell = address.rsplit("!", 1)
    letters, row = re.fullmatch(r"([A-Z]+)(\d+)", cell).groups()
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return sheet, int(row), column


def formualizer(path, addresses):
    import formualizer as engine

    book = engine.load_workbook(path)
    book.evaluate_all()
    for address in addresses:
        try:
            yield address, book.get_value(*place(address))
        except Exception as error:  # noqa: BLE001 - every refusal counts as "not computed"
            yield address, error


def ironcalc(path, addresses):
    import ironcalc as engine

    model = engine.load_from_xlsx(path, "en", "UTC", "en")
    model.evaluate()
    sheets = {sheet["name"] if isinstance(sheet, dict) else sheet.name: index for index, sheet in enumerate(model.get_worksheets_properties())}
    for address in addresses:
        sheet, row, column = place(address)
        try:
            kind = str(model.get_cell_type(sheets[sheet], row, column))
            shown = model.get_cell_value(sheets[sheet], row, column)
            yield address, (shown, kind)
        except Exception as error:  # noqa: BLE001
            yield address, error


ENGINES = {"formualizer": formualizer, "ironcalc": ironcalc}


def run(name, path, recorded, queue):
    tally = {"agrees": 0, "differs": 0, "refused": 0, "examples": []}
    try:
        for address, value in ENGINES[name](path, list(recorded)):
            if isinstance(value, Exception):
                tally["refused"] += 1
                continue
            if isinstance(value, tuple):
                value = value[0]
            good = agrees(value, recorded[address])
            tally["agrees" if good else "differs"] += 1
            if not good and len(tally["examples"]) < 5:
                tally["examples"].append([address, repr(value), recorded[address]])
    except BaseException as error:  # noqa: BLE001 - a panic of the loader too
        queue.put({"failed": f"{type(error).__name__}: {error}"[:200]})
        return
    queue.put(tally)


def main():
    results, paths = sys.argv[1], sys.argv[2:]
    total = {name: {"agrees": 0, "differs": 0, "refused": 0, "unloadable": 0, "formulas there": 0} for name in ENGINES}
    books = formulas = 0
    # A file may lie in several folders; it counts once.
    for path in {os.path.basename(path): path for path in paths}.values():
        file = os.path.join(results, os.path.basename(path) + ".json")
        if not os.path.exists(file):
            continue
        with open(file, encoding="utf-8") as opened:
            recorded = json.load(opened).get("results", {})
        if not recorded:
            continue
        books, formulas = books + 1, formulas + len(recorded)
        for name in ENGINES:
            # A process of its own: some loaders panic or never end.
            queue = multiprocessing.Queue()
            process = multiprocessing.Process(target=run, args=(name, path, recorded, queue))
            process.start()
            try:
                tally = queue.get(timeout=60)
            except Exception:  # noqa: BLE001
                tally = {"failed": "it did not end or died"}
            process.terminate()
            process.join()
            if "failed" in tally:
                total[name]["unloadable"] += 1
                total[name]["formulas there"] += len(recorded)
                print(f"{name} {os.path.basename(path)}: {tally['failed']}", file=sys.stderr)
                continue
            for key in ("agrees", "differs", "refused"):
                total[name][key] += tally[key]
            for example in tally["examples"]:
                print(f"{name} {os.path.basename(path)}: {example}", file=sys.stderr)
    print(json.dumps({"workbooks": books, "formulas": formulas, "engines": total}, indent=1))


if __name__ == "__main__":
    main()
