"""Notes: text that a person or a program admits directly, with idempotent replay."""

from __future__ import annotations

import hashlib

import msgspec

from unabridged.archive import rendering, retain
from unabridged.archive.chunking import cut
from unabridged.archive.compress import pack
from unabridged.archive.documents import DocumentDraft, DocumentWriter
from unabridged.archive.forget import live_version
from unabridged.archive.turns import manifest_digest
from unabridged.errors import Conflict, InvalidInput, LimitExceeded
from unabridged.schema import tokens
from unabridged.schema.ids import (
    GLOBAL,
    NO_ORIGIN,
    ChunkDigest,
    Digest,
    EventId,
    Micros,
    Ordinal,
    Position,
    ProjectId,
    SourceHash,
    event_id,
    hashed,
    identity_hash,
    session_id,
    source_hash,
)
from unabridged.schema.records import (
    ADMISSION,
    CHUNK,
    CHUNK_KIND,
    CHUNK_REFS,
    COUNTERS,
    DOCUMENT,
    EVENT,
    HOME,
    LOG,
    PATH,
    PROJECT,
    SESSION,
    SUPERSESSION,
    Admission,
    Chunk,
    ChunkRefs,
    Counters,
    Document,
    Event,
    Home,
    LogEntry,
    Path,
    Piece,
    Project,
    Session,
    Supersession,
)
from unabridged.store.contract import Batch, Plan, Reader

MAX_NOTE = 8 << 20  # bytes of UTF-8; larger text is refused, its sender splits it
MAX_TITLE = 200  # characters
INLINE = 16_384  # bytes; longer notes are kept as chunks
MAX_CHAIN = 4_096  # versions of one subject
HOST = "note"
REPLACED, CORRECTED = "replaced", "corrected"  # reasons of a supersession


class NoteDraft(msgspec.Struct, frozen=True):
    """A note to admit. `name` makes it the same note when it comes again; `request` identifies the caller's request."""

    project: ProjectId
    root: str
    text: str
    name: str
    request: str = ""
    title: str = ""
    subject_key: str = ""
    supersedes: str = ""  # document id (hexadecimal) of the live version that it replaces
    corrects: int = 0  # ordinal of the message, or of the note's document, that it corrects


class NoteOutcome(msgspec.Struct, frozen=True):
    """The note as it was admitted (`replayed`: by an earlier, equal request; then `admitted` and `text` are empty)."""

    event: EventId
    ordinal: Ordinal
    document: Ordinal
    position: Position
    replayed: bool
    document_id: bytes = b""  # empty where a replayed note's document is gone
    version: int = 0
    size: int = 0  # bytes of its text
    admitted: Event | None = None
    text: str = ""


class _Text(msgspec.Struct, frozen=True):
    """A note's text, hashed, counted and packed before the one writer of the store has to do with it."""

    size: int
    digest: Digest
    tokens: int
    text: str
    chunks: list[Chunk]  # in order; a chunk that comes again is there again; none: the event holds the text


def validate(draft: NoteDraft) -> bytes:
    """Return the note's UTF-8 text; raise `InvalidInput` or `LimitExceeded`."""
    try:
        text = draft.text.encode()
    except UnicodeEncodeError:
        text = rendering.clean(draft.text).encode()
    if not text.strip():
        raise InvalidInput("a note's text is empty", field="text")
    if len(text) > MAX_NOTE:
        raise LimitExceeded("a note is too long", field="text", limit=MAX_NOTE, size=len(text))
    if len(draft.title) > MAX_TITLE:
        raise LimitExceeded(
            "a note's title is too long", field="title", limit=MAX_TITLE, size=len(draft.title)
        )
    return text


def plan_note(draft: NoteDraft, now: Micros, ruleset: int) -> Plan:
    """Return the plan that admits a note (already redacted).

    The same request with the same content gives the first outcome again; with other content it raises `Conflict`. A
    subject key has at most one live document: replacing it needs `supersedes` to name exactly that.
    """
    text = _prepared(draft.project, validate(draft))
    target = (str(draft.corrects),) if draft.corrects else ()
    content = Digest(hashed(32, text.digest, draft.title, draft.subject_key, *target))

    def plan(reader: Reader) -> Batch:
        request = SourceHash(hashed(16, "request", draft.request)) if draft.request else None
        if request is not None:
            earlier = reader.get(ADMISSION, (draft.project, request))
            if earlier is not None:
                return _replay(reader, earlier, content)
        return _admit(reader, draft, text, content, request, now, ruleset)

    return plan


