"""The storage contract: snapshots, pure plans, durable commits.

Engines MUST: make a commit atomic and durable when `commit` returns, or raise with nothing written; publish a snapshot
only after the flush, so that no reader sees what could still be lost; order commits of one project totally; refuse a
second owner (`StoreLocked`). They MAY run a plan more than once. They MUST NOT expose a connection, SQL or an iterator
of their own. What an engine cannot do it says in `capabilities` and raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Kind

if TYPE_CHECKING:
    from concurrent.futures import Future  # brings `logging` with it, which a worker has no use for

R = TypeVar("R", bound=msgspec.Struct)
T = TypeVar("T")

DEFAULT_SCAN = 1_000  # records; a scan without a limit of its own returns at most these
MAX_SCAN = 100_000  # records; more in one scan is refused, since the result is held in memory


class Reader(Protocol):
    """Reads of one consistent state."""

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return the record at a whole key, or None."""
        ...

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return the records at whole keys, in that order."""
        ...

    def scan(
        self,
        kind: Kind[R],
        prefix: tuple[KeyPart, ...],
        *,
        start: tuple[KeyPart, ...] = (),
        stop: tuple[KeyPart, ...] = (),
        index: str = "",
        reverse: bool = False,
        limit: int = DEFAULT_SCAN,
    ) -> list[R]:
        """Return at most `limit` records, in key order, whose key (or index entry) begins with `prefix`.

        `start` (inclusive) and `stop` (exclusive) are the key parts that follow the prefix; empty means no bound.
        `reverse` returns the same range from its end. For an index that is not unique the record's own key parts
        follow the indexed fields.
        """
        ...

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Return, for each whole key of a unique index, the key of the record that it names, or None. Point reads."""
        ...

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Return how many records (or index entries) begin with `prefix`."""
        ...


class Snapshot(Reader, Protocol):
    """A published state, readable from any thread until it is closed; a context manager."""

    def close(self) -> None:
        """Release the state. Closing twice does nothing."""
        ...

    def __enter__(self) -> Snapshot: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Encoded(msgspec.Struct, gc=False):
    """A record by its stored value, made beforehand: a class of its own for each kind adds what its keys are made from.

    `value` is what the kind's `encode` gives for the record.
    """

    value: bytes


@dataclass(slots=True)
class Batch:
    """What a plan wants written, in order: ("create" | "put" | "delete" | "expect", kind, record or key)."""

    ops: list[tuple[str, Kind[Any], Any]] = field(default_factory=list[tuple[str, Kind[Any], Any]])
    result: Any = None  # what `commit` returns

    def create(self, kind: Kind[R], record: R) -> None:
        """Write a record whose key (and unique index fields) must not exist, else `Conflict`."""
        self.ops.append(("create", kind, record))

    def create_encoded(self, kind: Kind[Any], record: Encoded) -> None:
        """Do so with a record that is encoded already."""
        self.ops.append(("create", kind, record))

    def put(self, kind: Kind[R], record: R) -> None:
        """Write a record, in place of what its key held. Refused (`Conflict`) for append-only kinds that hold it."""
        self.ops.append(("put", kind, record))

    def delete(self, kind: Kind[Any], key: tuple[KeyPart, ...]) -> None:
        """Remove a record where there is one; from an append-only kind only erasure does."""
        self.ops.append(("delete", kind, key))

    def expect(self, kind: Kind[R], key: tuple[KeyPart, ...], record: R | None) -> None:
        """Raise `Conflict`, writing nothing, unless the key holds exactly this record (None: nothing)."""
        self.ops.append(("expect", kind, (key, record)))


Plan = Callable[[Reader], Batch]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do beyond the contract's core, as data."""

    engine: str
    durable: bool  # survives the process
    shared: bool  # more than one process may write
    backup: bool
    compact: bool
    incremental_backup: bool = False
    max_value_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Usage:
    """What a store occupies: bytes on disk, live and reclaimable where known, and records per kind where cheap.

    `failure` is the code of the error that the last write failed with, while nothing can be written.
    """

    bytes_on_disk: int
    reclaimable: int = 0
    records: dict[str, int] = field(default_factory=dict[str, int])
    failure: str = ""


class Store(Protocol):
    """One store, open for one owner (or for many, where `capabilities.shared`)."""

    @property
    def capabilities(self) -> Capabilities:
        """What this engine can do."""
        ...

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:
        """Return the last published state (of one project where the engine partitions, else of all)."""
        ...

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Queue a plan; the future resolves to `Batch.result` when it is durable and published, or to the error.

        Plans of one project run in the order of submission, one at a time, over the state that all plans before them
        leave (durable or not yet); many may share one flush.
        """
        ...

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Submit a plan and wait for it."""
        ...

    def now(self) -> Micros:
        """Return the store's clock, which leases are measured by."""
        ...

    def wait(self, project: ProjectId, after: int, timeout: float) -> bool:
        """Wait until the project's log goes beyond position `after`, at most `timeout` seconds; tell whether it did."""
        ...

    def backup(self, path: Path) -> None:
        """Write a consistent copy to an empty or absent folder, while the store runs. May raise `Unsupported`."""
        ...

    def warm(self) -> None:
        """Make commits as quick as they get, where the engine has a way; loses nothing, and MAY do nothing."""
        ...

    def compact(self) -> None:
        """Give back space that deletions left. May raise `Unsupported`."""
        ...

    def usage(self) -> Usage:
        """Return what the store occupies."""
        ...

    def close(self) -> None:
        """Finish queued plans, flush, release the lock. Closing twice does nothing."""
        ...
