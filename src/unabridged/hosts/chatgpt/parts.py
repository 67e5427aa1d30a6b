"""How a message of ChatGPT reads, by its content type."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part, Path
from unabridged.hosts.calls import call_pieces
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.schema.records import ERROR, HIDDEN, HUMAN, META

ROLES = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
EVERYBODY = ("", "all")  # recipients of what is no tool call
REASONING = frozenset(("thoughts", "reasoning_recap"))
# What the service puts before a conversation: instructions that the person wrote once, what the model remembers.
CONTEXT = frozenset(("user_editable_context", "model_editable_context"))
POINTERS = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "file",
    "video_container_asset_pointer": "file",
}
# Fields that are not for reading.
UNREAD = frozenset(
    ("content_type", "assets", "tether_id", "response_format_name", "metadata", "encrypted_content")
)
MAX_PARTS = 256  # parts of one message


def message_parts(message: dict[str, Any], path: Path) -> list[Part]:
    """Return the readings of a message that stands at `path`; none when it says nothing."""
    content = _object(message.get("content"))
    kind = text_of(content, "content_type")
    author = _object(message.get("author"))
    role = ROLES.get(text_of(author, "role"), "other")
    at = (*path, "content")
    if kind in REASONING:
        return [Part("reasoning", role, (), HIDDEN)]
    if is_call(message):
        return _call(message, content, at)
    found = _contents(content, kind, role, at)
    if role == "tool":
        return _result(found, text_of(author, "name"), _failed(message, kind))
    found += _attachments(message, found)
    flags = _flags(message, role, kind)
    return [msgspec.structs.replace(part, flags=part.flags | _of(part, flags)) for part in found]


def is_call(message: dict[str, Any]) -> bool:
    """Tell whether a message is the model's call of a tool."""
    role = text_of(_object(message.get("author")), "role")
    return role == "assistant" and text_of(message, "recipient") not in EVERYBODY


