"""One cell set, or one row inserted at the top, by openpyxl; prints processor seconds and the highest resident memory in KiB."""

import sys
import time

import openpyxl

source, target, what = sys.argv[1:4]
start = time.process_time()
book = openpyxl.load_workbook(source)
sheet = book["Data"]
if what == "set":
    sheet["D50000"] = 12.5
else:
    sheet.insert_rows(1)
book.save(target)
spent = time.process_time() - start
status = open("/proc/self/status", encoding="ascii").read()
print(spent, status.split("VmHWM:")[1].split()[0])
