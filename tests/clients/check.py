"""Starts the rig and the clients, and compares what each client reports with what must come.

A request ends well (the calls of the case, or the healed call) or in the client's own error; anything else is a failure.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request

HEALED = {"text": "", "calls": [{"name": "edit", "arguments": {"p": 7}}], "finish": "tool_calls"}

# One turn may cost 1 + 2 repairs + 2 waits + 1 continuation; a client may repeat a failed request twice by itself.
MOST_REQUESTS = 18


def commands(root, work, families):
    here = os.path.join(root, "tests", "clients")
    known = {
        "python": [os.path.join(work, "venv", "bin", "python"), os.path.join(here, "python_clients.py")],
        "node": ["node", os.path.join(work, "node", "node_clients.mjs")],
        "rust": [os.path.join(work, "rust", "debug", "async_openai_client")],
    }
    return [(family, known[family]) for family in families]


def requests(manifest):
    """Every request that each client makes: model (without its own suffix), base address, streaming."""
    plan = []
    for case in manifest["cases"]:
        number = case["number"]
        plan.append({"model": f"case-{number}", "base": manifest["plain"], "case": number})
        plan.append({"model": f"heal-{number}", "base": manifest["plain"], "case": number})
        if number % 6 == 0:
            plan.append({"model": f"slow-{number}", "base": manifest["keep_alive"], "case": number})
            plan.append({"model": f"slowheal-{number}", "base": manifest["comment"], "case": number})
    for request in plan:
        request["max_tokens"] = manifest["cases"][request["case"]]["max_tokens"]
    return plan


def expected(manifest, model):
    """What must come: a turn, or None for an error."""
    kind, number = model.split("-")
    case = manifest["cases"][int(number)]
    fault = case["fault"]
    if fault is None:
        return {"text": case["text"], "calls": [meant(call) for call in case["calls"]], "finish": case["finish"]}
    # A continuation is answered by a call instead of text here, so it fails, and there is no third try.
    heals = "heal" in kind and fault["advice"] in ("retry", "show", "wait")
    return HEALED if heals else None


def same(got, want):
    """Whether a client has what was sent: a program whose numbers are floats has the nearest one, any other the number itself."""
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(same(got[key], want[key]) for key in want)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(got, float) and isinstance(want, int) and not isinstance(want, bool):
        return got == float(want)
    return got == want


def meant(call):
    """A call as the case has it: by its exact text where it gives one, since the manifest's numbers went through floats."""
    arguments = json.loads(call["text"]) if call.get("text") else call["arguments"]
    return {"name": call["name"], "arguments": arguments}


def wrong(manifest, line):
    """Why a report is not what must come; None when it is."""
    want = expected(manifest, line["model"].split("@")[0])
    if "error" in line:
        if want is None:
            return None
        # Helpers raise on a turn that was cut or filtered, by design.
        is_unfinished = want["finish"] in ("length", "content_filter")
        return None if is_unfinished else f"error {line['error']!r} instead of {want}"
    got = line["ok"]
    for call in got["calls"]:
        if not call["name"] or not isinstance(call["arguments"], dict):
            return f"a broken call: {call}"
    if want is None:
        return f"came out: {got}"
    if not same(got["calls"], want["calls"]):
        return f"calls {got['calls']} instead of {want['calls']}"
    if (got["text"] or "") != want["text"]:
        return f"text {got['text']!r} instead of {want['text']!r}"
    finish = got["finish"].replace("-", "_")
    if finish != want["finish"]:
        return f"finish {finish} instead of {want['finish']}"
    return None


def counts(manifest):
    request = urllib.request.Request(manifest["plain"] + "/rig/counts")
    request.add_header("Authorization", "Bearer " + manifest["token"])
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return json.load(answer)["counts"]


def run_family(manifest, plan_path, family, command):
    started = time.time()
    env = dict(os.environ, NO_PROXY="127.0.0.1,localhost", no_proxy="127.0.0.1,localhost")
    done = subprocess.run(command + [plan_path], stdout=subprocess.PIPE, text=True, timeout=1800, env=env)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    failures = []
    by_client = {}
    for line in lines:
        by_client.setdefault(line["client"], []).append(line)
        if line["model"].startswith("hello@"):
            reason = None if line.get("ok", {}).get("text") == "Hello from the rig." else f"passthrough gave {line}"
        else:
            reason = wrong(manifest, line)
        if reason:
            name = line["model"] if line["model"].startswith("hello") else manifest["cases"][int(line["model"].split("-")[1].split("@")[0])]["name"]
            failures.append(f"{line['client']} {line['model']} ({name}): {reason}")
    if done.returncode != 0:
        failures.append(f"{family}: the client program ended with {done.returncode}")
    wanted = len(requests(manifest)) + 1
    for client, reports in by_client.items():
        errors = sum("error" in report for report in reports)
        print(f"{client}: {len(reports)} requests, {len(reports) - errors} whole, {errors} proper errors")
        if len(reports) != wanted:
            failures.append(f"{client}: {len(reports)} reports instead of {wanted}")
    if not by_client:
        failures.append(f"{family}: nothing was reported")
    print(f"{family}: {time.time() - started:.1f} s")
    return failures


def main():
    root, work, families = sys.argv[1], sys.argv[2], sys.argv[3:]
    target = os.path.dirname(work)
    rig = subprocess.Popen([os.path.join(target, "debug", "gateway_rig")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        manifest = json.loads(rig.stdout.readline())
        plan_path = os.path.join(work, "plan.json")
        with open(plan_path, "w") as plan:
            json.dump({"token": manifest["token"], "tools": manifest["tools"], "plain": manifest["plain"], "requests": requests(manifest)}, plan)
        failures = []
        for family, command in commands(root, work, families):
            failures += run_family(manifest, plan_path, family, command)
        loops = {model: count for model, count in counts(manifest).items() if count > MOST_REQUESTS}
        failures += [f"{model} was asked {count} times" for model, count in loops.items()]
        print(f"most requests for one turn: {max(counts(manifest).values())}")
    finally:
        rig.stdin.close()
        rig.wait(timeout=20)
    for failure in failures:
        print("FAILED", failure)
    print("all clients got clean turns or proper errors" if not failures else f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
