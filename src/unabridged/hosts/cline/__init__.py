"""Cline and its forks Roo Code and Kilo Code: tasks of the editor extensions, sessions of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts.cline import discover, document
from unabridged.hosts.cline.read import Reader
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.databases import last_change
from unabridged.schema.ids import Micros


class Cline:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "cline"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the folders of sessions and tasks, of every editor that may be there."""
        return discover.roots(env, home, platform)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield conversations: each is one document."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; the name decides about a list of messages that may be anybody's."""
        return discover.sniff(head, path)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return what the session's row says."""
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

    def changed(self, path: Path, stream: str) -> Micros:
        """Return when a document was last written: older versions' messages do not tell their time."""
        del stream
        return last_change(path)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return nothing: a conversation is a document, which is not written back."""
        del head, origin_path
        return ""

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`."""
        del lines
        raise NotRestorable(host=self.name)


HOST: Host = Cline()
