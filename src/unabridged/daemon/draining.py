"""Takes the events that hooks left and has their transcripts read; a thread of its own, in slices.

Events of one transcript are one read. An entry goes when what its transcript held is durable, so after a kill the next
daemon does it again; reading twice adds nothing. What fails is tried again later, and goes to quarantine after the
last attempt. What concerns more than one entry (a full disk) counts against none.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unabridged.archive.sessions import origins_everywhere, resolve_session
from unabridged.daemon.importrun import ImportRun
from unabridged.daemon.logs import Log
from unabridged.daemon.messages import Trouble
from unabridged.daemon.outbox import Entry, Outbox, Useless
from unabridged.errors import InvalidInput, NotFound, UnabridgedError
from unabridged.store.contract import Store

SLICE, TRANSCRIPTS = 5_000, 100  # entries taken at once, and the transcripts that they may name
PASS = 20_000  # names remembered of a folder that holds more
FIRST_SECONDS = 0.3  # after the start: who starts a daemon has a request for it
AGAIN_SECONDS = 60.0  # until a failed entry is tried again
READ_SECONDS = (
    600.0  # that the transcripts of a slice may take; what is not done by then is tried again later
)
LOOK_SECONDS = 0.2  # between two looks whether the daemon stops
DATABASE = ".db"  # what a host keeps all its sessions in
MAX_WALKED = 50_000  # files of a host looked at for a session whose transcript is not where its event said
BEGINNINGS = (
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "PreToolUse",
)  # a transcript may not exist yet
ENDINGS = ("SessionEnd", "session-end")  # behind which a host writes no more
# What is wrong with the daemon or its disk, not with an entry.
EVERYWHERE = frozenset(
    ("cancelled", "disk-low", "disk-full", "store-failed", "store-closed", "store-transient", "read-only")
)
MISSING = "path-not-found"

Roots = Callable[[], Mapping[str, Sequence[Path]]]


class Reads(Protocol):
    """What the importer does for the outbox."""

    def follow(self, path: str, host: str, *, ended: bool = False) -> ImportRun:
        """Read a transcript now; the account tells how it went."""
        ...


class Sessions(Protocol):
    """What the archive knows of a host's sessions."""

    def paths(self, host: str, session: str) -> list[str] | None:
        """Return the paths that a session's transcripts were read from; None for a session it does not know."""
        ...


@dataclass(slots=True)
class Work:
    """One transcript with the entries that it settles."""

    host: str
    path: str
    names: list[str]
    entries: list[Entry]
    run: ImportRun | None = None

    @property
    def ended(self) -> bool:
        """Whether the host writes it no more."""
        return self.entries[-1].event in ENDINGS


