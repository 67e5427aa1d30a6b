"""The parts of a running daemon, in the order in which they start and end."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from unabridged.daemon.events import Events
from unabridged.daemon.idleturns import IdleTurns
from unabridged.daemon.importing import Importing
from unabridged.daemon.indexing import Indexing
from unabridged.daemon.info import Info
from unabridged.daemon.logs import Log, trim_stream
from unabridged.daemon.maintenance import Maintenance, Task
from unabridged.daemon.messages import Finished
from unabridged.daemon.speaking import Speaking
from unabridged.daemon.tailing import Tailing
from unabridged.daemon.vectors import Vectors
from unabridged.hosts.contract import Candidate
from unabridged.schema.records import Origin
from unabridged.service.ports import Services
from unabridged.store.contract import Store

CLOSE_SECONDS = 5.0  # that each part gets to end


@dataclass(slots=True)
class Seen:
    """Who learns how the reading of a transcript ended."""

    idle: IdleTurns
    tailing: Tailing | None = None

    def __call__(self, origin: Origin, candidate: Candidate, report: Finished) -> None:
        """Tell everybody."""
        self.idle.seen(origin, candidate, report)
        if self.tailing is not None:
            self.tailing.noticed(origin)


@dataclass(slots=True)
class Parts:
    """The parts of one daemon, all on one open store."""

    services: Services
    info: Info
    importing: Importing
    index: Indexing
    tailing: Tailing | None
    idle: IdleTurns
    outbox: Events
    log: Log
    store: Store
    maintenance: Maintenance | None = None
    growth: list[float] = field(default_factory=lambda: [0.0])  # monotonic seconds of the last growth
    speaking: Speaking | None = None
    vectors: Vectors | None = None
    further: tuple[tuple[str, Task], ...] = ()  # of the maintenance tick, and once at the end

    def begin(self) -> None:
        """Start what works by itself, once clients can connect."""
        self.index.start()
        if self.vectors is not None:
            self.vectors.start()
        if self.tailing is not None:
            self.tailing.start()
        self.outbox.start()
        tasks = (
            ("outbox", self.outbox.poke),
            ("idle turns", self._close_idle_turns),
            ("error stream", self._trim_errors),
            ("disk", self._tell_disk),
            *self.further,
        )
        self.maintenance = Maintenance(tasks, self.log, once=[("warm store", self.store.warm)])

    def quiet(self) -> None:
        """End what works by itself; requests go on."""
        if self.maintenance is not None:
            self.maintenance.close(CLOSE_SECONDS)
        self.outbox.close(CLOSE_SECONDS)
        if self.tailing is not None:
            self.tailing.close(CLOSE_SECONDS)

    def close(self) -> None:
        """End the workers, then close the store."""
        if self.speaking is not None:
            self.speaking.close()
        self.importing.close(CLOSE_SECONDS)
        if self.vectors is not None:
            self.vectors.close(CLOSE_SECONDS)
        self.index.close(CLOSE_SECONDS)
        for _, task in self.further:
            task()
        self.store.close()

    def busy(self) -> bool:
        """Whether something is worked on that no client waits for (an import, texts to embed), or an agent is there."""
        speaking = self.speaking is not None and self.speaking.sessions > 0
        reading = self.importing.busy or self.outbox.busy
        return reading or speaking or (self.vectors is not None and self.vectors.busy)

    def quiet_for(self) -> float:
        """Return the seconds since a followed transcript last grew."""
        return time.monotonic() - self.growth[0]

    def _close_idle_turns(self) -> None:
        self.services.captures.tend(self.store, self.services.now())
        for host, candidate in self.idle.due():
            self.importing.read(host, candidate)

    def _trim_errors(self) -> None:
        if trim_stream(self.info.config.layout.logs):
            self.log.warning("error-stream-trimmed")

    def _tell_disk(self) -> None:
        facts = self.info.guard.facts()
        if facts["low"] or facts["full"]:
            self.log.warning("disk-low", **facts)
