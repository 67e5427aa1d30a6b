"""Rows that are no message: the host's notices, and what it put beside a message."""

from __future__ import annotations

from typing import Any, cast

from unabridged.hosts.blocks import Found, Part, Path, first_text, read_part, readable
from unabridged.hosts.calls import OWN_MARK, call_pieces
from unabridged.hosts.claude_code.prompts import author_flags
from unabridged.hosts.claude_code.rows import Attachment, Parsed
from unabridged.hosts.contract import Piece, Ref
from unabridged.hosts.lines import values
from unabridged.schema.records import ECHO, ERROR, META

COMPACTIONS = frozenset(("compact_boundary", "microcompact_boundary"))
TURN_ENDS = frozenset(("stop_hook_summary", "turn_duration"))
OWN_MARK_WITHIN = 300  # characters; the host puts a sentence of its own before a hook's text

# Attachments that say nothing to a reader: bookkeeping, or listings that repeat in every session. Used only for rows
# without `rendered`, the text that the model got.
SILENT = frozenset(
    (
        "agent_listing_delta",
        "command_permissions",
        "date",
        "deferred_tools_delta",
        "environment",
        "hook_cancelled",
        "hook_success",
        "mcp_instructions_delta",
        "model",
        "prompt_snapshot",
        "remote_session_change",
        "session_context",
        "skill_listing",
        "task_reminder",
        "todo",
        "todo_reminder",
        "token_usage",
        "total_tokens_reminder",
    )
)


def system_part(parsed: Parsed, line: bytes) -> Part | None:
    """Return the reading of a `system` row."""
    row = parsed.row
    text = row.content if isinstance(row.content, str) else ""
    path: Path = (parsed.number, "content")
    if row.subtype in COMPACTIONS:
        return Part("compaction", "system", (Ref(path, text) if text else "Conversation compacted",))
    if row.subtype in TURN_ENDS:
        return None
    if text:
        return Part("text", "system", (Ref(path, text),), META | _echo(text))
    if row.subtype == "api_error":
        error = _whole(parsed, line).get("error")
        shown: Any = cast("dict[str, Any]", error) if isinstance(error, dict) else {"error": error}
        return Part("text", "system", call_pieces("api_error", shown, (parsed.number, "error")), META | ERROR)
    return None


def attached_parts(parsed: Parsed, line: bytes) -> list[Found]:
    """Return the readings of an `attachment` row: the text that the model got, or the attachment's own fields."""
    row, at = parsed.row, parsed.number
    attachment = row.attachment
    if attachment is None:
        return []
    if attachment.type == "queued_command":
        return _queued(attachment, (at, "attachment", "prompt"), bool(row.is_sidechain))
    own = _echo(attachment.command or "")
    rendered: Any = row.rendered
    if isinstance(rendered, list):
        return _rendered(cast("list[Any]", rendered), (at, "rendered"), own)
    if not attachment.type or attachment.type in SILENT:
        return []
    value: Any = _whole(parsed, line).get("attachment")
    if not isinstance(value, dict):
        return []
    shown = readable(cast("dict[str, Any]", value))
    pieces = call_pieces(attachment.type, shown, (at, "attachment"))
    return [(-1, Part("text", "system", pieces), META | own | _any_echo(pieces))]


def _queued(attachment: Attachment, path: Path, side: bool) -> list[Found]:
    """Read a prompt that was typed while the model worked, or a notice that the host queued."""
    prompt: Any = attachment.prompt
    single = isinstance(prompt, str)
    blocks: list[Any] = [prompt] if single else cast("list[Any]", prompt) if isinstance(prompt, list) else []
    meta = bool(attachment.is_meta) or attachment.command_mode == "task-notification"
    found: list[Found] = []
    for index, block in enumerate(blocks):
        part = read_part(block, path if single else (*path, index), "user")
        if part is None:
            continue
        flags = META if meta else 0 if side else author_flags(first_text(part), attachment.origin)
        found.append((-1 if len(blocks) == 1 else index, part, flags))
    return found


def _rendered(items: list[Any], path: Path, own: int) -> list[Found]:
    parts: list[Part] = []
    for index, item in enumerate(items):
        content: Any = cast("dict[str, Any]", item).get("content") if isinstance(item, dict) else None
        place: Path = (*path, index, "content")
        if isinstance(content, list):
            blocks = cast("list[Any]", content)
            read = [read_part(block, (*place, deep), "system") for deep, block in enumerate(blocks)]
        else:
            read = [read_part(content, place, "system")]
        parts += [part for part in read if part is not None]
    single = len(parts) == 1
    return [
        (-1 if single else index, part, META | own | _any_echo(part.pieces))
        for index, part in enumerate(parts)
    ]


def _whole(parsed: Parsed, line: bytes) -> dict[str, Any]:
    """Return the whole object of a row of which only some fields were decoded."""
    value: Any = parsed.value
    if value is None:
        items = values(line).items
        value = items[parsed.number] if parsed.number < len(items) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _echo(text: str) -> int:
    return ECHO if OWN_MARK in text[:OWN_MARK_WITHIN] else 0


def _any_echo(pieces: tuple[Piece, ...]) -> int:
    return max((_echo(item.text if isinstance(item, Ref) else item) for item in pieces), default=0)
