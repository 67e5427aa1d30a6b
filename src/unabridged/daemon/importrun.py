"""The account of one import: what was found, read, admitted, and what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from unabridged.archive.admission import Append, Appended
from unabridged.daemon.messages import Found, Trouble
from unabridged.errors import UnabridgedError, by_code
from unabridged.schema.ids import ProjectId
from unabridged.service.requests import ImportAnswer

MAX_PROBLEMS = 1_000  # problems listed; further ones are counted
MAX_FOUND = 10_000  # files that a dry run lists


class ImportRun:
    """Counts from several threads; `changed` is notified at each step."""

    def __init__(self, paths: Iterable[str] = (), *, close: bool = False) -> None:
        """Begin; `paths` are those that the caller named. close: nobody writes what is found any more."""
        self.changed = threading.Condition()
        self.paths = list(paths)
        self.close = close
        self.cancelled = False
        self.finding = True
        self.pending = 0  # files that are not done
        self.done = 0
        self.files = 0
        self.skipped = 0
        self.bytes_expected = 0
        self.bytes_done = 0
        self.positions = dict[ProjectId, int]()
        self.error: UnabridgedError | None = None
        self._sessions = set[bytes]()
        self._hosts = dict[str, int]()
        self._counts = dict.fromkeys(
            ("events", "documents", "read", "new", "known", "unreadable", "redactions"), 0
        )
        self._problems = list[dict[str, Any]]()
        self._omitted = 0
        self._found = list[dict[str, Any]]()

    def found(self, file: Found, expected: int, action: str, session: bytes = b"") -> None:
        """Count a file that was found, with its session where it is known; one that is "unchanged" is not read."""
        with self.changed:
            self.files += 1
            self._hosts[file.host] = self._hosts.get(file.host, 0) + 1
            if session:
                self._sessions.add(session)
            if action == "unchanged":
                self.skipped += 1
            else:
                self.pending += 1
                self.bytes_expected += expected
            if len(self._found) < MAX_FOUND:
                self._found.append(
                    {
                        "path": file.candidate.path,
                        "host": file.host,
                        "kind": file.candidate.kind,
                        "size": file.size,
                        "action": action,
                    }
                )

    def committed(self, append: Append, outcome: Appended, consumed: int, redactions: int) -> None:
        """Count a durable batch."""
        with self.changed:
            self.bytes_done += consumed
            counts = self._counts
            counts["events"] += outcome.events
            counts["documents"] += outcome.documents
            counts["read"] += append.lines
            counts["new"] += outcome.new
            counts["known"] += outcome.known
            counts["unreadable"] += append.unreadable
            counts["redactions"] += redactions
            if outcome.position:
                project = append.origin.project
                self.positions[project] = max(outcome.position, self.positions.get(project, 0))
            self._sessions.update(draft.session for draft in append.sessions)
            self.changed.notify_all()

    def trouble(self, items: Iterable[Trouble]) -> None:
        """List problems, the first thousand of them."""
        with self.changed:
            for item in items:
                if len(self._problems) < MAX_PROBLEMS:
                    self._problems.append(
                        {"path": item.path, "line": item.line, "code": item.code, "message": item.message}
                    )
                else:
                    self._omitted += 1

    def finished(self, error: UnabridgedError | None = None) -> None:
        """Count a file that is done. The first error that concerns more than its file ends the import."""
        with self.changed:
            self.pending -= 1
            self.done += 1
            if error is not None and self.error is None:
                self.error, self.cancelled = error, True
            self.changed.notify_all()

    def found_all(self, error: UnabridgedError | None = None) -> None:
        """Note that no further files come."""
        with self.changed:
            self.finding = False
            if error is not None and self.error is None:
                self.error, self.cancelled = error, True
            self.changed.notify_all()

    def end(self, seconds: float) -> bool:
        """Wait until everything that was found is done, at most so long; tell whether it is."""
        with self.changed:
            return self.changed.wait_for(lambda: self.over, seconds)

    def troubles(self) -> list[Trouble]:
        """Return what went wrong with whole files."""
        with self.changed:
            return [Trouble(**item) for item in self._problems if not item["line"]]

    @property
    def over(self) -> bool:
        """Whether everything that was found is done."""
        return not self.finding and not self.pending

    def facts(self, phase: str, seconds: float) -> dict[str, Any]:
        """Return the progress so far."""
        with self.changed:
            return {
                "phase": phase,
                "files": self.files - self.skipped,
                "files_done": self.done,
                "bytes": self.bytes_expected,
                "bytes_done": self.bytes_done,
                "events": self._counts["events"],
                "mb_per_second": round(self.bytes_done / 1e6 / seconds, 1) if seconds > 0 else 0.0,
                "seconds": round(seconds, 1),
            }

    def failure(self) -> UnabridgedError | None:
        """Return the error of an import whose every named path came to nothing."""
        if not self.paths or self.files:
            return None
        named = [item for item in self._problems if not item["line"]]
        if not named:
            return None
        first = named[0]
        kind = by_code().get(first["code"], UnabridgedError)
        return kind(first["message"], path=first["path"])

    def answer(
        self, seconds: float, *, dry_run: bool, searchable: bool, durable: float = 0.0
    ) -> ImportAnswer:
        """Return the whole account: `seconds` it took in all, `durable` until everything was durable."""
        counts = self._counts
        return ImportAnswer(
            sessions=len(self._sessions),
            events=counts["events"],
            documents=counts["documents"],
            lines={name: counts[name] for name in ("read", "new", "known", "unreadable")},
            bytes=self.bytes_done,
            seconds=round(seconds, 3),
            problems=self._problems,
            files=self.files,
            skipped=self.skipped,
            redactions=counts["redactions"],
            hosts=self._hosts,
            found=self._found if dry_run else [],
            searchable=searchable,
            problems_omitted=self._omitted,
            durable_seconds=round(durable, 3),
        )
