"""How a message of Cline, Roo Code or Kilo Code reads.

Blocks are those of the Messages API, with some of the host's own; newer versions of Roo Code write those of the AI SDK
(https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message). What a person says stands between tags, and texts of the
host stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts import blocks
from unabridged.hosts.blocks import Part, Path
from unabridged.hosts.calls import OWN_NAME, base64_size, call_pieces, is_own_call, is_own_text, named_paths
from unabridged.hosts.cline import spoken
from unabridged.hosts.cline.rows import Message
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

# Tools by which the model speaks to the person, and what of their input it says.
SPEECH = {**spoken.SPEECH, "ask_question": "question"}
FAILED = frozenset(("error-text", "error-json", "execution-denied"))
ERROR_MARK = "[ERROR]"


class Said(NamedTuple):
    """A block: what its name adds to the message's, and its reading."""

    suffix: str
    part: Part


def message_parts(message: Message, path: Path) -> list[Said]:
    """Return the blocks of a message that stands at `path`."""
    if message.role is None:
        return [Said("", Part("reasoning", "assistant", (), HIDDEN))] if message.type == "reasoning" else []
    content = message.content
    path = (*path, "content")
    if isinstance(content, str):
        return _marked(message, _texts("", content, path, message, spoken.Results()))
    if not isinstance(content, list):
        return []
    found: list[Said] = []
    items = cast("list[Any]", content)
    native = any(_kind(item) in ("tool_use", "tool-call") for item in items)
    open_result = spoken.Results(native=native)
    for index, item in enumerate(items):
        suffix = f"#{index}" if len(items) > 1 else ""
        found += _block(suffix, item, (*path, index), message, open_result)
    return _marked(message, found)


def _marked(message: Message, found: list[Said]) -> list[Said]:
    """Mark a summary, which the host puts in place of what came before."""
    if message.is_summary:
        change: Callable[[Part], Part] = lambda part: msgspec.structs.replace(  # noqa: E731
            part,
            kind="compaction" if part.kind == "text" else part.kind,
            flags=(part.flags | SUMMARY) & ~HUMAN,
        )
    elif message.is_truncation_marker:
        change = lambda part: msgspec.structs.replace(part, flags=(part.flags | META) & ~HUMAN)  # noqa: E731
    else:
        return found
    return [said._replace(part=change(said.part)) for said in found]


def _block(suffix: str, item: Any, path: Path, message: Message, results: spoken.Results) -> list[Said]:
    kind = _kind(item)
    if isinstance(item, str):
        return _texts(suffix, item, path, message, results)
    if kind == "text":
        text = cast("dict[str, Any]", item).get("text")
        return _texts(suffix, text, (*path, "text"), message, results) if isinstance(text, str) else []
    reader = _READERS.get(kind)
    part = (
        reader(cast("dict[str, Any]", item), path)
        if reader is not None
        else blocks.read_part(item, path, _role(message))
    )
    if part is None:
        return []
    given = message.role == "user" and not results.tool and not part.flags & META
    if part.kind in ("image", "file") and given:
        part = msgspec.structs.replace(part, flags=part.flags | HUMAN)
    return [Said(suffix, part)]


def _kind(item: Any) -> str:
    kind = cast("dict[str, Any]", item).get("type") if isinstance(item, dict) else None
    return kind if isinstance(kind, str) else ""


def _role(message: Message) -> str:
    return message.role if message.role in ("user", "assistant", "system", "tool") else "other"


# --- texts ------------------------------------------------------------------------------------------------------------


def _texts(suffix: str, text: str, path: Path, message: Message, results: spoken.Results) -> list[Said]:
    """Return what a text says: by the model with calls written into it, or by a person with the host's texts around."""
    if not text:
        return []
    if message.role == "assistant":
        parts = spoken.by_model(text, native=results.native)
    elif message.role == "user":
        parts = spoken.by_user(text, results)
    else:
        return [Said(suffix, Part("text", _role(message), (Ref(path, text),), META))]
    found: list[Said] = []
    for number, heard in enumerate(parts):
        # A text that is all of the string is a reference to it.
        pieces: tuple[Piece, ...] = (Ref(path, text),) if heard.text == text else (heard.text,)
        flags = heard.flags | (ECHO | META if is_own_text(heard.text) else 0)
        if flags & META:
            flags &= ~HUMAN
        if heard.kind == "reasoning":
            pieces = ()
        if heard.kind == "tool-call" and heard.own:
            flags |= ECHO
        part = Part(heard.kind, heard.role, pieces, flags, heard.tool, paths=heard.paths)
        found.append(Said(f"{suffix}.{number}" if suffix and number else suffix or _also(number), part))
    return found


def _also(number: int) -> str:
    return f"#{number}" if number else ""


# --- blocks of the host's own -----------------------------------------------------------------------------------------


def _called(name: str, arguments: Any, call: str, path: Path) -> Part:
    row = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}
    said = row.get(SPEECH.get(name, ""))
    if isinstance(said, str) and said:
        return Part("text", "assistant", (Ref((*path, SPEECH[name]), said),))
    server = row.get("server_name")
    own = is_own_call(name, arguments) or (isinstance(server, str) and OWN_NAME in server.lower())
    pieces = call_pieces(name, arguments, path)
    return Part("tool-call", "assistant", pieces, ECHO if own else 0, name, call, named_paths(arguments))


