"""OpenCode: sessions in its database, its older storage, and its exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts import databases
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.opencode import database, discover, export, feed, tree, write
from unabridged.hosts.opencode.read import Reader


class OpenCode:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "opencode"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the data folder; it is the same on every platform."""
        del platform
        return discover.roots(env, home)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield databases, older storages and exports."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; the name says nothing."""
        return discover.sniff(head, path)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the session that the stream's first line describes."""
        del path
        return discover.head(lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader of a stream's lines."""
        del path, generation
        return Reader(head, state)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the sessions of a database, a storage or an export."""
        if path.is_dir():
            return tree.streams(path)
        return database.streams(path) if _is_database(path) else export.streams(path)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new and changed rows of a session; when there are some, another call may give more."""
        if path.is_dir():
            return feed.look(tree.Session(path, stream), state)
        if not _is_database(path):
            return export.rows(path, state)
        with databases.opened(path, locked=False) as connection:
            return feed.look(database.Session(connection, stream), state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return a name for the export."""
        del origin_path
        return write.restore_name(head)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Return the session as an export, which `opencode import` takes."""
        return write.restore(lines)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return databases.is_database(file.read(len(databases.MAGIC)))
    except FileNotFoundError:
        return path.suffix == discover.SUFFIX
    except OSError:
        return False


HOST: Host = OpenCode()
