"""An import that is killed at random points loses nothing that was acknowledged, and ends as an undisturbed one."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from tests.archive.test_write_path import rows
from tests.support.archiving import PROJECT, fingerprint, ingest, newest, violations
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.hosts.contract import Head
from unabridged.schema.ids import origin_id
from unabridged.schema.records import EVENT
from unabridged.store.open import open_store

ROOT = Path(__file__).resolve().parents[2]
FILES = 4


def make_files(folder: Path) -> list[Path]:
    trunk = rows(1_500, seed=7)
    found = list[Path]()
    for number in range(FILES):
        path = folder / f"s{number}.toy"
        own = rows(1_500, seed=100 + number).replace(b'"id": "m', b'"id": "n%d-' % number)
        path.write_bytes((trunk if number < 2 else b"") + own)
        found.append(path)
    return found


def run_and_kill(store: Path, files: list[Path], delay: float) -> tuple[bool, dict[str, int]]:
    """Run an import, kill it after `delay` seconds; return whether it had finished, and what it acknowledged."""
    command = [sys.executable, "-m", "tests.support.importing_child", str(store), *map(str, files)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    time.sleep(delay)
    child.kill()
    out, _ = child.communicate()
    acked = dict[str, int]()
    for line in out.splitlines():
        parts = line.split()
        if parts and parts[0] == "ack" and len(parts) == 3:
            acked[parts[1]] = int(parts[2])
    return "done" in out, acked


def test_an_import_killed_again_and_again_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    files = make_files(tmp_path)
    expected = open_store("memory:", create=True)
    for path in files:
        ingest(expected, ToyHost(), str(path), path.read_bytes(), Head(path.stem, ""), NoRedaction())
    rng = random.Random(20261129)
    folder, rounds, done = tmp_path / "store", 0, False
    highest = dict[str, int]()
    while not done and rounds < 60:
        rng.shuffle(files)
        done, acked = run_and_kill(folder, files, rng.uniform(0.15, 0.9))
        rounds += 1
        for name, offset in acked.items():
            highest[name] = max(highest.get(name, 0), offset)
        if not folder.exists() or not any(folder.iterdir()):
            continue
        store = open_store(str(folder), create=True)
        snapshot = store.snapshot()
        for path in files:
            generation = newest(snapshot, origin_id("toy", str(path)))
            kept = generation.stored_offset if generation else 0
            assert kept >= highest.get(path.name, 0), "an acknowledged append is gone"
        assert violations(snapshot) == []
        store.close()
    finish = [sys.executable, "-m", "tests.support.importing_child", str(folder), *map(str, files)]
    assert subprocess.run(finish, cwd=ROOT, capture_output=True, timeout=120).returncode == 0
    store = open_store(str(folder), create=False)
    assert fingerprint(store.snapshot()) == fingerprint(expected.snapshot())
    assert violations(store.snapshot()) == []
    assert store.snapshot().count(EVENT, (PROJECT,)) > 0
    store.close()