def text_of(value: dict[str, Any], key: str) -> str:
    """Return a member that is a string, "" where it is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _flags(message: dict[str, Any], role: str, kind: str) -> int:
    metadata = _object(message.get("metadata"))
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    if kind in CONTEXT or hidden or metadata.get("is_user_system_message") is True:
        return META
    if role == "user":
        return HUMAN
    return 0 if role == "assistant" else META


def _of(part: Part, flags: int) -> int:
    """Return the flags of one part: what a person attached is no prompt."""
    return flags & ~HUMAN if part.kind not in ("text", "image") else flags


# --- tools ------------------------------------------------------------------------------------------------------------


def _call(message: dict[str, Any], content: dict[str, Any], path: Path) -> list[Part]:
    tool = text_of(message, "recipient")
    pieces: list[Piece] = [tool]
    for part in _contents(content, text_of(content, "content_type"), "assistant", path):
        pieces += ["\n", *part.pieces]
    return [Part("tool-call", "assistant", tuple(pieces), tool=tool)]


def _result(found: list[Part], tool: str, flags: int) -> list[Part]:
    """Return what a tool answered as one part."""
    pieces: list[Piece] = []
    media: list[MediaRef] = []
    for part in found:
        pieces += ["\n", *part.pieces] if pieces else part.pieces
        media += part.media
        flags |= part.flags & ERROR
    return [Part("tool-result", "tool", tuple(pieces), flags, tool, media=tuple(media))] if pieces else []


def _failed(message: dict[str, Any], kind: str) -> int:
    ran = _object(_object(message.get("metadata")).get("aggregate_result"))
    return ERROR if kind == "system_error" or text_of(ran, "status").startswith("failed") else 0


# --- contents ---------------------------------------------------------------------------------------------------------


def _contents(content: dict[str, Any], kind: str, role: str, path: Path) -> list[Part]:
    parts: Any = content.get("parts")
    if isinstance(parts, list):
        read = [
            _part(item, role, (*path, "parts", at))
            for at, item in enumerate(cast("list[Any]", parts)[:MAX_PARTS])
        ]
        return [part for some in read for part in some]
    if kind in ("text", "code", "execution_output"):
        return _text(content, "text", role, path)
    if kind == "system_error":
        pieces = _labelled(content, ("name", "text"), path)
        return [Part("text", role, pieces, ERROR)] if pieces else []
    if kind in ("tether_quote", "sonic_webpage"):
        pieces = _labelled(content, ("title", "url", "domain", "snippet", "text"), path)
        return [Part("text", role, pieces)] if pieces else []
    if kind == "tether_browsing_display":
        pieces = _labelled(content, ("summary", "result"), path)
        return [Part("text", role, pieces)] if pieces else []
    if kind == "user_editable_context":
        pieces = _labelled(content, ("user_profile", "user_instructions"), path)
        return [Part("text", role, pieces)] if pieces else []
    return _other(content, kind, role, path)


def _text(content: dict[str, Any], key: str, role: str, path: Path) -> list[Part]:
    text = text_of(content, key)
    return [Part("text", role, (Ref((*path, key), text),))] if text else []


def _labelled(content: dict[str, Any], keys: tuple[str, ...], path: Path) -> tuple[Piece, ...]:
    """Return the texts of some members, each on a line of its own."""
    pieces: list[Piece] = []
    for key in keys:
        text = text_of(content, key)
        if text:
            pieces += ["\n"] if pieces else []
            pieces.append(Ref((*path, key), text))
    return tuple(pieces)


def _other(content: dict[str, Any], kind: str, role: str, path: Path) -> list[Part]:
    """Return what a content of unknown type says."""
    shown = {
        key: value for key, value in content.items() if key not in UNREAD and value not in (None, "", [], {})
    }
    return [Part("other", role, call_pieces(kind, shown, path))] if shown else []


def _part(part: Any, role: str, path: Path) -> list[Part]:
    """Return the readings of one part of a content: a text, or an object with a type of its own."""
    if isinstance(part, str):
        return [Part("text", role, (Ref(path, part),))] if part else []
    value = _object(part)
    kind = text_of(value, "content_type")
    if kind in POINTERS:
        return [_asset(value, kind, role, path)]
    if kind == "real_time_user_audio_video_asset_pointer":
        inner = ("audio_asset_pointer", "video_container_asset_pointer")
        return [
            _asset(_object(value[key]), key, role, (*path, key)) for key in inner if _object(value.get(key))
        ]
    if kind in ("audio_transcription", "text"):
        return _text(value, "text", role, path)
    return _other(value, kind, role, path)


def _asset(value: dict[str, Any], kind: str, role: str, path: Path) -> Part:
    """Return the reading of a picture or recording that lies in a file of its own: what it is called there."""
    name = asset_name(text_of(value, "asset_pointer"))
    form = POINTERS[kind]
    prompt = text_of(_object(_object(value.get("metadata")).get("dalle")), "prompt")
    pieces: list[Piece] = [f"[{form} {name}]" if name else f"[{form}]"]
    if prompt:
        pieces += ["\n", Ref((*path, "metadata", "dalle", "prompt"), prompt)]
    media = (MediaRef("", 0, (*path, "asset_pointer"), name),) if name else ()
    return Part(form, role, tuple(pieces), media=media)


def sources(message: dict[str, Any]) -> Part | None:
    """Return what an answer cites, a line each: title and address. Its text holds marks in their place only."""
    metadata = _object(message.get("metadata"))
    found: dict[str, None] = {}
    for reference in _objects(metadata.get("content_references")):
        cited = [reference, *_objects(reference.get("items")), *_objects(reference.get("sources"))]
        found.update((_cited(item), None) for item in cited)
    found.update(
        (_cited(_object(item.get("metadata"))), None) for item in _objects(metadata.get("citations"))
    )
    lines = [line for line in found if line][:MAX_PARTS]
    return Part("other", "assistant", ("\n".join(lines),), META) if lines else None


def _cited(item: dict[str, Any]) -> str:
    url = text_of(item, "url")
    return f"{text_of(item, 'title')} {url}".strip() if url else ""


def textdocs(conversation: dict[str, Any], path: Path) -> list[tuple[str, Part]]:
    """Return the documents of a conversation's canvas, each with what names it."""
    found: list[tuple[str, Part]] = []
    for at, item in enumerate(_objects(conversation.get("textdocs"))):
        name, title = text_of(item, "id") or text_of(item, "textdoc_id"), text_of(item, "title")
        place = (*path, "textdocs", at, "content")
        text = text_of(item, "content")
        if (name or title) and text:
            part = Part("file", "assistant", (f"[canvas {title or name}]\n", Ref(place, text)), META)
            found.append((name or title, part))
    return found


def _objects(value: Any) -> list[dict[str, Any]]:
    return [_object(item) for item in cast("list[Any]", value)[:MAX_PARTS]] if isinstance(value, list) else []


def asset_name(pointer: str) -> str:
    """Return the name that a file of the export begins with, from a pointer `file-service://…` or `sediment://…`."""
    return pointer.rpartition("://")[2].rpartition("/")[2].partition("?")[0].partition("#")[0]


def _attachments(message: dict[str, Any], found: list[Part]) -> list[Part]:
    """Return the files that a person attached and that no part shows."""
    shown = {media.name for part in found for media in part.media}
    listed: Any = _object(message.get("metadata")).get("attachments")
    files: list[Part] = []
    for item in map(_object, cast("list[Any]", listed)[:MAX_PARTS] if isinstance(listed, list) else []):
        name = text_of(item, "name") or text_of(item, "id")
        if name and text_of(item, "id") not in shown:
            files.append(Part("file", "user", (f"[file {name}]",), paths=(name,)))
    return files
