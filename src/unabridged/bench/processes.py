"""What processes hold in memory: private pages, and mapped files beside them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType

PROC = Path("/proc")
SAMPLE_SECONDS = 0.2  # between two looks at processes whose peak is wanted

# Fields of smaps_rollup (proc_pid_smaps(5)) in kibibytes. Clean private pages are those of a file that no other process
# has mapped just now: the system takes them back whenever it likes, and they are counted as mapped.
_PRIVATE = ("Private_Dirty", "Private_Hugetlb")


def available() -> bool:
    """Whether this system tells private memory."""
    return (PROC / "self" / "smaps_rollup").exists()


def own() -> int:
    """Return this process's number."""
    return os.getpid()


def family(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    parents = dict[int, list[int]]()
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, pending = list[int](), [pid]
    while pending:
        member = pending.pop()
        found.append(member)
        pending += parents.get(member, ())
    return found


def held(pids: Iterable[int]) -> dict[str, int]:
    """Return bytes: `private` (written, nobody else has them), `resident` and `mapped` (resident, backed by files)."""
    total = {"private": 0, "resident": 0, "mapped": 0, "processes": 0}
    for pid in pids:
        fields = _rollup(pid)
        if not fields:
            continue
        total["private"] += sum(fields.get(name, 0) for name in _PRIVATE)
        total["resident"] += fields.get("Rss", 0)
        total["mapped"] += max(0, fields.get("Rss", 0) - fields.get("Anonymous", 0))
        total["processes"] += 1
    return total


def _rollup(pid: int) -> Mapping[str, int]:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return {}
    pairs = (line.split(":") for line in lines)
    return {name: int(value.split()[0]) * 1024 for name, value in pairs}


def spent(pids: Iterable[int]) -> float:
    """Return the seconds of processor time that the threads of processes have had (sched, proc_pid_schedstat)."""
    total = 0
    for pid in pids:
        for thread in (PROC / str(pid) / "task").glob("*/schedstat"):
            try:
                total += int(thread.read_bytes().split()[0])
            except (OSError, IndexError, ValueError):
                continue  # it ended meanwhile
    return total / 1e9


class Peak:
    """The most private memory that processes hold while a context lasts."""

    def __init__(self, pids: Callable[[], Iterable[int]]) -> None:
        """Look at what `pids` returns at each moment."""
        self._pids = pids
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="peak", daemon=True)
        self.private = 0

    def _watch(self) -> None:
        while not self._ended.is_set():
            self.private = max(self.private, held(self._pids())["private"])
            self._ended.wait(SAMPLE_SECONDS)

    def __enter__(self) -> Peak:
        """Begin to look."""
        if available():
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop looking."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
