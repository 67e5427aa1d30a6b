"""What a part of a message says, as the kind, role and pieces of blocks."""

from __future__ import annotations

from typing import Any, cast

from unabridged.hosts import calls
from unabridged.hosts.blocks import Part
from unabridged.hosts.contract import MediaRef, Piece, Ref
from unabridged.hosts.opencode.rows import Of
from unabridged.hosts.opencode.rows import Part as PartRow
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

Path = tuple[int | str, ...]

# Parts that mark where a step or a snapshot of the files is: nothing to read.
MARKS = frozenset(("step-start", "step-finish", "snapshot", "patch"))
IDS = frozenset(("id", "type", "messageID", "sessionID"))
_IMAGE = "image/"


class Said(Part, gc=False, frozen=True):
    """The reading of one block."""

    time: float = 0  # milliseconds; 0: that of the message


def read_part(part: PartRow, of: Of, data: Any, path: Path) -> tuple[Said, ...]:
    """Return what a part says; `data` is all of it, which stands at `path`."""
    role = of.role if of.role in ("user", "assistant") else "other"
    kind = part.type or ""
    if kind == "text":
        return _text(part, of, role, path)
    if kind == "tool":
        return _tool(part, path)
    if kind == "reasoning":
        return (Said("reasoning", "assistant", (), HIDDEN, time=_started(part)),)
    if kind in MARKS or not kind:
        return ()
    if kind == "file":
        return (_file(part, role, path),)
    if kind == "compaction":
        by = " by the host" if part.auto else ""
        return (Said("compaction", role, (f"[context compacted{by}]",), META),)
    if kind == "agent":
        return (Said("other", role, (f"@{part.name or ''}",), META),)
    row = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    shown = {key: value for key, value in row.items() if key not in IDS}
    pieces = calls.call_pieces(kind, shown, path)
    if kind == "subtask":  # a command that a person gave to a subagent
        return (Said("text", role, pieces, HUMAN if role == "user" else 0),)
    return (Said("other", role, pieces, META | (ERROR if kind == "retry" else 0)),)


def _text(part: PartRow, of: Of, role: str, path: Path) -> tuple[Said, ...]:
    text = part.text
    if not text:
        return ()
    pieces = (_piece(text, (*path, "text")),)
    if of.summary:
        return (Said("compaction", role, pieces, SUMMARY, time=_started(part)),)
    flags = ECHO if calls.is_own_text(text) else 0
    if part.synthetic or part.ignored or flags:
        flags |= META
    elif role == "user":
        flags |= HUMAN
    return (Said("text", role, pieces, flags, time=_started(part)),)


def _tool(part: PartRow, path: Path) -> tuple[Said, ...]:
    """Return a call, and its result once there is one."""
    state = part.state
    if state is None or state.status == "pending":  # its arguments are not complete
        return ()
    name, call = part.tool or "tool", part.call_id or ""
    at = (*path, "state")
    own = ECHO if calls.is_own_call(name, state.input) else 0
    began = state.time.start if state.time is not None else None
    ended = state.time.end if state.time is not None else None
    called = Said(
        "tool-call",
        "assistant",
        calls.call_pieces(name, state.input, (*at, "input")),
        own,
        name,
        call,
        calls.named_paths(state.input),
        time=began or 0,
    )
    if state.status == "error":
        text, at, flags = state.error, (*at, "error"), ERROR
    elif state.status == "completed":
        text, at, flags = state.output, (*at, "output"), _failed(state.metadata)
    else:
        return (called,)
    pieces = (_piece(text, at),) if text else ()
    media = _attached(state.attachments, (*path, "state", "attachments"))
    result = Said("tool-result", "tool", pieces, flags | own, name, call, (), media, ended or 0)
    return called, result


def _failed(metadata: Any) -> int:
    code = cast("dict[str, Any]", metadata).get("exit") if isinstance(metadata, dict) else None
    return ERROR if isinstance(code, int) and code else 0


def _attached(attachments: Any, path: Path) -> tuple[MediaRef, ...]:
    found: list[MediaRef] = []
    for index, entry in enumerate(cast("list[Any]", attachments) if isinstance(attachments, list) else []):
        row = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
        url, mime, name = row.get("url"), row.get("mime"), row.get("filename")
        if isinstance(url, str):
            told = (mime if isinstance(mime, str) else "", name if isinstance(name, str) else "")
            found.append(_media(url, *told, (*path, index, "url")))
    return tuple(found)


def _media(url: str, mime: str, name: str, path: Path) -> MediaRef:
    return MediaRef(mime, calls.base64_size(url) if url.startswith("data:") else 0, path, name)


def _file(part: PartRow, role: str, path: Path) -> Said:
    mime, name = part.mime or "", part.filename or ""
    source: Any = part.source
    place = cast("dict[str, Any]", source).get("path") if isinstance(source, dict) else None
    kind = "image" if mime.startswith(_IMAGE) else "file"
    media = (_media(part.url, mime, name, (*path, "url")),) if part.url else ()
    paths = (place,) if isinstance(place, str) and place else ()
    return Said(
        kind, role, (f"[{kind} {name or mime}]",), HUMAN if role == "user" else 0, paths=paths, media=media
    )


def _piece(text: str, path: Path) -> Piece:
    return Ref(path, text) if len(text) >= calls.SHORT else text


def _started(part: PartRow) -> float:
    return (part.time.start if part.time is not None else None) or 0