def _replay(reader: Reader, earlier: Admission, content: Digest) -> Batch:
    if earlier.content != content:
        raise Conflict("that request id was used with other content", hint="Use a new request id.")
    event = reader.get(EVENT, (earlier.project, earlier.first))
    name = event.id if event is not None else EventId(bytes(20))
    document = reader.get(DOCUMENT, (earlier.project, earlier.last))
    batch = Batch()
    batch.result = NoteOutcome(
        name,
        Ordinal(earlier.first),
        Ordinal(earlier.last),
        Position(earlier.position),
        replayed=True,
        document_id=document.id if document is not None else b"",
        version=document.version if document is not None else 0,
        size=event.size if event is not None else 0,
    )
    return batch


def _admit(
    reader: Reader,
    draft: NoteDraft,
    text: _Text,
    content: Digest,
    request: SourceHash | None,
    now: Micros,
    ruleset: int,
) -> Batch:
    batch, project = Batch(), draft.project
    counters = reader.get(COUNTERS, (project,)) or Counters(project)
    session = _session(reader, draft, now)
    ordinal = Ordinal(counters.next_ordinal)
    event = _event(draft, text, session, ordinal, now, ruleset, batch, reader)
    native = event.native
    batch.create(EVENT, event)
    source = source_hash(f"{HOST}:{session.host_session}:{native}")
    batch.create(PATH, Path(project, session.session, session.next_seq, ordinal, source, native))
    document = Ordinal(ordinal + 1)
    place = {ordinal: (session.session, session.next_seq)}
    # Its identity follows from the event's, which follows from name and text: a second one is refused with its event.
    written = DocumentWriter(reader, batch, project, now, place).write(
        _document(draft, event), document, first=True
    )
    _replace(reader, batch, draft, document, now)
    if reader.get(PROJECT, (GLOBAL, project)) is None:
        name = draft.root.rstrip("/").rsplit("/", 1)[-1] or draft.root
        batch.put(PROJECT, Project(GLOBAL, project, name, [draft.root], now))
    if reader.get(HOME, (GLOBAL, session.session)) is None:
        batch.put(HOME, Home(GLOBAL, session.session, project, HOST, session.host_session))
    batch.put(
        SESSION,
        msgspec.structs.replace(
            session,
            next_seq=session.next_seq + 1,
            events=session.events + 1,
            started=session.started or now,
            ended=now,
        ),
    )
    position = Position(counters.next_position)
    batch.create(LOG, LogEntry(project, position, "append", session.session, ordinal, document, now))
    batch.put(
        COUNTERS,
        msgspec.structs.replace(
            counters,
            next_ordinal=document + 1,
            next_position=position + 1,
            events=counters.events + 1,
            documents=counters.documents + 1,
            raw_bytes=counters.raw_bytes + text.size,
        ),
    )
    if request is not None:
        batch.create(ADMISSION, Admission(project, request, content, ordinal, document, position, now))
    batch.result = NoteOutcome(
        event.id,
        ordinal,
        document,
        position,
        replayed=False,
        document_id=written.id if written is not None else b"",
        version=written.version if written is not None else 0,
        size=text.size,
        admitted=event,
        text=text.text,
    )
    return batch


def _session(reader: Reader, draft: NoteDraft, now: Micros) -> Session:
    host_session = f"notes-{draft.project.hex()[:16]}"
    name = session_id(HOST, host_session)
    found = reader.get(SESSION, (draft.project, name))
    return found or Session(draft.project, name, HOST, host_session, title="Notes", created=now)


