"""An archive in memory that the gateway files in, with faults on demand; the suite of the real one runs against it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from unabridged.errors import UnabridgedError
from unabridged.gateway.archive import Names, Opened, Told
from unabridged.schema.windows import address_of
from unabridged.window.execute import Account, Row


class Memory:
    """`fault` is raised by every call while it is set, `gate` keeps every call waiting while it is clear."""

    def __init__(self) -> None:
        self.names = dict[bytes, Names]()
        self.items = dict[bytes, dict[str, bytes]]()
        self.rows = list[Row]()
        self.states = dict[bytes, bytes]()
        self.requests = list[tuple[bytes, Account]]()
        self.erased = set[str]()
        self.forced = set[bytes]()
        self.fault: UnabridgedError | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.captures = 0
        self.losing = 0  # slices that are lost before the next one comes
        self._slices = dict[str, bytes]()

    async def wake(self) -> None:
        await self._ready()

    async def open(self, names: Names, keys: Sequence[str]) -> Opened:
        await self._ready()
        self.names.setdefault(names.id, names)
        known = self.items.setdefault(names.id, {})
        return Opened(
            address_of(names.id),
            self.states.get(names.id, b""),
            frozenset(key for key in keys if key in known and key not in self.erased),
            frozenset(key for key in keys if key in self.erased),
            names.id in self.forced,
        )

    async def capture(self, conversation: bytes, rows: Sequence[Row], time: str) -> Told:
        await self._ready()
        assert conversation in self.names, "it was not opened"
        assert time
        known, durable = self.items[conversation], set[str]()
        invalid = set[str]()
        self.captures += 1
        for row in rows:
            before = self._slices.pop(row.key, None)
            if self.losing and row.part:
                before, self.losing = None, self.losing - 1
            if before is None and row.part:
                continue
            whole = (before if before is not None and row.part else b"") + row.raw
            if row.more:
                self._slices[row.key] = whole
                continue
            if not isinstance(json.loads(whole), dict):
                invalid.add(row.key)
                continue
            if row.key not in known:
                known[row.key] = whole
                self.rows.append(row)
            durable.add(row.key)
        return Told(
            frozenset(durable - self.erased),
            frozenset(durable & self.erased),
            conversation in self.forced,
            frozenset(invalid),
        )

    async def save(self, conversation: bytes, state: bytes, request: Account, time: str) -> bool:
        await self._ready()
        assert conversation in self.names, "it was not opened"
        assert time
        if state:
            self.states[conversation] = state
        self.requests.append((conversation, request))
        if request.rotated:
            self.forced.discard(conversation)
        return conversation in self.forced

    async def _ready(self) -> None:
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
