"""The search index of a daemon: follows the log through the index worker, swaps in what it has committed.

One thread owns the worker. It sends the log in stretches, has them committed two to four times a second (at once where
somebody waits for it), then reloads the daemon's own read-only opening of the index, so that a search sees one state
and knows how far that state goes. An index that is damaged, or that stands on another log, is built anew beside the old
one.
"""

from __future__ import annotations

import errno
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unabridged.archive import log as archive_log
from unabridged.daemon.channel import ChannelClosed
from unabridged.daemon.indexview import Shelf
from unabridged.daemon.indexworker import IndexWorker, Rejected
from unabridged.daemon.logs import Log
from unabridged.daemon.stretches import Handed, Stretch, Stretches
from unabridged.daemon.workers import Backoff
from unabridged.errors import DiskFull, IndexBusy, IndexCorrupt, IndexError_, IndexTooNew, UnabridgedError
from unabridged.index import generation
from unabridged.retrieve.finder import IndexFinder
from unabridged.schema.ids import ProjectId
from unabridged.service.ports import Check, Progress
from unabridged.store.contract import Store

COMMIT_SECONDS = 0.4  # after which applied stretches are committed although more follow
GATHER_SECONDS = 0.25  # between two commits of what comes bit by bit, while nobody waits to find it
POLL_SECONDS = 1.0  # between two looks at the log when nobody says that it grew
WAIT_SECONDS = 0.05  # between two looks whether a waiter's caller is still there
DISTRUST_SECONDS = 300.0  # between two rebuilds that failed searches cause
COMPARE_TRIES = 5  # that an index is compared with one made anew, while the archive grows
KEEPING_UP = 4 << 20  # bytes of text applied since the last commit from which one is due whatever the time


