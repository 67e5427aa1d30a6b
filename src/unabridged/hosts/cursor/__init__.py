"""Cursor: conversations of the editor, of its command line, and transcripts of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.cursor import chats, discover, editor
from unabridged.hosts.cursor.read import Reader


class Cursor:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "cursor"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the places of databases and transcripts."""
        return discover.roots(env, home, platform)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield databases and transcripts."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; a database is asked for its tables."""
        return discover.sniff(head, path)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return what the session's row says, or a transcript's path."""
        return discover.head(path, lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader."""
        del path
        return Reader(head, state, generation)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the conversations of a database."""
        return chats.streams(path) if chats.has_blobs(path) else editor.streams(path)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new and changed rows of a conversation."""
        return chats.rows(path, state) if chats.has_blobs(path) else editor.rows(path, stream, state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Raise `NotRestorable`."""
        del head, origin_path
        raise NotRestorable(host=self.name)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`."""
        del lines
        raise NotRestorable(host=self.name)


HOST: Host = Cursor()
