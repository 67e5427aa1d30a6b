"""Imports that are killed at random, two importers and growing transcripts at once, end as an undisturbed import.

`UNABRIDGED_TEST_KILLS` sets how many times the daemon is killed (6 unless told otherwise).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import alive, transcript
from tests.support.whole_archive import rows_of, violations_of
from unabridged.daemon import paths
from unabridged.daemon.client import Client
from unabridged.errors import UnabridgedError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7_200)]

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "hosts" / "fixtures"
KILLS = int(os.environ.get("UNABRIDGED_TEST_KILLS", "6"))
PATIENCE = 120.0  # seconds that something may take which nothing disturbs
EXCHANGES = 12  # that a tail grows by between two kills, about
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def renamed(text: bytes, salt: bytes) -> bytes:
    """Return a recording's text, or its name, under new ids."""

    def fresh(match: re.Match[bytes]) -> bytes:
        name = hashlib.md5(match[0] + salt, usedforsecurity=False).hexdigest()
        return "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:])).encode()

    return UUID.sub(fresh, text)


def age(path: Path) -> None:
    """Make a file look as if nobody had written it for a day."""
    old = time.time() - 86_400
    os.utime(path, (old, old))


def spread(folder: Path, number: int) -> list[str]:
    """Copy every recording under new ids."""
    salt, found = b"%d" % number, list[str]()
    for path in sorted(FIXTURES.rglob("*.jsonl")):
        place = folder / str(number) / renamed(str(path.relative_to(FIXTURES)).encode(), salt).decode()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(renamed(path.read_bytes(), salt))
        age(place)
        found.append(str(place))
    return found


