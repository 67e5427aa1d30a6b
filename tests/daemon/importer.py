"""An importer with real workers on a store in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unabridged.archive.check import check
from unabridged.archive.sessions import list_sessions
from unabridged.daemon.importing import Importing
from unabridged.daemon.jobs import Ground, Rules
from unabridged.daemon.known import Known
from unabridged.daemon.logs import Log
from unabridged.daemon.messages import Finished
from unabridged.errors import DiskLow
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import Origin
from unabridged.service.compose import HOSTS
from unabridged.service.requests import ImportAnswer, ImportRequest
from unabridged.store.contract import Store
from unabridged.store.open import open_store


class Index:
    """An index that has everything at once, and remembers what it was asked to wait for."""

    def __init__(self) -> None:
        self.waited: list[dict[ProjectId, int]] = []

    def wait(self, positions: Mapping[ProjectId, int], check: Callable[[], None]) -> bool:
        self.waited.append(dict(positions))
        return True


class Bench:
    """An importer on a store in memory, its workers real processes."""

    def __init__(self, tmp_path: Path, workers: int = 1, idle_seconds: float = 600.0) -> None:
        self.store: Store = open_store("memory:")
        self.log = Log(str(tmp_path / "logs"))
        self.index = Index()
        self.seen: list[tuple[Origin, Finished]] = []
        self.low: list[DiskLow] = []
        self.home = tmp_path / "user"
        rules = Rules(tuple(HOSTS), {}, str(self.home), "linux", idle_seconds)
        self.known = Known(self.store)
        ground = Ground(
            self.store,
            self.known,
            self.log,
            rules,
            lambda: Micros(1_800_000_000_000_000),
            self._admit,
            lambda: None,
            lambda origin, _, report: self.seen.append((origin, report)),
        )
        index: Any = self.index
        self.importing = Importing(ground, workers, index, lambda: 0.0, "")

    def _admit(self) -> None:
        if self.low:
            raise self.low[0]

    def run(self, *paths: Path, check: Callable[[], None] = lambda: None, **rest: Any) -> ImportAnswer:
        request = ImportRequest([str(path) for path in paths], **rest)
        return self.importing.run(request, lambda _: None, check)

    def events(self) -> dict[str, int]:
        with self.store.snapshot() as reader:
            return {item.host_session: item.events for item in list_sessions(reader)}

    def violations(self) -> list[Any]:
        with self.store.snapshot() as reader:
            return list(check(reader))

    def close(self) -> None:
        self.importing.close(10.0)
        self.log.close()
        self.store.close()
