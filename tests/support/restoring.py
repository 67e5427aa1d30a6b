"""A transcript kept by a host package alone, to be written back later."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unabridged.hosts.conformance import read_file
from unabridged.hosts.contract import Head, Host


@dataclass(frozen=True)
class Kept:
    """A transcript's lines, and where they go."""

    host: Host
    head: Head
    lines: list[bytes]
    root: Path  # the host's sessions
    name: str

    @property
    def session(self) -> str:
        """The host's id."""
        return self.head.host_session

    @property
    def data(self) -> bytes:
        """The file."""
        return b"".join(self.host.restore(self.lines))

    def write_back(self, name: str = "") -> Path:
        """Write the file where the host looks for it."""
        path = self.root / (name or self.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        assert not path.exists()
        path.write_bytes(self.data)
        return path


def keep(host: Host, path: Path, root: Path) -> Kept:
    """Read a transcript that lies below the sessions root."""
    reading = read_file(host, path)
    name = host.restore_name(reading.head, str(path))
    assert root / name == path
    return Kept(host, reading.head, reading.raws, root, name)
