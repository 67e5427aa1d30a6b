"""Items of a conversation, as they passed on the wire, become lines of a stream and appends to the archive.

A line is an object whose last member, `raw`, is the item's JSON byte for byte. An item that was written over several
lines stands in `quoted` instead, as a string, since a line feed would end the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.archive import log, twins, windows
from unabridged.archive.admission import Append, Captured
from unabridged.archive.ingest import WIRE, Ingest, LineRedactor
from unabridged.archive.windows import stream_id
from unabridged.hosts.contract import Candidate, Head, Host
from unabridged.hosts.wire import Wire
from unabridged.hosts.wire.read import native_of
from unabridged.schema.ids import GLOBAL, NO_SESSION, EventId, OriginId, ProjectId, SessionId, session_id
from unabridged.schema.records import GENERATION, SESSION, Generation
from unabridged.schema.windows import ADDRESS, Window, WindowHome
from unabridged.store.contract import Reader


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A whole item: its key, its JSON, whether it came in a request or an answer, the provider's id of that, when."""

    key: str
    raw: bytes
    origin: str = "request"
    message: str = ""
    time: str = ""
    shared: list[bytes] = []  # ids of its parts' events, where it is a copy of another conversation's


class Stream(msgspec.Struct, frozen=True, array_like=True):
    """Which conversation items belong to, and all that reading them needs to know of it."""

    project: ProjectId
    root: str
    conversation: bytes
    host: str
    host_session: str
    cwd: str
    format: str
    side: bool
    parent: str = ""  # the host's id of the session that this one is beside

    @property
    def path(self) -> str:
        """What the stream is called among a session's files."""
        return f"{ADDRESS}{self.conversation.hex()}"

    @property
    def origin(self) -> OriginId:
        """The id of its origin."""
        return stream_id(self.host, self.conversation, self.host_session)

    @property
    def head(self) -> Head:
        """What names its session."""
        relation = "subagent" if self.parent else ""
        return Head(self.host_session, self.cwd, self.parent, relation)


def stream_of(window: Window, root: str, parent: str = "") -> Stream:
    """Return the stream of a window's conversation."""
    return Stream(
        window.project,
        root,
        window.conversation,
        window.host,
        window.host_session,
        window.cwd,
        window.format,
        window.side,
        parent,
    )


def prior(reader: Reader, stream: Stream) -> Generation | None:
    """Return how far a stream was kept."""
    return reader.get(GENERATION, (stream.project, stream.origin, 1))


def family_root(reader: Reader, stream: Stream) -> tuple[SessionId, bool]:
    """Return the session that a stream's belongs to, and whether something of it passed on the wire already."""
    root = session_id(stream.host, stream.host_session)
    session = reader.get(SESSION, (stream.project, root))
    if session is not None:
        root = twins.family_of(reader, session)
    elif stream.parent:
        root = session_id(stream.host, stream.parent)
    above = reader.get(SESSION, (stream.project, root))
    return root, above is not None and above.captured


def begun(reader: Reader, stream: Stream) -> twins.Begun | None:
    """Return what the transcripts of a stream's session said so far; None where that is known already."""
    root, captured = family_root(reader, stream)
    return None if captured else twins.begun(reader, stream.project, root)


def with_copies(reader: Reader, stream: Stream, rows: Sequence[Row]) -> list[Row]:
    """Return the first items of a conversation with the events of the one that it is a copy of, if it is."""
    home = WindowHome(GLOBAL, stream.conversation, stream.project, NO_SESSION)
    shared = windows.copied(reader, home, stream.host, [row.key for row in rows])
    return [msgspec.structs.replace(row, shared=shared.get(row.key, [])) for row in rows]


def line_of(row: Row, stream: Stream) -> bytes:
    """Return the line of an item."""
    facts = {"item": row.key, "origin": row.origin, "format": stream.format}
    if row.message:
        facts["message"] = row.message
    if row.time:
        facts["time"] = row.time
    head = msgspec.json.encode(facts)[:-1]
    if b"\n" in row.raw or b"\r" in row.raw:
        return head + b',"quoted":' + msgspec.json.encode(row.raw.decode("utf-8", "replace")) + b"}\n"
    return head + b',"raw":' + row.raw + b"}\n"


class Capture:
    """Reads items of one conversation, in order; what it gives has to be committed in order."""

    def __init__(self, stream: Stream, redactor: LineRedactor, before: Generation | None) -> None:
        """Go on behind `before`."""
        self._stream = stream
        host: Host = Wire(stream.host, stream.conversation, stream.format, side=stream.side)
        self._ingest = Ingest(
            host, Candidate(stream.path, WIRE), stream.head, stream.root, stream.project, redactor, before
        )

    def reads(self, stream: Stream) -> bool:
        """Tell whether this reads items of a stream; another one reads them where their format has changed."""
        return stream == self._stream

    def take(self, rows: Sequence[Row]) -> Iterator[Append]:
        """Take further items; yield appends that together hold all of them."""
        rows = list(rows)
        for row in rows:
            for at, name in enumerate(row.shared):
                native = native_of(
                    self._stream.conversation.hex(), row.key, at if len(row.shared) > 1 else -1
                )
                self._ingest.names[native] = EventId(name)
        block = b"".join([line_of(row, self._stream) for row in rows])
        for append in self._ingest.feed(block):
            yield self._named(append, rows)
        for append in self._ingest.finish(idle=False):
            yield self._named(append, rows)

    def close(self) -> Iterator[Append]:
        """Close the open turn: nobody says anything for now."""
        yield from self._ingest.finish(idle=True)

    def _named(self, append: Append, rows: list[Row]) -> Append:
        count = len(append.taken)
        append.captured = Captured(
            self._stream.conversation, [row.key for row in rows[:count]], self._stream.format
        )
        del rows[:count]
        return append


def open_streams(reader: Reader) -> list[Stream]:
    """Return the streams whose last turn is open."""
    found = list[Stream]()
    for project in log.projects(reader):
        for window in windows.every(reader, project.id):
            stream = stream_of(window, project.roots[0] if project.roots else "")
            generation = prior(reader, stream)
            if generation is not None and generation.turn_state:
                found.append(stream)
    return found
