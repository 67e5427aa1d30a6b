"""When the power fails, what was acknowledged is on the disk, and nothing is there by half.

The file operations that an engine really makes are recorded once; then, for many moments and for many ways to lose what
was not synced, the folder that may be left is made, opened and checked.
"""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.store.disk import Call, Disk, record, restore
from tests.store.workload import after, check
from unabridged.store.open import open_store

ROOT = Path(__file__).parents[2]
SECONDS = 240.0
PHASES = 3  # openings of the store; each commits, with a compaction beside, and closes
COMMITS = 24  # in each

PROGRAM = """
import os, sys, threading
sys.path[:0] = [{root!r}, {src!r}]
from tests.store import workload
from unabridged.store.open import open_store
from unabridged.store.rocksdb import engine as rocks
rocks.WARM_BYTES = 4 * len(rocks.FILLER)  # every byte of it is recorded
place, engine, seed, commits, phases = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
if "careless" in sys.argv:
    from unabridged.store import sqlite
    from unabridged.store.rocksdb.engine import RocksEngine
    RocksEngine.flush = lambda self: None
    opened = sqlite.SqliteEngine._opened_writer
    def unsynced(self):
        database = opened(self)
        database.pragma("synchronous", "off")
        return database
    sqlite.SqliteEngine._opened_writer = unsynced
def acknowledge(number):
    os.write(1, b"%d\\n" % number)
for phase in range(phases):
    workload.work(place, engine, seed + phase, acknowledge, commits)
    store = open_store(place)
    compaction = threading.Thread(target=store.compact)
    compaction.start()
    for _ in range(4):
        acknowledge(store.commit(workload.PROJECT_A, workload.plan))
    compaction.join()
    store.close()
"""


def recorded(engine: str, folder: Path, seed: int, *extra: str) -> list[Call]:
    program = PROGRAM.format(root=str(ROOT), src=str(ROOT / "src"))
    arguments = [str(folder / "store"), engine, str(seed), str(COMMITS), str(PHASES), *extra]
    folder.mkdir()
    return record([sys.executable, "-c", program, *arguments], folder.parent / "trace", SECONDS)


def cuts(engine: str, tmp_path: Path, count: int, *extra: str) -> int:
    """Cut the power `count` times; return how often something had been acknowledged before."""
    if shutil.which("strace") is None:
        pytest.skip("strace, which records the file operations, is not installed")
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    calls = recorded(engine, tmp_path / "recorded", seed, *extra)
    chosen = random.Random(seed)
    moments = sorted(chosen.sample(range(len(calls)), count))
    disk, opened = Disk(tmp_path / "recorded"), 0
    for call in calls:
        disk.replay(call)
    total = (COMMITS + 4) * PHASES
    assert disk.said.split() == [b"%d" % number for number in range(1, total + 1)], "all was recorded"
    disk = Disk(tmp_path / "recorded")
    for at, call in enumerate(calls):
        disk.replay(call)
        if moments and at == moments[0]:
            moments.pop(0)
            opened += survived(
                disk, tmp_path / f"cut-{at}", engine, chosen, f"seed {seed}, cut after call {at}"
            )
    return opened


def survived(disk: Disk, folder: Path, engine: str, chosen: random.Random, what: str) -> bool:
    """Check what may be left of a store now; tell whether anything had been acknowledged."""
    acknowledged = [int(number) for number in disk.said.split()]
    restore(disk.left(chosen), folder)
    if not (folder / "store").exists():
        assert not acknowledged, what
        return False
    store = open_store(folder / "store", create=True, engine=engine)
    try:
        found = check(store)
        assert found >= len(acknowledged), f"{what}: {len(acknowledged)} acknowledged, {found} kept"
        after(store)
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error
    finally:
        store.close()
    shutil.rmtree(folder)
    return bool(acknowledged)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
@pytest.mark.parametrize(
    "count",
    [20, pytest.param(60, marks=pytest.mark.slow), pytest.param(400, marks=pytest.mark.slow)],
)
def test_power_cuts_lose_nothing_that_was_acknowledged(engine: str, count: int, tmp_path: Path) -> None:
    assert cuts(engine, tmp_path, count) > count // 4


@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_an_engine_that_does_not_sync_is_caught(engine: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="acknowledged"):
        cuts(engine, tmp_path, 40, "careless")
