"""The texts that python-docx reads from documents: the paths come on standard input, one JSON line per document goes out."""

import json
import sys

import docx


def blocks(parent):
    for block in parent.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                for cell in row.cells:
                    yield from blocks(cell)
        else:
            yield block.text


for line in sys.stdin:
    try:
        print(json.dumps({"texts": list(blocks(docx.Document(line.strip())))}))
    except Exception as error:  # Whatever it is, it is the answer.
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
