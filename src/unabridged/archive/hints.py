"""Frozen hints: what an agent was told beside a message, decided once and never again.

A decision is named by its session and the host's id of the message. Whoever asks again, after a restart, a rebuild of
the index, in a fork or a resumed session, gets the same bytes, "nothing" too. Only erasure changes one: a hint that
quotes erased text is empty from then on, which breaks the provider's cache at that message, and says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from unabridged.archive import log
from unabridged.errors import Conflict
from unabridged.schema.ids import GLOBAL, Digest, Micros, ProjectId, SessionId, SourceHash, hashed
from unabridged.schema.records import ERASED, EVENT, EXPOSURE, HINT, TOMBSTONE, Exposure, Hint, Quoted
from unabridged.store.contract import Batch, Plan, Reader

NOTHING, MARKER, EXCERPT = "nothing", "marker", "excerpt"
# What is told at the start of a session and behind a compaction: named by that instead of by a message.
ORIENTATION, CATALOGUE = "orientation", "catalogue"
NEVER = Micros(0)
PAGE = 500  # records read at once
SHOWN_MOST = 2_000  # hints with a text that are counted of one session
MAX_NATIVE = 512  # characters of a message's id

Place = tuple[ProjectId, SessionId]  # where a session's hints stand


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the hints of one conversation may cost, checked once more when a decision is frozen.

    active: tokens of all hints that are in the conversation. rest: microseconds that a source rests. keys: of the
    messages that are in the conversation (None: all since `since`). forked: when the conversation left what it goes on
    from, so that what was told there later is not in it (0: unknown).
    """

    active: int
    rest: int
    keys: frozenset[SourceHash] | None = None
    since: Micros = NEVER
    forked: Micros = NEVER


@dataclass(frozen=True, slots=True)
class Frozen:
    """A frozen hint, and whether it was there before."""

    hint: Hint
    replayed: bool


def key_of(native: str) -> SourceHash:
    """Return the key of a message's hint."""
    return SourceHash(hashed(16, "hint", native))


def message_digest(message: str) -> Digest:
    """Return what a hint remembers of its message."""
    return Digest(hashlib.sha256(message.encode("utf-8", "surrogatepass")).digest())


def native_of(key: str, message: str) -> str:
    """Return the name of a message: its host's id, or its own text where the host gives none."""
    return key or f"text:{message_digest(message).hex()}"


def find(reader: Reader, places: Sequence[Place], key: SourceHash, message: Digest) -> Hint | None:
    """Return the hint of a message in a session or, the nearest first, in what the session goes on from.

    An ancestor's counts for the same text only. Raises `Conflict` where the session itself has it for another text.
    """
    for at, (project, session) in enumerate(places):
        hint = reader.get(HINT, (project, session, key))
        if hint is None:
            continue
        if hint.message == message:
            return hint
        if at == 0:
            raise Conflict(
                "that message key was decided with another text", hint="Give each message a key of its own."
            )
    return None


def was_told(reader: Reader, place: Place, native: str) -> bool:
    """Tell whether a session was told what has that name."""
    return reader.get(HINT, (*place, key_of(native))) is not None


def has_any(reader: Reader, place: Place) -> bool:
    """Tell whether anything was decided in a session."""
    return bool(reader.scan(HINT, place, limit=1))


def shown(reader: Reader, place: Place) -> list[Hint]:
    """Return the hints of a session that have a text."""
    return reader.scan(HINT, place, index="shown", limit=SHOWN_MOST)


def active_tokens(reader: Reader, places: Sequence[Place], allowance: Allowance) -> int:
    """Return what the hints in a conversation cost: its own, and those that it has from what it goes on from."""
    counted = dict[SourceHash, int]()
    for place in places:
        for hint in shown(reader, place):
            if hint.outcome in (ORIENTATION, CATALOGUE):  # they have budgets of their own
                continue
            if place != places[0] and allowance.forked and hint.created > allowance.forked:
                continue
            if allowance.keys is not None:
                if hint.key not in allowance.keys:
                    continue
            elif hint.created <= allowance.since:
                continue
            counted.setdefault(hint.key, hint.tokens)
    return sum(counted.values())


def rests(reader: Reader, places: Sequence[Place], source: bytes, after: Micros, *, quoting: bool) -> bool:
    """Tell whether a source was told of behind `after`, in a session or in what it goes on from.

    Who may quote it (`quoting`) is kept from that by a quotation only: a marker has shown nothing of it.
    """
    for project, session in places:
        exposure = reader.get(EXPOSURE, (project, session, source))
        if exposure is not None and (exposure.quoted if quoting else exposure.time) > after:
            return True
    return False


def plan_freeze(wanted: Hint, places: Sequence[Place], allowance: Allowance) -> Plan:
    """Return the plan that freezes a decision, whose result is a `Frozen`.

    `places`: the session, then what it goes on from. Of two decisions on one message the first stays. What others froze
    meanwhile counts: a hint for which there is no allowance left, or whose source rests by now, becomes nothing.
    """

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        found = find(reader, places, wanted.key, wanted.message)
        if found is not None and (found.project, found.session) == places[0]:
            batch.result = Frozen(found, replayed=True)
            return batch
        if found is not None:
            hint = _copied(found, wanted)
        else:
            hint = _allowed(reader, wanted, places, allowance)
        batch.create(HINT, hint)
        for source in hint.rest:
            batch.put(EXPOSURE, _exposed(reader, hint, source))
        batch.result = Frozen(hint, replayed=found is not None)
        return batch

    return plan


