"""Pi: sessions below `~/.pi/agent/sessions`, also those of Oh My Pi."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream
from unabridged.hosts.pi import discover, write
from unabridged.hosts.pi.read import Reader


class Pi:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "pi"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the folders of sessions; they are the same on every platform."""
        del platform
        return discover.roots(env, home)

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield sessions; Pi keeps nothing beside them."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by the header; the name says nothing."""
        del path
        return discover.sniff(head)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return what the header says; where it is damaged, what the file's name says."""
        return discover.head(path, lines)

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader."""
        del path
        return Reader(head, state, generation)

    def decode(self, data: bytes) -> bytes:
        """Return the bytes as they are."""
        return data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return none: sessions are files."""
        del path
        return ()

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return none: sessions are files."""
        del path, stream
        return [], state

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return `<folder of the directory>/<time>_<session>.jsonl`, or the place that the file had."""
        return write.restore_name(head, origin_path)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Return the kept bytes as they are."""
        return iter(lines)


HOST: Host = Pi()
