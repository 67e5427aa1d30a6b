"""An engine that fails, or ends the process, at named points of a commit.

The points, in the order of a commit: `before-write`, `after-write`, `before-flush`, `after-flush`, `before-publish`,
`after-publish`; likewise `before-` and `after-` every other call: `get`, `get_many`, `range`, `count`, `view`,
`reopen`, `compact`, `backup`, `close`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unabridged.store.bytes import ByteEngine
from unabridged.store.wrap.engine import ForwardingEngine

T = TypeVar("T")


class FaultyEngine(ForwardingEngine):
    """Another engine with an action at every point: it returns, raises an error of the tree, or never returns."""

    def __init__(self, engine: ByteEngine, action: Callable[[str], None]) -> None:
        """Take over an open engine."""
        super().__init__(engine)
        self._action = action

    def call(self, name: str, action: Callable[[], T], size: int = 0) -> T:
        """Carry one call out between its two points."""
        self._action(f"before-{name}")
        found = super().call(name, action, size)
        self._action(f"after-{name}")
        return found