def plan_tell(wanted: Hint) -> Plan:
    """Return the plan that freezes an orientation or a catalogue, whose result is a `Frozen`; the first one stays."""

    def plan(reader: Reader) -> Batch:
        batch = Batch()
        held = reader.get(HINT, (wanted.project, wanted.session, wanted.key))
        if held is None:
            batch.create(HINT, wanted)
        batch.result = Frozen(held or wanted, replayed=held is not None)
        return batch

    return plan


def _exposed(reader: Reader, hint: Hint, source: bytes) -> Exposure:
    held = reader.get(EXPOSURE, (hint.project, hint.session, source))
    quoted = hint.created if hint.outcome == EXCERPT else held.quoted if held is not None else NEVER
    return Exposure(hint.project, hint.session, source, hint.key, hint.created, quoted)


def _copied(found: Hint, wanted: Hint) -> Hint:
    """Return an ancestor's hint as a fork's own: the same bytes."""
    return msgspec.structs.replace(
        found,
        project=wanted.project,
        session=wanted.session,
        shown=wanted.session if found.text else b"",
        created=wanted.created,
        copied=found.session,
    )


def _allowed(reader: Reader, wanted: Hint, places: Sequence[Place], allowance: Allowance) -> Hint:
    if not wanted.text:
        return wanted
    after, quoting = Micros(wanted.created - allowance.rest), wanted.outcome == EXCERPT
    if any(rests(reader, places, source, after, quoting=quoting) for source in wanted.rest):
        return refused(wanted, "repeated-source")
    if active_tokens(reader, places, allowance) + wanted.tokens > allowance.active:
        return refused(wanted, "active-budget")
    return wanted


def refused(wanted: Hint, reason: str) -> Hint:
    """Return a decision as nothing."""
    return msgspec.structs.replace(
        wanted, outcome=NOTHING, reason=reason, text="", shown=b"", tokens=0, rest=[], quoted=[]
    )


# --- erasure ------------------------------------------------------------------------------------------------------


def is_erased(reader: Reader, quoted: Quoted) -> bool:
    """Tell whether an event that a hint quotes was erased, itself or with its document."""
    for name in (quoted.event, quoted.document):
        stone = reader.get(TOMBSTONE, (quoted.project, name)) if name else None
        if stone is not None and stone.reason == ERASED:
            return True
    event = reader.get(EVENT, (quoted.project, quoted.ordinal))
    return event is None or event.id != quoted.event


def holds_erased(reader: Reader, hint: Hint) -> bool:
    """Tell whether a hint's text quotes what is erased."""
    return bool(hint.text) and any(is_erased(reader, item) for item in hint.quoted)


def emptied(hint: Hint, now: Micros) -> Hint:
    """Return a hint without its text, as erasure leaves it."""
    return msgspec.structs.replace(
        hint, outcome=NOTHING, reason=ERASED, text="", shown=b"", tokens=0, quoted=[], emptied=now
    )


def plan_empty(hints: Sequence[Hint], now: Micros) -> Plan:
    """Return the plan that empties hints (of one project), whose result says how many; doing it twice does nothing."""

    def plan(reader: Reader) -> Batch:
        batch, count = Batch(), 0
        for hint in hints:
            held = reader.get(HINT, (hint.project, hint.session, hint.key))
            if held is not None and held.text:
                batch.put(HINT, emptied(held, now))
                count += 1
        batch.result = count
        return batch

    return plan


def with_text(reader: Reader, project: ProjectId, wanted: Callable[[Hint], bool]) -> Iterator[Hint]:
    """Return the hints of a project that have a text and are wanted: what an erasure looks through.

    A hint is to be emptied when `quoted` names what is erased, when its message (`session`, `native`) is, or when
    its text holds what is erased by its words.
    """
    return (hint for hint in every(reader, project) if hint.text and wanted(hint))


def every(reader: Reader, project: ProjectId) -> Iterator[Hint]:
    """Yield all hints of a project, by session and key."""
    start: tuple[bytes, ...] = ()
    while True:
        page = reader.scan(HINT, (project,), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]
        start = (last.session, (int.from_bytes(last.key, "big") + 1).to_bytes(16, "big"))


def projects(reader: Reader) -> list[ProjectId]:
    """Return the projects that may have hints: all, and the one of sessions that belong to none."""
    return [GLOBAL, *(item.id for item in log.projects(reader))]


def latest(reader: Reader, project: ProjectId, limit: int, session: SessionId | None = None) -> list[Hint]:
    """Return the decisions of a project (of a session) that were made last, newest first."""
    if session is None:
        return reader.scan(HINT, (project,), index="when", reverse=True, limit=limit)
    found = list[Hint]()
    start: tuple[bytes, ...] = ()
    while True:
        page = reader.scan(HINT, (project, session), start=start, limit=PAGE)
        found.extend(page)
        if len(page) < PAGE:
            break
        start = ((int.from_bytes(page[-1].key, "big") + 1).to_bytes(16, "big"),)
    return sorted(found, key=lambda hint: (-hint.created, hint.key))[:limit]
