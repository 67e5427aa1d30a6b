"""The wrappers keep the contract of what they wrap, and add what they say."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from unabridged.errors import Conflict, Corrupt, ReadOnly, TransientStoreError
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import CHUNK_KIND, META_KIND, SEGMENT
from unabridged.store.conformance import CHECKS, Bench
from unabridged.store.conformance.bench import PROJECT_A
from unabridged.store.conformance.samples import chunk, meta, segment
from unabridged.store.contract import Batch, Reader, Store
from unabridged.store.open import open_store
from unabridged.store.wrap.engine import ForwardingEngine
from unabridged.store.wrap.readonly import ReadOnlyStore
from unabridged.store.wrap.retry import Retry, RetryingStore
from unabridged.store.wrap.verify import VerifyingStore


def stored(record: Any) -> bytes:
    return zlib.decompress(record.data) if record.codec else record.data


WRAPPED: dict[str, Callable[[], Store]] = {
    "verify": lambda: VerifyingStore(open_store("memory:"), stored),
    "retry": lambda: RetryingStore(open_store("memory:"), Retry(lambda _: None)),
    "engine": lambda: open_store("memory:", wrap=ForwardingEngine),
}


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_wrapped_store_keeps_the_contract(
    check: Callable[[Bench], None], name: str, tmp_path: Path
) -> None:
    bench = Bench(WRAPPED[name], tmp_path)
    try:
        check(bench)
    finally:
        bench.close()


def test_a_read_only_store_reads_and_refuses_to_be_written() -> None:
    inner = open_store("memory:")
    inner.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta("a"))]))
    store = ReadOnlyStore(inner)
    with store.snapshot() as snapshot:
        assert snapshot.get(META_KIND, (GLOBAL, "a")) == meta("a")
    with pytest.raises(ReadOnly):
        store.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta("b"))]))
    with pytest.raises(ReadOnly):
        store.compact()
    assert store.now() > 0
    store.close()


def compressed(record: Any, payload: bytes) -> Any:
    return msgspec.structs.replace(record, codec=1, data=zlib.compress(payload))


def test_content_that_matches_its_digest_is_returned() -> None:
    store = VerifyingStore(open_store("memory:"), stored)
    records = [compressed(segment(PROJECT_A, 0, b"x" * 999), b"x" * 999), segment(PROJECT_A, 999, b"plain")]
    store.commit(PROJECT_A, lambda _: Batch([("create", SEGMENT, record) for record in records]))
    with store.snapshot() as snapshot:
        assert snapshot.scan(SEGMENT, (PROJECT_A,)) == records
        assert snapshot.get(SEGMENT, SEGMENT.key_of(records[0])) == records[0]
        assert snapshot.get(SEGMENT, (PROJECT_A, records[0].origin, 1, 5)) is None
    store.close()


@pytest.mark.parametrize("other", [b"x" * 998 + b"y", b"x" * 998, b""])
def test_content_that_differs_from_its_digest_is_never_returned(other: bytes) -> None:
    store = VerifyingStore(open_store("memory:"), stored)
    run = compressed(segment(PROJECT_A, 0, b"x" * 999), other)
    piece = compressed(chunk(PROJECT_A, b"x" * 999), other)
    store.commit(PROJECT_A, lambda _: Batch([("create", SEGMENT, run), ("create", CHUNK_KIND, piece)]))
    with store.snapshot() as snapshot:
        with pytest.raises(Corrupt) as raised:
            snapshot.get(SEGMENT, SEGMENT.key_of(run))
        assert raised.value.details["digest"] == hashlib.sha256(b"x" * 999).hexdigest()[:16]
        with pytest.raises(Corrupt):
            snapshot.scan(CHUNK_KIND, (PROJECT_A,))
        with pytest.raises(Corrupt):
            snapshot.get_many(CHUNK_KIND, [CHUNK_KIND.key_of(piece)])

    def plan(reader: Reader) -> Batch:
        return Batch(result=reader.get(SEGMENT, SEGMENT.key_of(run)))

    with pytest.raises(Corrupt):
        store.commit(PROJECT_A, plan)
    store.close()


class Flaky(ForwardingEngine):
    """An engine whose reads of views fail a number of times."""

    failures = 0

    def call(self, name: str, action: Callable[[], Any], size: int = 0) -> Any:
        if name in ("range", "view") and self.failures:
            self.failures -= 1
            raise TransientStoreError
        return action()


def flaky(failures: int) -> tuple[Store, list[float]]:
    """Return a store with three attempts whose first reads fail, and the pauses that it makes."""
    pauses = list[float]()
    engines = list[Flaky]()

    def wrapped(engine: Any) -> Flaky:
        engines.append(Flaky(engine))
        return engines[0]

    inner = open_store("memory:", wrap=wrapped)
    inner.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta("a"))]))
    engines[0].failures = failures
    return RetryingStore(inner, Retry(pauses.append, (1.0, 2.0))), pauses


def test_a_transient_failure_is_tried_again_after_a_pause() -> None:
    store, pauses = flaky(2)
    with store.snapshot() as snapshot:
        assert pauses == [1.0, 2.0]
        assert snapshot.scan(META_KIND, (GLOBAL,)) == [meta("a")]
    store.close()
    store, pauses = flaky(2)
    found = store.commit(PROJECT_A, lambda reader: Batch(result=reader.scan(META_KIND, (GLOBAL,))))
    assert (found, pauses) == ([meta("a")], [1.0, 2.0])
    store.close()


def test_attempts_are_bounded() -> None:
    store, pauses = flaky(3)
    with pytest.raises(TransientStoreError):
        store.snapshot()
    assert pauses == [1.0, 2.0]
    store.close()


def test_a_conflict_is_not_tried_again() -> None:
    store, pauses = flaky(0)
    with pytest.raises(Conflict):
        store.commit(PROJECT_A, lambda _: Batch([("create", META_KIND, meta("a"))]))
    assert pauses == []
    store.close()
