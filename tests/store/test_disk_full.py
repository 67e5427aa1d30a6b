"""On a disk that is really full: commits are refused, reads go on, nothing is lost, and with room again all goes on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIZE = "150m"  # of the disk, a mounted piece of memory
BALLAST = 90 << 20  # bytes of a file that is removed to make room

PROGRAM = """
import os, sys
sys.path[:0] = [{root!r}, {src!r}]
from pathlib import Path
from unabridged.errors import DiskFull
from unabridged.schema.records import META_KIND, SEGMENT
from unabridged.store.conformance.bench import PROJECT_A
from unabridged.store.conformance.samples import meta, segment
from unabridged.store.contract import Batch
from unabridged.store.open import open_store

folder, engine = Path(sys.argv[1]), sys.argv[2]
(folder / "ballast").write_bytes(bytes({ballast}))
store = open_store(folder / "store", create=True, engine=engine)

def put(number):
    data = os.urandom(1 << 20)
    store.commit(PROJECT_A, lambda _: Batch([("create", SEGMENT, segment(PROJECT_A, number, data))]))

def there():
    with store.snapshot() as snapshot:
        return [record.start for record in snapshot.scan(SEGMENT, (PROJECT_A,))]

refused, number = 0, 0
while refused < 3:
    assert number < 500, "the disk never filled"
    try:
        put(number)
        number += 1
    except DiskFull:
        refused += 1
        told = store.usage().failure
        assert told == ("disk-full" if engine == "rocksdb" else ""), "the other one is opened again at once"
        assert there() == list(range(number)), "reads go on, and show what was acknowledged"
assert number > 3
(folder / "ballast").unlink()
for extra in range(number, number + 5):
    put(extra)
store.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta("done"))]))
assert there() == list(range(number + 5))
assert store.usage().failure == ""
store.close()
store = open_store(folder / "store")
assert there() == list(range(number + 5))
store.close()
print("kept", number + 5)
"""


@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_a_full_disk_costs_nothing_that_was_acknowledged(engine: str, tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("unshare, which mounts a small disk for one process, is not installed")
    # A user namespace makes a mount possible for anybody; the mount goes away with the process.
    mounted = ["unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-c"]
    mount = 'mount -t tmpfs -o "size=$0" none "$1" && shift && exec "$@"'
    tried = subprocess.run(
        [*mounted, mount, SIZE, str(tmp_path), "true"], check=False, capture_output=True, timeout=60
    )
    if tried.returncode:
        pytest.skip("this machine lets no process mount a disk of its own")
    program = PROGRAM.format(root=str(ROOT), src=str(ROOT / "src"), ballast=BALLAST)
    done = subprocess.run(
        [*mounted, mount, SIZE, str(tmp_path), sys.executable, "-c", program, str(tmp_path), engine],
        check=False,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kept ")
