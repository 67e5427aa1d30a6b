"""How a message of Cursor's command line, or of its transcripts, reads.

Contents are those of the AI SDK (https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message) or of the Messages API.
What a person says stands in <user_query>; what the host tells the model stands around it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts import blocks
from unabridged.hosts.blocks import Part, Path
from unabridged.hosts.calls import call_pieces, is_own_call, is_own_text, named_paths
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

CUT = "[REDACTED]"  # ends an answer in a transcript whose calls or reasoning the host has left out
HOSTS_TEXTS = re.compile(
    r"\s*<(?:user_info|attached_files|additional_data|system_reminder|rules|git_status|project_layout|open_and_recently"
    r"|agent_transcripts|agent_skills|mcp_|available_|environment|manually_attached|terminal_files|timestamp|cursor_)"
)
_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
_SUMMARY = "[Previous conversation summary]"
ROLES = frozenset(("user", "assistant", "tool", "system"))


class Said(NamedTuple):
    """A block: what its name adds to the message's, its reading, and its own time where it has one."""

    suffix: str
    part: Part


def message_parts(role: str, content: Any, path: Path) -> list[Said]:
    """Return the blocks of a content that stands at `path`."""
    role = role if role in ROLES else "other"
    if isinstance(content, str):
        return _text("", content, path, role)
    if not isinstance(content, list):
        return []
    found: list[Said] = []
    items = cast("list[Any]", content)
    for index, item in enumerate(items):
        suffix = f"#{index}" if len(items) > 1 else ""
        found += _block(suffix, item, (*path, index), role)
    return found


def _block(suffix: str, item: Any, path: Path, role: str) -> list[Said]:
    if isinstance(item, str):
        return _text(suffix, item, path, role)
    block = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    kind = block.get("type")
    if kind == "text":
        text = block.get("text")
        return _text(suffix, text, (*path, "text"), role) if isinstance(text, str) else []
    if kind in ("reasoning", "redacted-reasoning"):
        return [Said(suffix, Part("reasoning", "assistant", (), HIDDEN))]
    if kind == "tool-call":
        part: Part | None = _call(block, path)
    elif kind == "tool-result":
        part = _result(block, path)
    elif kind in ("image", "file") and "source" not in block:
        part = _media(block, str(kind), path, role)
    else:
        part = blocks.read_part(item, path, role)
    if part is not None and role == "user" and part.kind in ("image", "file"):
        part = msgspec.structs.replace(part, flags=part.flags | HUMAN)
    return [Said(suffix, part)] if part is not None else []


def _text(suffix: str, text: str, path: Path, role: str) -> list[Said]:
    if not text.strip():
        return []
    whole = (Ref(path, text),)
    if role != "user":
        if text.strip() == CUT:
            return [Said(suffix, Part("reasoning", "assistant", (), HIDDEN))] if role == "assistant" else []
        return [Said(suffix, Part("text", role, whole, META if role == "system" else 0))]
    if is_own_text(text):
        return [Said(suffix, Part("text", role, whole, META | ECHO))]
    if text.startswith(_SUMMARY):
        return [Said(suffix, Part("compaction", role, whole, SUMMARY))]
    query = _QUERY.search(text)
    if query is None:
        return [Said(suffix, Part("text", role, whole, META if HOSTS_TEXTS.match(text) else HUMAN))]
    found = [Said(suffix, Part("text", role, (query[1],), HUMAN))] if query[1].strip() else []
    around = (text[: query.start()] + text[query.end() :]).strip()
    if around:
        found.append(Said(f"{suffix}.1" if suffix else "#1", Part("text", role, (around,), META)))
    return found


def _call(block: dict[str, Any], path: Path) -> Part:
    name = string(block, "toolName")
    key = "args" if "args" in block else "input"
    arguments: Any = block.get(key)
    flags = ECHO if is_own_call(name, arguments) else 0
    pieces = call_pieces(name, arguments, (*path, key))
    return Part(
        "tool-call", "assistant", pieces, flags, name, string(block, "toolCallId"), named_paths(arguments)
    )


def _result(block: dict[str, Any], path: Path) -> Part:
    key = "result" if "result" in block else "output"
    value: Any = block.get(key)
    path = (*path, key)
    if isinstance(value, dict) and "value" in value:
        value, path = cast("dict[str, Any]", value)["value"], (*path, "value")
    pieces: tuple[Piece, ...] = ()
    media: list[MediaRef] = []
    if isinstance(value, str):
        pieces = (Ref(path, value),) if value else ()
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            part = blocks.read_part(item, (*path, index), "tool")
            if part is not None:
                pieces += (("\n",) if pieces and part.pieces else ()) + part.pieces
                media += part.media
    elif isinstance(value, dict):
        pieces = call_pieces("", value, path)
    name = string(block, "toolName")
    flags = (ERROR if block.get("isError") is True else 0) | (ECHO if is_own_call(name, None) else 0)
    return Part("tool-result", "tool", pieces, flags, name, string(block, "toolCallId"), media=tuple(media))


def _media(block: dict[str, Any], kind: str, path: Path, role: str) -> Part:
    key = "image" if isinstance(block.get("image"), str) else "data"
    mime = string(block, "mediaType") or string(block, "mimeType")
    media = MediaRef(mime, len(string(block, key)) * 3 // 4, (*path, key), string(block, "filename"))
    return Part(kind, role, (blocks.placeholder(kind, media),), media=(media,))


def string(row: dict[str, Any], key: str) -> str:
    """Return a member that is a string, else \"\"."""
    value = row.get(key)
    return value if isinstance(value, str) else ""
