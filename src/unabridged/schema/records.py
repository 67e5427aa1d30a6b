"""Every record kind of the archive, each one frozen struct.

Times are microseconds since 1970 UTC (0: unknown). `project` is the first part of every key; records that belong to no
project stand under the zero id. Fields are appended only, with defaults (see `schema/codec`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.schema.ids import (
    ChunkDigest,
    Digest,
    DocumentId,
    EventId,
    Micros,
    Ordinal,
    OriginId,
    Position,
    ProjectId,
    SessionId,
    SourceHash,
)
from unabridged.schema.keys import FIXED12, FIXED16, FIXED20, FIXED32, TEXT, UINT
from unabridged.schema.kinds import Index, Kind
from unabridged.schema.windows import WINDOW_KINDS

# A piece of a rendering: literal text; or a reference into the decoded JSON of the original line, whose first element
# is the number of the JSON value on its line (0 unless several are glued together) and the rest object keys and array
# indexes; or [CHUNK, hexadecimal digest, …] for payload that is kept as chunks.
Piece = str | list[int | str]
CHUNK = -1

# Flags of an event, a bit set.
HUMAN = 1  # typed by a person: opens a turn
SIDE = 2  # of a subagent or side conversation
ECHO = 4  # output of this product's own tools or hints: archived, never indexed
HIDDEN = 8  # reasoning: only a marker; its text stays in the original
ERROR = 16  # a tool result that reports a failure
SUMMARY = 32  # the host's own summary of earlier messages
META = 64  # host bookkeeping that the model saw (reminders, environment), not conversation
CHUNKED = 128  # the rendering is kept as chunks, since its line is too long to read per request
PARTIAL = 256  # the rendering leaves out a part of the line (too long)


class Project(msgspec.Struct, frozen=True, array_like=True):
    """A project: its roots are real paths; `links` names projects that the user joined to it."""

    project: ProjectId  # GLOBAL
    id: ProjectId
    name: str
    roots: list[str]
    created: Micros
    links: list[ProjectId] = []
    policy: dict[str, str] = {}


class Counters(msgspec.Struct, frozen=True, array_like=True):
    """A project's counters, assigned only inside a commit under its writer lock."""

    project: ProjectId
    next_ordinal: int = 1
    next_position: int = 1
    events: int = 0
    documents: int = 0
    raw_bytes: int = 0
    stored_bytes: int = 0


class Home(msgspec.Struct, frozen=True, array_like=True):
    """Which project a session belongs to."""

    project: ProjectId  # GLOBAL
    session: SessionId
    home: ProjectId
    host: str
    host_session: str


class Session(msgspec.Struct, frozen=True, array_like=True):
    """A conversation of a host. `parent` is verified lineage (a fork or subagent), else empty."""

    project: ProjectId
    session: SessionId
    host: str
    host_session: str
    cwd: str = ""
    title: str = ""
    parent: bytes = b""
    relation: str = ""  # "fork", "subagent", "continuation", or empty
    fork_native: str = ""  # where the parent was left, in the host's own id
    started: Micros = Micros(0)
    ended: Micros = Micros(0)
    events: int = 0
    next_seq: int = 1
    created: Micros = Micros(0)
    captured: bool = (
        False  # something of it, or of a subagent of it, passed on the wire: see `schema/windows.Twins`
    )


class Origin(msgspec.Struct, frozen=True, array_like=True):
    """A host file (`kind` "file"), a stream of rows ("stream"), an opaque companion file ("sidecar"), or items of a
    conversation as they passed on the wire ("wire")."""

    project: ProjectId
    origin: OriginId
    host: str
    path: str
    kind: str
    session: SessionId
    generation: int = 1
    gone: Micros = Micros(0)  # when the host's file was first seen missing
    seen: Micros = Micros(0)


class Generation(msgspec.Struct, frozen=True, array_like=True):
    """One content history of an origin, with all that a reader needs to go on where it stopped."""

    project: ProjectId
    origin: OriginId
    number: int
    session: SessionId
    source_offset: int = 0  # bytes of the host's file consumed
    stored_offset: int = 0  # bytes of the kept original; differs after a redaction
    lines: int = 0
    head: bytes = b""  # 2 bytes of length, then SHA-256 of the first bytes, to notice a replaced file cheaply
    tail: bytes = b""  # 4 bytes of length, then SHA-256 of the last consumed bytes
    inode: int = 0
    size: int = 0
    mtime_ns: int = 0
    reader_state: bytes = b""
    turn_state: bytes = b""
    redactions: int = 0
    new: int = 0
    known: int = 0
    unreadable: int = 0
    pending: int = 0  # bytes of an unfinished last line, kept in a provisional segment
    updated: Micros = Micros(0)
    masking: list[str] = []  # tool calls that read a sensitive file: lines that name them are masked


