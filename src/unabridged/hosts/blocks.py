"""How one content block of a message reads.

The blocks are those of the Messages API (https://docs.anthropic.com/en/api/messages), as they pass on the wire and as
Claude Code writes them.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.calls import base64_size, call_pieces, is_own_call, named_paths
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.schema.records import ECHO, ERROR, HIDDEN

Path = tuple[int | str, ...]

CALLS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
REASONING = frozenset(("thinking", "redacted_thinking"))
FILES = {"image": "image", "document": "file"}
# Fields that are not for reading: signatures, encrypted text, encoded media, cache marks; names that say nothing more.
UNREAD = frozenset(
    (
        "base64",
        "cache_control",
        "data",
        "encrypted_content",
        "encrypted_index",
        "id",
        "signature",
        "toolUseID",
        "tool_use_id",
        "type",
    )
)
UNREAD_DEPTH = 8  # levels of an unknown value in which such fields are looked for


class Part(msgspec.Struct, frozen=True, gc=False):
    """The reading of one content block."""

    kind: str
    role: str
    pieces: tuple[Piece, ...]
    flags: int = 0
    tool: str = ""
    call: str = ""
    paths: tuple[str, ...] = ()
    media: tuple[MediaRef, ...] = ()


# Index of the block in its row (-1: the only one), its reading, and flags that the row gives it.
Found = tuple[int, Part, int]


def first_text(part: Part) -> str:
    """Return the text that a reading begins with."""
    if not part.pieces:
        return ""
    piece = part.pieces[0]
    return piece.text if isinstance(piece, Ref) else piece


def text_part(text: str, path: Path, role: str) -> Part | None:
    """Return the reading of a text; None when it is empty."""
    return Part("text", role, (Ref(path, text),)) if text else None


def read_part(block: Any, path: Path, role: str) -> Part | None:
    """Return the reading of a content block that stands at `path`; None when it says nothing."""
    if isinstance(block, str):
        return text_part(block, path, role)
    if not isinstance(block, dict):
        return None
    found = cast("dict[str, Any]", block)
    kind = found.get("type")
    if kind == "text":
        text = found.get("text")
        return text_part(text, (*path, "text"), role) if isinstance(text, str) else None
    if kind == "tool_result":
        return _result(found, path)
    if kind in CALLS:
        return _call(found, path)
    if kind in REASONING:
        return Part("reasoning", role, (), HIDDEN)
    if kind in FILES:
        media = media_of(found, path)
        return Part(FILES[kind], role, (placeholder(kind, media),), media=(media,))
    if isinstance(kind, str) and kind.endswith("_tool_result"):
        return _result(found, path)
    return _other(found, path, role)


def _call(block: dict[str, Any], path: Path) -> Part:
    name = _string(block, "name")
    arguments = block.get("input")
    flags = ECHO if is_own_call(name, arguments) else 0
    pieces = call_pieces(name, arguments, (*path, "input"))
    return Part("tool-call", "assistant", pieces, flags, name, _string(block, "id"), named_paths(arguments))


def _result(block: dict[str, Any], path: Path) -> Part:
    content = block.get("content")
    path = (*path, "content")
    media: list[MediaRef] = []
    if isinstance(content, str):
        pieces = (Ref(path, content),) if content else ()
    elif isinstance(content, list):
        pieces = _joined(cast("list[Any]", content), path, media)
    elif isinstance(content, dict):
        pieces = call_pieces("", readable(cast("dict[str, Any]", content)), path)
    else:
        pieces = ()
    flags = ERROR if block.get("is_error") is True else 0
    call = _string(block, "tool_use_id")
    return Part("tool-result", "tool", pieces, flags, call=call, media=tuple(media))


def _joined(blocks: list[Any], path: Path, media: list[MediaRef]) -> tuple[Piece, ...]:
    """Return the pieces of a result's blocks, with a line feed between two blocks."""
    pieces: list[Piece] = []
    for index, block in enumerate(blocks):
        part = read_part(block, (*path, index), "tool")
        if part is None or not part.pieces:
            continue
        if pieces:
            pieces.append("\n")
        pieces.extend(part.pieces)
        media.extend(part.media)
    return tuple(pieces)


def media_of(block: dict[str, Any], path: Path) -> MediaRef:
    """Return where the bytes of an image or document stand; size 0 when they are not in the line."""
    raw: Any = block.get("source")
    source = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    data = _string(source, "data")
    size = len(data.encode("utf-8")) if source.get("type") == "text" else base64_size(data)
    return MediaRef(_string(source, "media_type"), size, (*path, "source", "data"), _string(block, "title"))


def placeholder(kind: str, media: MediaRef) -> str:
    """Return the text that stands for bytes."""
    return f"[{kind} {media.name or media.media_type}]".replace(" ]", "]")


def _other(block: dict[str, Any], path: Path, role: str) -> Part | None:
    kind = _string(block, "type")
    shown = readable(block)
    if not kind and not shown:
        return None
    return Part("other", role, call_pieces(kind, shown, path))


def readable(value: dict[str, Any], depth: int = UNREAD_DEPTH) -> dict[str, Any]:
    """Return an object without the fields that are not for reading, at any level."""
    return {key: _readable(item, depth - 1) for key, item in value.items() if key not in UNREAD}


def _readable(value: Any, depth: int) -> Any:
    if not depth:
        return value
    if isinstance(value, dict):
        return readable(cast("dict[str, Any]", value), depth)
    if isinstance(value, list):
        # Indexes are part of the paths of references: nothing is taken out of a list.
        return [_readable(item, depth - 1) for item in cast("list[Any]", value)]
    return value


def _string(block: dict[str, Any], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""
