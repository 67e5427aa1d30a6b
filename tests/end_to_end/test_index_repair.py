"""An index that is gone, damaged, too new or half written never stops the archive, and is built anew by itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60.0  # that a rebuild may take on a busy machine


def una(home: Path, *arguments: str) -> Any:
    env = {**os.environ, "UNABRIDGED_HOME": str(home)}
    command = [sys.executable, "-m", "unabridged", *arguments]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=180)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def generation(home: Path) -> Path:
    number = json.loads((home / "index" / "CURRENT").read_text())["generation"]
    return home / "index" / f"g{number}"


def remove(home: Path) -> None:
    shutil.rmtree(home / "index")


def remove_current(home: Path) -> None:
    (home / "index" / "CURRENT").unlink()


def damage(home: Path) -> None:
    for path in generation(home).iterdir():
        if path.suffix in (".term", ".idx", ".fast", ".store"):
            path.write_bytes(os.urandom(64) + path.read_bytes()[64:])


def half_write(home: Path) -> None:
    meta = generation(home) / "meta.json"
    meta.write_bytes(meta.read_bytes()[:40])


def garbage_pointer(home: Path) -> None:
    (home / "index" / "CURRENT").write_text("not json")


def lose_files(home: Path) -> None:
    for path in generation(home).iterdir():
        if path.suffix in (".term", ".idx"):
            path.unlink()


@pytest.mark.parametrize(
    "break_it", [remove, remove_current, damage, half_write, garbage_pointer, lose_files]
)
def test_a_broken_index_is_built_anew_and_capture_goes_on(
    tmp_path: Path, break_it: Callable[[Path], None]
) -> None:
    home = tmp_path / "home"
    try:
        una(home, "import", "--sample", "--json")
        found = una(home, "search", "firmware", "--json")
        assert found["status"] == "ok"
        assert found["hits"]
        una(home, "daemon", "stop")
        break_it(home)
        una(home, "note", "a remark about zeppelins")
        deadline = time.monotonic() + SECONDS
        keys = {hit["event"] for hit in found["hits"]}
        while True:
            again = una(home, "search", "firmware", "--json")
            if again["status"] == "ok" and {hit["event"] for hit in again["hits"]} == keys:
                break
            assert again["status"] in ("ok", "index-behind", "failed", "empty", "partial")
            if again["status"] in ("ok", "empty"):
                una(home, "index", "status")
            assert time.monotonic() < deadline, (again["status"], una(home, "status", "--json")["index"])
            time.sleep(0.2)
        assert una(home, "search", "zeppelins", "--json")["hits"]
        assert una(home, "verify", "--json")["ok"]
    finally:
        una(home, "daemon", "stop")
