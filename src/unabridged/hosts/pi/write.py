"""Where a session goes back to, so that Pi resumes it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath

from unabridged.hosts.contract import Head

SESSIONS = "sessions"  # the sessions root
SEPARATORS = re.compile(r"[/\\:]")
UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def restore_name(head: Head, origin_path: str) -> str:
    """Return the place below the sessions root: where the file was, else where a session of its directory belongs."""
    pure = PureWindowsPath(origin_path) if "\\" in origin_path else PurePosixPath(origin_path)
    parts = pure.parts
    if SESSIONS in parts[:-1]:
        last = len(parts) - 1 - parts[::-1].index(SESSIONS)
        return "/".join(parts[last + 1 :])
    name = pure.name if pure.name.endswith(f"_{head.host_session}.jsonl") else _file_name(head.host_session)
    return f"{session_folder(head.cwd)}/{name}"


def session_folder(cwd: str) -> str:
    """Return the folder that the host uses for sessions of a working directory."""
    name = cwd[1:] if cwd.startswith(("/", "\\")) else cwd
    return f"--{SEPARATORS.sub('-', name)}--"


def _file_name(session: str) -> str:
    """Return `<time>_<session>.jsonl`; the time is in the id, or else unknown and of no consequence."""
    found = UUID7.fullmatch(session)
    millis = int(found[1] + found[2], 16) if found else 0
    moment = datetime.fromtimestamp(millis // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H-%M-%S}-{millis % 1000:03d}Z_{session}.jsonl"
