"""How a bubble reads: a message of the editor, or one thing that its agent did."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from unabridged.hosts.blocks import Part, Path, placeholder
from unabridged.hosts.calls import base64_size, call_pieces, is_own_call, is_own_text, named_paths
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.hosts.cursor.messages import Said, string
from unabridged.hosts.times import UNKNOWN, HostTime, from_iso, from_unix
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META

PERSON = frozenset((1, "user"))
FAILED = frozenset(("error", "cancelled", "failed"))
NESTED = (
    256 << 10
)  # characters of JSON inside a string that are decoded to be read; longer ones are read as they are


def bubble_parts(bubble: dict[str, Any], path: Path) -> list[Said]:
    """Return the blocks of a bubble that stands at `path`: reasoning, text, a call with its result, an error."""
    found: list[Said] = []
    person = _is_person(bubble)
    thinking: Any = bubble.get("thinking")
    if (isinstance(thinking, dict) and cast("dict[str, Any]", thinking).get("text")) or bubble.get(
        "allThinkingBlocks"
    ):
        found.append(Said("#thought", Part("reasoning", "assistant", (), HIDDEN)))
    key = "text" if string(bubble, "text") else "rawText"
    text = string(bubble, key)
    if text.strip():
        own = is_own_text(text)
        flags = META | ECHO if own else HUMAN if person else 0
        role = "user" if person else "assistant"
        found.append(Said("", Part("text", role, (Ref((*path, key), text),), flags)))
    if person:
        found += _images(bubble, path)
    tool: Any = bubble.get("toolFormerData")
    if isinstance(tool, dict) and not person:
        found += _tool(cast("dict[str, Any]", tool), (*path, "toolFormerData"))
    error: Any = bubble.get("errorDetails")
    if isinstance(error, dict):
        said = string(cast("dict[str, Any]", error), "message")
        if said:
            found.append(
                Said(
                    "#error",
                    Part("other", "system", (Ref((*path, "errorDetails", "message"), said),), META | ERROR),
                )
            )
    return found


def bubble_time(bubble: dict[str, Any]) -> HostTime:
    """Return when a bubble was made."""
    created: Any = bubble.get("createdAt")
    if isinstance(created, str):
        return from_iso(created)
    if isinstance(created, (int, float)) and not isinstance(created, bool):
        return from_unix(created)
    timing: Any = bubble.get("timingInfo")
    for key in ("clientRpcSendTime", "clientEndTime"):
        sent: Any = cast("dict[str, Any]", timing).get(key) if isinstance(timing, dict) else None
        if isinstance(sent, (int, float)) and sent > 0:
            return from_unix(sent)
    return UNKNOWN


def bubble_model(bubble: dict[str, Any]) -> str:
    """Return the model that a bubble names."""
    info: Any = bubble.get("modelInfo")
    return string(cast("dict[str, Any]", info), "modelName") if isinstance(info, dict) else ""


def _is_person(bubble: dict[str, Any]) -> bool:
    kind: Any = bubble.get("type")
    return isinstance(kind, (int, str)) and kind in PERSON


def _images(bubble: dict[str, Any], path: Path) -> list[Said]:
    images: Any = bubble.get("images")
    found: list[Said] = []
    for index, item in enumerate(cast("list[Any]", images) if isinstance(images, list) else []):
        image = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        data = string(image, "data")
        media = MediaRef(string(image, "mimeType"), base64_size(data), (*path, "images", index, "data"))
        refs = (media,) if data else ()
        found.append(
            Said(f"#image{index}", Part("image", "user", (placeholder("image", media),), HUMAN, media=refs))
        )
    return found


def _tool(tool: dict[str, Any], path: Path) -> list[Said]:
    """Return a call, and its result once there is one. Both are JSON inside strings: their texts are no strings of the
    line, so they are read as literals."""
    name, call, status = string(tool, "name"), string(tool, "toolCallId"), string(tool, "status")
    key = "rawArgs" if string(tool, "rawArgs") not in ("", "{}") else "params"
    arguments = _nested(tool.get(key))
    if not (name or arguments):
        return []
    own = ECHO if is_own_call(name, arguments) else 0
    called = Part(
        "tool-call",
        "assistant",
        _read(name, arguments, (*path, key)),
        own,
        name,
        call,
        named_paths(arguments),
    )
    found = [Said("#1", called)]
    result: Any = _nested(tool.get("result"))
    if result is None or result == "":
        if status not in FAILED:
            return found
        result = _nested(tool.get("error")) or status
    flags = own | (ERROR if status in FAILED or _is_failure(result) else 0)
    found.append(
        Said("#2", Part("tool-result", "tool", _read("", result, (*path, "result")), flags, name, call))
    )
    return found


def _nested(value: Any) -> Any:
    """Return what a string of JSON holds; anything else as it is."""
    if not isinstance(value, str) or len(value) > NESTED or value[:1] not in "{[":
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value


def _read(name: str, value: Any, path: Path) -> tuple[Piece, ...]:
    if isinstance(value, str):
        # A reference where the string is the line's own; an error's text stands elsewhere, and is short.
        head = (f"{name}\n",) if name else ()
        return (*head, Ref(path, value)) if len(value) > NESTED else (*head, value)
    if value is None:
        return (name,) if name else ()
    if isinstance(value, list):
        value = {"": cast("list[Any]", value)}
    pieces = call_pieces(name, value, ())
    text = "".join(piece.text if isinstance(piece, Ref) else piece for piece in pieces)
    return (text.lstrip("\n"),) if text else ()


def _is_failure(result: Any) -> bool:
    row = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    code: Any = row.get("exitCode", row.get("exitCodeV2", 0))
    return (isinstance(code, int) and code != 0) or bool(string(row, "error"))
