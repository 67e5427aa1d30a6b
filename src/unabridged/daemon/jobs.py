"""The jobs of ingest workers: look for transcripts, read one and commit what comes of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from unabridged.archive.admission import Append, Appended, plan_append
from unabridged.daemon import messages
from unabridged.daemon.channel import Channel
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.messages import Ack, Broken, Filled, Find, Finished, FoundSome, Read, Trouble
from unabridged.errors import Conflict, InternalError, InvalidInput, UnabridgedError, by_code
from unabridged.hosts.contract import Candidate
from unabridged.schema.ids import Micros
from unabridged.schema.records import Generation, Origin
from unabridged.store.contract import Store

IN_FLIGHT = 2  # batches of one worker that are committed at once (see daemon/batches)
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
    apart: bool = False  # a worktree of git is a project of its own


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
        self.account.trouble([Trouble(self.candidate.path, 0, why, cls().message)])
        self._end()

    def _end(self) -> None:
        # A conflict or what the store does not take (a name that is longer than a key may be) concerns this file alone;
        # a store that fails concerns the import.
        error = self._error
        if isinstance(error, Conflict | InvalidInput):
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
                    rules.apart,
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
        self._ground.known.add(append.origin, outcome.generation)
        redactions = append.after.redactions - self._redactions
        self._redactions = append.after.redactions
        self.account.committed(append, outcome, filled.consumed, redactions)
        if outcome.position:
            self._ground.grown()


def place_of(candidate: Candidate) -> str:
    """Return the name that an origin's id is made from."""
    return candidate.path if candidate.kind != "rows" else f"{candidate.path}#{candidate.owner}"