class Indexing:
    """The index of one store, below one folder."""

    def __init__(self, store: Store, root: str, log: Log, errors: str) -> None:
        """Begin to follow in a thread of its own; searches find what was committed before at once."""
        self._store = store
        self._root = Path(root)
        self._log = log
        self._errors = errors
        self._changed = threading.Condition()
        self._woken = threading.Event()
        self._urgent = threading.Event()  # somebody waits for what was admitted
        self._closed = False
        self._rebuild = False
        self._state = "starting"
        self._error = ""
        self._damaged = 0
        self._distrusted = float("-inf")
        self._shelf = Shelf(self._root)
        self.recent = self._shelf.recent
        self.finder = self._shelf.finder
        self.generation = self._shelf.generation
        self._worker: IndexWorker | None = None
        self.give_way: Callable[[], None] = lambda: (
            None
        )  # for this and for an import, before a step of theirs
        self.helpers: Callable[[Handed], bool] = lambda _: False  # hands a stretch to a worker that is free
        self._serving(generation.current(self._root))
        self._thread = threading.Thread(target=self._run, name="indexing", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    # --- the port ---------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Return how the index stands; see `service.ports.IndexControl`."""
        view, behind = self._shelf.view, 0
        positions = view.finder.committed if view is not None else dict[ProjectId, int]()
        with self._store.snapshot() as reader:
            for project in archive_log.projects(reader):
                behind += max(0, archive_log.head(reader, project.id) - positions.get(project.id, 0))
        state = self._state
        if state == "current" and behind:
            state = "behind"
        return {
            "ok": state in ("starting", "current", "behind", "building", "rebuilding"),
            "state": state,
            "behind": behind,
            "generation": view.generation if view is not None else 0,
            "windows": view.windows if view is not None else 0,
            "segments": view.segments if view is not None else 0,
            "damaged_events": self._damaged,
            "bytes_on_disk": generation.size(self._root),
            "error": self._error,
        }

    def wait(self, positions: Mapping[ProjectId, int], check: Check) -> bool:
        """Wait until every given position can be found."""
        return self._reached(positions, check, lambda finder: finder.positions)

    def _reached(
        self,
        positions: Mapping[ProjectId, int],
        check: Check,
        standing: Callable[[IndexFinder], Mapping[ProjectId, int]],
    ) -> bool:
        while True:
            with self._changed:
                view = self._shelf.view
                found = standing(view.finder) if view is not None else dict[ProjectId, int]()
                if all(found.get(project, 0) >= position for project, position in positions.items()):
                    return True
                if self._closed or self._state == "failed":
                    return False
                self._hurry()
                self._changed.wait(WAIT_SECONDS)
            check()

    def _hurry(self) -> None:
        self._urgent.set()
        self._woken.set()

    def poke(self) -> None:
        """Learn that the log grew."""
        self._woken.set()

    def distrust(self, code: str) -> None:
        """Make an index anew that opened well but fails when it is searched; not over and over."""
        now = time.monotonic()
        if code != IndexCorrupt.code or now - self._distrusted < DISTRUST_SECONDS:
            return
        self._distrusted = now
        self._log.warning("index-distrusted", generation=self.generation())
        with self._changed:
            self._rebuild = True
        self._hurry()

    def rebuild(self, wait: bool, progress: Progress, check: Check) -> None:
        """Build a new generation and use it once it has caught up."""
        before = self.generation()
        with self._changed:
            self._rebuild = True
        self._hurry()
        while wait:
            with self._changed:
                fresh = self._shelf.view is not None and self._shelf.view.generation != before
                if fresh and not self._rebuild and self._state == "current":
                    return
                if self._closed or self._state == "failed":
                    raise IndexError_(self._error or "the index could not be built")
                self._changed.wait(WAIT_SECONDS)
            check()
            progress({"phase": "rebuild", **self._progress()})

    def verify(self, progress: Progress, check: Check) -> dict[str, Any]:
        """Build the index once more beside and compare; see `service.ports.IndexControl`."""
        current = self.generation()
        if not current:
            return self.status()
        beside = self._root / "verify"
        shutil.rmtree(beside, ignore_errors=True)
        worker = IndexWorker(str(beside / "g1"), self._errors)
        try:
            return {**self.status(), **self._compare(worker, str(beside / "g1"), current, progress, check)}
        except ChannelClosed as error:
            raise IndexError_("the process that compared the index died") from error
        finally:
            worker.end()
            shutil.rmtree(beside, ignore_errors=True)

    def _compare(
        self, worker: IndexWorker, path: str, current: int, progress: Progress, check: Check
    ) -> dict[str, Any]:
        """Feed a second index until both stand at the same positions, then compare what they hold."""
        for _ in range(COMPARE_TRIES):
            with self._store.snapshot() as reader:
                projects = [project.id for project in archive_log.projects(reader)]
            for project in projects:
                stretches = Stretches(self._store, project, worker.position(project), self.helpers)
                while (stretch := stretches.next()) is not None:
                    check()
                    self._apply(worker, stretch)
                    progress({"phase": "verify", "windows": worker.windows})
            worker.commit()
            wanted = {project: at for project, (at, _) in worker.watermarks.items()}
            self._reached(wanted, check, lambda finder: finder.committed)
            view = self._shelf.view
            if view is not None and dict(view.finder.committed) == wanted and view.generation == current:
                mine = worker.digest(str(generation.folder(self._root, current)))
                new = worker.digest(path)
                equal = mine.digest == new.digest
                return {"ok": equal and not mine.files, "equal": equal, "damaged_files": mine.files}
        raise IndexBusy("the archive grows too fast to compare the index with it")

    def close(self, timeout: float) -> None:
        """End the worker; what it has not committed is applied again later."""
        self._closed = True
        self._hurry()
        if self._thread.is_alive():
            self._thread.join(timeout)
        worker = self._worker
        if self._thread.is_alive() and worker is not None:
            worker.kill()
            self._thread.join(timeout)

    def pids(self) -> list[int]:
        """Return the worker's process number."""
        worker = self._worker
        return [worker.pid] if worker is not None else []

    def _progress(self) -> dict[str, Any]:
        worker = self._worker
        return {"windows": worker.windows if worker is not None else 0}

    # --- the thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        backoff, started = Backoff(), time.monotonic()
        while not self._closed:
            try:
                started = time.monotonic()
                self._follow()
            except ChannelClosed:
                if self._closed:
                    break
                self._log.warning("worker-died", role="index", status=self._end())
                self._pause(backoff.next(time.monotonic() - started))
            except (IndexCorrupt, IndexTooNew, Rejected) as error:
                # Also one that a newer version made: the archive has everything, and that version builds its own anew.
                self._log.failure("index-rebuilt", error)
                self._end()
                self._rebuild = True
                self._pause(backoff.next(time.monotonic() - started))
            except (UnabridgedError, OSError) as error:
                self._fail(error)
                self._end()
                self._pause(max(POLL_SECONDS, backoff.next(time.monotonic() - started)))
        self._end()

    def _pause(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._closed and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, WAIT_SECONDS))

    def _fail(self, error: UnabridgedError | OSError) -> None:
        if isinstance(error, OSError):  # of the folder itself: a full disk, a right that was taken
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            error = DiskFull() if full else IndexError_("its folder cannot be used", reason=error.strerror)
        self._log.failure("index-failed", error)
        with self._changed:
            self._state, self._error = "failed", error.code
            self._changed.notify_all()

    def _follow(self) -> None:
        """Open the worker on the generation to write, then follow until something changes that."""
        current = generation.current(self._root)
        asked = self._rebuild
        fresh = not current or asked
        number = generation.next_number(self._root) if fresh else current
        worker = self._worker = IndexWorker(str(generation.folder(self._root, number)), self._errors)
        self._check_log(worker)
        if not current:
            generation.use(
                self._root, number
            )  # partial answers are better than none while the first one is built
        generation.prune(self._root, {number, current, self.generation()})  # also what searches still read
        rebuilding = fresh and bool(current)
        with self._changed:
            if asked:  # one that was asked for since then is made next
                self._rebuild = False
            self._state, self._error = "rebuilding" if rebuilding else "building" if fresh else "current", ""
        serving = number if not rebuilding else 0
        while not self._closed and not self._rebuild:
            self._urgent.clear()
            self._woken.clear()
            begun = time.monotonic()
            caught_up = self._round(worker, serving)
            if not caught_up:
                continue
            if not serving:
                generation.use(self._root, number)
                serving = number
            if self._state != "current" or self.generation() != number:
                if not self._serving(number):
                    break  # searches still read the one before
                generation.prune(self._root, {number})
                self._set("current")
            if self._woken.wait(POLL_SECONDS):
                # What comes one by one is sent and committed together: each commit costs what many entries cost.
                self._urgent.wait(begun + GATHER_SECONDS - time.monotonic())
        self._end()

    def _check_log(self, worker: IndexWorker) -> None:
        """Raise `IndexCorrupt` when the index has what this log does not."""
        with self._store.snapshot() as reader:
            for project, (position, digest) in worker.watermarks.items():
                if not archive_log.is_consistent(reader, project, position, digest):
                    raise IndexCorrupt("the index was made from another log", position=position)

    def _round(self, worker: IndexWorker, serving: int) -> bool:
        """Send what is new of every project once; tell whether the index has all of it."""
        size, last, complete = 0, time.monotonic(), True
        with self._store.snapshot() as reader:
            projects = [project.id for project in archive_log.projects(reader)]
        for project in projects:
            stretches = Stretches(self._store, project, worker.position(project), self.helpers)
            while not self._closed and not self._rebuild:
                if not self._urgent.is_set():
                    self.give_way()
                stretch = stretches.next()
                if stretch is None:
                    break
                complete = False
                self._apply(worker, stretch)
                size += stretch.feed.size
                if size >= KEEPING_UP or time.monotonic() - last >= COMMIT_SECONDS:
                    self._commit(worker, serving)
                    size, last = 0, time.monotonic()
        if worker.uncommitted:
            self._commit(worker, serving)
        return complete

    def _apply(self, worker: IndexWorker, stretch: Stretch) -> None:
        worker.apply(stretch.feed, stretch.made(lambda: self._closed))

    def _commit(self, worker: IndexWorker, serving: int) -> None:
        worker.commit()
        self._damaged = worker.damaged
        if serving:
            self._serving(serving)

    def _end(self) -> int:
        worker, self._worker = self._worker, None
        return worker.end() if worker is not None else 0

    def _set(self, state: str) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()

    # --- what searches see ------------------------------------------------------------------------------------------

    def _serving(self, number: int) -> bool:
        """Swap in what the worker committed; false for an index that cannot be loaded, which is made anew."""
        if not number:
            return True
        try:
            self._shelf.load(number)
        except IndexError_ as error:
            self._log.failure("index-not-loaded", error)
            self._rebuild = True
            return False
        with self._changed:
            self._changed.notify_all()
        return True
