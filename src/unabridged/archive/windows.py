"""Windows of conversations that pass on the wire: their state, their requests, which of their items are durable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.errors import Conflict, NotFound
from unabridged.schema.ids import GLOBAL, Micros, OriginId, ProjectId, SessionId, origin_id
from unabridged.schema.records import ERASED, EVENT, META, PROJECT, TOMBSTONE, Project
from unabridged.schema.windows import (
    ADDRESS,
    WINDOW,
    WINDOW_DAY,
    WINDOW_HOME,
    WINDOW_ITEM,
    WINDOW_REQUEST,
    Window,
    WindowDay,
    WindowHome,
    WindowItem,
    WindowRequest,
)
from unabridged.store.contract import Batch, Plan, Reader

KEPT_REQUESTS = 200  # of each conversation, the newest
DAY = 86_400_000_000  # microseconds
CONVERSATION_BYTES = 16
PAGE = 1_000
CALL = "tool-call"
CANDIDATES = 20  # conversations with the same item at the front that are looked at
FRONT = 8  # items at the beginning in which a host says where it is and what it can
MANY = 6  # items that no two conversations have in common by chance


def origin_of(window: Window) -> OriginId:
    """Return the id of the stream in which a conversation's items are kept."""
    return stream_id(window.host, window.conversation, window.host_session)


def stream_id(host: str, conversation: bytes, host_session: str) -> OriginId:
    """Return the id of the stream of a conversation of a host's session."""
    return origin_id(host, f"{ADDRESS}{conversation.hex()}#{host_session}")


def home_of(reader: Reader, conversation: bytes) -> WindowHome | None:
    """Return where a conversation belongs."""
    return reader.get(WINDOW_HOME, (GLOBAL, conversation))


def homes_beginning(reader: Reader, digits: str) -> list[WindowHome]:
    """Return the conversations whose ids begin with some hexadecimal digits; two are enough to say that more do."""
    low = bytes.fromhex(digits.ljust(CONVERSATION_BYTES * 2, "0"))
    high = bytes.fromhex(digits.ljust(CONVERSATION_BYTES * 2, "f"))
    found = reader.scan(WINDOW_HOME, (GLOBAL,), start=(low,), limit=2)
    return [home for home in found if home.conversation <= high]


def window_at(reader: Reader, home: WindowHome) -> Window:
    """Return a conversation's window; raise `NotFound`."""
    found = reader.get(WINDOW, (home.home, home.conversation))
    if found is None:
        raise NotFound("there is no such window")
    return found


def of_session(reader: Reader, project: ProjectId, session: SessionId) -> list[Window]:
    """Return the windows of a session."""
    return reader.scan(WINDOW, (project, session), index="session", limit=PAGE)