class Tail:
    """A transcript that grows by whole lines and halves of lines."""

    def __init__(self, path: Path, text: bytes, rng: random.Random) -> None:
        """Begin with its first lines."""
        self.path, self._text, self._rng = path, text, rng
        self._at = 0
        self._step = len(text) // (KILLS * 8) + 1
        path.parent.mkdir(parents=True, exist_ok=True)
        self.append(text.index(b"\n", len(text) // 20) + 1)

    def append(self, end: int) -> None:
        """Write what is missing up to a place."""
        with self.path.open("ab") as file:
            file.write(self._text[self._at : end])
        self._at = end

    def grow(self) -> None:
        """Write a little: up to anywhere, to the end of a line, or to just before its terminator."""
        end = min(len(self._text), self._at + self._rng.randrange(1, 2 * self._step))
        line = self._text.find(b"\n", end)
        how = self._rng.randrange(3)
        self.append(end if how == 0 or line < 0 else line + (how == 1))

    def finish(self) -> None:
        """Write what is missing."""
        self.append(len(self._text))


def tails(folder: Path, rng: random.Random) -> list[Tail]:
    """Begin a tail in the form of every host, and a longer one."""
    names = (
        "claude_code/6fe98c89-364b-4d81-8f23-ca96a777d35f.jsonl",
        "codex/main.jsonl",
        "pi/2026-11-29T23-11-41-805Z_01a22994-1aec-72ad-ba84-ae63446679e6.jsonl",
    )
    long = "77777777-2222-4333-8444-555555555555"
    source = transcript(folder / "source" / "long", long, KILLS * EXCHANGES, filler=20)
    made = [Tail(folder / "growing" / f"{long}.jsonl", source.read_bytes(), rng)]
    for name in names:
        text, place = (FIXTURES / name).read_bytes(), folder / "growing" / name
        renamed_place = place.with_name(renamed(place.name.encode(), b"tail").decode())
        made.append(Tail(renamed_place, renamed(text, b"tail"), rng))
    return made


def command(home: Path, *arguments: str) -> subprocess.Popen[str]:
    env = {**os.environ, "UNABRIDGED_HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-m", "unabridged", *arguments],
        env=env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def run(home: Path, *arguments: str) -> Any:
    child = command(home, *arguments, "--json")
    out, _ = child.communicate(timeout=600)
    assert child.returncode in (0, 3), out
    return json.loads(out)


def sessions(home: Path, folder: Path) -> dict[str, int]:
    """Return how many events each session has of a transcript in a folder."""
    return {
        item["host_session"]: item["events"]
        for item in run(home, "sessions", "--limit", "100000")
        if any(Path(origin).is_relative_to(folder) for origin in item["origins"])
    }


class Rough:
    """A home whose daemon is killed while it imports."""

    def __init__(self, home: Path, growing: list[Tail], rng: random.Random) -> None:
        self.home, self._tails, self._rng = home, growing, rng
        self._layout = paths.layout({"UNABRIDGED_HOME": str(home)})
        self.positions = 0
        self.noted = set[str]()
        self.struck = 0  # kills while transcripts were being read

    def round(self, fresh: list[str], files: list[str]) -> None:
        """Import twice at once, in orders of their own, and kill the daemon (perhaps an importer too) meanwhile."""
        self._rng.shuffle(fresh)
        self._rng.shuffle(files)
        if self._rng.random() < 0.5:  # else the importers start the daemon
            number = len(self.noted)
            self.noted.add(run(self.home, "note", f"note {number}")["document"])
        importers = [command(self.home, "import", "--json", *some) for some in (fresh, files)]
        self._grow()
        self._kill(importers)
        self._grow()
        for importer in importers:
            if self._rng.random() < 0.5:
                importer.kill()
            importer.communicate(timeout=600)

    def _grow(self) -> None:
        for tail in self._tails:
            tail.grow()

    def _kill(self, importers: list[subprocess.Popen[str]]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                with Client(self._layout, start=False) as client:
                    self._strike(client, importers)
                    return
            except UnabridgedError:
                time.sleep(0.005)  # no daemon yet
        raise AssertionError("no daemon came to be")

    def _strike(self, client: Client, importers: list[subprocess.Popen[str]]) -> None:
        """Kill while something is read; what was told before must be there ever after."""
        while all(one.poll() is None for one in importers) and not _busy(client):
            time.sleep(0.002)
        until = time.monotonic() + self._rng.uniform(0.0, 0.3)
        while time.monotonic() < until:
            self._grow()
            time.sleep(0.03)
        totals = client.call("stats")["totals"]
        assert totals["positions"] >= self.positions, "what was committed before a kill is gone"
        self.positions, pid, busy = totals["positions"], client.server["pid"], _busy(client)
        os.kill(pid, signal.SIGKILL)
        self.struck += bool(busy)
        while alive(pid):
            time.sleep(0.002)


def _busy(client: Client) -> int:
    """Return how many transcripts are being read."""
    return int(client.call("daemon.status")["daemon"]["ingest"]["files"])


def test_killed_imports_end_as_an_undisturbed_one(tmp_path: Path) -> None:
    folder, calm, home = tmp_path / "transcripts", tmp_path / "calm", tmp_path / "rough"
    rng = random.Random(20261129)
    growing, files = tails(tmp_path, rng), list[str]()
    rough = Rough(home, growing, rng)
    try:
        run(home, "import", str(tmp_path / "growing"))
        for number in range(KILLS):
            fresh = spread(folder, number)
            files += fresh
            rough.round(fresh, files)
        run(home, "import", *files)
        for tail in growing:
            tail.finish()
        # A tail needs no import: the daemon that runs now watches it.
        run(calm, "import", str(folder), str(tmp_path / "growing"))
        deadline, wanted = time.monotonic() + PATIENCE, sessions(calm, tmp_path / "growing")
        while (found := sessions(home, tmp_path / "growing")) != wanted:
            assert time.monotonic() < deadline, (found, wanted)
        for tail in growing:
            age(tail.path)
        for place in (home, calm):  # nobody writes the tails any more: their last turns close
            run(place, "import", str(folder), str(tmp_path / "growing"))
        again = run(home, "import", str(folder), str(tmp_path / "growing"))
        assert (again["events"], again["documents"]) == (0, 0)
        assert run(home, "verify")["ok"]
    finally:
        for place in (calm, home):
            run(place, "daemon", "stop")
    print(f"{rough.struck} of {KILLS} kills while transcripts were being read")
    assert rough.struck >= KILLS // 2
    rows = rows_of(home)
    assert {row[2] for row in rows} >= rough.noted, "an acknowledged note is gone"
    expected = rows_of(calm)
    assert len(expected) > 1_000
    assert [row for row in rows if not row[0].startswith("note:")] == expected
    assert violations_of(home) == []
