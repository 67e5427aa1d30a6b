"""What a session's row tells: its title, folder, parent, and what was taken back."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

_FORK = re.compile(r"\(fork #\d+\)$")  # ends the title that the host gives a fork


class Told(msgspec.Struct, array_like=True, frozen=True):
    """A session as its row describes it; `revert` is the message (and part) from which on it was taken back."""

    title: str = ""
    cwd: str = ""
    parent: str = ""
    relation: str = ""
    revert: str = ""
    updated: int = 0


def told(row: dict[str, Any], is_info: bool) -> Told:
    """Read a session's columns, or the session as an export has it.

    Its folder is the session's own: the project's is `/` where there is no repository.
    """
    parent = _text(row.get("parentID" if is_info else "parent_id"))
    title = _text(row.get("title"))
    times: Any = row.get("time")
    updated: Any = (
        cast("dict[str, Any]", times).get("updated") if isinstance(times, dict) else row.get("time_updated")
    )
    relation = ("fork" if _FORK.search(title) else "subagent") if parent else ""
    return Told(
        title,
        _text(row.get("directory")),
        parent,
        relation,
        _revert(row.get("revert")),
        updated if isinstance(updated, int) else 0,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _revert(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    row = cast("dict[str, Any]", value)
    message, part = _text(row.get("messageID")), _text(row.get("partID"))
    return f"{message}/{part}" if part else message
