"""Handlers called directly: a store in memory, a toy host, doubles for the process around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.archiving import ingest
from tests.support.toy_host import ToyHost, WordRedaction
from unabridged.errors import DiskLow
from unabridged.hosts.contract import Head
from unabridged.retrieve.locator import Locators
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.scope import Level
from unabridged.service.caller import Call, Caller, Pending
from unabridged.service.operations import OPERATIONS
from unabridged.service.ports import Check, Finding, Progress, Services
from unabridged.service.requests import ImportAnswer, ImportRequest
from unabridged.service.retrieval import Retrieval
from unabridged.store.contract import Store
from unabridged.store.open import open_store

NOW = Micros(1_800_000_000_000_000)


class FakeImporter:
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[ImportRequest] = []
        self.notified: list[tuple[str, str, bool]] = []
        self.settled: list[tuple[str, str]] = []

    def run(self, request: ImportRequest, progress: Progress, check: Check) -> ImportAnswer:
        self.asked.append(request)
        return ImportAnswer(0, 0, 0, {}, 0, 0.0, [])

    def notify(self, path: str, host: str, *, ended: bool = False) -> None:
        self.notified.append((path, host, ended))

    def settle(self, path: str, host: str, seconds: float) -> bool:
        self.settled.append((path, host))
        return True


class FakeIndex:
    """An index whose state the test sets."""

    def __init__(self) -> None:
        self.state = "current"
        self.rebuilt: list[bool] = []
        self.waited: list[dict[ProjectId, int]] = []

    def status(self) -> dict[str, Any]:
        return {"ok": self.state == "current", "state": self.state, "behind": 0, "bytes_on_disk": 7}

    def wait(self, positions: Mapping[ProjectId, int], check: Check) -> bool:
        self.waited.append(dict(positions))
        return True

    def poke(self) -> None:
        """Do nothing."""

    def distrust(self, code: str) -> None:
        """Do nothing."""

    def rebuild(self, wait: bool, progress: Progress, check: Check) -> None:
        self.rebuilt.append(wait)
        self.state = "current"

    def verify(self, progress: Progress, check: Check) -> dict[str, Any]:
        return {"ok": True, "equal": True}


class FakeDaemon:
    """A process that is well, unless the test says otherwise."""

    pid = 4242

    def __init__(self) -> None:
        self.low = self.full = False
        self.wrong: list[dict[str, Any]] = []
        self.findings = [Finding("home", True, "there")]
        self.stopped: list[str] = []

    def problems(self) -> list[dict[str, Any]]:
        return self.wrong

    def facts(self) -> dict[str, Any]:
        return {"pid": self.pid}

    def slow(self) -> list[dict[str, Any]]:
        return [{"operation": "search", "milliseconds": 300}]

    def disk(self) -> dict[str, Any]:
        return {"low": self.low, "free_bytes": 1, "full": self.full}

    def admit(self) -> None:
        if self.low:
            raise DiskLow(free=1, limit=2)

    def tailing(self) -> dict[str, Any]:
        return {"on": False}

    def examine(self, fix: bool) -> Iterator[Finding]:
        yield from self.findings

    def stop(self, reason: str) -> None:
        self.stopped.append(reason)


class Desk:
    """Where operations are called as a client would, without a socket."""

    def __init__(self) -> None:
        self.store: Store = open_store("memory:")
        self.host = ToyHost()
        self.importer, self.index, self.daemon = FakeImporter(), FakeIndex(), FakeDaemon()
        self.progress: list[Mapping[str, Any]] = []
        retrieval = Retrieval(Locators({1: b"k" * 32}, 1), lambda: None, lambda text: (text, 0))
        self.services = Services(
            store=self.store,
            hosts={"toy": self.host},  # pyright: ignore[reportArgumentType]
            importer=self.importer,
            index=self.index,
            daemon=self.daemon,
            now=lambda: NOW,
            clock=lambda: 0.0,
            version="9",
            roots=lambda: [
                {"host": "toy", "transcripts": 0, "roots": [{"path": "/nowhere", "exists": True}]}
            ],
            redact=lambda text: text.replace("hunter2", "[redacted]"),
            ruleset=5,
            retrieval=retrieval,
        )

    def admit(self, name: str, rows: list[dict[str, Any]], *, idle: bool = True) -> bytes:
        """Admit a transcript of the toy host; return its bytes."""
        data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        head = Head(name, "/nowhere/toy")
        ingest(self.store, self.host, f"/t/{name}.toy", data, head, WordRedaction(), idle=idle)  # pyright: ignore[reportArgumentType]
        return data

    def call(
        self,
        operation: str,
        *,
        granted: Level = Level.ALL,
        folder: str = "",
        serves: str = "",
        **params: Any,
    ) -> Any:
        """Call an operation and return its answer."""
        row = OPERATIONS[operation]
        call = Call(self.services, Caller(granted, folder, serves), self.progress.append, lambda: None, NOW)
        answer = row.handler(call, row.request(**params))
        return answer.answer(answer.commit.result()) if isinstance(answer, Pending) else answer


def exchange(count: int, **rest: Any) -> list[dict[str, Any]]:
    """Return the rows of so many exchanges."""
    rows: list[dict[str, Any]] = []
    for number in range(count):
        rows.append(
            {
                "id": f"q{number}",
                "text": f"question {number}",
                "human": True,
                "time": 1_000_000 + number,
                **rest,
            }
        )
        rows.append({"id": f"a{number}", "text": f"answer {number}", "role": "assistant", **rest})
    return rows
