"""A host whose conversations come as exports of an account; see `exports`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.errors import NotRestorable
from unabridged.hosts import exports, given
from unabridged.hosts.contract import Candidate, Head, LineReader, RowStream
from unabridged.hosts.exports import Form
from unabridged.hosts.given import Row

Rows = Callable[[list[bytes]], Iterator[Row]]  # the texts of a conversation as lines


class ExportHost:
    """The host; see `hosts.contract.Host` for each operation."""

    def __init__(
        self,
        name: str,
        service: str,
        form: Form,
        head: Callable[[Iterable[bytes]], Head | None],
        rows: Rows,
        reader: Callable[[Head, bytes], LineReader],
    ) -> None:
        """Make host `name` of a service that people know as `service`."""
        self.name = name
        self._service = service
        self._form = form
        self._head = head
        self._rows = rows
        self._reader = reader

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return none: an export lies where a person puts it."""
        del env, home, platform
        return ()

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield archives, and documents with the names that the service gives them."""
        return exports.find(root, self._form)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by content; an archive is looked into."""
        return exports.sniff(head, path, self._form)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the conversation that the stream's first line describes."""
        del path
        return self._head(lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader of a conversation's lines."""
        del path, generation
        return self._reader(head, state)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the conversations of an export."""
        return exports.streams(path, self._form)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new and changed messages of a conversation; when there are some, another call may give more."""
        found = exports.contents(path, self._form).get(stream)
        if found is None or given.is_given(found.version, state):
            return [], state
        return given.look(self._rows(exports.texts(path, self._form, stream)), found.version, state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return nothing: the service takes no conversation back."""
        del head, origin_path
        return ""

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Raise `NotRestorable`: the service takes no conversation back."""
        del lines
        raise NotRestorable(f"{self._service} takes no conversation back")
