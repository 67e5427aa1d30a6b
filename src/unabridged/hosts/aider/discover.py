"""Where aider keeps its histories, how one is told from other files, and what its sessions are called.

Source: `aider/io.py` and `aider/args.py` of aider 0.86.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from unabridged.hosts.contract import Candidate, Head
from unabridged.hosts.lines import body, values
from unabridged.hosts.walk import walk

HISTORY = ".aider.chat.history.md"
CALLS = ".aider.llm.history"  # what was sent to the model, where a person has aider keep that
KIND = "aider"  # the member that makes a kept line one of aider's
START = "start"  # its value for the line that begins a session
FOLDER_DIGITS = 8  # of a digest of the history's folder, which tells sessions of several projects apart

STARTED = re.compile(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*\r?")
_LINE = re.compile(rb'\s*\{"aider":"')
_SPACE = b"\xef\xbb\xbf \t\r\n"


def roots(env: Mapping[str, str], home: Path) -> Sequence[Path]:
    """Return the configured history, where its path stands for itself, and that of the home folder."""
    configured = Path(env.get("AIDER_CHAT_HISTORY_FILE") or "")
    return [*([configured] if configured.is_absolute() else []), home / HISTORY]


def find(root: Path) -> Iterator[Candidate]:
    """Yield the histories below a folder; a file whatever its name."""
    for path in walk(root, lambda name: name == HISTORY):
        yield Candidate(str(path), "rows")
        calls = path.with_name(CALLS)
        if path.name == HISTORY and calls.is_file():
            yield Candidate(str(calls), "sidecar", str(path))


def sniff(head: bytes, path: Path) -> bool:
    """Tell whether a file begins with a session; one with the host's name may have one further on."""
    text = head.lstrip(_SPACE)
    if STARTED.match(text) or _LINE.match(text):
        return True
    return path.name == HISTORY and any(STARTED.fullmatch(line) for line in head.split(b"\n"))


def session_name(path: Path, started: str, number: int) -> str:
    """Return what names a session: when it began, the folder, and its number among those that began in that second."""
    folder = os.path.realpath(path.parent)
    digest = hashlib.sha256(folder.encode("utf-8", "surrogatepass")).hexdigest()[:FOLDER_DIGITS]
    moment = re.sub(r"\D", "", started) or "unknown"
    return f"{moment}-{digest}" + (f"-{number}" if number > 1 else "")


def head(path: Path, lines: Iterable[bytes]) -> Head | None:
    """Return what the first of some kept lines says; of a history's own lines the first session."""
    for line in lines:
        found = STARTED.fullmatch(body(line, first=True))
        if found:
            return Head(session_name(path, found[1].decode(), 1), os.path.realpath(path.parent))
        if not _LINE.match(line):
            continue
        for value in values(line).items:
            row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            session, folder = row.get("session"), row.get("folder")
            if row.get(KIND) == START and isinstance(session, str):
                return Head(session, folder if isinstance(folder, str) else "")
    return None
