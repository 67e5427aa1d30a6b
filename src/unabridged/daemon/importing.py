"""Brings transcripts into the archive: finds them, has them read, commits what comes, keeps files apart."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from unabridged.archive.admission import Append, Appended, plan_append
from unabridged.daemon import messages, pool
from unabridged.daemon.channel import Channel
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.messages import Ack, Broken, Filled, Find, Finished, Found, FoundSome, Read, Trouble
from unabridged.errors import Conflict, InternalError, InvalidInput, UnabridgedError, by_code
from unabridged.hosts.contract import Candidate
from unabridged.schema.ids import Micros
from unabridged.schema.records import Generation, Origin
from unabridged.service.ports import Check, IndexControl, Progress
from unabridged.service.requests import ImportAnswer, ImportRequest
from unabridged.store.contract import Store

POLL_SECONDS = 0.05  # between two looks whether the caller still waits
IN_FLIGHT = 2  # batches of one worker that are committed at once (see daemon/reading)
RETRIES = 2  # further attempts at a transcript that another importer read meanwhile


@dataclass(frozen=True, slots=True)
class Rules:
    """What readers are told: which hosts there are, when a transcript is idle, what is masked."""

    hosts: Sequence[str]
    env: dict[str, str]
    home: str
    platform: str
    idle_seconds: float
    redact: bool = True
    literals: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What every job works with. `admit` raises when nothing may be admitted; `grown` learns of each commit, `seen` of
    each transcript that was read."""

    store: Store
    known: Known
    log: Log
    rules: Rules
    now: Callable[[], Micros]
    admit: Callable[[], None]
    grown: Callable[[], None]
    seen: Callable[[Origin, Candidate, Finished], None]


class FindJob:
    """Looks for transcripts."""

    def __init__(self, request: Find, page: Callable[[FoundSome], None], lost: Callable[[str], None]) -> None:
        """Give each page to `page`."""
        self.attempts = 0
        self._request = request
        self._page = page
        self._lost = lost

    def run(self, channel: Channel) -> None:
        """Ask the worker and hand its pages on."""
        channel.send(messages.encode(self._request))
        while True:
            report = messages.report(channel.receive())
            if isinstance(report, Broken):
                raise InternalError(type=report.kind, places=report.places)
            if isinstance(report, FoundSome):
                self._page(report)
                if report.last:
                    return

    def lost(self, why: str) -> None:
        """Pass the loss on."""
        self._lost(why)


