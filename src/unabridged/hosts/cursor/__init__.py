"""Cursor: conversations of the editor, of its command line, and transcripts of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.cursor import chats, discover, editor
from unabridged.hosts.cursor.read import Reader
from unabridged.hosts.databases import last_change
from unabridged.hosts.names import place_below
from unabridged.schema.ids import Micros


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

    def changed(self, path: Path, stream: str) -> Micros:
        """Return when a store of the command line was last written to: its messages do not tell their time."""
        del stream
        return last_change(path) if path.name == discover.STORE else Micros(0)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return a transcript's place below the projects' folder; nothing for what lies in a database."""
        del head
        return place_below("projects", origin_path)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`."""
        del lines
        raise NotRestorable(host=self.name)


HOST: Host = Cursor()