class Draining:
    """The thread that empties an outbox."""

    def __init__(
        self,
        outbox: Outbox,
        reads: Reads,
        sessions: Sessions,
        hosts: frozenset[str],
        roots: Roots,
        log: Log,
        again: float = AGAIN_SECONDS,
    ) -> None:
        """Drain `outbox` through `reads`; a failed entry is tried again after so many seconds."""
        self.outbox = outbox
        self._reads = reads
        self._sessions = sessions
        self._hosts = hosts
        self._roots = roots
        self._log = log
        self._again = again
        self._poked = threading.Event()
        self._closed = False
        self._later = dict[str, float]()  # failed entries, and when they are due
        self._applied = 0
        self.busy = False
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        """Begin with what waits."""
        self._thread.start()

    def poke(self) -> None:
        """Look again soon."""
        self._poked.set()

    def close(self, timeout: float) -> None:
        """End the thread; entries whose transcripts were not read stay."""
        self._closed = True
        self._poked.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def facts(self) -> dict[str, Any]:
        """Return how much waits, how much lies in quarantine, how much this daemon has applied."""
        try:
            waiting = self.outbox.waiting()
        except UnabridgedError as error:
            return {"waiting": 0, "quarantined": 0, "applied": self._applied, "error": error.code}
        return {"waiting": waiting, "quarantined": self.outbox.held_count(), "applied": self._applied}

    # --- the thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._poked.wait(FIRST_SECONDS)
        while not self._closed:
            self._poked.clear()
            try:
                self.drain()
                self.outbox.tidy()
                if trimmed := self.outbox.trim():
                    self._log.warning("outbox-trimmed", entries=trimmed)
            except UnabridgedError as error:
                self._log.failure("outbox-not-drained", error)
            except OSError as error:  # a full or failing disk: the next look tries again
                self._log.warning("outbox-not-drained", errno=error.errno)
            finally:
                self.busy = False
            self._poked.wait(None if not self._later else self._again)

    def drain(self) -> int:
        """Apply what waits and is due; return how many entries were settled. Raises `UnsafePath`, OSError."""
        settled, now = 0, time.monotonic()
        self._later = {name: due for name, due in self._later.items() if due > now}
        while not self._closed:
            names = self.outbox.oldest(PASS, frozenset(self._later))
            if not names:
                return settled
            taken = 0
            while taken < len(names):
                works, count = self._works(names[taken : taken + SLICE])
                applied, go_on = self._slice(works)
                settled += applied
                if not go_on:
                    return settled
                taken += count
        return settled

    def _slice(self, works: Sequence[Work]) -> tuple[int, bool]:
        """Have transcripts read; return how many entries were settled, and whether there is a point in going on."""
        self.busy = True
        for work in works:
            if work.path:
                work.run = self._reads.follow(work.path, work.host, ended=work.ended)
        deadline = time.monotonic() + READ_SECONDS
        for work in works:
            while work.run is not None and not work.run.end(LOOK_SECONDS):
                if self._closed or time.monotonic() > deadline:
                    return 0, False
        outcomes = dict[str, tuple[Entry, Trouble | None]]()
        for work in works:
            trouble = self._trouble(work)
            if trouble is not None and trouble.code in EVERYWHERE:
                self._log.warning("outbox-waits", code=trouble.code)
                return 0, False
            for name, entry in zip(work.names, work.entries, strict=True):
                outcomes[name] = (entry, trouble or outcomes.get(name, (entry, None))[1])
        self._settle(outcomes)
        return len(outcomes), True

    def _works(self, names: Sequence[str]) -> tuple[list[Work], int]:
        """Read entries and gather them by transcript, until there are enough; return how many were looked at, too."""
        found, looked = dict[tuple[str, str], Work](), 0
        for name in names:
            if len(found) >= TRANSCRIPTS or self._closed:
                break
            looked += 1
            for own, entry, path in self._named(name):
                work = found.setdefault((entry.host, path), Work(entry.host, path, [], []))
                work.names.append(own)
                work.entries.append(entry)
        return list(found.values()), looked

    def _named(self, waiting: str) -> list[tuple[str, Entry, str]]:
        """Take an entry: its name from here on, and each transcript; what is of no use goes to quarantine."""
        name = waiting
        try:
            name = self.outbox.take(waiting)
            entry = self.outbox.read(name, self._hosts.__contains__)
        except Useless as error:
            self._hold(name, error)
            return []
        except FileNotFoundError:
            return []  # dropped meanwhile
        except OSError as error:  # those behind it must not wait for it
            self._later[name] = time.monotonic() + self._again
            self._log.warning("outbox-unreadable", entry=name, errno=error.errno)
            return []
        return [(name, entry, path) for path in self._paths(entry)]

    def _paths(self, entry: Entry) -> list[str]:
        """Return the transcripts to read for an entry, [""] where it names none that is there."""
        named = [path for path in (entry.transcript, entry.agent_transcript) if os.path.isabs(path)]
        there = [path for path in dict.fromkeys(map(os.path.realpath, named)) if os.path.isfile(path)]
        if there:
            return there
        return self._elsewhere(entry)

    def _elsewhere(self, entry: Entry) -> list[str]:
        """Return where a session's transcripts are that are not where its event said."""
        known = self._sessions.paths(entry.host, entry.session) if entry.session else None
        found = [path for path in known or () if os.path.isfile(path)] or self._by_name(entry)
        if known is not None or found:
            self._log.info("outbox-stale-path", moment=entry.event, session=entry.session, files=len(found))
        return found or [""]

    def _by_name(self, entry: Entry) -> list[str]:
        """Look through the host's places for files that bear a session's id, or hold many sessions."""
        if len(entry.session) < 8:
            return []
        found, looked = list[str](), 0
        for root in self._roots().get(entry.host, ()):
            for folder, _, files in os.walk(root):
                named = [name for name in files if entry.session in name or name.endswith(DATABASE)]
                found += [os.path.realpath(os.path.join(folder, name)) for name in named]
                looked += len(files)
                if looked > MAX_WALKED:
                    return found
        return found

    # --- outcomes -----------------------------------------------------------------------------------------------------

    def _settle(self, outcomes: Mapping[str, tuple[Entry, Trouble | None]]) -> None:
        """Remove what was applied; put off or quarantine the rest."""
        applied = [name for name, (_, trouble) in outcomes.items() if trouble is None]
        self.outbox.done(applied)
        self._applied += len(applied)
        for name, (entry, trouble) in outcomes.items():
            if trouble is not None:
                self._fail(name, entry, trouble)

    def _hold(self, name: str, error: Useless) -> None:
        """Put an entry into quarantine; one that cannot be moved is passed over for a while."""
        try:
            self.outbox.hold(name, error.code, error.message)
        except (OSError, UnabridgedError) as failure:
            self._later[name] = time.monotonic() + self._again
            self._log.warning("outbox-not-quarantined", entry=name, why=type(failure).__name__)
            return
        self._log.warning("outbox-quarantined", entry=name, code=error.code)

    def _trouble(self, work: Work) -> Trouble | None:
        """Return what keeps a transcript from being read."""
        if work.run is None:
            return self._missing(work)
        if work.run.error is not None:
            return Trouble(work.path, 0, work.run.error.code, work.run.error.message)
        found = work.run.troubles()
        if found and found[0].code == MISSING:
            return self._missing(work)
        if found and os.path.isfile(work.path) and not os.path.getsize(work.path):
            return None  # the host has made it and not written it yet: it is followed from here on
        return found[0] if found else None

    def _missing(self, work: Work) -> Trouble | None:
        """Tell whether it matters that there is no transcript."""
        last = work.entries[-1]
        if all(entry.event in BEGINNINGS for entry in work.entries):
            return None
        if last.session and self._sessions.paths(last.host, last.session) is not None:
            return None
        return Trouble(work.path, 0, MISSING, "its transcript is gone, and its session is not archived")

    def _fail(self, name: str, entry: Entry, trouble: Trouble) -> None:
        try:
            new = self.outbox.failed(name, trouble.code, trouble.message)
        except FileNotFoundError:
            return  # settled with another transcript of its event, or dropped
        if new:
            self._later[new] = time.monotonic() + self._again
        else:
            self._log.warning("outbox-quarantined", entry=name, code=trouble.code, session=entry.session)


class Archived:
    """What the archive knows of a host's sessions."""

    def __init__(self, store: Store) -> None:
        """Ask a store."""
        self._store = store

    def paths(self, host: str, session: str) -> list[str] | None:
        """Return the paths that a session's transcripts were read from; None for a session it does not know."""
        with self._store.snapshot() as reader:
            try:
                found = resolve_session(reader, session)
            except (NotFound, InvalidInput):
                return None
            if found.host != host or found.host_session != session:
                return None
            return [info.origin.path for info in origins_everywhere(reader, found)]
