"""Which files lie below a folder?"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

Keep = Callable[[str], bool]  # takes a file's name


def walk(root: Path, keep: Keep, skip: Collection[str] = ()) -> Iterator[Path]:
    """Yield the regular files below `root` whose name `keep` accepts, by real path, sorted by where they were found.

    A root that is a file is yielded whatever its name. Links to files are followed, each file is yielded once; links to
    folders are not followed. Folders named in `skip` are not entered. What cannot be read is skipped.
    """
    seen: set[Path] = set()
    waiting = [root]
    while waiting:
        path = waiting.pop()
        if path.is_file():
            real = path.resolve()
            if real not in seen:
                seen.add(real)
                yield real
        else:
            # Files wait beside folders: a folder's entries of both kinds come in the order of their names.
            waiting.extend(reversed(_entries(path, keep, skip)))


def _entries(folder: Path, keep: Keep, skip: Collection[str]) -> list[Path]:
    """Return a folder's folders and accepted files, sorted by name."""
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda item: item.name):
                if _wanted(entry, keep, skip):
                    found.append(Path(entry.path))
    except OSError:
        return found
    return found


def _wanted(entry: os.DirEntry[str], keep: Keep, skip: Collection[str]) -> bool:
    try:
        if entry.is_dir(follow_symlinks=False):
            return entry.name not in skip
        return keep(entry.name) and entry.is_file()
    except OSError:
        return False
