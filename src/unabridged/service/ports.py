"""What operations need of the process that runs them: the daemon implements these, tests have doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unabridged.errors import DaemonUnavailable, NotFound
from unabridged.hosts.contract import Host
from unabridged.schema.ids import Micros, ProjectId
from unabridged.service.bounded import Bounded
from unabridged.service.capturing import Captures
from unabridged.service.feedback import Feedback, NoFeedback
from unabridged.service.folders import Folders
from unabridged.service.requests import ImportAnswer, ImportRequest
from unabridged.store.contract import Store
from unabridged.window.prices import NO_PRICES, Table

HOUR = 3_600_000_000  # microseconds

Progress = Callable[[Mapping[str, Any]], None]  # plain JSON values; may be called often, from any thread
Check = Callable[
    [], None
]  # raises `Cancelled` or `DeadlineExceeded` once the caller has gone or waited long enough


class Importer(Protocol):
    """Reads transcripts into the archive."""

    def run(self, request: ImportRequest, progress: Progress, check: Check) -> ImportAnswer:
        """Import what the request names and return when all of it is durable and searchable."""
        ...

    def notify(self, path: str, host: str, *, ended: bool = False) -> None:
        """Note that a transcript grew (`ended`: for the last time); it is read soon. Returns at once."""
        ...

    def settle(self, path: str, host: str, seconds: float) -> bool:
        """Read a transcript now; tell whether all of it was durable within so many seconds."""
        ...


class IndexControl(Protocol):
    """The search index that follows the log."""

    def status(self) -> dict[str, Any]:
        """Return `ok`, `state` (current, behind, rebuilding, failed) and positions, as plain JSON values."""
        ...

    def wait(self, positions: Mapping[ProjectId, int], check: Check) -> bool:
        """Wait until the index has every given log position; tell whether it does (False: it failed)."""
        ...

    def poke(self) -> None:
        """Learn that the log grew, so as not to wait for the next look at it."""
        ...

    def distrust(self, code: str) -> None:
        """Learn that a search failed with an index error; a damaged index is made anew."""
        ...

    def rebuild(self, wait: bool, progress: Progress, check: Check) -> None:
        """Make the index anew from the archive; with `wait` return when it is in use."""
        ...

    def verify(self, progress: Progress, check: Check) -> dict[str, Any]:
        """Compare the index with the archive; return `ok` and what differs."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of the installation. `fixed` tells that a repair was made just now."""

    check: str
    ok: bool
    detail: str
    hint: str = ""
    fixed: bool = False


class DaemonInfo(Protocol):
    """The process itself."""

    pid: int

    def problems(self) -> list[dict[str, Any]]:
        """Return what is wrong with the process or its settings now: code, message."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return pid, version, uptime, connections, requests, workers, memory, as plain JSON values."""
        ...

    def slow(self) -> list[dict[str, Any]]:
        """Return the last slow requests: operation, milliseconds, time."""
        ...

    def disk(self) -> dict[str, Any]:
        """Return free bytes, the limit, whether admissions are refused, and whether nothing more fits."""
        ...

    def admit(self) -> None:
        """Raise `DiskLow` when nothing more may be admitted."""
        ...

    def tailing(self) -> dict[str, Any]:
        """Return what is followed: roots, files, last growth."""
        ...

    def examine(self, fix: bool) -> Iterator[Finding]:
        """Check folders, lock, socket, disk, configuration; repair what can be repaired safely when `fix`."""
        ...

    def stop(self, reason: str) -> None:
        """Begin to drain and stop. Returns at once."""
        ...


def no_speaker(_: Check) -> tuple[str, int]:
    """Say that nobody keeps a process that speaks MCP."""
    raise DaemonUnavailable("this process keeps none that speaks MCP")


class Outbox(Protocol):
    """The events that hooks left while no daemon answered."""

    def poke(self) -> None:
        """Have what waits applied soon. Returns at once."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return how much waits, how much lies in quarantine, what hooks hold back from, as plain JSON values."""
        ...

    def listed(self) -> list[dict[str, Any]]:
        """Return what lies in quarantine: id, code, message, attempts, host, event, session, transcript, time."""
        ...

    def replay(self, ids: Sequence[str]) -> int:
        """Let entries of quarantine (none named: all) wait again; return how many. Raises `NotFound`."""
        ...

    def drop(self, ids: Sequence[str]) -> int:
        """Remove entries of quarantine; return how many. Raises `NotFound`."""
        ...


class NoOutbox:
    """The outbox of a process that keeps none."""

    def poke(self) -> None:
        """Do nothing."""

    def facts(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def listed(self) -> list[dict[str, Any]]:
        """Return nothing."""
        return []

    def replay(self, ids: Sequence[str]) -> int:
        """Refuse: there is nothing of that name."""
        return _nothing(ids)

    def drop(self, ids: Sequence[str]) -> int:
        """Refuse: there is nothing of that name."""
        return _nothing(ids)


def _nothing(ids: Sequence[str]) -> int:
    if ids:
        raise NotFound("this process keeps no outbox")
    return 0


@dataclass(frozen=True, slots=True)
class HintLimits:
    """What hints may cost, how old their sources may be, and how long one may take: the user's own settings.

    rest, payload_age, conversation_age: microseconds. patience: seconds.
    """

    enabled: bool = True
    message_tokens: int = 160
    active_tokens: int = 640
    rest: int = 24 * HOUR
    payload_age: int = 7 * 24 * HOUR
    conversation_age: int = 30 * 24 * HOUR
    patience: float = 0.6


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that handlers use. `now` and `clock` (monotonic seconds) come from the process."""

    store: Store
    hosts: Mapping[str, Host]
    importer: Importer
    index: IndexControl
    daemon: DaemonInfo
    now: Callable[[], Micros]
    clock: Callable[[], float]
    version: str
    roots: Callable[[], list[dict[str, Any]]]  # each host with the places where it keeps sessions
    redact: Callable[[str], str]  # takes secrets out of a text that is about to be admitted
    ruleset: int = 0
    retrieval: Any = None  # what questions are asked with (see service/retrieval)
    folders: Folders = field(default_factory=Folders)
    speaker: Callable[[Check], tuple[str, int]] = (
        no_speaker  # the socket and number of the process that speaks MCP
    )
    feedback: Feedback = field(default_factory=NoFeedback)
    semantic: Callable[[], dict[str, Any]] = lambda: {"state": "off"}  # how the vectors stand
    hints: HintLimits = HintLimits()
    captures: Captures = field(default_factory=Captures)  # items of conversations on the wire
    prices: Table = NO_PRICES  # what tokens of models cost the user
    outbox: Outbox = field(default_factory=NoOutbox)
    bounded: Bounded = field(default_factory=Bounded)  # runs what must answer within a time
