"""An append's blocks that were seen before through another capture: which events they are (see `twins`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from unabridged.archive import rendering, twins
from unabridged.archive.prepared import Prepared
from unabridged.archive.turns import JOIN_BYTES, Turn, manifest_digest
from unabridged.archive.twins import TRANSCRIPT, Begun, Family
from unabridged.schema.ids import GLOBAL, EventId, Ordinal, ProjectId, SessionId, SourceHash, source_hash
from unabridged.schema.records import ALIAS, EVENT, HOME, SESSION, Alias, Event, Home, Session
from unabridged.store.contract import Batch, Reader

assert len(rendering.JOIN) == JOIN_BYTES

FORKS = ("fork", "continuation")  # sessions that share events with the one they go on from
MAX_REVISIONS = 10_000


@dataclass(frozen=True, slots=True)
class Met:
    """What is known of a block: its event (None: a new one), whether that is all, whether its source key is taken."""

    event: Ordinal | None
    settled: bool = False
    taken: bool = False


class Matching:
    """One append of which a session, or what it was forked from, is captured on the wire."""

    def __init__(
        self,
        reader: Reader,
        batch: Batch,
        project: ProjectId,
        families: Sequence[Family | None],
        keys: Sequence[list[bytes]] | None,
        form: str,
    ) -> None:
        """Look for what sessions (by their place in the append) said.

        `keys` are those of the wire's blocks, if any, which passed in the format `form`.
        """
        self._reader = reader
        self._batch = batch
        self._project = project
        self._families = families
        self._keys = keys
        self._capture = twins.wire(form) if keys is not None else TRANSCRIPT
        self._sources = dict[SourceHash, EventId]()  # aliases of this append
        self._pending = dict[int, list[bytes]]()  # step → keys of what becomes a new event
        self._other = dict[EventId, Ordinal]()  # what an event of another id stands for

    def meet(
        self, at: int, session: int, owner: Session, event: Prepared, known: Ordinal | None, *, placed: bool
    ) -> Met:
        """Return what step number `at` is. `known`: an event has its id; `placed`: its source key is on a path."""
        family = self._families[session]
        alias = None if placed else self._alias(event.source)
        if alias == event.id:
            return Met(self._named(event.id), settled=True)
        if known is not None and placed:
            return Met(known)
        ordinal = known if known is not None else self._named(event.id)
        if family is None:
            return Met(ordinal)
        keys = (
            self._keys[at] if self._keys is not None else [twins.key_of(twins.event_of(self._project, event))]
        )
        twin = family.match(keys, self._capture)
        if twin is None and self._keys is not None and ordinal is None:
            twin = self._again(family, keys, event)
        if twin is None:
            self._pending[at] = keys
            return Met(ordinal, taken=alias is not None)
        self._other[event.id] = twin
        held = self._reader.get(EVENT, (self._project, twin))
        if self._keys is not None or held is None or self._is_on_path(family, held, owner):
            self._write(event, owner, twin)
            return Met(twin, settled=True)
        return Met(twin, taken=alias is not None)

    def _again(self, family: Family, keys: Sequence[bytes], event: Prepared) -> Ordinal | None:
        """Return the event of a call or result that passed on the wire before in another form.

        An answer is put together from its stream, and a client may write it otherwise when it sends it back.
        """
        return family.known(keys[0]) if twins.is_call(twins.event_of(self._project, event)) else None

    def _is_on_path(self, family: Family, held: Event, owner: Session) -> bool:
        """Tell whether a session's path has an event that the wire brought: its own, or a copied conversation's."""
        if held.session == owner.session:
            return True
        if owner.session != family.root:
            return False
        session = self._reader.get(SESSION, (self._project, held.session))
        return session is None or twins.family_of(self._reader, session) != family.root

    def became(self, at: int, session: int, event: Ordinal) -> None:
        """Learn which event a step became that was none before."""
        family, keys = self._families[session], self._pending.pop(at, None)
        if family is not None and keys is not None:
            family.add(keys, event, self._capture)

    def holds(self, source: SourceHash) -> bool:
        """Tell whether a source key is an alias."""
        return self._alias(source) is not None

    def flush(self) -> None:
        """Write what changed."""
        for family in {id(family): family for family in self._families if family is not None}.values():
            family.flush(self._batch)

    def turn(self, turn: Turn, events: Sequence[Ordinal]) -> Turn:
        """Return a turn with the ids and sizes of the events that it holds in fact."""
        if not any(member in self._other for member in turn.members):
            return turn
        members, sizes = list(turn.members), list(turn.sizes)
        for at, (name, ordinal) in enumerate(zip(turn.members, events, strict=True)):
            held = self._reader.get(EVENT, (self._project, ordinal)) if name in self._other else None
            if held is not None:
                members[at], sizes[at] = held.id, held.size
        whole = [size for size in sizes if size]
        return msgspec.structs.replace(
            turn,
            members=members,
            sizes=sizes,
            size=sum(whole) + JOIN_BYTES * max(0, len(whole) - 1),
            digest=manifest_digest(turn.kind, members),
        )

    def known(self, name: EventId) -> Ordinal | None:
        """Return the event that stands for one of another id."""
        return self._named(name)

    def _write(self, event: Prepared, owner: Session, twin: Ordinal) -> None:
        """Write a further source key of an event, as a revision where the key is taken."""
        begin = f"{owner.host}:{owner.host_session}:{event.native}"
        for revision in range(1, MAX_REVISIONS):
            key = begin if revision == 1 else f"{begin}~{revision}"
            source = source_hash(key)
            if self._alias(source) is None:
                self._batch.create(ALIAS, Alias(self._project, source, twin, key, event.id))
                self._sources[source] = event.id
                return

    def _alias(self, source: SourceHash) -> EventId | None:
        own = self._sources.get(source)
        if own is not None:
            return own
        found = self._reader.scan(ALIAS, (self._project, source), limit=1)
        return EventId(found[0].id) if found else None

    def _named(self, name: EventId) -> Ordinal | None:
        """Return the event for which a block of another id is an alias."""
        known = self._other.get(name)
        if known is None:
            found = self._reader.scan(ALIAS, (self._project, name), index="id", limit=1)
            if not found:
                return None
            known = self._other[name] = found[0].event
        return known


def matching(
    reader: Reader,
    batch: Batch,
    project: ProjectId,
    sessions: list[Session],
    keys: Sequence[list[bytes]] | None,
    form: str,
    begun: Begun | None = None,
) -> Matching | None:
    """Return what looks for blocks that were seen before, None where nothing of these sessions passed on the wire.

    `keys`: those of the wire's blocks, which passed in the format `form`; None for a transcript. With keys the sessions
    are captured from now on. `begun`: what their transcripts said, where it still holds.
    """
    families, found = list[Family | None](), dict[bytes, Family]()
    concerned = keys is not None
    for at, session in enumerate(sessions):
        root = twins.family_of(reader, session)
        if root not in found:
            above = session if root == session.session else reader.get(SESSION, (project, root))
            captured = above is not None and above.captured
            if not captured and keys is not None:
                found[root] = _begun(reader, project, SessionId(root), begun)
                if above is session:
                    sessions[at] = msgspec.structs.replace(session, captured=True)
                else:
                    _begin_above(reader, batch, session, above)
            elif captured:
                found[root] = Family(reader, project, root)
        families.append(found.get(root))
        concerned = concerned or root in found or _forked(reader, session)
    return Matching(reader, batch, project, families, keys, form) if concerned else None


def _begun(reader: Reader, project: ProjectId, root: SessionId, begun: Begun | None) -> Family:
    if begun is None or begun.root != root:
        return twins.begin(reader, project, root)
    family = Family(reader, project, root)
    family.take(begun.twins)
    return family


def _begin_above(reader: Reader, batch: Batch, session: Session, above: Session | None) -> None:
    """Mark the session that a subagent's belongs to, which may have said nothing so far."""
    if above is None:
        above = Session(
            session.project,
            twins.family_of(reader, session),
            session.host,
            twins.above_of(session),
            session.cwd,
        )
        above = msgspec.structs.replace(above, created=session.created)
        if reader.get(HOME, (GLOBAL, above.session)) is None:
            home = Home(GLOBAL, above.session, above.project, above.host, above.host_session)
            batch.put(HOME, home)
    batch.put(SESSION, msgspec.structs.replace(above, captured=True))


def _forked(reader: Reader, session: Session) -> bool:
    """Tell whether a session goes on from one of which something passed on the wire."""
    if session.relation not in FORKS or not session.parent:
        return False
    above = reader.get(SESSION, (session.project, session.parent))
    return above is not None and above.captured


def part_of(native: str) -> int:
    """Return which part of its item a block of the wire is."""
    _, mark, at = native.rpartition("#")
    return int(at) if mark and at.isdigit() else 0
