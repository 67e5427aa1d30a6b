"""The one write path: what a reader prepared becomes one commit.

`plan_append` is a pure function of the state that it reads. It assigns ordinals, sequence numbers, versions and the log
position, shares events that another session or file already brought, and writes segments, events, paths, documents,
chunks, counters and the log entry together: all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.archive import retain
from unabridged.archive.documents import DocumentDraft, DocumentWriter
from unabridged.archive.matching import Matching, matching, part_of
from unabridged.archive.prepared import Prepared, stored
from unabridged.archive.turns import Turn, Turns
from unabridged.archive.twins import Begun
from unabridged.errors import Conflict
from unabridged.hosts.contract import SessionNews
from unabridged.schema.ids import (
    GLOBAL,
    EventId,
    Micros,
    Ordinal,
    Position,
    ProjectId,
    SessionId,
    SourceHash,
    session_id,
    source_hash,
)
from unabridged.schema.records import (
    CHUNK_KIND,
    CHUNK_REFS,
    COUNTERS,
    ERASED,
    EVENT,
    GENERATION,
    HOME,
    LOG,
    ORIGIN,
    PATH,
    PROJECT,
    SEGMENT,
    SESSION,
    TOMBSTONE,
    Chunk,
    ChunkRefs,
    Counters,
    Generation,
    Home,
    LogEntry,
    Origin,
    Path,
    Project,
    Segment,
    Session,
)
from unabridged.schema.windows import WINDOW_ITEM, WindowItem
from unabridged.store.contract import Batch, Plan, Reader

MAX_REVISIONS = 10_000  # of one block in one session; more means a reader gives one id to different blocks
TITLE_CHARS = 200


class SessionDraft(msgspec.Struct, frozen=True, array_like=True):
    """A session that an append touches; `news` holds what its lines told, in order."""

    session: SessionId
    host_session: str
    news: list[SessionNews] = []


class Step(msgspec.Struct, array_like=True, gc=False):
    """An event with its place; `number` is its line."""

    event: Prepared
    session: int  # index into the append's sessions
    number: int


class Captured(msgspec.Struct, array_like=True):
    """Which items of a conversation the lines of an append are: `keys` in the order of its lines, and their format."""

    conversation: bytes
    keys: list[str] = []
    form: str = ""


class Append(msgspec.Struct, array_like=True):
    """Everything that a run of lines of one origin generation gives; `before` and `after` frame it.

    taken: number, offset and length in the kept original of each line, where they are items of the wire (`captured`).
    """

    host: str
    root: str  # the project's root
    origin: Origin
    before: Generation | None
    after: Generation
    sessions: list[SessionDraft]
    segments: list[Segment]
    steps: list[Step]
    chunks: list[Chunk]
    turns: list[Turn]
    lines: int
    unreadable: int
    problems: list[tuple[int, str, str]] = []
    taken: list[tuple[int, int, int]] = []
    captured: Captured | None = None
    begun: Begun | None = (
        None  # of the wire: what the transcripts of a session said, before anything of it came so
    )
    twinned: list[list[bytes]] = []  # of the wire: what each step may be found by where it was seen before


class Appended(msgspec.Struct, frozen=True, array_like=True):
    """What a commit did.

    Lines: `new` brought something, `known` only what was there. `position` is 0 when nothing is new.
    """

    position: Position
    first: int
    last: int
    events: int
    documents: int
    new: int
    known: int
    generation: Generation


def plan_append(append: Append, now: Micros) -> Plan:
    """Return the plan that admits `append`; it raises `Conflict` when the origin has moved on since it was prepared."""

    def plan(reader: Reader) -> Batch:
        return _Admission(append, now, reader).run()

    return plan


class _Admission:
    """One run of the plan."""

    def __init__(self, append: Append, now: Micros, reader: Reader) -> None:
        self._append = append
        self._now = now
        self._reader = reader
        self._batch = Batch()
        self._project: ProjectId = append.origin.project
        self._counters = reader.get(COUNTERS, (self._project,)) or Counters(self._project)
        self._next = self._counters.next_ordinal
        self._ordinals = dict[EventId, Ordinal]()
        self._places = dict[Ordinal, tuple[SessionId, int]]()
        self._new_lines = set[int]()
        self._matching: Matching | None = None
        self._parts = dict[int, dict[int, Ordinal]]()  # of the wire: line → part → event

    def run(self) -> Batch:
        append = self._append
        key = (self._project, append.origin.origin, append.after.number)
        current = self._reader.get(GENERATION, key)
        expected = append.before
        if (current is None) != (expected is None) or (
            current is not None
            and expected is not None
            and (current.source_offset, current.lines, current.turn_state)
            != (expected.source_offset, expected.lines, expected.turn_state)
        ):
            raise Conflict("the transcript was read by another importer meanwhile", hint="Import again.")
        first = self._next
        sessions = self._open_sessions()
        self._matching = self._match(sessions)
        events = self._admit_events(sessions)
        documents = self._admit_turns(sessions)
        self._write_segments(current)
        known = self._write_generation(current)
        self._write_items()
        self._write_sessions(sessions)
        position = self._write_log(first, sessions)
        self._write_counters(position, events, documents)
        if self._matching is not None:
            self._matching.flush()
        self._batch.result = Appended(
            Position(position),
            first,
            self._next - 1,
            events,
            documents,
            append.lines - append.unreadable - known,
            known,
            self._generation,
        )
        return self._batch

    # --- sessions ---------------------------------------------------------------------------------------------------

    def _open_sessions(self) -> list[Session]:
        append, reader = self._append, self._reader
        keys = [(self._project, draft.session) for draft in append.sessions]
        found = reader.get_many(SESSION, keys)
        return [
            session
            or Session(self._project, draft.session, append.host, draft.host_session, created=self._now)
            for session, draft in zip(found, append.sessions, strict=True)
        ]

    def _write_sessions(self, sessions: Sequence[Session]) -> None:
        reader, batch = self._reader, self._batch
        if reader.get(PROJECT, (GLOBAL, self._project)) is None:
            name = self._append.root.rstrip("/").rsplit("/", 1)[-1] or self._append.root
            batch.put(PROJECT, Project(GLOBAL, self._project, name, [self._append.root], self._now))
        if reader.get(ORIGIN, (self._project, self._append.origin.origin)) != self._append.origin:
            batch.put(ORIGIN, self._append.origin)
        for session, draft in zip(sessions, self._append.sessions, strict=True):
            told = _titled(_tell(session, draft.news), self._append)
            if told != reader.get(SESSION, (self._project, session.session)):
                batch.put(SESSION, told)
            if reader.get(HOME, (GLOBAL, session.session)) is None:
                batch.put(
                    HOME, Home(GLOBAL, session.session, self._project, session.host, session.host_session)
                )

    def _match(self, sessions: list[Session]) -> Matching | None:
        """Return what looks for blocks that came through another capture; marks sessions that now have one."""
        append = self._append
        told = [_tell(session, draft.news) for session, draft in zip(sessions, append.sessions, strict=True)]
        keys, form = (append.twinned, append.captured.form) if append.captured is not None else (None, "")
        begun = append.begun if append.begun and append.begun.ordinal == self._next else None
        found = matching(self._reader, self._batch, self._project, told, keys, form, begun)
        if keys is not None:
            sessions[:] = [
                msgspec.structs.replace(session, captured=now.captured)
                for session, now in zip(sessions, told, strict=True)
            ]
        return found

    # --- events -----------------------------------------------------------------------------------------------------

    def _admit_events(self, sessions: list[Session]) -> int:
        steps, reader, project = self._append.steps, self._reader, self._project
        ids = [(project, step.event.id) for step in steps]
        known = reader.lookup(EVENT, "id", ids)
        gone = self._gone(ids)
        for step, key in zip(steps, known, strict=True):
            if key is not None:
                self._ordinals[step.event.id] = Ordinal(int(key[1]))
        taken = reader.lookup(PATH, "source", [(project, step.event.source) for step in steps])
        placed = dict[bytes, Ordinal]()  # source hash → event, of this append
        ends = [_End(session) for session in sessions]
        new = list[Prepared]()
        batch, ordinals, places = self._batch, self._ordinals, self._places
        for at, (step, path) in enumerate(zip(steps, taken, strict=True)):
            event, end = step.event, ends[step.session]
            name, native, source = event.id, event.native, event.source
            if name in gone:
                continue
            ordinal = ordinals.get(name)
            known = path is not None or source in placed
            if self._matching is not None:
                met = self._matching.meet(at, step.session, end.session, event, ordinal, placed=known)
                ordinal, known = met.event, known or met.taken
                if ordinal is not None:
                    ordinals[name] = ordinal
                if met.settled:
                    self._note_part(step, ordinal)
                    continue
            if known:
                place = self._place(end.session, native, ordinal, placed)
                if place is None:
                    continue
                native, source = place
            session, seq = end.session.session, end.seq
            if ordinal is None:
                ordinal = ordinals[name] = Ordinal(self._next)
                self._next += 1
                new.append(event)
                batch.create_encoded(EVENT, stored(project, ordinal, name, session, seq, event.rest))
            batch.create(PATH, Path(project, session, seq, ordinal, source, native))
            placed[source] = ordinal
            places[ordinal] = (session, seq)
            self._new_lines.add(step.number)
            if self._matching is not None:
                self._matching.became(at, step.session, ordinal)
                self._note_part(step, ordinal)
            end.extend(event.time)
        sessions[:] = [end.reached() for end in ends]
        self._refer_chunks(new)
        return len(new)

    def _note_part(self, step: Step, ordinal: Ordinal | None) -> None:
        if self._append.captured is not None and ordinal is not None:
            self._parts.setdefault(step.number, {})[part_of(step.event.native)] = ordinal

    def _gone(self, ids: Sequence[tuple[ProjectId, EventId]]) -> set[EventId]:
        """Return those of the events that were erased, which never come back."""
        if not self._reader.scan(TOMBSTONE, (self._project,), limit=1):
            return set()
        found = self._reader.get_many(TOMBSTONE, ids)
        return {EventId(item.id) for item in found if item is not None and item.reason == ERASED}

    def _place(
        self, session: Session, native: str, ordinal: Ordinal | None, placed: dict[bytes, Ordinal]
    ) -> tuple[str, SourceHash] | None:
        """Return the revision's native key and source hash, or None where the session already holds the event."""
        for revision in range(1, MAX_REVISIONS):
            name = native if revision == 1 else f"{native}~{revision}"
            source = source_hash(_source(session, name))
            event = placed.get(source)
            if event is None and self._matching is not None and self._matching.holds(source):
                continue
            if event is None:
                key = self._reader.lookup(PATH, "source", [(self._project, source)])[0]
                if key is None:
                    return name, source
                path = self._reader.get(PATH, key)
                event = path.event if path is not None else None
            if event is not None and event == ordinal:
                return None
        raise Conflict("one id names too many different blocks", limit=MAX_REVISIONS)

    def _refer_chunks(self, events: Sequence[Prepared]) -> None:
        """Write the chunks of new events, each counted once per event that it stands in."""
        if not self._append.chunks:
            return
        uses = dict[bytes, int]()
        for event in events:
            for digest in event.chunks:
                uses[digest] = uses.get(digest, 0) + 1
        for chunk in self._append.chunks:
            count = uses.pop(chunk.digest, 0)
            if not count:
                continue
            refs = self._reader.get(CHUNK_REFS, (self._project, chunk.digest))
            if refs is None:
                self._batch.create(CHUNK_KIND, chunk)
            self._batch.put(
                CHUNK_REFS, ChunkRefs(self._project, chunk.digest, count + (refs.count if refs else 0))
            )

    # --- documents --------------------------------------------------------------------------------------------------

    def _admit_turns(self, sessions: Sequence[Session]) -> int:
        if not self._append.turns:
            return 0
        by_host_session = {session.host_session: session for session in sessions}
        writer = DocumentWriter(self._reader, self._batch, self._project, self._now, self._places)
        missing = {
            event for turn in self._append.turns for event in turn.members if event not in self._ordinals
        }
        found = self._reader.lookup(EVENT, "id", [(self._project, event) for event in missing])
        for event, key in zip(missing, found, strict=True):
            ordinal = Ordinal(int(key[1])) if key is not None else self._elsewhere(event)
            if ordinal is not None:
                self._ordinals[event] = ordinal
        written = 0
        for turn in self._append.turns:
            members = [self._ordinals[event] for event in turn.members if event in self._ordinals]
            if len(members) != len(turn.members):
                continue  # an erased event: its turn is not rebuilt from what is left
            if self._matching is not None:
                turn = self._matching.turn(turn, members)
            session = by_host_session[turn.session or self._append.sessions[0].host_session]
            draft = DocumentDraft(
                kind=turn.kind,
                first=turn.members[0],
                digest=turn.digest,
                session=session.session,
                members=members,
                size=turn.size,
                tokens=turn.tokens,
                started=turn.started,
                ended=turn.ended,
                title=turn.title,
                retention=retain.CONVERSATION,
                sizes=turn.sizes,
            )
            if writer.write(draft, Ordinal(self._next)) is not None:
                self._next += 1
                written += 1
        return written

    def _elsewhere(self, event: EventId) -> Ordinal | None:
        return self._matching.known(event) if self._matching is not None else None

    # --- the original -----------------------------------------------------------------------------------------------

    def _write_segments(self, current: Generation | None) -> None:
        if current is not None and current.pending:
            self._batch.delete(
                SEGMENT, (self._project, current.origin, current.number, current.stored_offset)
            )
        for segment in self._append.segments:
            self._batch.put(SEGMENT, segment)

    def _write_generation(self, current: Generation | None) -> int:
        append = self._append
        with_events = {step.number for step in append.steps}
        known = len(with_events - self._new_lines)
        self._generation = msgspec.structs.replace(
            append.after,
            new=(current.new if current else 0) + append.lines - append.unreadable - known,
            known=(current.known if current else 0) + known,
            unreadable=(current.unreadable if current else 0) + append.unreadable,
            updated=self._now,
        )
        self._batch.put(GENERATION, self._generation)
        return known

    def _write_items(self) -> None:
        """Write which items of a conversation are durable by this append."""
        captured = self._append.captured
        if captured is None:
            return
        number = self._append.after.number
        for key, (line, offset, length) in zip(captured.keys, self._append.taken, strict=True):
            parts = self._parts.get(line, {})
            events = [parts.get(at, Ordinal(0)) for at in range(max(parts, default=-1) + 1)]
            self._batch.create(
                WINDOW_ITEM,
                WindowItem(self._project, captured.conversation, key, number, offset, length, events),
            )

    def _write_log(self, first: int, sessions: Sequence[Session]) -> int:
        if self._next == first:
            return 0
        position = self._counters.next_position
        session = sessions[0].session
        last = self._next - 1
        self._batch.create(
            LOG, LogEntry(self._project, Position(position), "append", session, first, last, self._now)
        )
        return position

    def _write_counters(self, position: int, events: int, documents: int) -> None:
        raw = sum(segment.size for segment in self._append.segments)
        stored = sum(len(segment.data) for segment in self._append.segments)
        if not (position or raw):
            return
        counters = self._counters
        self._batch.put(
            COUNTERS,
            Counters(
                self._project,
                self._next,
                counters.next_position + (1 if position else 0),
                counters.events + events,
                counters.documents + documents,
                counters.raw_bytes + raw,
                counters.stored_bytes + stored,
            ),
        )


