"""Runs the programs of a page: its ```python blocks, one after the other in one process, each with what it prints.

A ```text block right behind a ```python block is what that one prints; one without prints nothing. `…` stands for
anything, as in console blocks.

    python -m tests.docs.programs PAGE…     rewrites the output in pages with what the programs print now
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.docs.console import Terminal, matches

BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
SECONDS = 120  # that all programs of a page may take

# Reads programs, writes what each printed; an exception is written as Python writes it last.
RUNNER = """
import contextlib, io, json, sys, traceback
place = {"__name__": "__main__"}
told = []
for number, text in enumerate(json.load(sys.stdin), start=1):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(text, f"block {number}", "exec"), place)
        except Exception:
            print(traceback.format_exc())
    told.append(printed.getvalue())
json.dump(told, sys.stdout)
"""


@dataclass(frozen=True)
class Program:
    """One block with the output that the page claims."""

    text: str
    expected: list[str]


def programs(text: str) -> list[Program]:
    """Return the programs of a page."""
    return [Program(match[1], (match[2] or "").splitlines()) for match in BLOCK.finditer(text)]


def run(found: list[Program], terminal: Terminal) -> list[list[str]]:
    """Run programs in the terminal's home; return the lines that each printed."""
    answer = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps([program.text for program in found]),
        cwd=terminal.work,
        env=terminal.env,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return [terminal.anywhere(printed).splitlines() for printed in json.loads(answer.stdout)]


def rewritten(text: str, terminal: Terminal) -> str:
    """Return a page with what its programs print now; output that still matches stays as it is."""
    printed = iter(run(programs(text), terminal))

    def block(match: re.Match[str]) -> str:
        lines = next(printed)
        claimed = (match[2] or "").splitlines()
        lines = claimed if matches(claimed, lines) else lines
        shown = "".join(f"{line}\n" for line in lines)
        return f"```python\n{match[1]}```" + (f"\n\n```text\n{shown}```" if lines else "")

    return BLOCK.sub(block, text)


def main(pages: list[str]) -> int:
    """Rewrite pages."""
    for name in pages:
        with tempfile.TemporaryDirectory() as folder:
            terminal = Terminal(Path(folder))
            try:
                page = Path(name)
                page.write_text(rewritten(page.read_text(encoding="utf-8"), terminal), encoding="utf-8")
            finally:
                terminal.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
