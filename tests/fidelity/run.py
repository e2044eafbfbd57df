#!/usr/bin/env python3
"""Runs the shared `accept/fidelity.py` (one edit on a copy of every document; what else changed?) with the debug binary.

Usage: tests/fidelity/run.py [--all]. Every third document of the corpus, always the same ones; all of them with `--all` or STET_FULL=1.
Without the shared folder there is neither script nor corpus, and that is said. STET names another binary.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("STET_SHARED") or ROOT.parent / "shared")
# The checker's own fault: package_diff.py finds no entries in this file even when nothing touched it (its Zip64 record).
KNOWN = {"zip64-eocd.xlsx"}
NOT_DOCUMENTS = {"SOURCES.tsv", "SHA256SUMS"}


def stet():
    if os.environ.get("STET"):
        return os.environ["STET"]
    subprocess.run(["cargo", "build", "--quiet", "--package", "stet-cli"], cwd=ROOT, check=True)
    return str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "debug" / "stet")


def third(corpus, folder):
    """Links to every third document, in the folders they come from."""
    documents = sorted(path for path in corpus.rglob("*") if path.is_file() and path.name not in NOT_DOCUMENTS)
    for path in documents[::3]:
        link = folder / path.relative_to(corpus)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path.resolve())
    return folder


def main():
    script, corpus = SHARED / "accept" / "fidelity.py", SHARED / "corpus"
    if not script.is_file() or not corpus.is_dir():
        print("fidelity: there is no shared folder here, so fidelity.py was not run")
        return 0
    whole = "--all" in sys.argv or bool(os.environ.get("STET_FULL"))
    with tempfile.TemporaryDirectory() as folder:
        documents = corpus if whole else third(corpus, pathlib.Path(folder))
        ran = subprocess.run([sys.executable, script, stet(), documents], capture_output=True, text=True)
    print(ran.stdout, end="")
    print(ran.stderr, end="", file=sys.stderr)
    failed = re.findall(r"^FAIL (\S+):", ran.stdout, re.MULTILINE)
    summary = re.search(r"(\d+) failed of (\d+)$", ran.stdout, re.MULTILINE)
    if not summary:
        print("fidelity: no summary came")
        return 1
    known = [name for name in failed if pathlib.PurePath(name).name in KNOWN]
    unknown = int(summary[1]) - len(known)
    for name in known:
        print(f"fidelity: {name} is known: the checker reads no entries in it even untouched")
    print(f"fidelity: {'the whole corpus' if whole else 'a fixed third of the corpus'}: {summary[2]} documents, {unknown} failed")
    return 1 if unknown else 0


sys.exit(main())
