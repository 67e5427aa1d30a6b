"""Aider: the chat history that it keeps in each project, `.aider.chat.history.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts.aider import discover, feed
from unabridged.hosts.aider.read import Reader
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.schema.ids import Micros


class Aider:
    """The host; see `hosts.contract.Host` for each operation, `InProjects` and `Untimed` for the others."""

    name = "aider"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the history that is configured for all projects, and the one of the home folder."""
        del platform
        return discover.roots(env, home)

    def in_project(self, root: Path) -> Sequence[Path]:
        """Return where the history of a project lies."""
        return [root / discover.HISTORY]

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield histories, with the record of what was sent to the model where one is kept."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by the line that begins each session."""
        return discover.sniff(head, path)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the session that the stream's first line, or a history's first session, names."""
        return discover.head(path, lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader of a session's lines."""
        del path, state, generation
        return Reader(head)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the sessions of a history: one for each time that aider was started."""
        return feed.streams(path)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new messages of a session; when there are some, another call may give more."""
        return feed.rows(path, stream, state)

    def changed(self, path: Path, stream: str) -> Micros:
        """Return when the last session of a history was last written to; the history tells only when it began."""
        return feed.changed(path, stream)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return nothing: a session is a part of a file that others share."""
        del head, origin_path
        return ""

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`: a session is a part of a file that others share."""
        del lines
        raise NotRestorable("aider keeps all sessions of a project in one file, which is not written back")


HOST: Host = Aider()
