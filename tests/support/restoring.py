"""A transcript kept in an archive, to be written back to its place later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.archiving import ingest, newest
from tests.support.toy_host import NoRedaction
from unabridged.archive.restore import read_original
from unabridged.hosts.conformance import read_file
from unabridged.hosts.contract import Head, Host
from unabridged.schema.ids import origin_id
from unabridged.store.open import open_store


@dataclass(frozen=True)
class Kept:
    """A transcript's bytes as the archive gave them back, and where they go."""

    host: Host
    head: Head
    segments: list[bytes]
    root: Path  # the host's sessions
    name: str

    @property
    def session(self) -> str:
        """The host's id."""
        return self.head.host_session

    @property
    def data(self) -> bytes:
        """The file."""
        return b"".join(self.host.restore(b"".join(self.segments).splitlines(keepends=True)))

    def write_back(self, name: str = "") -> Path:
        """Write the file where the host looks for it."""
        path = self.root / (name or self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        assert not path.exists()
        path.write_bytes(self.data)
        return path


def keep(host: Host, path: Path, root: Path) -> Kept:
    """Archive a transcript that lies below the sessions root, and read it back from the archive alone."""
    head = read_file(host, path).head
    name = host.restore_name(head, str(path))
    assert root / name == path
    store = open_store("memory:", create=True)
    try:
        ingest(store, host, str(path), path.read_bytes(), head, NoRedaction())
        with store.snapshot() as snapshot:
            generation = newest(snapshot, origin_id(host.name, str(path)))
            assert generation is not None
            segments = list(read_original(snapshot, generation))
    finally:
        store.close()
    return Kept(host, head, segments, root, name)
