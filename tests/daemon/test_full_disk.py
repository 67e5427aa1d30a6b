"""A daemon whose disk is really full says so, and goes on when there is room again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SIZE = "120m"  # of the disk, a mounted piece of memory: as much again as the store needs to be opened after a failure

PROGRAM = """
import os, sys
sys.path[:0] = [{root!r}, {src!r}]
from pathlib import Path
from tests.daemon.living import Home, until
from unabridged.errors import DiskFull

folder = Path(sys.argv[1])
ballast = folder / "ballast"
home = Home(folder / "home")
home.configure(disk={{"free_bytes": 0}})

def codes(answer):
    return [problem["code"] for problem in answer["problems"]]

def wrong(answer):
    return {{check["check"] for check in answer["checks"] if not check["ok"] and check["hint"]}}

def fill():
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass

try:
    client = home.connect()
    client.call("note", {{"text": "zebra"}})
    until(lambda: client.call("status")["ok"])
    fill()
    until(lambda: codes(client.call("status")) == ["disk-full"])
    assert client.call("status")["problems"][0]["hint"]
    assert "disk" in wrong(client.call("doctor"))
    try:
        client.call("note", {{"text": os.urandom(100_000).hex()}})
        raise AssertionError("a note was taken by a full disk")
    except DiskFull:
        pass
    assert wrong(client.call("doctor")) >= {{"disk", "store"}}
    assert client.call("search", {{"query": "zebra"}})["hits"], "searching goes on"
    ballast.unlink()
    client.call("note", {{"text": "giraffe"}})
    until(lambda: client.call("status")["ok"])
    assert client.call("search", {{"query": "giraffe"}})["hits"]
finally:
    home.end()
print("well")
"""


# https://github.com/NousResearch/hermes-agent/issues/7718: writes fail for weeks, and nobody is told.
def test_a_full_disk_is_told_and_once_there_is_room_all_goes_on(tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("unshare, which mounts a small disk for one process, is not installed")
    # A user namespace makes a mount possible for anybody; the mount goes away with the last process in it.
    mounted = ["unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c"]
    mount = 'mount -t tmpfs -o "size=$0" none "$1" && shift && exec "$@"'
    tried = subprocess.run(
        [*mounted, mount, SIZE, str(tmp_path), "true"], check=False, capture_output=True, timeout=60
    )
    if tried.returncode:
        pytest.skip("this machine lets no process mount a disk of its own")
    program = PROGRAM.format(root=str(ROOT), src=str(ROOT / "src"))
    done = subprocess.run(
        [*mounted, mount, SIZE, str(tmp_path), sys.executable, "-c", program, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "well\n"
