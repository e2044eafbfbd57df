"""The values that openpyxl reads from workbooks: the paths come on standard input, one JSON line per workbook goes out.

A cell is `[kind, stored value, value with results]`; dates are ISO text.
"""

import datetime
import json
import sys
import warnings

import openpyxl

warnings.simplefilter("error")


def plain(value):
    return value.isoformat() if isinstance(value, datetime.datetime) else value


def cells(path):
    stored, shown = openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)
    sheets = zip(stored.worksheets, shown.worksheets)
    for one, other in sheets:
        for row in one.iter_rows():
            for cell in row:
                if cell.value is not None:
                    yield f"{one.title}!{cell.coordinate}", [cell.data_type, plain(cell.value), plain(other[cell.coordinate].value)]


for line in sys.stdin:
    try:
        print(json.dumps({"cells": dict(cells(line.strip()))}))
    except Exception as error:  # Whatever it is, it is the answer.
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
