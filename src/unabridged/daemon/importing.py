"""Brings transcripts into the archive: finds them, has them read, commits what comes, keeps files apart."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from unabridged.archive.log import projects
from unabridged.daemon import pool
from unabridged.daemon.capturing import Workers
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.jobs import FindJob, Ground, ReadJob, place_of
from unabridged.daemon.messages import Find, Found, FoundSome, Trouble
from unabridged.errors import InternalError, InvalidInput, UnabridgedError, by_code
from unabridged.hosts.contract import Candidate
from unabridged.service.capturing import Captures
from unabridged.service.compose import redactor
from unabridged.service.ports import Check, IndexControl, Progress
from unabridged.service.requests import ImportAnswer, ImportRequest

POLL_SECONDS = 0.05  # between two looks whether the caller still waits


class Importing:
    """The importer of a daemon. Two jobs on one file never run at once."""

    def __init__(
        self, ground: Ground, workers: int, index: IndexControl, clock: Callable[[], float], errors: str
    ) -> None:
        """Start the worker threads; `clock` gives monotonic seconds."""
        self._ground = ground
        self._index = index
        self._clock = clock
        self._pool = pool.Pool(workers, ground.log, errors)
        rules = ground.rules
        self.captures = Captures(
            lambda: redactor(rules.redact, rules.literals, rules.patterns),
            Workers(self._pool, rules),
            rules.idle_seconds,
            clock,
        )
        self._lock = threading.Lock()
        self._busy = dict[str, deque[tuple[ReadJob, int]]]()  # path → jobs that wait for it

    # --- the port ---------------------------------------------------------------------------------------------------

    def run(self, request: ImportRequest, progress: Progress, check: Check) -> ImportAnswer:
        """Import what the request names; see `service.ports.Importer`."""
        started = self._clock()
        run = ImportRun(request.paths)
        self._find(request, run)
        try:
            self._follow(run, progress, check, started)
        except BaseException as error:
            with run.changed:
                run.cancelled = True
            if isinstance(error, UnabridgedError):  # a person who presses Ctrl-C waits no longer
                self._await_end(run)
            raise
        if run.error is not None:
            raise run.error
        failure = run.failure()
        if failure is not None:
            raise failure
        searchable, durable = True, self._clock() - started
        if run.positions and not request.dry_run:
            progress(run.facts("index", self._clock() - started))
            searchable = self._index.wait(run.positions, check)
        seconds = self._clock() - started
        return run.answer(seconds, dry_run=request.dry_run, searchable=searchable, durable=durable)

    def notify(self, path: str, host: str, *, ended: bool = False) -> None:
        """Read a transcript that grew, soon; one that ended closes its turn."""
        name = self._knows(path, host)
        if name:
            self.read(name, Candidate(path, "file"), close=ended)
        else:
            self.scan([path], [host] if host else list(self._ground.rules.hosts))

    def settle(self, path: str, host: str, seconds: float) -> bool:
        """Read a transcript now; tell whether all of it was durable within so many seconds."""
        return self.follow(path, host).end(seconds)

    def follow(self, path: str, host: str, *, ended: bool = False) -> ImportRun:
        """Do as `notify`; the account tells when all of it is durable, or what went wrong."""
        run = ImportRun([path], close=ended)
        if self._knows(path, host):
            run.finding, run.pending = False, 1
            job = ReadJob(self._ground, host, Candidate(path, "file"), run, self._ended, close=ended)
            self._schedule(job, pool.LIVE)
        else:
            self._look([path], [host], (), run)
        return run

    def _knows(self, path: str, host: str) -> str:
        """Return the host (that one, or any where none is named) whose known file lies at a path, else ""."""
        for name in (host,) if host else tuple(self._ground.rules.hosts):
            origin = self._ground.known.origin(name, path)
            if origin is not None and origin.kind == "file":
                return name
        return ""

    # --- for the follower of growing files --------------------------------------------------------------------------

    def read(self, host: str, candidate: Candidate, *, close: bool = False) -> None:
        """Read one transcript in the background, unless that is about to happen anyway."""
        run = ImportRun()
        run.finding, run.pending = False, 1
        self._schedule(
            ReadJob(self._ground, host, candidate, run, self._ended, close=close), pool.LIVE, once=True
        )

    def scan(self, paths: list[str], hosts: list[str], only: Sequence[str] = ()) -> None:
        """Look for transcripts (only for those at the real paths `only`, when given) and read what is new of them."""
        self._look(paths, hosts, only, ImportRun())

    def _look(self, paths: list[str], hosts: list[str], only: Sequence[str], run: ImportRun) -> None:
        rules = self._ground.rules
        request = Find(
            paths, hosts, rules.env, rules.home, rules.platform, list(only), self._ground.known.stats()
        )

        def lost(why: str) -> None:
            run.trouble([Trouble(path, 0, why, "the look for transcripts was given up") for path in paths])
            run.found_all()

        self._pool.submit(
            FindJob(request, lambda page: self._page(page, run, priority=pool.LIVE), lost), pool.LIVE
        )

    def help(self, job: pool.Job) -> bool:
        """Have a job done by a worker that has nothing to read; tell whether there is one."""
        return self._pool.offer(job)

    def facts(self) -> dict[str, Any]:
        """Return what the workers do now."""
        with self._lock:
            busy = len(self._busy)
        return {"files": busy, "waiting": self._pool.waiting, "workers": self._pool.pids()}

    @property
    def busy(self) -> bool:
        """Whether transcripts are being read."""
        with self._lock:
            return bool(self._busy)

    def close(self, timeout: float) -> None:
        """End the workers; what they have committed stays."""
        self._pool.close(timeout)

    # --- finding ----------------------------------------------------------------------------------------------------

    def _find(self, request: ImportRequest, run: ImportRun) -> None:
        rules = self._ground.rules
        if request.host and request.host not in rules.hosts:
            raise InvalidInput("there is no host of that name", field="host", known=list(rules.hosts))
        find = Find(
            request.paths,
            [request.host] if request.host else list(rules.hosts),
            {**rules.env, **request.env},
            rules.home,
            rules.platform,
            stats=self._ground.known.stats(),
            projects=[] if request.paths else self._project_roots(),
        )

        def page(found: FoundSome) -> None:
            self._page(found, run, verify=request.verify, dry_run=request.dry_run)

        def lost(why: str) -> None:
            run.found_all(by_code().get(why, InternalError)("the process that looked for transcripts ended"))

        self._pool.submit(FindJob(find, page, lost), pool.FINDING)
        if len(request.paths) != 1 or os.path.isdir(request.paths[0]):
            self._pool.warm()  # there may be more than one to read: while the first worker finds them, others start

    def _project_roots(self) -> list[str]:
        """Return the folders of all projects."""
        with self._ground.store.snapshot() as reader:
            roots = [root for project in projects(reader) for root in project.roots]
        return [root for root in roots if os.path.isabs(root)]

    def _page(
        self,
        page: FoundSome,
        run: ImportRun,
        *,
        verify: bool = False,
        dry_run: bool = False,
        priority: int = pool.BULK,
    ) -> None:
        run.trouble(page.troubles)
        for file in page.files if not run.cancelled else ():
            action, expected, session = self._plan(file)
            if verify and action == "unchanged":
                action, expected = "verify", 0
            run.found(file, expected, action, session)
            if action == "unchanged":
                continue
            if dry_run:
                run.finished()
                continue
            version = file.mtime_ns if file.candidate.kind == "rows" else 0
            live = priority == pool.LIVE
            job = ReadJob(
                self._ground,
                file.host,
                file.candidate,
                run,
                self._ended,
                close=run.close,
                verify=verify and not version,
                live=live,
                version=version,
            )
            self._schedule(job, priority)
        if page.last:
            run.found_all()

    def _plan(self, file: Found) -> tuple[str, int, bytes]:
        """Return what is to be done with a file, the bytes that are to be read, and its session where it is known."""
        mark = self._ground.known.mark(file.host, place_of(file.candidate))
        if mark is None:
            return "new", file.size, b""
        if (file.inode, file.size, file.mtime_ns) == mark.stat:
            return "unchanged", 0, mark.session
        grown = file.size >= mark.consumed
        return ("grown", file.size - mark.consumed, mark.session) if grown else ("new", file.size, b"")

    # --- order ------------------------------------------------------------------------------------------------------

    def _schedule(self, job: ReadJob, priority: int, *, once: bool = False) -> None:
        """Queue a job, behind any other on the same file; `once`: not at all when one waits already."""
        with self._lock:
            waiting = self._busy.get(job.place)
            if waiting is not None:
                if once and any(other.close >= job.close for other, _ in waiting):
                    return
                waiting.append((job, priority))
                return
            self._busy[job.place] = deque()
        self._pool.submit(job, priority)

    def _ended(self, job: ReadJob) -> None:
        with self._lock:
            waiting = self._busy[job.place]
            if not waiting:
                del self._busy[job.place]
                return
            following, priority = waiting.popleft()
        self._pool.submit(following, priority)

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _follow(self, run: ImportRun, progress: Progress, check: Check, started: float) -> None:
        """Wait for the end of a run, reporting progress; raise when the caller has gone."""
        while True:
            with run.changed:
                if run.over:
                    return
                run.changed.wait(POLL_SECONDS)
            check()
            progress(run.facts("find" if run.finding else "read", self._clock() - started))

    def _await_end(self, run: ImportRun) -> None:
        """Wait until nothing of a cancelled run is under way: its files end at a batch's boundary."""
        with run.changed:
            run.changed.wait_for(lambda: not run.pending)