class ReadJob:
    """Reads one transcript and commits what comes of it."""

    def __init__(
        self,
        ground: Ground,
        host: str,
        candidate: Candidate,
        run: ImportRun,
        ended: Callable[[ReadJob], None],
        *,
        close: bool = False,
        verify: bool = False,
        live: bool = False,
        version: int = 0,
    ) -> None:
        """Read `candidate` of `host`; `ended` is called once, whatever happens."""
        self.attempts = 0
        self.host = host
        self.candidate = candidate
        self.close = close
        self.account = run
        self._ground = ground
        self._verify = verify
        self._live = live
        self._version = version
        self._ended = ended
        self._flight = deque[tuple[Future[Any], Filled]]()
        self._error: UnabridgedError | None = None
        self._redactions = 0

    @property
    def place(self) -> str:
        """What names the origin: the file's path, or the stream's name."""
        return place_of(self.candidate)

    def run(self, channel: Channel) -> None:
        """Have the transcript read; a conflict with another importer is read again from where that one ended."""
        if self.account.cancelled:
            self._end()
            return
        while self._flight:  # of an earlier attempt whose worker died
            self._settle()
        report = self._once(channel)
        for _ in range(RETRIES):
            if not isinstance(self._error, Conflict):
                break
            report = self._once(channel)
        self.account.trouble(report.troubles)
        origin = self._ground.known.origin(self.host, self.place)
        if origin is not None:
            self._ground.seen(origin, self.candidate, report)
        self._end()

    def lost(self, why: str) -> None:
        """Account for a transcript that could not be read at all."""
        cls = by_code().get(why, InternalError)
        message = "the process that read it ended twice" if why == "reader-died" else cls().message
        self.account.trouble([Trouble(self.candidate.path, 0, why, message)])
        self._end()

    def _end(self) -> None:
        # A conflict or a broken file concerns this file alone; a store that fails concerns the import.
        error = self._error
        if isinstance(error, Conflict):
            self.account.trouble([Trouble(self.candidate.path, 0, error.code, error.message)])
            error = None
        self.account.finished(error)
        self._ended(self)

    def _once(self, channel: Channel) -> Finished:
        self._error = None
        prior = self._prior()
        self._redactions = prior.redactions if prior is not None else 0
        rules = self._ground.rules
        spans = self._ground.known.spans(prior) if self._verify and prior is not None else None
        channel.send(
            messages.encode(
                Read(
                    self.host,
                    self.candidate,
                    prior,
                    rules.idle_seconds,
                    list(rules.literals),
                    list(rules.patterns),
                    rules.redact,
                    self.close,
                    self._live,
                    self._version or (prior.mtime_ns if prior is not None else 0),
                    spans,
                )
            )
        )
        while True:
            report = messages.report(channel.receive())
            if isinstance(report, Filled):
                self._fill(channel, report)
            elif isinstance(report, Finished):
                while self._flight:
                    self._settle()
                return report
            elif isinstance(report, Broken):
                self._flight.clear()
                raise InternalError(type=report.kind, places=report.places)

    def _prior(self) -> Generation | None:
        origin = self._ground.known.origin(self.host, self.place)
        return self._ground.known.prior(origin) if origin is not None else None

    def _fill(self, channel: Channel, filled: Filled) -> None:
        """Submit a batch; once two are under way wait for the older one and let the worker go on."""
        append = filled.append
        if self._error is None:
            try:
                self._ground.admit()
                plan = plan_append(append, self._ground.now())
                self._flight.append((self._ground.store.submit(append.origin.project, plan), filled))
            except UnabridgedError as error:
                self._error = error
        if self._error is None and len(self._flight) < IN_FLIGHT:
            return
        if self._flight:
            self._settle()
        channel.send(messages.encode(Ack(self._error is not None or self.account.cancelled)))

    def _settle(self) -> None:
        future, filled = self._flight.popleft()
        try:
            outcome: Appended = future.result()
        except UnabridgedError as error:
            self._error = self._error or error
            return
        append: Append = filled.append
        self._ground.known.add(append.origin)
        redactions = append.after.redactions - self._redactions
        self._redactions = append.after.redactions
        self.account.committed(append, outcome, filled.consumed, redactions)
        if outcome.position:
            self._ground.grown()


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
        except UnabridgedError:
            with run.changed:
                run.cancelled = True
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

    def notify(self, path: str, host: str) -> None:
        """Read a transcript that grew, soon."""
        for name in (host,) if host else tuple(self._ground.rules.hosts):
            origin = self._ground.known.origin(name, path)
            if origin is not None and origin.kind == "file":
                self.read(name, Candidate(path, "file"))
                return
        self.scan([path], [host] if host else list(self._ground.rules.hosts))

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
        run = ImportRun()
        rules = self._ground.rules
        request = Find(paths, hosts, rules.env, rules.home, rules.platform, list(only))
        self._pool.submit(
            FindJob(
                request, lambda page: self._page(page, run, priority=pool.LIVE), lambda _: run.found_all()
            ),
            pool.LIVE,
        )

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
        )

        def page(found: FoundSome) -> None:
            self._page(found, run, verify=request.verify, dry_run=request.dry_run)

        def lost(why: str) -> None:
            run.found_all(by_code().get(why, InternalError)("the process that looked for transcripts ended"))

        self._pool.submit(FindJob(find, page, lost), pool.FINDING)

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
                verify=verify and not version,
                live=live,
                version=version,
            )
            self._schedule(job, priority)
        if page.last:
            run.found_all()

    def _plan(self, file: Found) -> tuple[str, int, bytes]:
        """Return what is to be done with a file, the bytes that are to be read, and its session where it is known."""
        origin = self._ground.known.origin(file.host, place_of(file.candidate))
        prior = self._ground.known.prior(origin) if origin is not None else None
        if prior is None:
            return "new", file.size, b""
        if (file.inode, file.size, file.mtime_ns) == (prior.inode, prior.size, prior.mtime_ns):
            return "unchanged", 0, prior.session
        grown = file.size >= prior.source_offset
        return ("grown", file.size - prior.source_offset, prior.session) if grown else ("new", file.size, b"")

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


def place_of(candidate: Candidate) -> str:
    """Return the name that an origin's id is made from."""
    return candidate.path if candidate.kind != "rows" else f"{candidate.path}#{candidate.owner}"
