#!/usr/bin/env python3
"""Writes the stream cases of tests/fixtures/streams as seeds of the stream targets: `tests/fuzz/seeds.py`, before the first run."""

import hashlib
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "fixtures" / "streams"


def chunk(delta, finish):
    return f'{{"id":"r1","choices":[{{"index":0,"delta":{delta},"finish_reason":{json.dumps(finish)}}}]}}'


def raw(quoted):
    plain = {"n": b"\n", "r": b"\r", "t": b"\t"}
    out, at, inner = b"", 0, quoted[1:-1].encode()
    while at < len(inner):
        if inner[at:at + 1] != b"\\":
            out, at = out + inner[at:at + 1], at + 1
        elif inner[at + 1:at + 2] == b"x":
            out, at = out + bytes([int(inner[at + 2:at + 4], 16)]), at + 4
        else:
            letter = inner[at + 1:at + 2]
            out, at = out + plain.get(letter.decode(), letter), at + 2
    return out


def body(lines):
    out = b""
    for line in lines:
        kind, _, rest = line.partition(" ")
        value, _, finish = rest.partition(" !")
        event = {
            "C": lambda: chunk(value, finish or None), "T": lambda: chunk(f'{{"tool_calls":[{value}]}}', finish or None),
            "F": lambda: chunk("{}", rest), "D": lambda: rest, "DONE": lambda: "[DONE]",
            "U": lambda: f'{{"choices":[],"usage":{{"prompt_tokens":{rest.split()[0]},"completion_tokens":{rest.split()[1]}}}}}',
        }.get(kind)
        if kind == "R":
            out += raw(rest)
        elif event:
            out += b"data: " + event().encode() + b"\n\n"
    return out


def write(target, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


for path in sorted(CASES.glob("*.cases")):
    for case in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        lines = case.partition("---\n")[2].splitlines()
        data = body(lines)
        write("stream_events", b"\x07\x40\0\0" + data)
        write("stream_turn", b"\0" + data)
        for text in re.findall(r'"arguments":"((?:[^"\\]|\\.)*)"', case):
            try:
                write("json_repair", json.loads(f'"{text}"', strict=False).encode("utf-8", "surrogatepass"))
            except ValueError:
                pass
