"""The parts of an item as blocks read: texts, calls, results, media; what is unknown as it stands."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part, Path, read_part, readable, text_part
from unabridged.hosts.calls import base64_size, call_pieces, is_own_call, named_paths
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.hosts.wire import hosted
from unabridged.hosts.wire.authors import ROLES
from unabridged.hosts.wire.items import MESSAGES, RESPONSES
from unabridged.schema.records import ECHO, HIDDEN

REASONING = "reasoning"
THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details")
TEXTS = frozenset(("input_text", "output_text", "text", "refusal", "summary_text"))
IMAGES = frozenset(("input_image", "image_url", "image"))
FILES = frozenset(("input_file", "input_audio", "file"))
STATE = frozenset(("compaction", "compaction_summary", "context_compaction", "compaction_trigger"))
_DATA_URL = re.compile(r"data:([\w.+/-]{1,100})[;,]")

Found = tuple[int, Part]  # which part of its item


def parts_of(form: str, item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    """Return the readings of an item's parts, and how many parts it has; some say nothing."""
    if form in hosted.FORMATS:
        return hosted.parts_of(form, item, path)
    if form == MESSAGES:
        return _messages(item, path)
    if form == RESPONSES:
        return _responses(item, path)
    return _chat(item, path)


# --- Anthropic Messages -------------------------------------------------------------------------------------------


