"""Gemini CLI: sessions below `~/.gemini/tmp`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.gemini import discover, document
from unabridged.hosts.gemini.read import Reader
from unabridged.hosts.names import place_below


class Gemini:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "gemini"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the folder of all projects' files."""
        del platform
        return discover.roots(env, home)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield sessions and saved chats."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; the name says nothing."""
        del path
        return discover.sniff(head)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return what the session's own row says, and its project's folder."""
        return discover.head(path, lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader."""
        del path, generation
        return Reader(head, state)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the one session of a document."""
        return document.streams(path)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new messages of a document as rows."""
        del stream
        return document.rows(path, state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return a session's place below the folder of all projects; nothing for what is one document."""
        del head
        return place_below("tmp", origin_path)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`."""
        del lines
        raise NotRestorable(host=self.name)


HOST: Host = Gemini()
