"""The live window: items of a conversation become durable."""

from __future__ import annotations

import msgspec

from unabridged.archive import windows as kept
from unabridged.archive.capture import Row, Stream, stream_of
from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.hosts.surrogates import whole_pairs
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import PROJECT
from unabridged.schema.windows import Window
from unabridged.service.caller import Call, Pending
from unabridged.service.capturing import together
from unabridged.service.handlers.conversations import (
    MAX_KEYS,
    check_key,
    check_name,
    conversation_id,
    open_conversation,
    root_at,
)
from unabridged.service.live import CaptureAnswer, CaptureRequest, CaptureRow
from unabridged.store.contract import Reader

SURROGATE = b"\\ud"  # begins the escape of half a surrogate pair
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def capture(call: Call, request: CaptureRequest) -> Pending:
    """Admit items; the answer comes when they are durable."""
    if len(request.rows) > MAX_KEYS:
        raise LimitExceeded("too many rows", field="rows", limit=MAX_KEYS, size=len(request.rows))
    call.services.daemon.admit()
    conversation = conversation_id(request.conversation)
    with call.services.store.snapshot() as reader:
        home = open_conversation(call, reader, conversation)
        window = kept.window_at(reader, home)
        stream = _stream(call, reader, window)
        asked = [row.key for row in request.rows]
        there = [item for item in kept.items_at(reader, home, asked) if item is not None]
        erased = kept.erased_of(reader, home.home, there)
    rows, missing, invalid = list[Row](), list[str](), list[str]()
    known = {item.key for item in there}
    for row in request.rows:
        whole = _whole(call, conversation, row, known)
        if whole is None:
            continue
        if not whole:
            missing.append(row.key)
        elif not _is_object(whole):
            invalid.append(row.key)
        else:
            rows.append(Row(row.key, whole, row.origin, row.message, row.time))
    gone = call.services.captures.erased(call.services.store, stream, rows)
    rows = [row for row in rows if row.key not in gone]
    taken = call.services.captures.take(call.services.store, stream, rows, call.now)
    durable = list(dict.fromkeys([*(key for key in asked if key in known), *(row.key for row in rows)]))

    def answered(position: int) -> CaptureAnswer:
        if position:
            call.services.index.poke()
        told = [key for key in durable if key not in erased]
        return CaptureAnswer(told, sorted(erased | gone), window.forced, position, missing, invalid)

    return Pending(together(taken.commits), answered)


def _whole(call: Call, conversation: bytes, row: CaptureRow, known: set[str]) -> bytes | None:
    """Return an item's JSON when all of it is there; None for what is durable or not complete, b"" for a gap."""
    check_key(row.key)
    for field in ("origin", "message", "time"):
        check_name(field, getattr(row, field))
    if row.key in known:
        return None
    data = row.raw.encode("utf-8", "surrogatepass")
    if not row.part and not row.more:
        return data or b" "
    if row.part < 0:
        raise InvalidInput("`part` is negative", field="part", value=row.part)
    return call.services.captures.slices.add((conversation, row.key), row.part, data, more=row.more)


def _is_object(raw: bytes) -> bool:
    for form in (raw, whole_pairs(raw) if SURROGATE in raw.lower() else b""):
        try:
            _OBJECT.decode(form)
        except (msgspec.DecodeError, RecursionError):
            continue
        return b"\0" not in raw
    return False


def _stream(call: Call, reader: Reader, window: Window) -> Stream:
    project = reader.get(PROJECT, (GLOBAL, window.project))
    root = project.roots[0] if project is not None and project.roots else ""
    root = root or root_at(call, window.cwd, window.host)
    main, beside, _ = window.host_session.partition("/")
    return stream_of(window, root, main if beside and window.side else "")
