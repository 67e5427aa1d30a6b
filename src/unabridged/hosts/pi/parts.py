"""How a Pi entry reads."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part
from unabridged.hosts.calls import (
    OWN_NAME,
    base64_size,
    call_pieces,
    is_own_call,
    is_own_command,
    is_own_text,
    named_paths,
)
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.hosts.pi.rows import Message, Row
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

Path = tuple[int | str, ...]

SUMMARIES = frozenset(("branchSummary", "compactionSummary"))
CUSTOM = frozenset(("custom", "hookMessage"))
ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
# Fields that are not for reading: signatures and encoded media.
UNREAD = frozenset(("type", "textSignature", "thinkingSignature", "thoughtSignature", "data", "partialJson"))


# Index of the block in its entry (-1: the only one) with its reading.
Found = tuple[int, Part]


def entry_parts(row: Row, at: int) -> list[Found]:
    """Return the readings of an entry whose JSON value is number `at` on its line."""
    if row.message is not None:
        return message_parts(row.message, (at, "message"))
    if row.type == "compaction" and row.summary:
        return _alone(Part("compaction", "system", (Ref((at, "summary"), row.summary),), SUMMARY))
    if row.type == "branch_summary" and row.summary:
        return _alone(Part("text", "system", (Ref((at, "summary"), row.summary),), SUMMARY))
    if row.type == "custom_message":
        return _custom(row.custom_type, row.content, (at, "content"))
    return []


def message_parts(message: Message, path: Path) -> list[Found]:
    """Return the readings of a message that stands at `path`."""
    role = message.role or ""
    if role == "toolResult":
        return _alone(_result(message, (*path, "content")))
    if role == "system" and isinstance(message.sections, dict):
        return _prompt(message, path)
    if role in CUSTOM:
        return _custom(message.custom_type, message.content, (*path, "content"))
    if role in SUMMARIES and message.summary:
        return _alone(Part("text", "system", (Ref((*path, "summary"), message.summary),), SUMMARY))
    if message.command is not None or message.code is not None:
        return _alone(_execution(message, path))
    found = _contents(message.content, (*path, "content"), ROLES.get(role, "other"))
    flags = HUMAN if role == "user" else 0 if role == "assistant" else META
    found = (
        [(index, msgspec.structs.replace(part, flags=part.flags | flags)) for index, part in found]
        if flags
        else found
    )
    if message.error_message:
        index = max((index for index, _ in found), default=-2) + 1
        text = Ref((*path, "errorMessage"), message.error_message)
        found.append((index, Part("text", "assistant", (text,), META | ERROR)))
    return found


def _contents(content: Any, path: Path, role: str) -> list[Found]:
    if isinstance(content, str):
        return _alone(Part("text", role, (Ref(path, content),))) if content else []
    if not isinstance(content, list):
        return []
    blocks = cast("list[Any]", content)
    single = len(blocks) == 1
    read = [(index, _block(block, (*path, index), role)) for index, block in enumerate(blocks)]
    return [(-1 if single else index, part) for index, part in read if part is not None]


def _block(block: Any, path: Path, role: str) -> Part | None:
    if isinstance(block, str):
        return Part("text", role, (Ref(path, block),)) if block else None
    if not isinstance(block, dict):
        return None
    found = cast("dict[str, Any]", block)
    kind = found.get("type")
    if kind == "text":
        text = found.get("text")
        return Part("text", role, (Ref((*path, "text"), text),)) if isinstance(text, str) and text else None
    if kind == "toolCall":
        name, arguments = _string(found, "name"), found.get("arguments")
        flags = ECHO if is_own_call(name, arguments) else 0
        pieces = call_pieces(name, arguments, (*path, "arguments"))
        return Part("tool-call", role, pieces, flags, name, _string(found, "id"), named_paths(arguments))
    if kind == "thinking":
        return Part("reasoning", role, (), HIDDEN)
    if kind == "image":
        media = MediaRef(_string(found, "mimeType"), base64_size(_string(found, "data")), (*path, "data"), "")
        return Part("image", role, (f"[image {media.media_type}]",), media=(media,))
    shown = {key: value for key, value in found.items() if key not in UNREAD}
    name = kind if isinstance(kind, str) else ""
    return Part("other", role, call_pieces(name, shown, path)) if name or shown else None


def _result(message: Message, path: Path) -> Part:
    pieces: list[Piece] = []
    media: list[MediaRef] = []
    for _, part in _contents(message.content, path, "tool"):
        if part.pieces and pieces:
            pieces.append("\n")
        pieces.extend(part.pieces)
        media.extend(part.media)
    tool = message.tool_name or ""
    flags = (ERROR if message.is_error else 0) | (ECHO if is_own_call(tool, None) else 0)
    return Part(
        "tool-result", "tool", tuple(pieces), flags, tool, message.tool_call_id or "", media=tuple(media)
    )


def _execution(message: Message, path: Path) -> Part:
    """A command that the person ran between prompts, with what it put out."""
    key, command = ("command", message.command) if message.command is not None else ("code", message.code)
    pieces: list[Piece] = ["$ ", Ref((*path, key), command or "")]
    if message.output:
        pieces += ["\n", Ref((*path, "output"), message.output)]
    flags = (ERROR if message.exit_code else 0) | (ECHO if is_own_command(command) else 0)
    return Part("tool-result", "user", tuple(pieces), flags, "bash" if key == "command" else "python")


def _prompt(message: Message, path: Path) -> list[Found]:
    """The system prompt: its text, then its sections in their order."""
    found = _contents(message.content, (*path, "content"), "system")
    sections = {
        key: value
        for key, value in cast("dict[str, Any]", message.sections).items()
        if isinstance(value, str) and value
    }
    pieces: list[Piece] = []
    for _, part in found:
        pieces += [*part.pieces, "\n"]
    for key, value in sections.items():
        pieces += [Ref((*path, "sections", key), value), "\n"]
    return _alone(Part("text", "system", tuple(pieces[:-1]), META)) if pieces else []


def _custom(custom: str | None, content: Any, path: Path) -> list[Found]:
    """A message that an extension put into the context."""
    own = OWN_NAME in (custom or "").lower()
    return [
        (
            index,
            msgspec.structs.replace(part, flags=part.flags | META | (ECHO if own or _is_own(part) else 0)),
        )
        for index, part in _contents(content, path, "system")
    ]


def _is_own(part: Part) -> bool:
    return any(is_own_text(item.text if isinstance(item, Ref) else item) for item in part.pieces)


def _alone(part: Part) -> list[Found]:
    return [(-1, part)]


def _string(block: dict[str, Any], key: str) -> str:
    value = block.get(key)
    return value if isinstance(value, str) else ""
