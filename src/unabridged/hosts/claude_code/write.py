"""Where a transcript goes back to, so that Claude Code resumes it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from unabridged.hosts.contract import Head

PROJECTS = "projects"  # the sessions root
FOLDER_CHARACTERS = 200  # a longer folder name is cut, with a hash behind it
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def restore_name(head: Head, origin_path: str) -> str:
    """Return the place below the sessions root: where the file was, else where a session of its directory belongs."""
    pure = PureWindowsPath(origin_path) if "\\" in origin_path else PurePosixPath(origin_path)
    parts = pure.parts
    if PROJECTS in parts[:-2]:
        last = len(parts) - 1 - parts[::-1].index(PROJECTS)
        return "/".join(parts[last + 1 :])
    folder = project_folder(head.cwd)
    if head.relation == "subagent":
        return f"{folder}/{head.parent}/subagents/{head.host_session.rpartition('/')[2]}.jsonl"
    return f"{folder}/{head.host_session}.jsonl"


def project_folder(cwd: str) -> str:
    """Return the folder that the host uses for sessions of a working directory."""
    # The host replaces UTF-16 units: a character beyond the first plane becomes two marks.
    name = re.sub("[^a-zA-Z0-9]", lambda found: "--" if found[0] > "\uffff" else "-", cwd)
    if len(name) <= FOLDER_CHARACTERS:
        return name
    return f"{name[:FOLDER_CHARACTERS]}-{_base36(abs(_hash(cwd)))}"


def _hash(text: str) -> int:
    """Return the 32-bit signed string hash of Java (31 · h + unit over UTF-16 units)."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[at : at + 2], "little")) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _base36(value: int) -> str:
    digits = ""
    while True:
        value, digit = divmod(value, len(DIGITS))
        digits = DIGITS[digit] + digits
        if not value:
            return digits
