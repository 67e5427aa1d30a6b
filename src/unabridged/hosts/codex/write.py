"""Where a rollout goes back to, so that Codex resumes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath

from unabridged.hosts.codex import documents
from unabridged.hosts.contract import Head
from unabridged.hosts.lines import LineSplitter

_NAMED = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T.*\.jsonl")


def restore_name(head: Head, origin_path: str) -> str:
    """Return the place below the host's folder: by the date in the file's name, else by the thread's time."""
    pure = PureWindowsPath(origin_path) if "\\" in origin_path else PurePosixPath(origin_path)
    name = pure.name.removesuffix(".zst")
    if name.startswith("rollout-") and name.endswith(".json"):
        return f"sessions/{name}"
    found = _NAMED.fullmatch(name)
    if found is not None:
        return f"sessions/{found[1]}/{found[2]}/{found[3]}/{name}"
    born = _born(head.host_session)
    return f"sessions/{born:%Y/%m/%d}/rollout-{born:%Y-%m-%dT%H-%M-%S}-{head.host_session}.jsonl"


def _born(thread: str) -> datetime:
    """Return the time in a thread's id (UUID version 7: 48 bits of milliseconds since 1970), or 1970."""
    digits = thread.replace("-", "")
    try:
        millis = int(digits[:12], 16) if len(digits) == 32 and digits[12] == "7" else 0
        return datetime.fromtimestamp(millis / 1000, UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)


def restore(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Return kept bytes as they are; the rows of a document as a document."""
    source = iter(blocks)
    first = b""
    while len(first) < len(documents.SESSION) and (block := next(source, b"")):
        first += block
    if not first.startswith(documents.SESSION):
        yield first
        yield from source
        return
    yield from documents.restore(_lines(first, source))


def _lines(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    splitter = LineSplitter()
    yield from (line.data for line in splitter.feed(first))
    for block in rest:
        yield from (line.data for line in splitter.feed(block))
    yield from (line.data for line in splitter.finish())
