"""From a host's bytes to appends: what an ingest worker does with one transcript.

Pure but for compression: bytes go in, `Append`s come out, all state between is in the generation record, so an ingest
that is killed anywhere goes on at the last committed line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from unabridged.archive import prepared, rendering, segments, twins
from unabridged.archive.admission import Append, SessionDraft, Step
from unabridged.archive.compress import pack
from unabridged.archive.longtext import LongText
from unabridged.archive.masking import Masker
from unabridged.archive.redact.rule import Finding
from unabridged.archive.turns import Turn, Turns
from unabridged.hosts.calls import is_own_result
from unabridged.hosts.contract import (
    EMPTY,
    Block,
    Candidate,
    Head,
    Host,
    Line,
    LineReader,
    Problem,
    SessionNews,
)
from unabridged.hosts.lines import LINE_TOO_LONG, LineSplitter, RawLine, body, values
from unabridged.schema import tokens
from unabridged.schema.ids import (
    ChunkDigest,
    EventId,
    Identities,
    Ordinal,
    ProjectId,
    SessionId,
    event_id,
    origin_id,
    session_id,
    source_hash,
)
from unabridged.schema.records import CHUNK, CHUNKED, ECHO, Chunk, Event, Generation, Media, Origin, Piece

LONG_LINE = (
    262_144  # bytes; of longer lines renderings are kept as chunks, so that no request decodes such a line
)
BATCH_BYTES = 1 << 20  # bytes of source an append holds, so that one commit stays short and memory bounded
BATCH_EVENTS = 1_500  # events an append holds
MAX_PROBLEMS = 1_000  # problems an append lists; further ones are counted
HEAD_BYTES = 4_096  # bytes at the beginning that a generation remembers by digest
TAIL_BYTES = 65_536  # bytes before the offset that a generation remembers by digest
KEEP_RECENT = 1 << 20  # bytes of last lines that are held before they are trimmed
WIRE = "wire"  # the kind of an origin whose lines are items of a conversation with a provider
STREAMS = ("stream", WIRE)
DATA_URL = "data:"
MAX_MEDIA = 64  # images or files of one event
MAX_PATHS = 32  # files that one tool call names
MAX_NAME = 400  # characters of a session's name, of up to four bytes each: sessions are found by it, and keys are short

UNFINISHED = Problem(
    "unfinished-line", "the last line has no end; it is kept, and read again when the host goes on"
)


class LineRedactor(Protocol):
    """Takes secrets out of a line (see `archive/redact`)."""

    version: int

    def line(self, line: bytes) -> tuple[bytes, tuple[Finding, ...]]:
        """Return the line without secrets (the same object where there were none), and what was found."""
        ...

    def lines(self, lines: Sequence[bytes]) -> list[tuple[bytes, tuple[Finding, ...]]]:
        """Do so with each of many lines."""
        ...


class Opaque:
    """The reader of a companion file: its bytes are kept, nothing in it is an event."""

    def read(self, line: bytes, number: int) -> Line:  # noqa: ARG002 - the contract's names
        """Return nothing."""
        return EMPTY

    def state(self) -> bytes:
        """Return nothing."""
        return b""


class Ingest:
    """Reads one origin generation from where it was left."""

    def __init__(
        self,
        host: Host,
        candidate: Candidate,
        head: Head,
        root: str,
        project: ProjectId,
        redactor: LineRedactor,
        prior: Generation | None = None,
        number: int = 1,
    ) -> None:
        """Begin generation `number` of a transcript, or go on behind `prior`."""
        self._host = host
        self._root = root
        self._head = msgspec.structs.replace(
            head,
            title=_without_secrets(head.title, redactor),
            host_session=head.host_session[:MAX_NAME],
            parent=head.parent[:MAX_NAME],
        )
        self._redactor = redactor
        session = session_id(host.name, self._head.host_session)
        kind = {"rows": "stream"}.get(candidate.kind, candidate.kind)
        place = candidate.path if kind not in STREAMS else f"{candidate.path}#{head.host_session}"
        self.origin = Origin(
            project, origin_id(host.name, place), host.name, candidate.path, kind, session, number
        )
        self._identities = Identities(host.name)
        self._before = prior
        self._now = prior or Generation(project, self.origin.origin, number, session)
        self._opaque = candidate.kind == "sidecar"
        self._placed = candidate.kind == WIRE
        self.names = dict[str, EventId]()  # native id → event, for blocks that are copies of known ones
        self._reader: LineReader = (
            Opaque()
            if self._opaque
            else host.reader(candidate.path, head, self._now.reader_state, self._now.number)
        )
        self._turns = Turns(self._now.turn_state)
        self._masker = Masker(self._now.masking) if redactor.version else None
        self._lines = LineSplitter(self._now.source_offset)
        self._number = self._now.lines
        self._packer = segments.Packer(
            project, self.origin.origin, self._now.number, self._now.stored_offset, self._now.source_offset
        )
        self._kept = self._now.stored_offset
        self._recent = list[bytes]()  # last lines, whose end a generation remembers
        self._recent_size = 0
        self._first = b"" if prior is None else None
        self._reset()

    def _reset(self) -> None:
        self._ready = list[Any]()  # segments
        self._steps = list[Step]()
        self._chunks = dict[bytes, Chunk]()
        self._closed = list[Turn]()
        self._problems = list[tuple[int, str, str]]()
        self._unreadable = self._count = self._batch_bytes = self._findings = 0
        self._sessions = dict[str, int]()
        self._news = list[list[SessionNews]]()
        self._taken = list[tuple[int, int, int]]()
        self._twinned = list[list[bytes]]()
        self._session(self._head.host_session)
        if self._before is None:
            head = self._head
            self._news[0].append(
                SessionNews("", head.title, head.cwd, head.parent, head.relation, head.fork_native)
            )

    # --- the stream -------------------------------------------------------------------------------------------------

    def feed(self, block: bytes) -> Iterator[Append]:
        """Take the next bytes of the transcript; yield appends as they fill."""
        lines = list(self._lines.feed(block))
        redacted = self._redactor.lines([line.data for line in lines])
        for line, (kept, found) in zip(lines, redacted, strict=True):
            self._take(line, kept, found)
            if self._packer.full or len(self._steps) >= BATCH_EVENTS:
                self._ready.extend(self._packer.cut())
                if self._batch_bytes >= BATCH_BYTES or len(self._steps) >= BATCH_EVENTS:
                    yield self._append()

    @property
    def open_turns(self) -> bytes:
        """The turns that are open now, as a generation remembers them."""
        return self._turns.state()

    def finish(self, idle: bool, inode: int = 0, size: int = 0, mtime_ns: int = 0) -> Iterator[Append]:
        """End the run; `idle`: nobody writes the transcript, so that open turns close and an unfinished line counts.

        A last line without a terminator is read when it is complete JSON. One that is not is left for later, or, idle,
        kept as provisional bytes and reported.
        """
        pending = 0
        for line in self._lines.finish():
            if not line.piece and values(body(line.data, self._number == 0)).problem is None:
                self._take(line, *self._redactor.line(line.data))
            elif idle:
                pending += len(self._keep_unfinished(line))
        if idle:
            self._closed.extend(self._turns.close_all())
        if not pending:
            self._ready.extend(self._packer.cut())
        last = self._append(pending)
        stat = {"inode": inode, "size": size, "mtime_ns": mtime_ns}
        after = msgspec.structs.replace(last.after, **stat)
        if last.segments or last.turns or last.before is None or _moved(last.before, after):
            last.after = self._before = after
            yield last

    def _keep_unfinished(self, line: RawLine) -> bytes:
        """Put the bytes of a line that is not finished behind everything else, as a provisional segment."""
        self._ready.extend(self._packer.cut())
        kept, found = self._redactor.line(line.data)
        self._findings += sum(finding.count for finding in found)
        self._packer.add(kept, line.data)
        self._ready.extend(self._packer.cut(provisional=True))
        self._problem(self._number + 1, UNFINISHED)
        self._count += 1
        return kept

    def _take(self, raw: RawLine, kept: bytes, found: tuple[Finding, ...]) -> None:
        if raw.last:
            self._number += 1
            self._count += 1
        if found:
            self._findings += sum(finding.count for finding in found)
        if self._masker is not None and self._masker.concerns(kept):
            kept = self._masker.mask(kept)
            self._findings += 1
        line = self._read(kept, raw)
        if line.problem is not None:
            self._problem(self._number, line.problem)
        if line.news is not None:
            self._news[self._session(line.news.host_session)].append(line.news)
        for block in line.blocks:
            self._block(block, kept)
        if line.closes_turn:
            self._closed.extend(self._turns.close(""))
        self._packer.add(kept, raw.data)
        if self._placed:
            self._taken.append((self._number, self._kept, len(kept)))
        self._kept += len(kept)
        self._batch_bytes += len(raw.data)
        if self._first is not None and len(self._first) < HEAD_BYTES:
            self._first = (self._first + raw.data[:HEAD_BYTES])[:HEAD_BYTES]
        self._recent.append(raw.data)
        self._recent_size += len(raw.data)
        if self._recent_size > KEEP_RECENT:
            self._trim()

    def _trim(self) -> bytes:
        """Forget all but the last bytes; return them."""
        taken, missing = list[bytes](), TAIL_BYTES
        while self._recent and missing > 0:
            taken.append(self._recent.pop()[-missing:])  # not all of a long line
            missing -= len(taken[-1])
        tail = b"".join(reversed(taken))
        self._recent, self._recent_size = [tail], len(tail)
        return tail

    def _read(self, kept: bytes, raw: RawLine) -> Line:
        if raw.piece:
            return Line(problem=LINE_TOO_LONG) if raw.last else EMPTY
        # White space behind a value is no part of it, so a line is not copied to take its terminator off.
        return self._reader.read(kept if self._number > 1 else body(kept, first=True), self._number)

    def _problem(self, number: int, problem: Problem) -> None:
        self._unreadable += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append((number, problem.code, problem.message))

    def _session(self, host_session: str) -> int:
        name = host_session[:MAX_NAME] or self._head.host_session
        index = self._sessions.get(name)
        if index is None:
            index = self._sessions[name] = len(self._news)
            self._news.append([])
        return index

    # --- events -----------------------------------------------------------------------------------------------------

    def _block(self, block: Block, line: bytes) -> None:
        flags = block.flags
        chunks = list[bytes]()
        media = self._media(block, line) if block.media else []
        digests = [item.digest for item in media]
        if len(line) <= LONG_LINE:
            text = rendering.render(block)
            size, estimate = len(text), tokens.by_script(text)
            digest = rendering.digest(block.kind, block.role, block.tool, block.call, text, digests)
            pieces: list[Piece] = rendering.stored_pieces(block)
        else:
            long = LongText(block)
            text, size, estimate = long.beginning, long.size, long.estimate
            digest = long.digest(digests)
            chunks = self._chunked(long.chunks())
            pieces = [[CHUNK, *map(bytes.hex, chunks)]] if size else rendering.stored_pieces(block)
            flags |= long.flags | (CHUNKED if size else 0)
        if block.kind == "tool-result" and is_own_result(text):
            flags |= ECHO
        name = self.names.pop(block.native, None) if self.names else None
        name = name or event_id(self._identities.hash(block.identity), digest)
        estimate += tokens.IMAGE_TOKENS * len(media)
        event = Event(
            self.origin.project,
            Ordinal(0),
            name,
            SessionId(b""),
            0,
            self._host.name,
            block.native,
            block.kind,
            block.role,
            flags,
            block.time,
            block.offset_minutes,
            block.tool,
            block.call,
            list(block.paths[:MAX_PATHS]),
            block.parent,
            digest,
            rendering.RENDERING_VERSION,
            self._redactor.version,
            size,
            estimate,
            self.origin.origin,
            self._now.number,
            self._kept,
            len(line),
            pieces,
            media,
            block.message,
            block.model,
        )
        own = block.session[:MAX_NAME]
        own = own if own != self._head.host_session else ""
        source = source_hash(f"{self._host.name}:{own or self._head.host_session}:{block.native}")
        rest = prepared.rest_of(event)
        ready = prepared.Prepared(name, block.native, source, block.time, rest, chunks)
        if self._placed:
            self._twinned.append(
                twins.keys_of(block, rendering.render(block), digests, self._data(block, line))
            )
        self._steps.append(Step(ready, self._session(own), self._number))
        if block.kind == "tool-call" and self._masker is not None:
            self._masker.saw(block.tool, block.call, text)
        self._closed.extend(self._turns.add(own, name, flags, size, estimate, block.time, text))

    def _chunked(self, parts: Iterable[bytes]) -> list[bytes]:
        """Keep the parts of a text as chunks; return their names."""
        names = list[bytes]()
        for part in parts:
            digest = ChunkDigest(hashlib.sha256(part).digest())
            names.append(digest)
            if digest not in self._chunks:
                codec, dictionary, data = pack(part)
                self._chunks[digest] = Chunk(self.origin.project, digest, len(part), codec, dictionary, data)
        return names

    def _media(self, block: Block, line: bytes) -> list[Media]:
        items = values(body(line, self._number == 1)).items
        found = list[Media]()
        for item in block.media[:MAX_MEDIA]:
            encoded = follow(items, list(item.path))
            digest = hashlib.sha256(encoded.encode("utf-8", "surrogatepass")).hexdigest()
            found.append(Media(item.media_type, item.size, digest, list(item.path), item.name))
        return found

    def _data(self, block: Block, line: bytes) -> list[str]:
        """Return the digests of a block's media as another writer may have them: with a data URL or without."""
        if not block.media:
            return []
        items, found = values(body(line, self._number == 1)).items, list[str]()
        for item in block.media[:1]:
            encoded = follow(items, list(item.path))
            plain = encoded.partition(",")[2] if encoded.startswith(DATA_URL) else encoded
            for form in (plain, f"{DATA_URL}{item.media_type};base64,{plain}"):
                found.append(hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest())
        return found

    # --- appends ----------------------------------------------------------------------------------------------------

    def _append(self, pending: int = 0) -> Append:
        before, now = self._before, self._now
        after = Generation(
            now.project,
            now.origin,
            now.number,
            now.session,
            now.source_offset + self._batch_bytes,
            self._kept,
            self._number,
            _remember(self._first, 2) if self._first is not None else now.head,
            _remember(self._trim(), 4) if self._recent else now.tail,
            now.inode,
            now.size,
            now.mtime_ns,
            self._reader.state(),
            self._turns.state(),
            now.redactions + self._findings,
            pending=pending,
            masking=self._masker.waiting if self._masker is not None else [],
        )
        append = Append(
            self._host.name,
            self._root,
            self.origin,
            before,
            after,
            [
                SessionDraft(session_id(self._host.name, name), name, self._news[index])
                for name, index in self._sessions.items()
            ],
            self._ready,
            self._steps,
            list(self._chunks.values()),
            self._closed,
            0 if self._opaque else self._count,
            0 if self._opaque else self._unreadable,
            [] if self._opaque else self._problems,
            self._taken,
            twinned=self._twinned,
        )
        self._before = self._now = after
        self._reset()
        return append


def _without_secrets(title: str, redactor: LineRedactor) -> str:
    """Return a title without secrets: a head is read before its lines are redacted."""
    return redactor.line(title.encode("utf-8", "replace"))[0].decode("utf-8", "replace") if title else ""


def follow(items: list[Any], path: list[int | str]) -> str:
    """Return the string at a path into the JSON values of a line, "" where there is none."""
    value: Any = items
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return ""
    return rendering.clean(value) if isinstance(value, str) else ""


def _remember(data: bytes, width: int) -> bytes:
    return len(data).to_bytes(width, "big") + hashlib.sha256(data).digest()


def _moved(before: Generation, after: Generation) -> bool:
    """Whether an append without content still changes what the generation remembers."""
    return (before.size, before.mtime_ns, before.inode, before.turn_state, before.pending) != (
        after.size,
        after.mtime_ns,
        after.inode,
        after.turn_state,
        after.pending,
    )
