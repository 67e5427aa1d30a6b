"""A process killed at any moment loses nothing that was acknowledged, and leaves nothing half done."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.store.workload import after, check, work
from unabridged.store.open import open_store

SECONDS = 60.0
LONGEST = 0.04  # seconds of work before a kill


def child(place: str, engine: str, seed: int, acks: Connection) -> None:
    work(place, engine, seed, acks.send)


def rounds(engine: str, folder: Path, count: int, seed: int) -> tuple[int, int]:
    """Kill a working process `count` times on one store; return the commits kept and those acknowledged last."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.store.workload"])
    chosen = random.Random(seed)
    place, kept = str(folder / "store"), 0
    for number in range(count):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=child, args=(place, engine, seed + number, theirs))
        process.start()
        theirs.close()
        acknowledged = ours.recv() if ours.poll(SECONDS) else 0
        assert acknowledged == kept + 1, (
            f"seed {seed}, round {number}: began at {acknowledged}, not {kept + 1}"
        )
        time.sleep(chosen.random() * LONGEST)
        process.kill()
        process.join(SECONDS)
        try:
            while True:
                acknowledged = ours.recv()
        except EOFError:
            ours.close()
        store = open_store(place)
        try:
            kept = check(store)
        finally:
            store.close()
        assert kept >= acknowledged, f"seed {seed}, round {number}: {acknowledged} acknowledged, {kept} kept"
    store = open_store(place)
    after(store)
    store.close()
    return kept, acknowledged


@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_thirty_kills_lose_nothing(engine: str, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    kept, acknowledged = rounds(engine, tmp_path, 30, seed)
    assert kept >= acknowledged > 30


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_two_hundred_kills_lose_nothing(engine: str, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    kept, acknowledged = rounds(engine, tmp_path, 200, seed)
    assert kept >= acknowledged > 200