class _End:
    """The end of a session's order while an append goes on behind it."""

    __slots__ = ("_ended", "_first", "_started", "seq", "session")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seq = self._first = session.next_seq
        self._started, self._ended = session.started, session.ended

    def extend(self, time: Micros) -> None:
        """Take one more event of that time."""
        self.seq += 1
        if time:
            self._started = min(self._started or time, time)
            self._ended = max(self._ended, time)

    def reached(self) -> Session:
        """Return the session as it is now."""
        if self.seq == self._first:
            return self.session
        return msgspec.structs.replace(
            self.session,
            next_seq=self.seq,
            events=self.session.events + self.seq - self._first,
            started=self._started,
            ended=self._ended,
        )


def _source(session: Session, native: str) -> str:
    return f"{session.host}:{session.host_session}:{native}"


def _tell(session: Session, news: Sequence[SessionNews]) -> Session:
    """Return the session with what its lines told: the first working directory and parent stay, the last title wins."""
    for item in news:
        session = msgspec.structs.replace(
            session,
            title=item.title[:TITLE_CHARS] or session.title,
            cwd=session.cwd or item.cwd,
            parent=session.parent or _parent(session, item),
            relation=session.relation or item.relation,
            fork_native=session.fork_native or item.fork_native,
        )
    return session


def _titled(session: Session, append: Append) -> Session:
    """Return the session with its first request as a title, while its host has given none."""
    if session.title:
        return session
    own = append.sessions[0].host_session
    asked = [(turn.session, turn.title) for turn in append.turns]
    asked += Turns(append.after.turn_state).titles().items()  # the first one may still be answered
    for name, title in asked:
        if title and (name or own) == session.host_session:
            return msgspec.structs.replace(session, title=title)
    return session


def _parent(session: Session, news: SessionNews) -> bytes:
    from_host = news.parent
    return b"" if not from_host else session_id(session.host, from_host)
