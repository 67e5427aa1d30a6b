"""A session of a history as lines: `{"aider":"start", …}`, then a line for each message.

A message's line has its text and what it was said in; where its Markdown is not what aider writes for such a text, the
Markdown, too. Times are those of the session's beginning, by this machine's zone: a history has no others.
"""

from __future__ import annotations

import os
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from unabridged.errors import PathUnreadable, TranscriptChanged
from unabridged.hosts import given
from unabridged.hosts.aider.discover import KIND, START, STARTED, session_name
from unabridged.hosts.aider.history import BLANK, TOOL, is_plain, messages, text_of
from unabridged.hosts.contract import RowStream
from unabridged.hosts.given import Row
from unabridged.schema.ids import Micros

REMEMBERED = 4  # histories whose sessions a process knows at a time
LONGEST = 16 << 20  # bytes of a line that are looked at at once; what follows counts as another line

_MODEL = re.compile(r"^(?:Main model|Model): (\S+)", re.MULTILINE)
_encode = msgspec.json.Encoder().encode


class Section(NamedTuple):
    """A session in its history: when it began ("" before the first that says so), its bytes, a checksum of them."""

    started: str
    begin: int
    end: int
    checksum: int


def streams(path: Path) -> list[RowStream]:
    """Return the sessions of a history, in its order."""
    return [
        RowStream(name, f"{section.end - section.begin}.{section.checksum:x}")
        for name, section in sections(path).items()
    ]


def changed(path: Path, stream: str) -> Micros:
    """Return when the last session was written to, by the file; 0 for an earlier one."""
    try:
        last = next(reversed(sections(path)), "")
        return Micros(path.stat().st_mtime_ns // 1_000 if stream == last else 0)
    except (OSError, PathUnreadable):
        return Micros(0)


def sections(path: Path) -> dict[str, Section]:
    """Return the sessions of a history by their names."""
    try:
        found = path.stat()
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error
    return _sections(path, (found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=REMEMBERED)
def _sections(path: Path, state: tuple[int, int, int]) -> dict[str, Section]:
    """Go through a history once. `state` is the file's, as a key."""
    del state
    found: dict[str, Section] = {}
    counts: dict[str, int] = {}
    for section in _scan(path):
        counts[section.started] = counts.get(section.started, 0) + 1
        found[session_name(path, section.started, counts[section.started])] = section
    return found


def _scan(path: Path) -> Iterator[Section]:
    started, begin, at, checksum, blank = "", 0, 0, 0, True
    with path.open("rb") as file:
        fresh = True  # at the beginning of a line
        while line := file.readline(LONGEST):
            header = STARTED.fullmatch(line.rstrip(b"\n").removeprefix(BOM_UTF8)) if fresh else None
            if header:
                if not blank:
                    yield Section(started, begin, at, checksum)
                started, begin, checksum, blank = header[1].decode(), at, 0, False
            fresh = line.endswith(b"\n")
            blank = blank and not line.removeprefix(BOM_UTF8).strip()
            at += len(line)
            checksum = zlib.crc32(line, checksum)
    if not blank:
        yield Section(started, begin, at, checksum)


# --- one session ------------------------------------------------------------------------------------------------------


def rows(path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
    """Return new and changed lines of a session, and the state behind them."""
    section = sections(path).get(stream)
    if section is None:
        return [], state
    version = f"{section.end - section.begin}.{section.checksum:x}"
    if given.is_given(version, state):
        return [], state
    try:
        with path.open("rb") as file:
            return given.look(_rows(file, path, stream, section), version, state)
    except FileNotFoundError as error:
        raise TranscriptChanged("the file is gone", path=str(path)) from error
    except OSError as error:
        raise PathUnreadable(error.strerror or "", path=str(path)) from error


def _rows(file: BinaryIO, path: Path, stream: str, section: Section) -> Iterator[Row]:
    lines = _lines(file, section)
    time = _moment(section.started)
    first = next(lines, b"").rstrip(b"\n") if section.started else b""
    yield Row(
        START,
        _line(
            {
                KIND: START,
                "session": stream,
                "folder": os.path.realpath(path.parent),
                "time": time,
                "text": first.decode("utf-8", "replace"),
            }
        ),
    )
    model = ""
    for message in messages(lines):
        text = text_of(message)
        row = {KIND: message.kind, "line": message.line, "time": time}
        if message.kind == TOOL:
            found = _MODEL.search(text)
            model = found[1] if found else model
        if model:
            row["model"] = model
        row["text"] = text
        if message.kind == BLANK or not is_plain(message, text):
            row["markdown"] = b"\n".join(message.lines).decode("utf-8", "replace")
        yield Row(f"L{message.line}", _line(row))


def _lines(file: BinaryIO, section: Section) -> Iterator[bytes]:
    """Yield the lines of a session; the host may be writing behind it."""
    file.seek(section.begin)
    left = section.end - section.begin
    while left > 0 and (line := file.readline(min(left, LONGEST))):
        left -= len(line)
        yield line


def _line(row: dict[str, str | int]) -> bytes:
    return _encode(row) + b"\n"


def _moment(started: str) -> str:
    """Return when a session began, with the offset that this machine's zone had then; "" where that is unknown."""
    try:
        return datetime.fromisoformat(started).astimezone().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