def _messages(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    role = ROLES.get(str(item.get("role")), "other")
    content, at = item.get("content"), (*path, "content")
    if not isinstance(content, list):
        part = read_part(content, at, role)
        return ([(0, part)] if part is not None else []), 1
    blocks = cast("list[Any]", content)
    read = [(index, read_part(block, (*at, index), role)) for index, block in enumerate(blocks)]
    return [(index, part) for index, part in read if part is not None], len(blocks)


# --- OpenAI Responses ---------------------------------------------------------------------------------------------


def _responses(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    kind = str(item.get("type") or "")
    if item.get("role") and kind in ("", "message"):
        return _contents(item, path)
    part = _item(item, kind, path)
    return ([(0, part)] if part is not None else []), 1


def _item(item: dict[str, Any], kind: str, path: Path) -> Part | None:
    if kind == REASONING:
        return Part("reasoning", "assistant", (), HIDDEN)
    if kind in STATE:
        return Part("compaction", "system", (f"[{kind}]",))
    call = _string(item, "call_id") or _string(item, "id")
    if kind.endswith("_output"):
        pieces, media = _output(item.get("output"), (*path, "output"))
        return Part("tool-result", "tool", pieces, 0, "", call, (), media)
    if kind.endswith("_call"):
        return _call(item, kind, path, call)
    return _unknown(item, kind, path, "other")


def _call(item: dict[str, Any], kind: str, path: Path, call: str) -> Part:
    space, name = _string(item, "namespace"), _string(item, "name") or kind.removesuffix("_call")
    if space and not name.startswith(space):
        name = f"{space}{name}" if name.startswith("_") else f"{space}__{name}"
    if isinstance(item.get("input"), str):
        return _free_call(name, _string(item, "input"), (*path, "input"), call)
    if "arguments" in item:
        return _json_call(name, item.get("arguments"), (*path, "arguments"), call)
    shown = item.get("action") if isinstance(item.get("action"), dict) else readable(item)
    at = (*path, "action") if isinstance(item.get("action"), dict) else path
    return _called(name, shown, call_pieces(name, shown, at), call)


def _output(content: Any, path: Path) -> tuple[tuple[Piece, ...], tuple[MediaRef, ...]]:
    """Return the pieces of a result, with a line feed between two texts, and its images."""
    if isinstance(content, str):
        return ((Ref(path, content),) if content else ()), ()
    pieces, media = list[Piece](), list[MediaRef]()
    for index, block in enumerate(cast("list[Any]", content) if isinstance(content, list) else []):
        part = _block(block, (*path, index), "tool")
        if part is None or not part.pieces:
            continue
        media.extend(part.media)
        if part.kind == "text":
            pieces += ["\n", *part.pieces] if pieces else part.pieces
    return tuple(pieces), tuple(media)


# --- Chat Completions ---------------------------------------------------------------------------------------------


def _chat(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    if ROLES.get(str(item.get("role"))) == "tool":
        pieces, media = _output(item.get("content"), (*path, "content"))
        part = Part("tool-result", "tool", pieces, 0, "", _string(item, "tool_call_id"), (), media)
        return [(0, part)], 1
    found, count = _contents(item, path)
    calls: Any = item.get("tool_calls")
    for index, call in enumerate(cast("list[Any]", calls) if isinstance(calls, list) else []):
        if isinstance(call, dict):
            part = _chat_call(cast("dict[str, Any]", call), (*path, "tool_calls", index))
            found.append((count, part))
        count += 1
    old = item.get("function_call")
    if isinstance(old, dict):
        row, at = cast("dict[str, Any]", old), (*path, "function_call", "arguments")
        found.append((count, _json_call(_string(row, "name"), row.get("arguments"), at, "")))
        count += 1
    if any(item.get(name) for name in THOUGHTS):
        found.append((count, Part("reasoning", "assistant", (), HIDDEN)))
        count += 1
    return found, count


def _chat_call(call: dict[str, Any], path: Path) -> Part:
    name, inner = _string(call, "id"), call.get("custom")
    if isinstance(inner, dict):
        row = cast("dict[str, Any]", inner)
        return _free_call(_string(row, "name"), _string(row, "input"), (*path, "custom", "input"), name)
    inner = call.get("function")
    row = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    return _json_call(_string(row, "name"), row.get("arguments"), (*path, "function", "arguments"), name)


# --- what they have in common -------------------------------------------------------------------------------------


def _contents(item: dict[str, Any], path: Path) -> tuple[list[Found], int]:
    """Read the content of a message: a string, or blocks."""
    role = ROLES.get(str(item.get("role")), "other")
    content, at = item.get("content"), (*path, "content")
    if isinstance(content, str):
        part = text_part(content, at, role)
        return ([(0, part)] if part is not None else []), 1
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    read = [(index, _block(block, (*at, index), role)) for index, block in enumerate(blocks)]
    return [(index, part) for index, part in read if part is not None], len(blocks)


def _block(block: Any, path: Path, role: str) -> Part | None:
    if not isinstance(block, dict):
        return text_part(block, path, role) if isinstance(block, str) else None
    row = cast("dict[str, Any]", block)
    kind = _string(row, "type")
    if kind in TEXTS or (not kind and "text" in row):
        name = "refusal" if kind == "refusal" else "text"
        return text_part(_string(row, name), (*path, name), role)
    if kind in IMAGES:
        return _image(row, path, role)
    if kind in FILES:
        return _file(row, kind, path, role)
    return _unknown(row, kind, path, role)


def _image(row: dict[str, Any], path: Path, role: str) -> Part:
    url: Any = row.get("image_url")
    at = (*path, "image_url")
    if isinstance(url, dict):
        url, at = cast("dict[str, Any]", url).get("url"), (*at, "url")
    media = _media(url if isinstance(url, str) else "", at)
    return Part("image", role, (f"[image {media.media_type}]",), media=(media,))


def _file(row: dict[str, Any], kind: str, path: Path, role: str) -> Part:
    inner, at = row, path
    for name in ("file", "input_audio"):
        if isinstance(row.get(name), dict):
            inner, at = cast("dict[str, Any]", row[name]), (*path, name)
    field = "data" if "data" in inner else "file_data"
    found = _media(_string(inner, field), (*at, field))
    name = _string(inner, "filename")
    media = msgspec.structs.replace(found, name=name)
    return Part("file", role, (f"[{kind} {name or found.media_type}]".replace(" ]", "]"),), media=(media,))


def _media(url: str, path: Path) -> MediaRef:
    kind = _DATA_URL.match(url, 0, 200)
    if kind is not None:
        return MediaRef(kind[1], base64_size(url), path)
    return MediaRef(
        "image", 0 if "://" in url[:12] else base64_size(url), path, url[:200] if "://" in url[:12] else ""
    )


def _json_call(name: str, arguments: Any, path: Path, call: str) -> Part:
    """Render a call whose arguments are JSON inside a string: its strings are no strings of the line, so literals."""
    if not isinstance(arguments, str):
        return _called(name, arguments, call_pieces(name, arguments, path), call)
    try:
        inner: Any = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return _called(name, None, (f"{name}\n", Ref(path, arguments)), call)
    pieces = call_pieces(name, inner, ())
    text = "".join([piece if isinstance(piece, str) else piece.text for piece in pieces])
    return _called(name, inner, (text,), call)


def _free_call(name: str, text: str, path: Path, call: str) -> Part:
    return _called(name, {"command": text}, (f"{name}\n", Ref(path, text)), call)


def _called(name: str, arguments: Any, pieces: tuple[Piece, ...], call: str) -> Part:
    flags = ECHO if is_own_call(name, arguments) else 0
    return Part("tool-call", "assistant", pieces, flags, name, call, named_paths(arguments))


def _unknown(row: dict[str, Any], kind: str, path: Path, role: str) -> Part | None:
    shown = readable(row)
    return Part("other", role, call_pieces(kind, shown, path)) if kind or shown else None


def _string(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
