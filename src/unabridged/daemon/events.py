"""The outbox as operations see it: what waits, what could not be applied, what hooks hold back from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unabridged.daemon import hookbreaker
from unabridged.daemon.draining import Archived, Draining, Reads, Roots
from unabridged.daemon.logs import Log
from unabridged.daemon.outbox import Outbox
from unabridged.daemon.paths import Layout
from unabridged.store.contract import Store


class Events:
    """The outbox of a daemon (see `service.ports.Outbox`)."""

    def __init__(
        self, layout: Layout, store: Store, reads: Reads, hosts: frozenset[str], roots: Roots, log: Log
    ) -> None:
        """Apply what waits in a home's outbox through `reads`."""
        self._layout = layout
        self._draining = Draining(Outbox(layout.outbox), reads, Archived(store), hosts, roots, log)

    def start(self) -> None:
        """Let hooks through, and begin with what waits."""
        hookbreaker.ready(self._layout)
        self._draining.start()

    def close(self, timeout: float) -> None:
        """End; what was not applied stays."""
        self._draining.close(timeout)

    @property
    def busy(self) -> bool:
        """Whether entries are being applied."""
        return self._draining.busy

    def poke(self) -> None:
        """Have what waits applied soon."""
        self._draining.poke()

    def facts(self) -> dict[str, Any]:
        """Return how much waits, how much lies in quarantine, what hooks hold back from."""
        return {**self._draining.facts(), "hooks": hookbreaker.facts(self._layout)}

    def listed(self) -> list[dict[str, Any]]:
        """Return what lies in quarantine."""
        return [held.shown() for held in self._draining.outbox.held()]

    def replay(self, ids: Sequence[str]) -> int:
        """Let entries of quarantine wait again."""
        count = self._draining.outbox.replay(ids)
        self._draining.poke()
        return count

    def drop(self, ids: Sequence[str]) -> int:
        """Remove entries of quarantine."""
        return self._draining.outbox.drop(ids)
