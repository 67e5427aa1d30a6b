"""Items as a host's own extension hands them over: Pi's messages, OpenCode's messages with their parts.

They say what the host's transcript says, so they are read with the readings of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part, Path
from unabridged.hosts.lines import fit
from unabridged.hosts.opencode import parts as opencode
from unabridged.hosts.opencode import rows
from unabridged.hosts.pi import parts as pi
from unabridged.hosts.pi.rows import Message

PI, OPENCODE = "pi", "opencode"
FORMATS = frozenset((PI, OPENCODE))
TOOL = "tool"
OVER = frozenset(("completed", "error"))  # states of a tool in which it has a result
COMPACTED = "compactionSummary"

Found = tuple[int, Part]  # which part of its item
Members = dict[str, msgspec.Raw]

_members: msgspec.json.Decoder[Members] = msgspec.json.Decoder(Members)
_list: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


def parts_of(form: str, item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    """Return the readings of an item's parts, and how many parts it has; some say nothing."""
    return _pi(item, path) if form == PI else _opencode(item, path)


def text_of_part(form: str, item: dict[str, Any], data: bytes, at: int) -> str | None:
    """Return the text of a part as a window names it; None for a part that is not there or has no text."""
    return _pi_text(item, data, at) if form == PI else _opencode_text(item, data, at)


# --- Pi -----------------------------------------------------------------------------------------------------------


def _pi(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    message = fit(item, Message) or Message()
    found = pi.message_parts(message, path)
    content = item.get("content")
    count = int(bool(found) or content is not None)
    if message.role in ("user", "assistant") and isinstance(content, list):
        count = len(cast("list[Any]", content))
    kind = "compaction" if message.role == COMPACTED else ""
    parts = [(max(index, 0), _of_pi(part, kind)) for index, part in found]
    return parts, max([count, *(index + 1 for index, _ in parts)])


def _of_pi(part: pi.Part, kind: str) -> Part:
    return Part(
        kind or part.kind, part.role, part.pieces, part.flags, part.tool, part.call, part.paths, part.media
    )


def _pi_text(item: dict[str, Any], data: bytes, at: int) -> str | None:
    role, content = item.get("role"), item.get("content")
    alone = [item.get(name) for name in ("output", "summary") if isinstance(item.get(name), str)]
    if alone:
        return str(alone[0]) if at == 0 else None
    if role == "toolResult":
        return _joined(content) if at == 0 else None
    if isinstance(content, str):
        return content if at == 0 else None
    block = _at(content, at)
    if block is None:
        return None
    if block.get("type") == "toolCall":
        return _inner(data, ("content", at, "arguments"))
    return _string(block, "text") if block.get("type") == "text" else None


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [cast("dict[str, Any]", block).get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join([text for text in texts if isinstance(text, str)])


# --- OpenCode -----------------------------------------------------------------------------------------------------


def places(parts: Sequence[Any]) -> list[tuple[int, bool]]:
    """Return where the parts of an item stand in the host's list, in order; True: the result of a tool's call.

    The host keeps a call and its result in one part; to a window they are two.
    """
    found = list[tuple[int, bool]]()
    for index, part in enumerate(parts):
        found.append((index, False))
        if isinstance(part, dict) and _is_over(cast("dict[str, Any]", part)):
            found.append((index, True))
    return found


def _is_over(part: dict[str, Any]) -> bool:
    state: Any = part.get("state")
    return (
        part.get("type") == TOOL
        and isinstance(state, dict)
        and cast("dict[str, Any]", state).get("status") in OVER
    )


def _opencode(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    message = fit(item.get("info"), rows.Message) or rows.Message()
    of, at, found = rows.of_message(message), 0, list[Found]()
    for index, raw in enumerate(_parts(item)):
        slots = 1 + (isinstance(raw, dict) and _is_over(cast("dict[str, Any]", raw)))
        part = fit(raw, rows.Part) or rows.Part()
        said = opencode.read_part(part, of, raw, (*path, "parts", index))
        found += [(at + place, _of_opencode(one)) for place, one in enumerate(said[:slots])]
        at += slots
    return found, at


def _of_opencode(said: opencode.Said) -> Part:
    return Part(said.kind, said.role, said.pieces, said.flags, said.tool, said.call, said.paths, said.media)


def _opencode_text(item: dict[str, Any], data: bytes, at: int) -> str | None:
    parts = _parts(item)
    where = places(parts)
    if at >= len(where) or not isinstance(parts[where[at][0]], dict):
        return None
    index, is_result = where[at]
    part = cast("dict[str, Any]", parts[index])
    if part.get("type") != TOOL:
        return _string(part, "text") if part.get("type") == "text" else None
    if not is_result:
        return _inner(data, ("parts", index, "state", "input"))
    state = cast("dict[str, Any]", part["state"])
    return _string(state, "output" if state.get("status") == "completed" else "error")


def _parts(item: dict[str, Any]) -> list[Any]:
    parts: Any = item.get("parts")
    return cast("list[Any]", parts) if isinstance(parts, list) else []


# --- what they have in common -------------------------------------------------------------------------------------


def _inner(data: bytes, path: Path) -> str:
    """Return the JSON of a value with every byte of it, "{}" where it is not there."""
    try:
        value = msgspec.Raw(data)
        for name in path:
            value = _list.decode(value)[name] if isinstance(name, int) else _members.decode(value)[name]
        return bytes(value).decode("utf-8", "replace")
    except (msgspec.DecodeError, KeyError, IndexError, RecursionError):
        return "{}"


def _at(content: Any, at: int) -> dict[str, Any] | None:
    if not isinstance(content, list) or at >= len(cast("list[Any]", content)):
        return None
    block: Any = cast("list[Any]", content)[at]
    return cast("dict[str, Any]", block) if isinstance(block, dict) else None


def _string(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""
