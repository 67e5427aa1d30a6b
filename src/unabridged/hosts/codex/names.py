"""Names that a person gave to threads: `session_index.jsonl` in the host's folder; a thread's newest line counts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

FILE = "session_index.jsonl"
MAX_BYTES = 4 << 20  # from the end of the file; older names are not looked for
DEPTH = 5  # folders above a rollout in which the host's folder is looked for


class Entry(msgspec.Struct, gc=False, frozen=True):
    """One line."""

    id: str = ""
    thread_name: str = ""


_decoder = msgspec.json.Decoder(Entry)


def name_of(thread: str, rollout: Path) -> str:
    """Return the name of the thread that a rollout is of; "" where it has none."""
    for folder in list(rollout.parents)[:DEPTH]:
        index = folder / FILE
        try:
            stat = index.stat()
        except OSError:
            continue
        return _names(index, stat.st_size, stat.st_mtime_ns).get(thread, "")
    return ""


@lru_cache(maxsize=2)
def _names(index: Path, size: int, changed: int) -> dict[str, str]:
    """Return all names in an index of this size and time."""
    del changed
    try:
        with index.open("rb") as file:
            file.seek(max(0, size - MAX_BYTES))
            lines = file.read(MAX_BYTES).split(b"\n")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in lines:
        try:
            entry = _decoder.decode(line)
        except msgspec.DecodeError:
            continue
        found[entry.id] = entry.thread_name
    return found