class Segment(msgspec.Struct, frozen=True, array_like=True):
    """A compressed run of an origin generation's bytes; the segments of a generation partition it without gaps."""

    project: ProjectId
    origin: OriginId
    number: int
    start: int  # in the kept original
    size: int  # uncompressed
    digest: Digest  # of the uncompressed bytes
    codec: int  # 0 stored, 1 zstd
    dictionary: int  # version of the shipped dictionary, 0: none
    data: bytes
    source: int = 0  # where it began in the host's file
    source_size: int = 0
    source_digest: bytes = (
        b""  # of the host's bytes; empty where they are the kept bytes (nothing was redacted)
    )
    provisional: bool = False  # an unfinished last line: replaced when the host goes on


class Media(msgspec.Struct, frozen=True, array_like=True):
    """An image or file of an event; `ref` points at its encoded bytes in the original line, or at chunks."""

    media_type: str
    size: int
    digest: str
    ref: list[int | str] = []
    name: str = ""


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One content block of one message."""

    project: ProjectId
    ordinal: Ordinal
    id: EventId
    session: SessionId  # of its first admission; `path` records hold every session's own order
    seq: int
    host: str
    native: str  # the host's own id of the block as it stands in a source key
    kind: str  # text, tool-call, tool-result, image, file, reasoning, compaction, other
    role: str  # user, assistant, tool, system, other
    flags: int
    time: Micros
    offset_minutes: int
    tool: str
    call: str  # the host's id that ties a tool result to its call
    paths: list[str]  # files that a tool call names
    parent: str  # native id of the message before it in the host's tree
    digest: Digest  # of the rendering and what it means (see archive/rendering)
    rendering: int  # rendering version
    ruleset: int  # redaction rule-set version
    size: int  # UTF-8 bytes of the rendering
    tokens: int  # estimate by script
    origin: OriginId
    generation: int
    offset: int  # of its line in the kept original
    length: int  # of its line, with the terminator
    pieces: list[Piece]
    media: list[Media] = []
    message: str = ""  # provider message id
    model: str = ""


class Path(msgspec.Struct, frozen=True, array_like=True):
    """One step of a session's own order."""

    project: ProjectId
    session: SessionId
    seq: int
    event: Ordinal
    source: SourceHash  # of the whole source key
    native: str  # with ~revision where the host changed the block


class Alias(msgspec.Struct, frozen=True, array_like=True):
    """A further source key of an event, seen through another capture. `id` is what the event would be called there."""

    project: ProjectId
    source: SourceHash
    event: Ordinal
    key: str
    id: bytes = b""  # 20 bytes


class Document(msgspec.Struct, frozen=True, array_like=True):
    """An ordered manifest of events. Its text is the members' renderings, joined as `archive/rendering` says."""

    project: ProjectId
    ordinal: Ordinal
    id: DocumentId
    version: int
    kind: str  # turn, preamble, tool-result, note, summary, claim
    session: SessionId
    seq_from: int
    seq_to: int
    members: list[Ordinal]
    digest: Digest
    size: int  # UTF-8 bytes of the whole text
    tokens: int
    started: Micros
    ended: Micros
    retention: str  # payload, conversation, derived, durable, manual
    title: str = ""
    subject_key: str = ""
    sizes: list[
        int
    ] = []  # UTF-8 bytes of each member's text, so that a place is found without reading the members


class Chunk(msgspec.Struct, frozen=True, array_like=True):
    """At most 64 KiB of payload, addressed by its content."""

    project: ProjectId
    digest: ChunkDigest
    size: int
    codec: int
    dictionary: int
    data: bytes


class ChunkRefs(msgspec.Struct, frozen=True, array_like=True):
    """How many events refer to a chunk."""

    project: ProjectId
    digest: ChunkDigest
    count: int


class Supersession(msgspec.Struct, frozen=True, array_like=True):
    """An old document version, or a message that was corrected, and the document that took its place."""

    project: ProjectId
    old: Ordinal  # of a document or of an event
    new: Ordinal  # 0: retired without a replacement
    reason: str
    time: Micros


