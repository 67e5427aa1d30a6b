"""How a message of a Gemini CLI session reads.

Contents are those of the Gemini API (https://ai.google.dev/api/caching#Content): a text, a part, or a list of parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import msgspec

from unabridged.hosts.blocks import Part, first_text
from unabridged.hosts.calls import (
    base64_size,
    call_pieces,
    is_own_call,
    is_own_text,
    named_paths,
)
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.hosts.gemini.rows import Row
from unabridged.hosts.injected import GEMINI_SUMMARIES, GEMINI_TEXTS
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

Path = tuple[int | str, ...]

NOTICES = frozenset(("info", "warning", "error"))
FAILED = frozenset(("error", "cancelled"))
EXITED = re.compile(r"\nExit Code: [1-9]")  # how the shell tool tells that a command failed
EXIT_WITHIN = 400  # characters at the end of a result in which it stands
REASONING = Part("reasoning", "assistant", (), HIDDEN)
# Fields of an unknown part that are not for reading.
UNREAD = frozenset(("thoughtSignature", "data"))


class Said(NamedTuple):
    """A block of a message: what its name adds to the message's, and its own time where it has one."""

    suffix: str
    part: Part
    timestamp: str = ""
    result: str = ""  # the call that it is the result of


class Content(NamedTuple):
    """A content with its place; `at`: its parts stand in a list there."""

    parts: list[Any]
    path: Path
    listed: bool

    def place(self, index: int) -> Path:
        """Return where a part stands."""
        return (*self.path, index) if self.listed else self.path


def contents(value: Any, path: Path) -> Content:
    """Return a content's parts."""
    if isinstance(value, list):
        return Content(cast("list[Any]", value), path, listed=True)
    return Content([value] if value else [], path, listed=False)


def message_parts(row: Row, path: Path) -> list[Said]:
    """Return the blocks of a message that stands at `path`."""
    if row.parts is not None:
        found = contents(row.parts, (*path, "parts"))
        return _answer(found, row, path) if row.role == "model" else _said_by_user(found)
    content = contents(row.content, (*path, "content"))
    if row.type == "user":
        shown = contents(row.display_content, (*path, "displayContent"))
        return _shown(shown, content) if shown.parts else _said_by_user(content)
    if row.type == "gemini":
        return _answer(content, row, path)
    if row.type in NOTICES:
        flags = META | (ERROR if row.type == "error" else 0)
        return [_with(said, flags, "system") for said in _listed(content, "system")]
    return []


# --- what a person said -----------------------------------------------------------------------------------------------


def _said_by_user(content: Content) -> list[Said]:
    return [_of_user(said) for said in _listed(content, "user")]


def _of_user(said: Said) -> Said:
    part = said.part
    if part.kind == "tool-result":
        return said
    text = first_text(part)
    if part.kind == "text" and text.lstrip().startswith(GEMINI_SUMMARIES):
        part = msgspec.structs.replace(part, kind="compaction", flags=SUMMARY)
    elif part.kind == "text" and text.startswith(GEMINI_TEXTS):
        part = msgspec.structs.replace(part, flags=META)
    elif part.kind == "text" and is_own_text(text):
        part = msgspec.structs.replace(part, flags=META | ECHO)
    elif part.role == "user":
        part = msgspec.structs.replace(part, flags=part.flags | HUMAN)
    return said._replace(part=part)


def _shown(shown: Content, sent: Content) -> list[Said]:
    """Return what the person typed, and what the host sent beside it (files that were named)."""
    typed = _said_by_user(shown)
    known = {_text(said.part) for said in typed}
    more = [said for said in _listed(sent, "user") if _text(said.part) not in known]
    return typed + [
        _with(said._replace(suffix=f"#sent{index}"), META, "user") for index, said in enumerate(more)
    ]


def _listed(content: Content, role: str) -> list[Said]:
    """Return all parts, named by their index where there are several."""
    found: list[Said] = []
    several = len(content.parts) > 1
    for index, value in enumerate(content.parts):
        part = _part(value, content.place(index), role)
        if part is not None:
            call = part.call if part.kind == "tool-result" else ""
            found.append(Said(f"#{index}" if several else "", part, result=call))
    return found


# --- what the model said ----------------------------------------------------------------------------------------------


def _answer(content: Content, row: Row, path: Path) -> list[Said]:
    """Return reasoning, texts, calls each with its result.

    The same answer stands in a file in several forms: its calls beside its text, or among the parts. Blocks are named
    by their place among those of their kind, which is the same in all of them.
    """
    found: list[Said] = []
    texts = calls = others = 0
    reasoned = bool(row.thoughts)
    for index, value in enumerate(content.parts):
        part = _part(value, content.place(index), "assistant")
        if part is None:
            continue
        if part.kind == "reasoning":
            reasoned = True
        elif part.kind == "text":
            found.append(Said(f"#text{texts}" if texts else "", part))
            texts += 1
        elif part.kind == "tool-call":
            if not row.tool_calls:
                found.append(Said(f"#{2 * calls + 1}", part))
            calls += 1
        else:
            found.append(Said(f"#part{others}", part))
            others += 1
    if reasoned:
        found.insert(0, Said("#thought", REASONING))
    return found + _tool_calls(row.tool_calls, (*path, "toolCalls"))


