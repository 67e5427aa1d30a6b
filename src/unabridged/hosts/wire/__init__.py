"""Conversations as they pass on the wire between an agent and its model's provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts.contract import Candidate, Head, LineReader, RowStream
from unabridged.hosts.wire.read import Reader


class Wire:
    """The stream of one conversation, as the host that reads it. Nothing of it lies in a file of the host's."""

    def __init__(self, name: str, conversation: bytes, form: str, *, side: bool) -> None:
        """Read the conversation of host `name`, in a wire format: messages, responses or chat."""
        self.name = name
        self._reader = (conversation, form, side)

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def find(self, root: Path) -> Iterator[Candidate]:  # noqa: ARG002
        """Yield nothing."""
        return iter(())

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002
        """Take no file for a stream."""
        return False

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:  # noqa: ARG002
        """Return nothing: who sends a conversation names it."""
        return None

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:  # noqa: ARG002
        """Return a reader of its lines."""
        return Reader(self.name, *self._reader, state)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:  # noqa: ARG002
        """Return nothing."""
        return ()

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:  # noqa: ARG002
        """Return nothing."""
        return [], state

    def restore_name(self, head: Head, origin_path: str) -> str:  # noqa: ARG002
        """Return nothing: no host looks for such a file."""
        return ""

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines as they are."""
        return iter(lines)
