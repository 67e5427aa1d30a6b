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
ROUNDS_OF_A_STORE = 25
LONGEST = 0.04  # seconds of work before a kill


def child(place: str, engine: str, seed: int, acks: Connection) -> None:
    work(place, engine, seed, acks.send)


def rounds(engine: str, folder: Path, count: int, seed: int) -> tuple[int, int]:
    """Kill a working process `count` times; return the commits that the last store kept, and acknowledged."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.store.workload"])
    chosen = random.Random(seed)
    place, kept = "", 0
    for number in range(count):
        if number % ROUNDS_OF_A_STORE == 0:  # what there is to check grows with each
            place, kept = str(folder / f"store-{number}"), 0
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


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
@pytest.mark.parametrize(
    "count",
    [8, pytest.param(30, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.slow)],
)
def test_kills_lose_nothing_that_was_acknowledged(engine: str, count: int, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    kept, acknowledged = rounds(engine, tmp_path, count, seed)
    assert kept >= acknowledged > min(count, ROUNDS_OF_A_STORE)
