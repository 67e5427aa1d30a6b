"""Which index is in use: built beside, swapped in one step.

`CURRENT` in the index folder names the generation in use, `gN/` holds each. A rebuild fills the next one while the old
one still answers; only when it has caught up is `CURRENT` replaced. Everything here may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

CURRENT = "CURRENT"
FIRST = 1


def folder(root: Path, number: int) -> Path:
    """Return the folder of a generation."""
    return root / f"g{number}"


def current(root: Path) -> int:
    """Return the number of the generation in use, 0 when there is none or its name cannot be read."""
    try:
        number = json.loads((root / CURRENT).read_text())["generation"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return number if isinstance(number, int) and folder(root, number).is_dir() else 0


def next_number(root: Path) -> int:
    """Return a number that no generation has."""
    return max([FIRST - 1, *_numbers(root)]) + 1


def use(root: Path, number: int) -> None:
    """Make a generation the one in use, durably; the others stay until `prune`."""
    temporary = root / f"{CURRENT}.new"
    with temporary.open("w") as file:
        json.dump({"generation": number}, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(root / CURRENT)
    descriptor = os.open(root, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def prune(root: Path, keep: Iterable[int]) -> None:
    """Remove every generation but those."""
    kept = set(keep)
    for number in _numbers(root):
        if number not in kept:
            shutil.rmtree(folder(root, number), ignore_errors=True)


def size(root: Path) -> int:
    """Return the bytes that the index takes on disk."""
    total = 0
    for folder, _, names in os.walk(
        root
    ):  # unlike Path.rglob it goes on when a generation is removed under it
        for name in names:
            try:
                total += (Path(folder) / name).stat().st_size
            except OSError:
                continue  # merged away meanwhile
    return total


def _numbers(root: Path) -> list[int]:
    try:
        names = [path.name for path in root.iterdir()]
    except OSError:
        return []
    return [int(name[1:]) for name in names if name[:1] == "g" and name[1:].isdigit()]