def _tool_calls(value: Any, path: Path) -> list[Said]:
    found: list[Said] = []
    for index, item in enumerate(cast("list[Any]", value) if isinstance(value, list) else []):
        call = _object(item)
        name, arguments, call_id = _string(call, "name"), call.get("args"), _string(call, "id")
        own = ECHO if is_own_call(name, arguments) else 0
        pieces = call_pieces(name, arguments, (*path, index, "args"))
        part = Part("tool-call", "assistant", pieces, own, name, call_id, named_paths(arguments))
        stamp = _string(call, "timestamp")
        found.append(Said(f"#{2 * index + 1}", part, stamp))
        result = contents(call.get("result"), (*path, index, "result"))
        if result.parts:
            read = _result_of(result, name, call_id)
            failed = ERROR if call.get("status") in FAILED else 0
            part = msgspec.structs.replace(read, flags=read.flags | own | failed)
            found.append(Said(f"#{2 * index + 2}", part, stamp, call_id))
    return found


def _result_of(content: Content, name: str, call: str) -> Part:
    """Return a call's result: all of its parts as one."""
    pieces: list[Piece] = []
    media: list[MediaRef] = []
    flags = 0
    for index, value in enumerate(content.parts):
        part = _part(value, content.place(index), "tool")
        if part is None:
            continue
        if pieces and part.pieces:
            pieces.append("\n")
        pieces.extend(part.pieces)
        media.extend(part.media)
        flags |= part.flags
    return Part("tool-result", "tool", tuple(pieces), flags, name, call, media=tuple(media))


# --- parts ------------------------------------------------------------------------------------------------------------


def _part(value: Any, path: Path, role: str) -> Part | None:
    if isinstance(value, str):
        return Part("text", role, (Ref(path, value),)) if value else None
    part = _object(value)
    if part.get("thought") is True:
        return REASONING
    text = part.get("text")
    if isinstance(text, str):
        return Part("text", role, (Ref((*path, "text"), text),)) if text else None
    for key, read in _READERS.items():
        inner = part.get(key)
        if isinstance(inner, dict):
            return read(cast("dict[str, Any]", inner), (*path, key), role)
    shown = {key: item for key, item in part.items() if key not in UNREAD}
    return Part("other", role, call_pieces("", shown, path)) if shown else None


def _call(call: dict[str, Any], path: Path, role: str) -> Part:
    del role
    name, arguments = _string(call, "name"), call.get("args")
    flags = ECHO if is_own_call(name, arguments) else 0
    pieces = call_pieces(name, arguments, (*path, "args"))
    return Part("tool-call", "assistant", pieces, flags, name, _string(call, "id"), named_paths(arguments))


def _response(response: dict[str, Any], path: Path, role: str) -> Part:
    del role
    name = _string(response, "name")
    answer = _object(response.get("response"))
    flags = ECHO if is_own_call(name, None) else 0
    pieces: tuple[Piece, ...] = ()
    for key, flag in (("output", 0), ("error", ERROR)):
        text = answer.get(key)
        if isinstance(text, str):
            pieces += (Ref((*path, "response", key), text),) if text else ()
            flags |= flag or (ERROR if EXITED.search(text[-EXIT_WITHIN:]) else 0)
    if not pieces and answer:
        pieces = call_pieces("", answer, (*path, "response"))
    inner = contents(response.get("parts"), (*path, "parts"))
    read = (_part(item, inner.place(index), "tool") for index, item in enumerate(inner.parts))
    media = tuple(ref for part in read if part is not None for ref in part.media)
    return Part("tool-result", "tool", pieces, flags, name, _string(response, "id"), media=media)


def _inline(blob: dict[str, Any], path: Path, role: str) -> Part:
    data = _string(blob, "data")
    return _media(blob, base64_size(data), (*path, "data"), role)


def _file(file: dict[str, Any], path: Path, role: str) -> Part:
    return _media(file, 0, (*path, "fileUri"), role, _string(file, "fileUri"))


def _media(blob: dict[str, Any], size: int, path: Path, role: str, name: str = "") -> Part:
    mime = _string(blob, "mimeType")
    kind = "image" if mime.startswith("image/") else "file"
    shown = f"[{kind} {_string(blob, 'displayName') or name or mime}]"
    return Part(kind, role, (shown,), media=(MediaRef(mime, size, path, _string(blob, "displayName")),))


def _code(code: dict[str, Any], path: Path, role: str) -> Part:
    del role
    return Part("tool-call", "assistant", call_pieces("code", code, path), tool="code")


def _outcome(result: dict[str, Any], path: Path, role: str) -> Part:
    del role
    text = _string(result, "output")
    flags = 0 if _string(result, "outcome") in ("", "OUTCOME_OK") else ERROR
    pieces = (Ref((*path, "output"), text),) if text else ()
    return Part("tool-result", "tool", pieces, flags, tool="code")


_READERS = {
    "functionCall": _call,
    "functionResponse": _response,
    "inlineData": _inline,
    "fileData": _file,
    "executableCode": _code,
    "codeExecutionResult": _outcome,
}


def _with(said: Said, flags: int, role: str) -> Said:
    return said._replace(part=msgspec.structs.replace(said.part, flags=said.part.flags | flags, role=role))


def _text(part: Part) -> str:
    return "".join(_texts(part.pieces)).strip()


def _texts(pieces: Iterable[Piece]) -> Iterable[str]:
    return (piece.text if isinstance(piece, Ref) else piece for piece in pieces)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _string(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""
