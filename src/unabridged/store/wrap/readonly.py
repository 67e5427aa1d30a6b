"""A store that refuses to be written."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from unabridged.errors import ReadOnly
from unabridged.schema.ids import ProjectId
from unabridged.store.contract import Plan
from unabridged.store.wrap.forward import ForwardingStore


class ReadOnlyStore(ForwardingStore):
    """Another store without its writes: `submit`, `commit` and `compact` raise `ReadOnly`."""

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Raise `ReadOnly`."""
        del project, plan
        raise ReadOnly("the store was opened for reading")

    def warm(self) -> None:
        """Do nothing: nothing is written."""

    def compact(self) -> None:
        """Raise `ReadOnly`."""
        raise ReadOnly("the store was opened for reading")
