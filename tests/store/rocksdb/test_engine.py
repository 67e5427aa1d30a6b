"""What the RocksDB engine needs of its driver beyond the contract."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from unabridged.errors import Corrupt, DiskFull, StoreClosed, StoreFailed, StoreLocked, TransientStoreError
from unabridged.store.rocksdb import engine as engine_module
from unabridged.store.rocksdb.calls import translated
from unabridged.store.rocksdb.engine import RocksEngine
from unabridged.store.rocksdb.options import CACHE_BYTES


@pytest.mark.parametrize("times", [1, 2])
def test_the_settings_hold_however_often_it_is_opened(times: int, tmp_path: Path) -> None:
    RocksEngine(tmp_path / "data", create=True).close()
    for _ in range(times):
        engine = RocksEngine(tmp_path / "data")
        database = engine._database
        assert database is not None
        assert database.property_int_value("rocksdb.block-cache-capacity") == CACHE_BYTES
        engine.close()


def test_filters_answer_for_absent_keys_after_reopening(tmp_path: Path) -> None:
    engine = RocksEngine(tmp_path / "data", create=True)
    engine.write([(b"\x01k%05d" % number, b"v") for number in range(0, 20_000, 2)])
    engine.flush()
    engine.publish()
    engine.compact()
    engine.close()
    engine = RocksEngine(tmp_path / "data")
    database = engine._database
    assert database is not None
    assert engine.get(b"\x01k00001") is None
    blocks = database.property_int_value("rocksdb.block-cache-usage")
    for number in range(1, 20_000, 2):
        assert engine.get(b"\x01k%05d" % number) is None
    after = database.property_int_value("rocksdb.block-cache-usage")
    assert blocks is not None
    assert after is not None
    # One in a hundred reads a block of the keys' values; without a filter all of them would be in the cache now.
    assert after - blocks < 150_000
    engine.close()


def test_a_view_that_is_being_read_does_not_keep_the_database_from_reopening(tmp_path: Path) -> None:
    engine = RocksEngine(tmp_path / "data", create=True)
    engine.write([(b"\x01%04d" % number, b"v") for number in range(2_000)])
    engine.flush()
    engine.publish()
    view, stop, errors = engine.view(), threading.Event(), list[type]()

    def read() -> None:
        while not stop.is_set():
            try:
                view.get_many([b"\x01%04d" % number for number in range(100)])
                view.range(b"\x01", b"\x02", limit=500)
            except StoreClosed as error:
                errors.append(type(error))
                return

    reader = threading.Thread(target=read)
    reader.start()
    engine.reopen()
    with pytest.raises(TransientStoreError):
        engine.view()
    engine.publish()
    assert engine.view().count(b"\x01", b"\x02") == 2_000
    stop.set()
    reader.join(60)
    assert errors in ([], [StoreClosed])
    with pytest.raises(StoreClosed):
        view.get(b"\x010001")
    engine.close()


def test_too_little_room_to_reopen_is_told_before_anything_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = RocksEngine(tmp_path / "data", create=True)
    engine.write([(b"\x01a", b"v")])
    engine.flush()
    engine.publish()
    monkeypatch.setattr(engine_module, "REOPEN_BYTES", 1 << 60)
    with pytest.raises(DiskFull):
        engine.reopen()
    assert engine.view().get(b"\x01a") == b"v"
    engine.close()


def test_compaction_gives_space_back_at_once(tmp_path: Path) -> None:
    engine = RocksEngine(tmp_path / "data", create=True)
    data = random.Random(1).randbytes(1 << 20)
    for number in range(20):
        engine.write([(b"\x01%d" % number, data)])
    engine.flush()
    engine.publish()
    engine.write([(b"\x01%d" % number, None) for number in range(19)])
    engine.flush()
    engine.publish()
    engine.compact()
    tables = [path.stat().st_size for path in (tmp_path / "data").glob("*.sst")]
    assert sum(tables) < 2 << 20
    assert engine.view().get(b"\x0119") == data
    engine.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "IO error: No space left on device: While appending to file: /x/12.log: No space left on device",
            DiskFull,
        ),
        ("IO error: lock hold by current process, acquire time 1: /x/LOCK: No locks available", StoreLocked),
        ("IO error: While lock file: /x/LOCK: Resource temporarily unavailable", StoreLocked),
        ("Corruption: block checksum mismatch: stored = 1, computed = 2", Corrupt),
        ("IO error: Input/output error: While fdatasync", StoreFailed),
        ("Operation aborted: Background work", StoreFailed),
    ],
)
def test_failures_of_the_driver_are_told_apart_and_their_text_is_not_passed_on(
    text: str, expected: type[Exception]
) -> None:
    found = translated(Exception(text))
    assert type(found) is expected
    assert "/x/" not in str(found) + repr(found.details)