ERASED = "erased"  # why a tombstone stands where a person had a text erased


class Tombstone(msgspec.Struct, frozen=True, array_like=True):
    """Something retired, expired or erased, with enough to answer truthfully and to refuse it when it comes again."""

    project: ProjectId
    id: EventId | DocumentId
    ordinal: Ordinal
    reason: str  # retired, expired, erased
    time: Micros


class Pin(msgspec.Struct, frozen=True, array_like=True):
    """Durable protection of a document from expiry."""

    project: ProjectId
    document: Ordinal
    note: str
    time: Micros


class Lease(msgspec.Struct, frozen=True, array_like=True):
    """Temporary protection of a document from expiry."""

    project: ProjectId
    document: Ordinal
    holder: str
    until: Micros


class Expiry(msgspec.Struct, frozen=True, array_like=True):
    """When a document may expire: ordered by hour bucket and class; acted on only when the user turns expiry on."""

    project: ProjectId
    bucket: int  # hours since 1970
    retention: str
    document: Ordinal


class LogEntry(msgspec.Struct, frozen=True, array_like=True):
    """What changed at one position: at most 100 bytes, never trimmed; erasure blanks its payload."""

    project: ProjectId
    position: Position
    kind: str  # append, retire, supersede, erase, pin
    session: bytes
    first: int  # ordinals, inclusive; 0, 0 where none
    last: int
    time: Micros


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """How far a follower has come: its effects up to `position` are durable; `digest` is of the entry it stands on."""

    project: ProjectId
    follower: str
    position: int
    digest: bytes
    updated: Micros


class Parked(msgspec.Struct, frozen=True, array_like=True):
    """A log entry that a follower keeps failing on, set aside."""

    project: ProjectId
    follower: str
    position: int
    code: str
    attempts: int
    time: Micros