def _event(
    draft: NoteDraft,
    text: _Text,
    session: Session,
    ordinal: Ordinal,
    now: Micros,
    ruleset: int,
    batch: Batch,
    reader: Reader,
) -> Event:
    native = hashed(8, "note", draft.name, text.digest).hex()
    pieces: list[Piece] = _chunked(text.chunks, batch, reader) if text.chunks else [text.text]
    return Event(
        draft.project,
        ordinal,
        event_id(identity_hash(HOST, native), text.digest),
        session.session,
        session.next_seq,
        HOST,
        native,
        "text",
        "user",
        0,
        now,
        0,
        "",
        "",
        [],
        "",
        text.digest,
        rendering.RENDERING_VERSION,
        ruleset,
        text.size,
        text.tokens,
        NO_ORIGIN,
        0,
        0,
        0,
        pieces,
    )


def _prepared(project: ProjectId, text: bytes) -> _Text:
    chunks = [_chunk(project, part) for part in cut(text)] if len(text) > INLINE else []
    return _Text(
        len(text),
        rendering.digest("text", "user", "", "", text, ()),
        tokens.by_script(text),
        text.decode(),
        chunks,
    )


def _chunk(project: ProjectId, part: bytes) -> Chunk:
    codec, dictionary, data = pack(part)
    return Chunk(project, ChunkDigest(hashlib.sha256(part).digest()), len(part), codec, dictionary, data)


def _chunked(chunks: list[Chunk], batch: Batch, reader: Reader) -> list[Piece]:
    names: list[int | str] = [CHUNK]
    counts = dict[ChunkDigest, int]()
    for chunk in chunks:
        digest = chunk.digest
        names.append(digest.hex())
        counts[digest] = counts.get(digest, 0) + 1
        refs = reader.get(CHUNK_REFS, (chunk.project, digest))
        if refs is None and counts[digest] == 1:
            batch.create(CHUNK_KIND, chunk)
        batch.put(CHUNK_REFS, ChunkRefs(chunk.project, digest, counts[digest] + (refs.count if refs else 0)))
    return [names]


def _document(draft: NoteDraft, event: Event) -> DocumentDraft:
    return DocumentDraft(
        kind="note",
        first=event.id,
        digest=manifest_digest("note", [event.id]),
        session=event.session,
        members=[event.ordinal],
        size=event.size,
        tokens=event.tokens,
        started=event.time,
        ended=event.time,
        title=draft.title,
        retention=retain.MANUAL,
        sizes=[event.size],
        subject_key=draft.subject_key,
    )


def _replace(reader: Reader, batch: Batch, draft: NoteDraft, new: Ordinal, now: Micros) -> None:
    live = _live(reader, draft.project, draft.subject_key) if draft.subject_key else None
    old = Ordinal(draft.corrects)
    if draft.supersedes:
        old = _by_id(reader, draft.project, draft.supersedes).ordinal
    if live is not None and old != live.ordinal:
        raise Conflict(
            "that subject has a live document", hint="Name it with `supersedes`.", live=live.id.hex()
        )
    if not old:
        return
    if reader.get(SUPERSESSION, (draft.project, old)) is not None:
        current = reader.get(DOCUMENT, (draft.project, live_version(reader, draft.project, old)[0]))
        raise Conflict(
            "that was replaced already",
            hint="Name what replaced it: `live`." if current is not None else "",
            live=current.id.hex() if current is not None else "",
        )
    reason = CORRECTED if draft.corrects else REPLACED
    batch.create(SUPERSESSION, Supersession(draft.project, old, new, reason, now))


def _live(reader: Reader, project: ProjectId, subject: str) -> Document | None:
    versions = reader.scan(DOCUMENT, (project, subject), index="subject", limit=MAX_CHAIN + 1)
    if len(versions) > MAX_CHAIN:
        raise LimitExceeded("a subject has too many versions", field="subject_key", limit=MAX_CHAIN)
    for document in reversed(versions):
        if reader.get(SUPERSESSION, (project, document.ordinal)) is None:
            return document
    return None


def _by_id(reader: Reader, project: ProjectId, name: str) -> Document:
    try:
        key = bytes.fromhex(name)
    except ValueError as error:
        raise InvalidInput("a document id is hexadecimal", field="supersedes") from error
    found = reader.lookup(DOCUMENT, "id", [(project, key)])[0] if len(key) == 20 else None
    document = reader.get(DOCUMENT, found) if found is not None else None
    if document is None:
        raise InvalidInput("there is no such document in this project", field="supersedes")
    return document
