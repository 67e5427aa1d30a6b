"""Fills the vectors: follows the log through a worker with a sentence model, while there is something to embed.

One thread owns the worker. It sends the log in stretches of some seconds' work, one at a time, and ends the worker once
it has caught up and nothing comes any more. A table that is damaged, that another model or a newer version wrote, or
that stands on another log, is made anew. Nothing waits for it: not what is captured, and no search.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unabridged.archive import log as archive_log
from unabridged.daemon import vectormessages as messages
from unabridged.daemon.channel import ChannelClosed
from unabridged.daemon.logs import Log
from unabridged.daemon.vectormessages import Choice, Failed, Keep, Load, Standing, Take
from unabridged.daemon.workers import Backoff, Process
from unabridged.errors import (
    IndexCorrupt,
    IndexError_,
    IndexTooNew,
    InternalError,
    UnabridgedError,
    by_code,
)
from unabridged.index import generation
from unabridged.schema.ids import ProjectId
from unabridged.store.contract import Store
from unabridged.vectors.feed import next_stretch
from unabridged.vectors.note import FORMAT, NOTE, read_note

ROLE = "embed"
POLL_SECONDS = 1.0  # between two looks at the log when nobody says that it grew
KEEP_SECONDS = 5.0  # between two commits: what was embedded since then is done again after a crash
LINGER_SECONDS = (
    20.0  # that a worker which has caught up is kept, since what follows comes soon or much later
)
RETRY_SECONDS = 60.0  # at most between two tries with a model that cannot be used

Marks = dict[ProjectId, tuple[int, bytes]]


class Filling:
    """The table of vectors of one store, below one folder."""

    def __init__(
        self,
        store: Store,
        root: str,
        choose: Callable[[], Choice | None],
        most_bytes: int,
        log: Log,
        errors: str,
    ) -> None:
        """Follow while `choose` names a model; the table takes at most `most_bytes` on the disk."""
        self._store = store
        self._root = Path(root)
        self._choose = choose
        self._most = most_bytes
        self._log = log
        self._errors = errors
        self._woken = threading.Event()
        self._closed = False
        self._suspected = False
        self._condemned = False
        self._sound = ""  # the table that was looked at after a suspicion, and found sound
        self._full = False
        self._model = ""
        self._rows = 0
        self._damaged = 0
        self._process: Process | None = None
        self._marks: Marks = {}  # what the worker has taken
        self._kept: Marks = {}  # what can be found, and is still there after a crash
        self.state, self.error = "off", ""
        self._thread = threading.Thread(target=self._run, name="vectors-fill", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def poke(self) -> None:
        """Learn that the log grew."""
        self._woken.set()

    def suspect(self) -> None:
        """Learn that the table could not be used; it is looked at, and made anew if need be.

        One that was found sound and still cannot be used is made anew, too: not every byte has a checksum.
        """
        self._condemned = self._sound == self.folder() != ""
        self._suspected = True
        self._woken.set()

    def folder(self) -> str:
        """Return the folder of the table in use, "" while there is none."""
        number = generation.current(self._root)
        return str(generation.folder(self._root, number)) if number else ""

    def behind(self) -> int:
        """Return how many log entries have no vectors yet."""
        marks, count = self._kept, 0
        with self._store.snapshot() as reader:
            for project in archive_log.projects(reader):
                head = archive_log.head(reader, project.id)
                count += max(0, head - marks.get(project.id, (0, b""))[0])
        return count

    def status(self) -> dict[str, Any]:
        """Return how the vectors stand, as plain JSON values."""
        if self.state == "off":
            return {"state": "off"}
        return {
            "state": self.state,
            "model": self._model,
            "behind": self.behind(),
            "spans": self._rows,
            "damaged_events": self._damaged,
            "bytes_on_disk": generation.size(self._root),
            "limit_bytes": self._most,
            "error": self.error,
        }

    def pids(self) -> list[int]:
        """Return the worker's process number."""
        process = self._process
        return [process.pid] if process is not None else []

    @property
    def busy(self) -> bool:
        """Whether something is being embedded."""
        return self.state == "working"

    def close(self, timeout: float) -> None:
        """End the worker; what it has not committed is embedded again later."""
        self._closed = True
        self._woken.set()
        process = self._process
        if process is not None:
            process.kill()
        if self._thread.is_alive():
            self._thread.join(timeout)

    # --- the thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        backoff = Backoff(last=RETRY_SECONDS)
        self._look()
        while not self._closed:
            started, choice = time.monotonic(), self._choose()
            if not self.folder():
                self._marks, self._kept, self._full = (
                    {},
                    {},
                    False,
                )  # somebody removed the table, which anybody may
            if choice is None:
                self._set("off")
            elif self._suspected or (not self._full and self.behind()):
                delay = self._guarded(choice, backoff, started)
                self._wait(delay)
                continue
            elif self.state not in ("full", "failed"):
                self._set("current")
            self._woken.wait(POLL_SECONDS)
            self._woken.clear()

    def _guarded(self, choice: Choice, backoff: Backoff, started: float) -> float:
        """Fill until there is nothing more; return the seconds to wait before the next try."""
        try:
            self._fill(choice)
            return 0.0
        except ChannelClosed:
            if not self._closed:
                self._log.warning("worker-died", role=ROLE, status=self._end())
        except (IndexCorrupt, IndexTooNew) as error:
            self._log.failure("vectors-rebuilt", error)
            self._end()
            self._anew()
        except (UnabridgedError, OSError) as error:
            code = error.code if isinstance(error, UnabridgedError) else type(error).__name__
            if code != self.error:
                self._log.failure("vectors-failed", error)
            self._set("failed", code)
        finally:
            self._end()
        return backoff.next(time.monotonic() - started)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._closed and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 0.05))

    def _set(self, state: str, error: str = "") -> None:
        self.state, self.error = state, error

    def _look(self) -> None:
        """Learn from the note how far the table is, without a worker."""
        folder = self.folder()
        if not folder:
            return
        try:
            note = read_note(Path(folder))
        except (IndexCorrupt, IndexTooNew):
            self._suspected = True
            return
        if note is not None:
            self._kept, self._rows, self._model = dict(note.watermarks), note.count, note.identity.model
            stale = note.format != FORMAT or self._is_older(Path(folder) / NOTE)
            self._suspected = stale or not self._is_of_this_log(self._kept)

    def _is_older(self, note: Path) -> bool:
        """Tell whether the table is older than the model of a folder, which may then be another one."""
        choice = self._choose()
        if choice is None or not choice.folder:
            return False
        try:
            files = [path.stat().st_mtime_ns for path in Path(choice.folder).iterdir()]
            return note.stat().st_mtime_ns < max(files, default=0)
        except OSError:
            return False

    def _anew(self) -> None:
        """Begin another table, and remove the old one: nobody can use it."""
        number = generation.next_number(self._root)
        generation.folder(self._root, number).mkdir(mode=0o700, parents=True)
        generation.use(self._root, number)
        generation.prune(self._root, {number})
        self._marks, self._kept, self._rows, self._full = {}, {}, 0, False
        self._condemned, self._sound = False, ""

    def _fill(self, choice: Choice) -> None:
        """Open the worker on the table, and send what is new until nothing comes any more."""
        if not self.folder():
            self._anew()
        if self._condemned:
            raise IndexCorrupt("the vectors cannot be used")
        process = self._process = Process(ROLE, self._errors)
        self._set("working")
        standing = self._ask(process, Load(choice, self.folder(), self._most))
        if not self._is_of_this_log(standing.watermarks):
            raise IndexCorrupt("the vectors were made from another log")
        self._take(standing)
        self._kept = self._marks
        if self._suspected:
            self._sound, self._suspected = self.folder(), False
        quiet = time.monotonic()
        while not self._closed and not self._suspected and self._choose() == choice:
            self._woken.clear()
            if self._round(process):
                quiet = time.monotonic()
            if self._full:
                self._set("full")
                return
            self._set("current")
            if time.monotonic() - quiet > LINGER_SECONDS:
                return
            self._woken.wait(POLL_SECONDS)

    def _is_of_this_log(self, marks: Marks) -> bool:
        with self._store.snapshot() as reader:
            return all(
                archive_log.is_consistent(reader, project, position, digest)
                for project, (position, digest) in marks.items()
            )

    def _round(self, process: Process) -> bool:
        """Send what is new of every project; tell whether anything was."""
        with self._store.snapshot() as reader:
            projects = [project.id for project in archive_log.projects(reader)]
        kept, sent = time.monotonic(), False
        for project in projects:
            while not self._closed:
                after = self._marks.get(project, (0, b""))[0]
                with self._store.snapshot(project) as reader:
                    stretch = next_stretch(reader, project, after)
                if stretch is None:
                    break
                self._set("working")
                standing = self._ask(process, Take(stretch))
                self._take(standing)
                sent = True
                if self._full:
                    break
                if self._marks.get(project, (0, b""))[0] != stretch.feed.position:
                    raise IndexCorrupt("the vectors did not take what follows their own position")
                if time.monotonic() - kept >= KEEP_SECONDS:
                    self._keep(process)
                    kept = time.monotonic()
        if sent:
            self._keep(process)
        return sent

    def _keep(self, process: Process) -> None:
        self._kept = dict(self._ask(process, Keep()).watermarks)

    def _take(self, standing: Standing) -> None:
        self._marks = dict(standing.watermarks)
        self._rows, self._damaged, self._full = standing.rows, standing.damaged, standing.full
        self._model = standing.identity.model

    def _ask(self, process: Process, order: messages.Order) -> Standing:
        process.channel.send(messages.encode(order))
        report = messages.report(process.channel.receive())
        if isinstance(report, Standing):
            return report
        if not isinstance(report, Failed):
            raise InternalError("the worker answered something else")
        kind = by_code().get(report.code, IndexError_)
        raise kind(report.message, places=report.places) if report.places else kind(report.message)

    def _end(self) -> int:
        process, self._process = self._process, None
        return process.end() if process is not None else 0