def every(reader: Reader, project: ProjectId) -> Iterator[Window]:
    """Yield all windows of a project."""
    start: tuple[bytes, ...] = ()
    while True:
        page = reader.scan(WINDOW, (project,), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = ((int.from_bytes(page[-1].conversation, "big") + 1).to_bytes(CONVERSATION_BYTES, "big"),)


def items_at(reader: Reader, home: WindowHome, keys: Sequence[str]) -> list[WindowItem | None]:
    """Return the items of some keys, None for each that is not durable."""
    return reader.get_many(WINDOW_ITEM, [(home.home, home.conversation, key) for key in keys])


def copied(reader: Reader, home: WindowHome, host: str, keys: Sequence[str]) -> dict[str, list[bytes]]:
    """Return the ids of the events of the first items of a new conversation, as far as it is a copy of another one.

    A host that forks a session sends all of it again under another name, and may put something else at its front. A
    copy is told by a tool call in common, whose id no other has, or by many items in common that are no host's own.
    """
    found = list[WindowItem]()
    for conversation in _beginning_alike(reader, home, keys[:FRONT]):
        other = reader.get(WINDOW, (home.home, conversation))
        if other is not None and other.host == host:
            there = WindowHome(GLOBAL, conversation, home.home, other.session)
            found = max(found, _in_common(items_at(reader, there, keys)), key=len)
    ordinals = sorted({ordinal for item in found for ordinal in item.events if ordinal})
    events = {
        event.ordinal: event
        for event in reader.get_many(EVENT, [(home.home, at) for at in ordinals])
        if event
    }
    said = [
        [events[at] for at in item.events if at in events and not events[at].flags & META] for item in found
    ]
    called = any(event.kind == CALL and event.call for parts in said for event in parts)
    if not called and sum(map(bool, said)) < MANY:
        return {}
    return {item.key: [events[at].id if at in events else b"" for at in item.events] for item in found}


def _beginning_alike(reader: Reader, home: WindowHome, keys: Sequence[str]) -> list[bytes]:
    """Return other conversations that have one of the first items."""
    found = dict[bytes, None]()
    for key in keys:
        items = reader.scan(WINDOW_ITEM, (home.home, key), index="key", limit=CANDIDATES)
        found.update({item.conversation: None for item in items})
    found.pop(home.conversation, None)
    return list(found)


def _in_common(items: Sequence[WindowItem | None]) -> list[WindowItem]:
    """Return the items of a beginning that are there; behind its front none may be missing."""
    found = list[WindowItem]()
    for at, item in enumerate(items):
        if item is not None:
            found.append(item)
        elif at >= FRONT:
            break
    return found


def erased_of(reader: Reader, project: ProjectId, items: Sequence[WindowItem]) -> set[str]:
    """Return the keys of those items of which something was erased."""
    if not items or not reader.scan(TOMBSTONE, (project,), limit=1):
        return set()
    ordinals = sorted({ordinal for item in items for ordinal in item.events if ordinal})
    events = reader.get_many(EVENT, [(project, ordinal) for ordinal in ordinals])
    ids = {ordinal: event.id for ordinal, event in zip(ordinals, events, strict=True) if event is not None}
    stones = reader.get_many(TOMBSTONE, [(project, name) for name in ids.values()])
    gone = {ordinal for ordinal, stone in zip(ids, stones, strict=True) if stone and stone.reason == ERASED}
    gone |= set(ordinals) - set(ids)  # their records themselves are gone
    return {item.key for item in items if gone.intersection(item.events)}


def plan_open(draft: Window, root: str, now: Micros) -> Plan:
    """Return the plan that begins a conversation's window, or brings the one that is there up to date.

    `root` is that of its project. Its result is the window. Raises `Conflict` where the conversation belongs elsewhere
    by now.
    """

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        home = home_of(reader, draft.conversation)
        if home is not None and (home.home, home.session) != (draft.project, draft.session):
            raise Conflict("that conversation belongs to another session", hint="Open it again.")
        found = reader.get(WINDOW, (draft.project, draft.conversation))
        if home is None:
            batch.create(WINDOW_HOME, WindowHome(GLOBAL, draft.conversation, draft.project, draft.session))
            if reader.get(PROJECT, (GLOBAL, draft.project)) is None:
                name = root.rstrip("/").rsplit("/", 1)[-1] or root
                batch.put(PROJECT, Project(GLOBAL, draft.project, name, [root], now))
        after = msgspec.structs.replace(found or draft, created=found.created if found else now)
        if found is not None:
            after = msgspec.structs.replace(
                found, format=draft.format or found.format, model=draft.model or found.model
            )
        if after != found:
            batch.put(WINDOW, msgspec.structs.replace(after, updated=now))
        batch.result = after
        return batch

    return plan


class Turns(msgspec.Struct, frozen=True):
    """User messages behind the cut, and those with which an epoch ends; 0 where that is not told."""

    users: int = 0
    rotation: int = 0


def plan_save(
    home: WindowHome, state: bytes, request: WindowRequest | None, turns: Turns, now: Micros
) -> Plan:
    """Return the plan that keeps a state and counts a request; its result is the window as it is then."""

    def plan(reader: Reader) -> Batch:
        batch, before = Batch(), window_at(reader, home)
        after = msgspec.structs.replace(before, state=state or before.state, updated=now)
        if request is not None:
            read = whole_read(before.line, request)
            after = _counted(after, request, turns, read)
            batch.put(WINDOW_REQUEST, msgspec.structs.replace(request, number=after.requests))
            if after.requests > KEPT_REQUESTS:
                key = (home.home, home.conversation, after.requests - KEPT_REQUESTS)
                batch.delete(WINDOW_REQUEST, key)
            _count_day(reader, batch, home.home, request, read)
        batch.put(WINDOW, after)
        batch.result = after
        return batch

    return plan


def whole_read(before: int, request: WindowRequest) -> int:
    """Return the tokens that the provider's cache would have given of a request, had all been sent, like `before`.

    Where it gave something of what was sent, it would have given the whole history up to the last request; what is
    sent beside the conversation, as it was sent, gives what it gave.
    """
    if request.side:
        return min(request.cache_read, request.whole)
    return min(before, request.whole) if request.cache_read else 0


def _counted(window: Window, request: WindowRequest, turns: Turns, read: int) -> Window:
    return msgspec.structs.replace(
        window,
        model=request.model or window.model,
        forced=window.forced and not request.rotated and request.epoch <= window.epoch,
        epoch=max(window.epoch, request.epoch),
        sent=request.sent,
        whole=request.whole,
        rotation=request.rotation or window.rotation,
        hard=request.hard or window.hard,
        window=request.window or window.window,
        users=turns.users or window.users,
        rotation_turns=turns.rotation or window.rotation_turns,
        requests=window.requests + 1,
        total_sent=window.total_sent + request.sent,
        total_whole=window.total_whole + request.whole,
        total_input=window.total_input + request.input,
        total_cache_read=window.total_cache_read + request.cache_read,
        total_cache_write=window.total_cache_write + request.cache_write,
        total_output=window.total_output + request.output,
        rotations=window.rotations + request.rotated,
        faults=window.faults + bool(request.fault),
        fault=request.fault,
        notices=request.notices,
        line=window.line if request.side else request.whole,
        total_whole_read=window.total_whole_read + read,
    )


def _count_day(reader: Reader, batch: Batch, project: ProjectId, request: WindowRequest, read: int) -> None:
    day = request.time // DAY
    found = reader.get(WINDOW_DAY, (project, day, request.model)) or WindowDay(project, day, request.model)
    batch.put(
        WINDOW_DAY,
        WindowDay(
            project,
            day,
            request.model,
            found.requests + 1,
            found.sent + request.sent,
            found.whole + request.whole,
            found.input + request.input,
            found.cache_read + request.cache_read,
            found.cache_write + request.cache_write,
            found.output + request.output,
            found.rotations + request.rotated,
            found.faults + bool(request.fault),
            found.whole_read + read,
        ),
    )


def days_of(reader: Reader, project: ProjectId) -> Iterator[WindowDay]:
    """Yield what each day's requests to each model of a project came to."""
    start: tuple[int, ...] = ()
    while True:
        page = reader.scan(WINDOW_DAY, (project,), start=start, limit=PAGE)
        if len(page) < PAGE:
            yield from page
            return
        last = page[-1].day
        if page[0].day == last:  # more models in a day than are told of
            yield from page
            start = (last + 1,)
            continue
        yield from (day for day in page if day.day < last)
        start = (last,)


def plan_force(homes: Sequence[WindowHome], now: Micros) -> Plan:
    """Return the plan that has the next requests of conversations of one project begin new epochs."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        for home in homes:
            window = window_at(reader, home)
            batch.put(WINDOW, msgspec.structs.replace(window, forced=True, updated=now))
        return batch

    return plan


def requests_of(reader: Reader, home: WindowHome, limit: int = KEPT_REQUESTS) -> list[WindowRequest]:
    """Return the newest requests of a conversation, the oldest of them first."""
    found = reader.scan(WINDOW_REQUEST, (home.home, home.conversation), reverse=True, limit=limit)
    return found[::-1]
