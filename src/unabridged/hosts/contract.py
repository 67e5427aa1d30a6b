"""What a host package provides: where its sessions are, how a line is read, how a session is written back.

A package `hosts/<name>/` holds `discover.py`, `read.py`, `write.py` and a `HOST: Host` in its `__init__`. Readers are
pure: they get bytes and return values, keep all their state in `state()`, never touch the file system (discovery and
row feeds excepted), never raise on bad input. One bad line never costs more than itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from unabridged.schema.ids import Micros


class Ref(msgspec.Struct, frozen=True, gc=False):
    """A string that stands decoded in the line's JSON: `path` = (number of the JSON value on its line, keys…)."""

    path: tuple[int | str, ...]
    text: str


Piece = str | Ref  # literal text of the rendering, or a string of the original


class MediaRef(msgspec.Struct, frozen=True, gc=False):
    """An image or file of a block: where its base64 (or data URL) stands in the line; `size`: decoded bytes."""

    media_type: str
    size: int
    path: tuple[int | str, ...]
    name: str = ""


class Block(msgspec.Struct, frozen=True, gc=False):
    """One content block of one message, as a neutral value.

    native: the host's own id as it stands in a source key behind `host:session:` (`<uuid>`, `<uuid>#1`, `L12@1`),
        without any revision. identity: what names the block across sessions and copies (equal for a fork's copy,
        different for unrelated blocks). flags: bits of `schema.records` (HUMAN, SIDE, ECHO, HIDDEN, ERROR, SUMMARY,
        META).
        pieces: the deterministic rendering, in order; empty for HIDDEN reasoning. parent: native id of the message
        before it in the host's tree. session: host session id of this row where it differs from the reader's, else "".
    """

    native: str
    identity: str
    kind: str  # text, tool-call, tool-result, image, file, reasoning, compaction, other
    role: str  # user, assistant, tool, system, other
    pieces: tuple[Piece, ...]
    flags: int = 0
    time: Micros = Micros(0)
    offset_minutes: int = 0
    tool: str = ""
    call: str = ""
    paths: tuple[str, ...] = ()
    parent: str = ""
    media: tuple[MediaRef, ...] = ()
    message: str = ""
    model: str = ""
    session: str = ""


class SessionNews(msgspec.Struct, frozen=True, gc=False):
    """What a line tells of a session; empty fields say nothing. `host_session` "" means the reader's own session."""

    host_session: str = ""
    title: str = ""
    cwd: str = ""
    parent: str = ""  # the host's id of the parent session, only when the host itself names it
    relation: str = ""  # "fork", "subagent" or "continuation"
    fork_native: str = ""


class Problem(msgspec.Struct, frozen=True, gc=False):
    """Why a line could not be read: a stable code (`not-json`, `not-utf8`, `not-an-object`, `too-long`, …) and a
    message without content."""

    code: str
    message: str


class Line(msgspec.Struct, frozen=True, gc=False):
    """What one line gave. A line can give blocks and a problem (the second of two glued objects broken)."""

    blocks: tuple[Block, ...] = ()
    news: SessionNews | None = None
    problem: Problem | None = None
    closes_turn: bool = False  # the host's stop signal: the open turn is complete


EMPTY = Line()


class Head(msgspec.Struct, frozen=True):
    """What names a transcript before any of it is admitted, read from its first lines (and its path)."""

    host_session: str
    cwd: str = ""  # first recorded working directory; "" when the host records none
    parent: str = ""
    relation: str = ""
    fork_native: str = ""
    title: str = ""


class LineReader(Protocol):
    """Reads the lines of one origin generation, in order."""

    def read(self, line: bytes, number: int) -> Line:
        """Read one line; its terminator may stand at its end, a BOM never stands at its beginning.

        `number` counts from 1 within the generation. The line has already been redacted.
        """
        ...

    def state(self) -> bytes:
        """Return all that a new reader needs to go on behind the last line read (≤ 64 KiB)."""
        ...


class Candidate(msgspec.Struct, frozen=True):
    """A transcript found on disk. kind: "file" (lines), "rows" (a host's database), "sidecar" (opaque companion)."""

    path: str
    kind: str
    owner: str = ""  # for a sidecar: path of the transcript that it belongs to


class RowStream(msgspec.Struct, frozen=True):
    """One session in a host's database: `name` identifies the stream, `version` changes when there may be new rows."""

    name: str
    version: str


class Host(Protocol):
    """One host. Everything but `rows`/`streams` is required; those serve hosts that keep sessions in a database."""

    name: str  # as people name it: "claude-code", "gemini", …

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the folders (or database files) where this host keeps sessions; they need not exist."""
        ...

    def find(self, root: Path) -> Iterator[Candidate]:
        """Walk a root (or any folder or file that the user names) and yield its transcripts, in sorted order.

        Unreadable folders are skipped here; the importer reports them. Symbolic links to files are followed once.
        """
        ...

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell from the first ≤ 64 KiB (and the name, as a hint only) whether this is a transcript of this host."""
        ...

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return what names the transcript, from its first lines; None when they do not tell yet.

        The importer gives at most 8 MiB of lines.
        """
        ...

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader; `state` is b"" at the start of a generation, else what `state()` returned."""
        ...

    def decode(self, data: bytes) -> bytes:
        """Return a whole file's transcript bytes (decompresses a `.zst`; most hosts return it unchanged)."""
        ...

    def streams(self, path: Path) -> Sequence[RowStream]:
        """List a database's sessions (hosts with rows; others return none). Opens it read-only and briefly."""
        ...

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new and changed rows of a session as JSON lines (with LF), and the state behind them."""
        ...

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return the path below the host's sessions root where the host itself would look for the session's file."""
        ...

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Turn kept original bytes into the file that the host reads: for file hosts the bytes as they are."""
        ...


@runtime_checkable
class InProjects(Protocol):
    """A host that keeps its sessions in the folders of the projects that they are about."""

    def in_project(self, root: Path) -> Sequence[Path]:
        """Return where the sessions of the project with that root would lie; they need not exist."""
        ...


@runtime_checkable
class Untimed(Protocol):
    """A host of streams whose messages do not tell when they were written."""

    def changed(self, path: Path, stream: str) -> Micros:
        """Return when a stream was last written to, 0 where that is not known; it is idle from then on."""
        ...
