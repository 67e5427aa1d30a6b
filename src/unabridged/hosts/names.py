"""Names that come from outside: ids as they stand in source keys, places of files."""

from __future__ import annotations

import hashlib
import re

LINES = ".jsonl"  # ends the name of a file of lines
DIGITS = 32  # of a name that stands for an id that cannot stand for itself

_NAME = re.compile(r"[\w.:-]{1,100}")


def native_name(given: str) -> str:
    """Return an id as it is, or a digest of one with other characters than ids have; "" of none."""
    if not given or _NAME.fullmatch(given):
        return given
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def place_below(folder: str, path: str) -> str:
    """Return where a file of lines lies below the last folder of a name; "" for other files and places."""
    parts = path.replace("\\", "/").split("/")
    if not path.endswith(LINES) or folder not in parts[:-1]:
        return ""
    last = len(parts) - 2 - parts[-2::-1].index(folder)
    return "/".join(part for part in parts[last + 1 :] if part not in ("", ".", ".."))