def _tool_use(block: dict[str, Any], path: Path) -> Part:
    return _called(_string(block, "name"), block.get("input"), _string(block, "id"), (*path, "input"))


def _tool_call(block: dict[str, Any], path: Path) -> Part:
    name, call = _string(block, "toolName"), _string(block, "toolCallId")
    return _called(name, block.get("input"), call, (*path, "input"))


def _tool_result(block: dict[str, Any], path: Path) -> Part:
    """Return a result; its items may tell of several queries, each with its own outcome."""
    name, call = _string(block, "name"), _string(block, "tool_use_id")
    content = block.get("content")
    items = cast("list[Any]", content) if isinstance(content, list) else []
    if not any(isinstance(item, dict) and "type" not in item for item in items):
        part = blocks.read_part(block, path, "tool")
        return msgspec.structs.replace(part, tool=name) if part is not None else Part("other", "tool", ())
    pieces: list[Piece] = []
    flags = ERROR if block.get("is_error") is True else 0
    for index, item in enumerate(items):
        read, flag = _outcome(item, (*path, "content", index))
        pieces += (["\n"] if pieces and read else []) + read
        flags |= flag
    return Part("tool-result", "tool", tuple(pieces), flags, name, call)


def _outcome(item: Any, path: Path) -> tuple[list[Piece], int]:
    row = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    flags = ERROR if row.get("success") is False else 0
    said = [key for key in ("result", "error") if isinstance(row.get(key), str) and row[key]]
    if not said:
        part = blocks.read_part(item, path, "tool")
        return (list(part.pieces) if part is not None else []), flags
    query = _string(row, "query")
    pieces: list[Piece] = [f"{query}\n"] if query else []
    for number, key in enumerate(said):
        pieces += (["\n"] if number else []) + [Ref((*path, key), row[key])]
    return pieces, flags


def _output(block: dict[str, Any], path: Path) -> Part:
    """Return a result of the AI SDK: a text, or an object that says what kind of value it has."""
    output: Any = block.get("output")
    path = (*path, "output")
    flags = 0
    pieces: tuple[Piece, ...] = ()
    media: list[MediaRef] = []
    if isinstance(output, dict):
        row = cast("dict[str, Any]", output)
        flags = ERROR if row.get("type") in FAILED else 0
        output, path = row.get("value"), (*path, "value")
    if isinstance(output, str):
        pieces = (Ref(path, output),) if output else ()
        flags |= ERROR if output.lstrip().startswith(ERROR_MARK) else 0
    elif isinstance(output, list):
        for index, item in enumerate(cast("list[Any]", output)):
            reader = _READERS.get(_kind(item), _inner)
            part = reader(cast("dict[str, Any]", item), (*path, index)) if isinstance(item, dict) else None
            if part is not None:
                pieces += (("\n",) if pieces else ()) + part.pieces
                media += part.media
    elif isinstance(output, dict):
        pieces = call_pieces("", output, path)
    name, call = _string(block, "toolName"), _string(block, "toolCallId")
    return Part("tool-result", "tool", pieces, flags, name, call, media=tuple(media))


def _inner(block: dict[str, Any], path: Path) -> Part | None:
    """Return the reading of a block of the Messages API inside a result."""
    return blocks.read_part(block, path, "tool")


def _image(block: dict[str, Any], path: Path) -> Part | None:
    if isinstance(block.get("source"), dict):
        return blocks.read_part(block, path, "user")
    key = "data" if isinstance(block.get("data"), str) else "image"
    return _media(block, "image", key, path)


def _file(block: dict[str, Any], path: Path) -> Part:
    """Return a file: its text, or that it was there."""
    place = _string(block, "path") or _string(block, "filename")
    content = block.get("content")
    if isinstance(content, str):
        head = (f"{place}\n",) if place else ()
        return Part(
            "file", "user", (*head, Ref((*path, "content"), content)), META, paths=(place,) if place else ()
        )
    return _media(block, "file", "data", path)


def _media(block: dict[str, Any], kind: str, key: str, path: Path) -> Part:
    data = _string(block, key)
    mime = _string(block, "mediaType") or _string(block, "mimeType")
    if not mime and data.startswith("data:"):
        mime = re.split("[;,]", data[5:105], maxsplit=1)[0]
    name = _string(block, "filename")
    media = MediaRef(mime, base64_size(data), (*path, key), name)
    return Part(kind, "user", (blocks.placeholder(kind, media),), media=(media,))


def _reasoning(block: dict[str, Any], path: Path) -> Part:
    del block, path
    return Part("reasoning", "assistant", (), HIDDEN)


def _string(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


_READERS: dict[str, Callable[[dict[str, Any], Path], Part | None]] = {
    "tool_use": _tool_use,
    "tool-call": _tool_call,
    "tool_result": _tool_result,
    "tool-result": _output,
    "image": _image,
    "file": _file,
    "reasoning": _reasoning,
}
