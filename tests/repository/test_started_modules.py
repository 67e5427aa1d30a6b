"""A module that we start is ours: never one of that name in the folder that the user works in."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "unabridged"
MEASURING = ("bench", "eval")  # started by developers only
STARTED = re.compile(r'b?"-m",')
SAFE = re.compile(r'b?"-P", b?"-m",')


def test_python_is_never_told_to_look_in_the_working_folder() -> None:
    lines = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] not in MEASURING
        for line in path.read_text(encoding="utf-8").splitlines()
        if STARTED.search(line)
    ]
    assert lines
    assert [line for line in lines if not SAFE.search(line)] == []
