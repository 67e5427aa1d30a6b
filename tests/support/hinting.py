"""An archive in memory with a real index, and what is told beside messages: a clock and settings that a test moves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.archiving import PROJECT, ROOT, ingest
from tests.support.toy_host import NoRedaction, ToyHost
from unabridged.archive.notes import NoteDraft, NoteOutcome, plan_note
from unabridged.hosts.contract import Head
from unabridged.index.feed import next_feed
from unabridged.index.indexer import Indexer, read_watermarks
from unabridged.index.lexical import LexicalIndex
from unabridged.retrieve.asked import Finder
from unabridged.retrieve.finder import IndexFinder
from unabridged.retrieve.locator import Locators
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.scope import Level
from unabridged.service.caller import Call, Caller, Pending
from unabridged.service.operations import OPERATIONS
from unabridged.service.ports import HintLimits
from unabridged.service.requests import HintAnswer, HookAnswer, WhyAnswer
from unabridged.service.retrieval import Retrieval
from unabridged.store.open import open_store

HOUR = 3_600_000_000
DAY = 24 * HOUR
NOW = Micros(1_790_000_000_000_000)


class Hinting:
    """Where hints are asked for. `finder` is the index as it stands; tests may put another in its place."""

    def __init__(self, folder: Path, services: Any) -> None:
        self.folder = folder
        self.store = open_store("memory:")
        self.now = NOW
        self.limits = HintLimits(patience=30.0)
        self.finder: Finder | None = None
        self.services = services
        self.built = 0

    def add(
        self, name: str, rows: list[dict[str, Any]], age: int = DAY, parent: str = "", relation: str = "fork"
    ) -> None:
        """Admit a session whose rows are a second apart and begin `age` microseconds ago."""
        timed = [{"time": self.now - age + at * 1_000_000, **row} for at, row in enumerate(rows)]
        data = b"".join(json.dumps(row).encode() + b"\n" for row in timed)
        head = Head(name, "", parent, relation if parent else "")
        ingest(self.store, ToyHost(), f"/t/{name}.toy", data, head, NoRedaction())

    def talk(self, name: str, *said: str, age: int = DAY) -> None:
        """Admit a session in which a person and an agent take turns."""
        rows: list[dict[str, Any]] = []
        for at, text in enumerate(said):
            person: dict[str, Any] = {"human": True} if at % 2 == 0 else {"role": "assistant"}
            rows.append({"id": f"{name}-{at}", "text": text, **person})
        self.add(name, rows, age)

    def note(self, text: str, **options: str) -> NoteOutcome:
        draft = NoteDraft(PROJECT, ROOT, text, text, **options)
        outcome: NoteOutcome = self.store.commit(PROJECT, plan_note(draft, self.now, 1))
        return outcome

    def index(self) -> None:
        """Make the index anew."""
        self.built += 1
        indexer = Indexer(self.folder / f"g{self.built}")
        with self.store.snapshot() as reader:
            position = 0
            while (feed := next_feed(reader, PROJECT, position)) is not None:
                indexer.apply(feed)
                position = feed.position
        indexer.commit()
        indexer.close()
        opened = LexicalIndex.open(self.folder / f"g{self.built}")
        positions = {project: at for project, (at, _) in read_watermarks(opened.payload).items()}
        self.finder = IndexFinder(opened, positions)

    def call(
        self,
        operation: str,
        *,
        granted: Level = Level.ALL,
        serves: str = "",
        folder: str = ROOT,
        **params: Any,
    ) -> Any:
        retrieval = Retrieval(Locators({1: b"k" * 32}, 1), lambda: self.finder, lambda text: (text, 0))
        services = replace(
            self.services, store=self.store, retrieval=retrieval, now=lambda: self.now, hints=self.limits
        )
        call = Call(services, Caller(granted, folder, serves), lambda _: None, lambda: None, self.now)
        row = OPERATIONS[operation]
        answer = row.handler(call, row.request(**params))
        return answer.answer(answer.commit.result()) if isinstance(answer, Pending) else answer

    def ask(self, message: str, session: str = "new", **params: Any) -> HintAnswer:
        """Ask what to tell beside a message."""
        answer: HintAnswer = self.call("hint", message=message, session=session, **params)
        return answer

    def hook(self, said: dict[str, Any], host: str = "toy") -> HookAnswer:
        """Tell of an event of a session of the host."""
        answer: HookAnswer = self.call("hook", host=host, input=said)
        return answer

    @property
    def project(self) -> ProjectId:
        """Where everything is admitted."""
        return PROJECT

    @property
    def notified(self) -> list[tuple[str, str, bool]]:
        """The files that were to be read: path, host, whether for the last time."""
        return self.services.importer.notified

    @property
    def settled(self) -> list[tuple[str, str]]:
        """The files whose reading was waited for: path, host."""
        return self.services.importer.settled

    def why(self, **params: Any) -> WhyAnswer:
        """Ask why."""
        answer: WhyAnswer = self.call("why", **params)
        return answer
