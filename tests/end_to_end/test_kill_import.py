"""Imports that are killed at random, through two importers at once, end as an undisturbed one.

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

from tests.support.whole_archive import rows_of, violations_of

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "hosts" / "fixtures"
KILLS = int(os.environ.get("UNABRIDGED_TEST_KILLS", "6"))
COPIES = 10
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def spread(folder: Path) -> list[str]:
    """Copy the recordings under new ids, so that an import takes long enough to be killed in the middle."""
    found = list[str]()
    for path in sorted(FIXTURES.rglob("*.jsonl")):
        for number in range(COPIES):

            def fresh(match: re.Match[bytes], salt: bytes = b"%d" % number) -> bytes:
                name = hashlib.md5(match[0] + salt, usedforsecurity=False).hexdigest()
                return "-".join((name[:8], name[8:12], name[12:16], name[16:20], name[20:])).encode()

            place = folder / str(number) / UUID.sub(fresh, str(path.relative_to(FIXTURES)).encode()).decode()
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(UUID.sub(fresh, path.read_bytes()))
            old = time.time() - 86_400
            os.utime(place, (old, old))
            found.append(str(place))
    return found


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


def run(home: Path, *arguments: str) -> str:
    child = command(home, *arguments)
    out, _ = child.communicate(timeout=300)
    assert child.returncode in (0, 3), out
    return out


def daemon_pid(home: Path) -> int:
    """Return the running daemon's process number, 0 when there is none."""
    child = command(home, "daemon", "status", "--json")
    out, _ = child.communicate(timeout=60)
    try:
        said = json.loads(out)
    except ValueError:
        return 0
    facts = said.get("daemon", said)
    return int(facts.get("pid") or 0) if facts.get("running", True) else 0


def test_killed_imports_end_as_an_undisturbed_one(tmp_path: Path) -> None:
    files = spread(tmp_path / "transcripts")
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    rng = random.Random(20261129)
    try:
        run(calm, "import", str(tmp_path / "transcripts"), "--json")
        run(calm, "daemon", "stop")
        for _ in range(KILLS):
            rng.shuffle(files)
            half = len(files) // 2
            importers = [
                command(rough, "import", "--json", *files[half:]),
                command(rough, "import", "--json", *files),
            ]
            pid, deadline = 0, time.monotonic() + 60
            while not pid and time.monotonic() < deadline:
                pid = daemon_pid(rough)
            time.sleep(rng.uniform(0.0, 1.5))
            if pid:
                os.kill(pid, signal.SIGKILL)
            for importer in importers:
                if rng.random() < 0.5:
                    importer.kill()
                importer.communicate(timeout=300)
        run(rough, "import", str(tmp_path / "transcripts"), "--json")
        again = json.loads(run(rough, "import", str(tmp_path / "transcripts"), "--json"))
        assert (again["events"], again["documents"]) == (0, 0)
        assert json.loads(run(rough, "verify", "--json"))["ok"]
    finally:
        for home in (calm, rough):
            run(home, "daemon", "stop")
    expected = rows_of(calm)
    assert len(expected) > 1_000
    assert rows_of(rough) == expected
    assert violations_of(rough) == []
