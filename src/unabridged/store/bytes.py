"""The byte-level engine contract: an ordered map of byte strings.

An engine MUST: order keys as unsigned bytes; write a list of changes atomically; make every write so far durable when
`flush` returns; let `view` see the state of the last `publish` alone; refuse a second owner (`StoreLocked`).
It MAY lose writes that were not flushed, but only whole writes and only the last ones. Failures are the classes of
`unabridged.errors`; after a failed `write` or `flush` the engine is used again only after `reopen`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from unabridged.store.contract import Capabilities, Usage

Change = tuple[bytes, bytes | None]  # key, value; None removes the key

# Keys of the engine layer itself: below every record's key, whose first byte is the key version (1 and up).
COMMIT_KEY = b"\x00commit"  # number of the last write, 8 bytes big endian


class ByteReader(Protocol):
    """Reads of one state."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        ...

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        ...

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        ...

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        ...


class ByteView(ByteReader, Protocol):
    """A published state, readable from any thread until closed."""

    def close(self) -> None:
        """Release the state; closing twice does nothing."""
        ...


class ByteEngine(ByteReader, Protocol):
    """One ordered map, written by one thread; its own reads see every write at once, flushed or not."""

    @property
    def capabilities(self) -> Capabilities:
        """What this engine can do."""
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Apply changes atomically, in order, not yet durable."""
        ...

    def flush(self) -> None:
        """Make every write so far durable."""
        ...

    def publish(self) -> None:
        """Let views made from now on see every write so far."""
        ...

    def view(self) -> ByteView:
        """Return the state of the last `publish` (or of opening). Cheap: views of one state share what they hold."""
        ...

    def reopen(self) -> None:
        """Go on after a failed call: what was flushed is there; later writes are there wholly, in order, or not.

        What is found is durable, and not seen by views until the next `publish`: until then they see the state
        published before, or raise `TransientStoreError`. Views made before MAY end with `StoreClosed`. MAY raise
        before anything is closed; then reads of the published state go on.
        """
        ...

    def usage(self) -> Usage:
        """Return what the map occupies."""
        ...

    def warm(self) -> None:
        """Make writes as quick as they get; MAY do nothing. Runs beside `write`, from another thread."""
        ...

    def compact(self) -> None:
        """Give back the space of removed entries. May raise `Unsupported`."""
        ...

    def backup(self, path: Path) -> None:
        """Write a consistent copy of the published state, which this engine can open, to an absent path.

        May raise `Unsupported`. Runs beside `write`, from another thread.
        """
        ...

    def close(self) -> None:
        """Close; views end with `StoreClosed`. Closing twice does nothing."""
        ...
