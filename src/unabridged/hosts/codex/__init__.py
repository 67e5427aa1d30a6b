"""Codex: rollouts below `~/.codex/sessions`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from unabridged.hosts.codex import compressed, discover, documents, names, write
from unabridged.hosts.codex.read import Reader
from unabridged.hosts.contract import Candidate, Head, Host, LineReader, RowStream


class Codex:
    """The host; see `hosts.contract.Host` for each operation."""

    name = "codex"

    def roots(self, env: Mapping[str, str], home: Path, platform: str) -> Sequence[Path]:
        """Return the host's folder; it is the same on every platform."""
        del platform
        return [discover.root(env, home)]

    def find(self, root: Path) -> Iterator[Candidate]:
        """Yield rollouts: running, archived, compressed, and documents of the first versions."""
        return discover.find(root)

    def sniff(self, head: bytes, path: Path) -> bool:
        """Tell by the rows' own fields."""
        return discover.sniff(head, path)

    def head(self, path: Path, lines: Iterable[bytes]) -> Head | None:
        """Return the thread of the first header, with the name that a person gave it."""
        found = discover.head(path, lines)
        title = names.name_of(found.host_session, path) if found is not None else ""
        return msgspec.structs.replace(found, title=title) if found is not None and title else found

    def reader(self, path: str, head: Head, state: bytes, generation: int) -> LineReader:
        """Return a reader."""
        del path, generation
        return Reader(head, state)

    def decode(self, data: bytes) -> bytes:
        """Return a compressed rollout's bytes; `compressed.decompressed` does it piece by piece."""
        return compressed.decompress(data) if compressed.is_compressed(data) else data

    def streams(self, path: Path) -> Sequence[RowStream]:
        """Return the session of a document of the first versions."""
        return documents.streams(path)

    def rows(self, path: Path, stream: str, state: bytes) -> tuple[list[bytes], bytes]:
        """Return new items of such a document."""
        del stream
        return documents.rows(path, state)

    def restore_name(self, head: Head, origin_path: str) -> str:
        """Return `sessions/<year>/<month>/<day>/<file>`."""
        return write.restore_name(head, origin_path)

    def restore(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Return the kept bytes as they are, or the document."""
        return write.restore(lines)


HOST: Host = Codex()
