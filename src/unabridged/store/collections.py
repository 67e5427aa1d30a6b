"""Typed records, with their indexes, over an ordered map of bytes.

A record stands under its encoded key. An entry of a unique index holds the record's key; an entry of any other index
ends with it and holds nothing. Both are written with the record, so an index is never ahead of or behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from unabridged.errors import Conflict, Corrupt, InvalidInput, LimitExceeded
from unabridged.schema.ids import ProjectId
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Kind
from unabridged.schema.records import LOG
from unabridged.store.bytes import ByteReader
from unabridged.store.contract import DEFAULT_SCAN, MAX_SCAN, Batch
from unabridged.store.layout import Layout, Layouts

R = TypeVar("R", bound=msgspec.Struct)

_layouts = Layouts()
_encoder_of = _layouts.of


class Records:
    """The contract's `Reader` over one state of an ordered map."""

    __slots__ = ("_bytes",)

    def __init__(self, reader: ByteReader) -> None:
        self._bytes = reader

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return the record at a whole key, or None."""
        data = self._bytes.get(_encoder_of(kind).key(key))
        return None if data is None else kind.decode(data)

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return the records at whole keys, in that order."""
        encode = _encoder_of(kind).key
        found = self._bytes.get_many([encode(key) for key in keys])
        return [None if data is None else kind.decode(data) for data in found]

    def scan(
        self,
        kind: Kind[R],
        prefix: tuple[KeyPart, ...],
        *,
        start: tuple[KeyPart, ...] = (),
        stop: tuple[KeyPart, ...] = (),
        index: str = "",
        reverse: bool = False,
        limit: int = DEFAULT_SCAN,
    ) -> list[R]:
        """Return at most `limit` records in key order, as the contract says."""
        check_limit(limit)
        layout = _encoder_of(kind)
        lower, upper = layout.bounds(index, prefix, start, stop)
        rows = self._bytes.range(lower, upper, reverse=reverse, limit=limit)
        if not index:
            return [kind.decode(data) for _, data in rows]
        entry = layout.entry(index)
        keys = [layout.primary(entry, key, value) for key, value in rows]
        records = list[R]()
        for (key, _), data in zip(rows, self._bytes.get_many(keys), strict=True):
            record = None if data is None else kind.decode(data)
            if record is None or entry.of(record) != key:
                raise Corrupt("an index entry does not belong to its record", kind=kind.name, index=index)
            records.append(record)
        return records

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Return, for each whole key of a unique index, the key of the record that it names, or None."""
        layout = _encoder_of(kind)
        entry = layout.entry(index)
        if not entry.unique:
            raise InvalidInput("the index is not unique", kind=kind.name, index=index)
        found = self._bytes.get_many([layout.unique_key(entry, key) for key in keys])
        return [None if data is None else kind.decode_key(data) for data in found]

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Return how many records (or index entries) begin with `prefix`."""
        return self._bytes.count(*_encoder_of(kind).bounds(index, prefix))


def check_limit(limit: int) -> None:
    """Raise for a scan limit that the contract does not allow."""
    if limit < 0:
        raise InvalidInput("a limit is negative", limit=limit)
    if limit > MAX_SCAN:
        raise LimitExceeded("a scan asks for too many records", limit=MAX_SCAN, size=limit)


class Effects:
    """What a batch does to the map: its changes, and the highest log position that it writes for each project."""

    __slots__ = ("changes", "positions")

    def __init__(self) -> None:
        self.changes: dict[bytes, bytes | None] = {}
        self.positions: dict[ProjectId, int] = {}


def effects(batch: Batch, reader: ByteReader) -> Effects:
    """Return what a batch does to the state that `reader` shows; raise `Conflict` where it may not.

    Operations take effect in order, each over what those before it leave.
    """
    prepared = [_prepare(op, kind, value) for op, kind, value in batch.ops]
    wanted = [key for step in prepared for key in step.needs]
    state = dict(zip(wanted, reader.get_many(wanted), strict=True))
    out = Effects()
    for step in prepared:
        step.apply(state, out.changes)
        if step.layout.kind is LOG and step.record is not None:
            project, position = step.record.project, step.record.position
            out.positions[project] = max(position, out.positions.get(project, 0))
    return out


def _prepare(op: str, kind: Kind[Any], value: Any) -> _Step:
    layout = _encoder_of(kind)
    if op == "create" or op == "put":
        return _Write(layout, value, create=op == "create" or kind.append_only)
    if op == "delete":
        return _Delete(layout, layout.key(value))
    if op == "expect":
        return _Expect(layout, layout.key(value[0]), value[1])
    raise InvalidInput("a batch has an unknown operation", operation=op)


class _Step:
    """One operation with its encoded key; `needs` are the keys whose present values it looks at."""

    __slots__ = ("key", "layout", "needs", "record")

    def __init__(self, layout: Layout, key: bytes, record: Any = None) -> None:
        self.layout = layout
        self.key = key
        self.record = record
        self.needs: tuple[bytes, ...] = (key,)

    def apply(self, state: dict[bytes, bytes | None], changes: dict[bytes, bytes | None]) -> None:
        raise NotImplementedError

    def unindex(
        self, old: bytes, state: dict[bytes, bytes | None], changes: dict[bytes, bytes | None]
    ) -> None:
        """Remove the index entries of the record that the key held."""
        if self.layout.entries:
            record = self.layout.kind.decode(old)
            for entry in self.layout.entries:
                key = entry.of(record)
                if key is not None:
                    state[key] = changes[key] = None


class _Write(_Step):
    __slots__ = ("create", "entries")

    def __init__(self, layout: Layout, record: Any, *, create: bool) -> None:
        super().__init__(layout, layout.key_of(record), record)
        self.create = create
        self.entries = [(entry, found) for entry in layout.entries if (found := entry.of(record)) is not None]
        unique = [key for entry, key in self.entries if entry.unique]
        if unique:
            self.needs = (self.key, *unique)
        elif not create and not layout.entries:
            self.needs = ()  # nothing depends on what the key holds

    def apply(self, state: dict[bytes, bytes | None], changes: dict[bytes, bytes | None]) -> None:
        key = self.key
        old = state.get(key)
        if old is not None:
            if self.create:
                raise Conflict("a record of that key exists", kind=self.layout.kind.name)
            self.unindex(old, state, changes)
        for entry, entry_key in self.entries:
            if entry.unique:
                if state.get(entry_key) is not None:
                    raise Conflict(
                        "a unique field is taken", kind=self.layout.kind.name, index=entry.index.name
                    )
                state[entry_key] = changes[entry_key] = key
            else:
                changes[entry_key] = b""
        state[key] = changes[key] = self.layout.kind.encode(self.record)


class _Delete(_Step):
    __slots__ = ()

    def apply(self, state: dict[bytes, bytes | None], changes: dict[bytes, bytes | None]) -> None:
        old = state.get(self.key)
        if old is not None:
            self.unindex(old, state, changes)
            state[self.key] = changes[self.key] = None


class _Expect(_Step):
    __slots__ = ()

    def apply(self, state: dict[bytes, bytes | None], changes: dict[bytes, bytes | None]) -> None:
        del changes
        old = state.get(self.key)
        kind = self.layout.kind
        found = None if old is None else kind.decode(old)
        if found != self.record:
            raise Conflict("a record is not what it was expected to be", kind=kind.name)
