"""Follows growing transcripts: new lines and new files are read soon after they appear.

Watched are the folders of known transcripts, and the folders where a host keeps its sessions once something was
imported from them or the host is installed. Only folders are watched, a bounded number of them, so that a huge tree
costs no more than a small one; what the watch misses a look at the files' sizes finds within a minute.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from watchfiles import Change, watch

from unabridged.archive.origins import plan_gone
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.watched import Watched, installed_hosts, plan_watch, used_roots
from unabridged.errors import UnabridgedError
from unabridged.hosts.contract import Candidate
from unabridged.schema.ids import Micros
from unabridged.schema.records import Origin
from unabridged.store.contract import Store

MAX_LOOKS = 2_000  # files whose size is looked at in one pass, those that grew last first
GATHER_MS, STEP_MS = 400, 100  # changes are gathered for at most so long; how often the watch looks up
PASS_SECONDS = 60.0  # between two looks at sizes
REFRESH_SECONDS = 2.0  # during which transcripts from folders not watched yet are gathered
SETTLE_SECONDS = 1.0  # until a watch that was just begun sees everything; what came before is looked for then
SIDE_FILES = ("-wal", "-shm")  # what a database writes beside itself


class Reads(Protocol):
    """What the importer does for the follower."""

    def read(self, host: str, candidate: Candidate, *, close: bool = False) -> None:
        """Read one transcript soon."""
        ...

    def scan(self, paths: list[str], hosts: list[str], only: Sequence[str] = ()) -> None:
        """Look for transcripts and read what is new."""
        ...


class Tailing:
    """One thread that watches and one map from changes to reads."""

    def __init__(
        self,
        reads: Reads,
        known: Known,
        store: Store,
        log: Log,
        roots: Callable[[], Mapping[str, list[Path]]],
        now: Callable[[], Micros],
        grew: Callable[[], None],
        journals: Path | None = None,
    ) -> None:
        """Follow what `known` lists; `roots` gives each host's places; `grew` is called when a followed file grows.

        `journals`: the folder that notes which hosts are installed.
        """
        self._reads = reads
        self._known = known
        self._store = store
        self._log = log
        self._roots = roots
        self._now = now
        self._grew = grew
        self._stop = threading.Event()
        self._closed = False
        self._journals = journals
        self._plan = Watched({}, 0, {})
        self._refreshing = False
        self._fresh = dict[str, list[str]]()  # folders that were not watched when they came, with their hosts
        self._looked = float("-inf")
        self._growth = 0.0
        self._by_path = dict[str, Origin]()
        self._thread = threading.Thread(target=self._run, name="tailing", daemon=True)

    def start(self) -> None:
        """Begin to watch, after one look at everything that is known."""
        self._thread.start()

    def noticed(self, origin: Origin) -> None:
        """Learn of a transcript that was just read; its folder is watched soon."""
        if origin.kind == "sidecar":
            return
        self._by_path[origin.path] = origin
        if os.path.dirname(origin.path) not in self._plan.folders:
            self._refresh_soon()

    def _refresh_soon(self) -> None:
        """Watch anew in a moment: folders were added."""
        if not self._refreshing and not self._closed:
            self._refreshing = True
            timer = threading.Timer(REFRESH_SECONDS, self._stop.set)
            timer.daemon = True
            timer.start()

    def close(self, timeout: float) -> None:
        """End the thread."""
        self._closed = True
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def facts(self) -> dict[str, Any]:
        """Return how much is watched and when something last grew."""
        return {
            "on": True,
            "folders": len(self._plan.folders),
            "folders_left_out": self._plan.left_out,
            "files": len(self._by_path),
            "last_growth": int(self._growth),
        }

    # --- the thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._scan_roots()
        while not self._closed:
            self._refreshing = False
            self._stop.clear()
            if self._closed:
                return
            self._by_path = {origin.path: origin for origin in self._known.all() if origin.kind != "sidecar"}
            self._came()
            installed = self._installed()
            self._plan = plan_watch(self._known.all(), self._roots(), installed)
            self._look_again()
            self._look_behind(installed)
            folders = [folder for folder in (*self._plan.folders, *self._notes()) if os.path.isdir(folder)]
            try:
                self._watch(folders)
            except OSError as error:
                # Out of watches, or a folder went away between the look and the watch: sizes are still looked at.
                self._log.warning("watch-failed", folders=len(folders), errno=error.errno)
                self._stop.wait(PASS_SECONDS)

    def _watch(self, folders: list[str]) -> None:
        if not folders:
            self._stop.wait(PASS_SECONDS)
            return
        for changes in watch(
            *folders,
            watch_filter=None,
            debounce=GATHER_MS,
            step=STEP_MS,
            stop_event=self._stop,
            rust_timeout=int(PASS_SECONDS * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
            ignore_permission_denied=True,
        ):
            self.changed(changes)
            self._look_again()

    def changed(self, changes: Iterable[tuple[Change, str]]) -> None:
        """Turn changes into reads: known transcripts directly, new files through their host."""
        new = dict[str, list[str]]()
        for path in sorted({_owner(path) for _, path in changes}):
            origin = self._by_path.get(path) or self._by_path.get(os.path.realpath(path))
            if str(self._journals) in (path, os.path.dirname(path)):
                self._refresh_soon()
            elif origin is not None:
                self._read(origin)
            elif os.path.isdir(path):
                self._new_folder(path)
            elif self._plan.folders.get(os.path.dirname(path)) and os.path.exists(path):
                new.setdefault(os.path.dirname(path), []).append(os.path.realpath(path))
            elif os.path.realpath(path) in self._plan.awaited:
                self._refresh_soon()
        for folder, files in new.items():
            self._grow()
            self._reads.scan([folder], sorted(self._plan.folders[folder]), files)

    def _new_folder(self, path: str) -> None:
        hosts = self._plan.folders.get(os.path.dirname(path))
        if hosts and path not in self._plan.folders:
            self._fresh[path] = sorted(hosts)
            self._reads.scan([path], sorted(hosts))
            self._refresh_soon()
        elif any(f"{place}/".startswith(f"{os.path.realpath(path)}/") for place in self._plan.awaited):
            self._refresh_soon()

    def _came(self) -> None:
        """Take up places of hosts that were not there when the watch began."""
        self._fresh.update(
            (place, [host]) for place, host in self._plan.awaited.items() if os.path.exists(place)
        )

    def _look_behind(self, installed: frozenset[str]) -> None:
        """Look once more where a watch begins: what was written before it began, no watch has seen."""
        fresh, self._fresh = self._fresh, {}
        timer = threading.Timer(SETTLE_SECONDS, self._settled, (fresh, installed))
        timer.daemon = True
        timer.start()

    def _settled(self, fresh: Mapping[str, list[str]], installed: frozenset[str]) -> None:
        if self._closed:
            return
        for path, hosts in fresh.items():
            self._reads.scan([path], hosts)
        if self._installed() != installed or any(map(os.path.exists, self._plan.awaited)):
            self._refresh_soon()

    def _installed(self) -> frozenset[str]:
        return installed_hosts(self._journals) if self._journals is not None else frozenset()

    def _notes(self) -> list[str]:
        """Return the folder that notes installations, with the one that it lies in, where it may be made."""
        return [] if self._journals is None else [str(self._journals.parent), str(self._journals)]

    def _read(self, origin: Origin) -> None:
        if not os.path.exists(origin.path):
            self._missing(origin)
            return
        self._grow()
        if origin.kind == "stream":
            self._reads.scan([origin.path], [origin.host])
        else:
            self._reads.read(origin.host, Candidate(origin.path, origin.kind))

    def _missing(self, origin: Origin) -> None:
        if origin.gone:
            return
        try:
            noted: Origin | None = self._store.commit(origin.project, plan_gone(origin, self._now()))
        except UnabridgedError as error:
            self._log.failure("gone-not-noted", error)
            return
        if noted is not None:
            self._known.add(noted)
            self._by_path[noted.path] = noted

    def _grow(self) -> None:
        self._growth = time.time()
        self._grew()

    def _look_again(self) -> None:
        """Compare sizes and times with what was read, once a minute."""
        if time.monotonic() - self._looked < PASS_SECONDS:
            return
        self._looked = time.monotonic()
        origins = sorted(self._by_path.values(), key=lambda item: -item.seen)[:MAX_LOOKS]
        for origin in origins:
            if self._stop.is_set():
                return
            mark = self._known.mark(origin.host, origin.path)
            try:
                found = os.stat(origin.path)
            except FileNotFoundError:
                self._missing(origin)
                continue
            except OSError:
                continue
            if origin.kind != "file" or mark is None:
                continue
            if (found.st_ino, found.st_size, found.st_mtime_ns) != mark.stat:
                self._read(origin)
            elif mark.open:
                self._reads.read(origin.host, Candidate(origin.path, origin.kind))

    def _scan_roots(self) -> None:
        """Look for what appeared while no daemon ran, where something was imported from before."""
        for host, places in used_roots(self._known.all(), self._roots()).items():
            self._reads.scan([str(place) for place in places], [host])


def _owner(path: str) -> str:
    """Return the database that a side file belongs to, else the path itself."""
    for ending in SIDE_FILES:
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path
