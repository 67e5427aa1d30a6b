"""A store whose stored runs and chunks are compared, on every read, with the digest of what they hold.

The codec's own digest notices bytes that changed since they were written. This notices content that was already wrong
when it was: a faulty compressor, a dictionary that is not the one it was written with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from unabridged.errors import Corrupt
from unabridged.schema.ids import ProjectId
from unabridged.schema.kinds import Kind
from unabridged.schema.records import CHUNK_KIND, SEGMENT, Chunk, Segment
from unabridged.store.contract import Batch, Plan, Reader, Snapshot, Store
from unabridged.store.wrap.forward import ForwardingReader, ForwardingSnapshot, ForwardingStore

T = TypeVar("T")

Unpack = Callable[[Segment | Chunk], bytes]  # returns the uncompressed bytes, or raises `Corrupt`


class VerifyingStore(ForwardingStore):
    """Another store whose segments and chunks are verified when they are read, by plans too."""

    def __init__(self, store: Store, unpack: Unpack) -> None:
        """Take over an open store."""
        super().__init__(store)
        self._unpack = unpack

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:
        """Return the last published state, verified as it is read."""
        snapshot = self._store.snapshot(project)
        return ForwardingSnapshot(snapshot, _VerifyingReader(snapshot, self._unpack))

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Queue a plan that reads verified records."""

        def verified(reader: Reader) -> Batch:
            return plan(_VerifyingReader(reader, self._unpack))

        return self._store.submit(project, verified)


class _VerifyingReader(ForwardingReader):
    def __init__(self, reader: Reader, unpack: Unpack) -> None:
        super().__init__(reader)
        self._unpack = unpack

    def _read(self, kind: Kind[Any], action: Callable[[], T]) -> T:
        found = action()
        if kind is SEGMENT or kind is CHUNK_KIND:
            plain = cast("Any", found)
            records = cast("list[Any]", plain) if isinstance(plain, list) else [plain]
            for record in records:
                if isinstance(record, Segment | Chunk):
                    self._check(kind, record)
        return found

    def _check(self, kind: Kind[Any], record: Segment | Chunk) -> None:
        payload = self._unpack(record)
        if len(payload) != record.size or hashlib.sha256(payload).digest() != record.digest:
            raise Corrupt(
                "stored content differs from its digest", kind=kind.name, digest=record.digest.hex()[:16]
            )
