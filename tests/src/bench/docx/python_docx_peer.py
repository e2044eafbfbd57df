"""One paragraph set by python-docx: prints milliseconds on the processor, the median of some rounds."""

import statistics
import sys
import time

import docx

source, target, paragraph, text = sys.argv[1:5]
spent = []
for _ in range(5):
    start = time.process_time()
    document = docx.Document(source)
    document.paragraphs[int(paragraph) - 1].runs[0].text = text
    document.save(target)
    spent.append(time.process_time() - start)
print(statistics.median(spent) * 1000)