class Admission(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of a client's request, for idempotent replay."""

    project: ProjectId
    request: SourceHash
    content: Digest
    first: int
    last: int
    position: int
    time: Micros


class Authority(msgspec.Struct, frozen=True, array_like=True):
    """Which store is authoritative, with a move in progress."""

    project: ProjectId  # GLOBAL
    name: str
    store: str
    state: str  # authoritative, moving, retired
    fence: int
    time: Micros


class Quoted(msgspec.Struct, frozen=True, array_like=True):
    """An event whose text a hint quotes, and the document that held it (empty where its turn was open)."""

    project: ProjectId
    ordinal: Ordinal
    event: EventId
    document: bytes


class Weighed(msgspec.Struct, frozen=True, array_like=True):
    """A source that a hint's decision looked at, in thousandths, without any of its text."""

    id: bytes  # of the document, or of the event where its turn was open
    share: int  # of the message's weight that it holds
    score: int
    marks: str


class Hint(msgspec.Struct, frozen=True, array_like=True):
    """What an agent was told beside a person's message, or that it was told nothing; only erasure changes it."""

    project: ProjectId
    session: SessionId
    key: SourceHash  # of `native`
    native: str  # the host's id of the message, or `text:` and its digest
    message: Digest  # of the message's text
    outcome: str  # nothing, marker, excerpt; orientation, catalogue: told by a hook
    reason: str
    text: str  # the exact text that the model saw, without the terminator
    shown: bytes  # the session, where there is a text; else empty
    tokens: int  # of the text, by the strict estimate
    budget: int  # tokens that it could have
    created: Micros
    copied: bytes = b""  # the ancestor whose hint this is, for a message that a fork shares
    rest: list[bytes] = []  # sources (12 bytes of a document's id) that rest because of it
    quoted: list[Quoted] = []
    considered: list[Weighed] = []
    emptied: Micros = Micros(0)  # when an erasure took the text


class Exposure(msgspec.Struct, frozen=True, array_like=True):
    """When a source was last told of in a session, so that it rests for a while there and in what goes on from it."""

    project: ProjectId
    session: SessionId
    source: bytes  # 12 bytes of a document's id, which all its versions share
    key: SourceHash  # of the hint
    time: Micros
    quoted: Micros = Micros(0)  # when its text was last quoted; a marker names no source


class Meta(msgspec.Struct, frozen=True, array_like=True):
    """A named value of the whole store: the format gate and the like."""

    project: ProjectId  # GLOBAL
    name: str
    value: bytes


_P = ("project", FIXED16)

PROJECT = Kind(1, "project", Project, (_P, ("id", FIXED16)))
COUNTERS = Kind(2, "counters", Counters, (_P,))
HOME = Kind(
    3,
    "home",
    Home,
    (_P, ("session", FIXED16)),
    (Index(1, "host_session", (_P, ("host_session", TEXT))),),
)
SESSION = Kind(4, "session", Session, (_P, ("session", FIXED16)))
ORIGIN = Kind(
    5,
    "origin",
    Origin,
    (_P, ("origin", FIXED16)),
    (Index(1, "session", (_P, ("session", FIXED16))),),
)
GENERATION = Kind(6, "generation", Generation, (_P, ("origin", FIXED16), ("number", UINT)))
SEGMENT = Kind(7, "segment", Segment, (_P, ("origin", FIXED16), ("number", UINT), ("start", UINT)))
EVENT = Kind(
    8,
    "event",
    Event,
    (_P, ("ordinal", UINT)),
    (Index(1, "id", (_P, ("id", FIXED20)), unique=True),),
    append_only=True,
)
PATH = Kind(
    9,
    "path",
    Path,
    (_P, ("session", FIXED16), ("seq", UINT)),
    (Index(1, "source", (_P, ("source", FIXED16)), unique=True),),
    append_only=True,
)
ALIAS = Kind(
    10,
    "alias",
    Alias,
    (_P, ("source", FIXED16), ("event", UINT)),
    (Index(1, "id", (_P, ("id", FIXED20)), sparse=True), Index(2, "event", (_P, ("event", UINT)))),
    append_only=True,
)
DOCUMENT = Kind(
    11,
    "document",
    Document,
    (_P, ("ordinal", UINT)),
    (
        Index(1, "id", (_P, ("id", FIXED20)), unique=True),
        Index(2, "place", (_P, ("session", FIXED16), ("seq_from", UINT))),
        Index(3, "subject", (_P, ("subject_key", TEXT)), sparse=True),
    ),
    append_only=True,
)
CHUNK_KIND = Kind(12, "chunk", Chunk, (_P, ("digest", FIXED32)), append_only=True)
CHUNK_REFS = Kind(13, "chunk_refs", ChunkRefs, (_P, ("digest", FIXED32)))
SUPERSESSION = Kind(14, "supersession", Supersession, (_P, ("old", UINT)), append_only=True)
TOMBSTONE = Kind(15, "tombstone", Tombstone, (_P, ("id", FIXED20)))
PIN = Kind(16, "pin", Pin, (_P, ("document", UINT)))
LEASE = Kind(17, "lease", Lease, (_P, ("document", UINT), ("holder", TEXT)))
EXPIRY = Kind(18, "expiry", Expiry, (_P, ("bucket", UINT), ("retention", TEXT), ("document", UINT)))
LOG = Kind(19, "log", LogEntry, (_P, ("position", UINT)))
CURSOR = Kind(20, "cursor", Cursor, (_P, ("follower", TEXT)))
PARKED = Kind(21, "parked", Parked, (_P, ("follower", TEXT), ("position", UINT)))
ADMISSION = Kind(22, "admission", Admission, (_P, ("request", FIXED16)))
AUTHORITY = Kind(23, "authority", Authority, (_P, ("name", TEXT)))
META_KIND = Kind(24, "meta", Meta, (_P, ("name", TEXT)))
HINT = Kind(
    32,
    "hint",
    Hint,
    (_P, ("session", FIXED16), ("key", FIXED16)),
    (
        Index(1, "when", (_P, ("created", UINT))),
        Index(2, "shown", (_P, ("shown", FIXED16)), sparse=True),
    ),
)
EXPOSURE = Kind(33, "exposure", Exposure, (_P, ("session", FIXED16), ("source", FIXED12)))

KINDS: tuple[Kind[Any], ...] = (
    PROJECT,
    COUNTERS,
    HOME,
    SESSION,
    ORIGIN,
    GENERATION,
    SEGMENT,
    EVENT,
    PATH,
    ALIAS,
    DOCUMENT,
    CHUNK_KIND,
    CHUNK_REFS,
    SUPERSESSION,
    TOMBSTONE,
    PIN,
    LEASE,
    EXPIRY,
    LOG,
    CURSOR,
    PARKED,
    ADMISSION,
    AUTHORITY,
    META_KIND,
    HINT,
    EXPOSURE,
    *WINDOW_KINDS,
)
BY_TAG: dict[int, Kind[Any]] = {kind.tag: kind for kind in KINDS}
