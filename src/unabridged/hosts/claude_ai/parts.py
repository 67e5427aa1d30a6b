"""How a message of Claude.ai reads: the blocks of the Messages API, with what a person attached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts.blocks import Part, Path, read_part
from unabridged.hosts.contract import Piece, Ref
from unabridged.schema.records import HUMAN, META

ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
SILENT = frozenset(("token_budget", "flag"))  # blocks that say nothing
MAX_BLOCKS = 4_096  # of one message


class Said(NamedTuple):
    """A reading, what names it in its message, and when it began (ISO 8601, "" where that is not told)."""

    place: str
    part: Part
    time: str = ""


def message_parts(message: dict[str, Any], path: Path) -> list[Said]:
    """Return the readings of a message that stands at `path`."""
    role = ROLES.get(string(message, "sender") or string(message, "role"), "other")
    found = list(_blocks(message, role, path))
    text = string(message, "text")
    if text and not found:  # older exports have the text alone
        found.append(Said("0", Part("text", role, (Ref((*path, "text"), text),))))
    found += _attachments(message, role, path)
    found += _files(message, role)
    return [said._replace(part=_flagged(said.part, role)) for said in found]


def _flagged(part: Part, role: str) -> Part:
    """Mark what a person said; what is neither a person's nor the model's is the host's."""
    flags = HUMAN if role == "user" and part.kind == "text" else META if role in ("system", "other") else 0
    return msgspec.structs.replace(part, flags=part.flags | flags) if flags else part


def _blocks(message: dict[str, Any], role: str, path: Path) -> Iterator[Said]:
    content: Any = message.get("content")
    if isinstance(content, str) and content:
        yield Said("0", Part("text", role, (Ref((*path, "content"), content),)))
    last = ""
    for at, item in enumerate(cast("list[Any]", content)[:MAX_BLOCKS] if isinstance(content, list) else []):
        block = _object(item)
        kind = string(block, "type")
        if kind in SILENT:
            continue
        place = (*path, "content", at)
        if kind == "voice_note":
            part = _voice(block, role, place)
        else:
            part = read_part(item, place, role)
        if part is None:
            continue
        if part.kind in ("tool-call", "tool-result"):
            part = _paired(part, block, f"{string(message, 'uuid')}.{at}", last)
            last = part.call if part.kind == "tool-call" else ""
        yield Said(str(at), part, string(block, "start_timestamp"))


def _voice(block: dict[str, Any], role: str, path: Path) -> Part | None:
    title, text = string(block, "title"), string(block, "text")
    pieces: tuple[Piece, ...] = (Ref((*path, "title"), title), "\n") if title and text else ()
    return Part("text", role, (*pieces, Ref((*path, "text"), text))) if text else None


def _paired(part: Part, block: dict[str, Any], own: str, last: str) -> Part:
    """Name the call that an answer belongs to where the export does not: it stands right before it."""
    call = part.call or (own if part.kind == "tool-call" else last)
    return msgspec.structs.replace(part, call=call, tool=part.tool or string(block, "name"))


def _attachments(message: dict[str, Any], role: str, path: Path) -> Iterator[Said]:
    """Yield attached texts. One without a name is a long text that a person pasted into the message."""
    for at, attached in enumerate(_objects(message.get("attachments"))):
        name, text = string(attached, "file_name"), string(attached, "extracted_content")
        ref = Ref((*path, "attachments", at, "extracted_content"), text)
        if name:
            pieces: tuple[Piece, ...] = (f"[file {name}]\n", ref) if text else (f"[file {name}]",)
            yield Said(f"a{at}", Part("file", role, pieces, paths=(name,)))
        elif text:
            yield Said(f"a{at}", Part("text", role, (ref,)))


def _files(message: dict[str, Any], role: str) -> Iterator[Said]:
    """Yield the files whose bytes the export does not hold; those that are attachments, too, are given once."""
    attached = {string(item, "file_name") for item in _objects(message.get("attachments"))}
    for at, file in enumerate(_objects(message.get("files"))):
        name = string(file, "file_name") or string(file, "file_uuid")
        if name and name not in attached:
            yield Said(f"f{at}", Part("file", role, (f"[file {name}]",), paths=(name,)))


def string(value: dict[str, Any], key: str) -> str:
    """Return a member that is a string, "" where it is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return (
        [_object(item) for item in cast("list[Any]", value)[:MAX_BLOCKS]] if isinstance(value, list) else []
    )
