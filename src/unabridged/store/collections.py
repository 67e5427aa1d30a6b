"""Typed records, with their indexes, over an ordered map of bytes.

A record stands under its encoded key. An entry of a unique index holds the record's key; an entry of any other index
ends with it and holds nothing. Both are written with the record, so an index is never ahead of or behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from unabridged.errors import Conflict, Corrupt, InvalidInput, LimitExceeded
from unabridged.schema.ids import ProjectId
from unabridged.schema.keys import UINT_BYTES, KeyPart
from unabridged.schema.kinds import Kind
from unabridged.schema.records import LOG
from unabridged.store.bytes import ByteReader
from unabridged.store.contract import DEFAULT_SCAN, MAX_SCAN, Batch, Encoded
from unabridged.store.layout import Entry, Layout, Layouts

R = TypeVar("R", bound=msgspec.Struct)

RUN = 16  # keys; a look at a range costs about as much as so many look-ups

_layouts = Layouts()
_layout_of = _layouts.of


class Records:
    """The contract's `Reader` over one state of an ordered map."""

    __slots__ = ("_bytes",)

    def __init__(self, reader: ByteReader) -> None:
        self._bytes = reader

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return the record at a whole key, or None."""
        layout = _layout_of(kind)
        data = self._bytes.get(layout.key(key))
        return None if data is None else layout.decode(data)

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return the records at whole keys, in that order."""
        layout = _layout_of(kind)
        found = self._bytes.get_many([layout.key(key) for key in keys])
        return [None if data is None else layout.decode(data) for data in found]

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
        layout = _layout_of(kind)
        lower, upper = layout.bounds(index, prefix, start, stop)
        rows = self._bytes.range(lower, upper, reverse=reverse, limit=limit)
        if not index:
            return [layout.decode(data) for _, data in rows]
        entry = layout.entry(index)
        keys = [layout.primary(entry, key, value) for key, value in rows]
        records = list[R]()
        for (key, _), data in zip(rows, self._bytes.get_many(keys), strict=True):
            record = None if data is None else layout.decode(data)
            if record is None or entry.of(record) != key:
                raise Corrupt("an index entry does not belong to its record", kind=kind.name, index=index)
            records.append(record)
        return records

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Return, for each whole key of a unique index, the key of the record that it names, or None."""
        layout = _layout_of(kind)
        entry = layout.entry(index)
        if not entry.unique:
            raise InvalidInput("the index is not unique", kind=kind.name, index=index)
        found = self._bytes.get_many([layout.unique_key(entry, key) for key in keys])
        return [None if data is None else kind.decode_key(data) for data in found]

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Return how many records (or index entries) begin with `prefix`."""
        return self._bytes.count(*_layout_of(kind).bounds(index, prefix))


class Noted:
    """Reads of one state that remember what single keys held: a plan looks them up, then what it wants is compared."""

    __slots__ = ("_bytes", "_held")

    def __init__(self, reader: ByteReader) -> None:
        """Read from a state that stays as it is for as long."""
        self._bytes = reader
        self._held: dict[bytes, bytes | None] = {}

    def foresee(self, keys: Sequence[bytes]) -> None:
        """Look at the ranges of long runs of keys, each ending with a number; where nothing is, remember that."""
        if len(keys) < RUN:
            return
        runs = dict[bytes, list[bytes]]()
        for key in keys:
            runs.setdefault(key[:-UINT_BYTES], []).append(key)
        for run in runs.values():
            if len(run) >= RUN and not self._bytes.range(min(run), max(run) + b"\0", limit=1):
                self._held.update(dict.fromkeys(run))

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, or None."""
        return self.get_many((key,))[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, in that order."""
        held = self._held
        missing = [key for key in keys if key not in held]
        if missing:
            held.update(zip(missing, self._bytes.get_many(missing), strict=True))
        return [held[key] for key in keys]

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Return at most `limit` entries with `lower <= key < upper`, in key order or its reverse."""
        return self._bytes.range(lower, upper, reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Return how many keys there are with `lower <= key < upper`."""
        return self._bytes.count(lower, upper)


def check_limit(limit: int) -> None:
    """Raise for a scan limit that the contract does not allow."""
    if limit < 0:
        raise InvalidInput("a limit is negative", limit=limit)
    if limit > MAX_SCAN:
        raise LimitExceeded("a scan asks for too many records", limit=MAX_SCAN, size=limit)


State = dict[bytes, bytes | None]
Step = tuple[
    str, Layout, bytes, Any, Sequence[tuple[Entry, bytes]]
]  # operation, kind, key, record, index entries


class Effects:
    """What a batch does to the map: its changes, and the highest log position that it writes for each project."""

    __slots__ = ("changes", "positions")

    def __init__(self) -> None:
        self.changes: State = {}
        self.positions: dict[ProjectId, int] = {}


def effects(
    batch: Batch, reader: ByteReader, foresee: Callable[[Sequence[bytes]], None] | None = None
) -> Effects:
    """Return what a batch does to the state that `reader` shows; raise `Conflict` where it may not.

    Operations take effect in order, each over what those before it leave. What they need to know of the state is read
    in one go, and written kinds without an index or a condition are not read at all. `foresee` is told beforehand
    which keys that end with a number will be asked for to be created.
    """
    wanted, created = list[bytes](), list[bytes]()
    steps = [_prepared(op, kind, value, wanted, created) for op, kind, value in batch.ops]
    if foresee is not None:
        foresee(created)
    wanted += created
    state: State = dict(zip(wanted, reader.get_many(wanted), strict=True))
    out = Effects()
    for step in steps:
        operation, layout, key, record, _ = step
        if operation == "delete":
            old = state.get(key)
            if old is not None:
                _unindex(layout, old, state, out.changes)
                state[key] = out.changes[key] = None
        elif operation == "expect":
            _expect(layout, state.get(key), record)
        else:
            _write(step, state, out.changes)
            if layout.kind is LOG:
                project, position = record.project, record.position
                out.positions[project] = max(position, out.positions.get(project, 0))
    return out


def _prepared(op: str, kind: Kind[Any], value: Any, wanted: list[bytes], created: list[bytes]) -> Step:
    """Encode the keys of one operation; add those whose present values it depends on to `wanted`, or to `created`."""
    layout = _layout_of(kind)
    if op == "create" or op == "put":
        key = layout.key_of(value)
        if kind.append_only:
            op = "create"
        if not layout.entries:
            if op == "create":
                wanted.append(key)
            return op, layout, key, value, ()
        (created if op == "create" and layout.numbered else wanted).append(key)
        found = [(entry, entry_key) for entry in layout.entries if (entry_key := entry.of(value)) is not None]
        wanted += [entry_key for entry, entry_key in found if entry.unique]
        return op, layout, key, value, found
    if op == "delete":
        key = layout.key(value)
        wanted.append(key)
        return op, layout, key, None, ()
    if op == "expect":
        key = layout.key(value[0])
        wanted.append(key)
        return op, layout, key, value[1], ()
    raise InvalidInput("a batch has an unknown operation", operation=op)


def _write(step: Step, state: State, changes: State) -> None:
    operation, layout, key, record, entries = step
    old = state.get(key)
    if old is not None:
        if operation == "create":
            raise Conflict("a record of that key exists", kind=layout.kind.name)
        _unindex(layout, old, state, changes)
    for entry, entry_key in entries:
        if entry.unique:
            if state.get(entry_key) is not None:
                raise Conflict("a unique field is taken", kind=layout.kind.name, index=entry.index.name)
            state[entry_key] = changes[entry_key] = key
        else:
            changes[entry_key] = b""
    state[key] = changes[key] = record.value if isinstance(record, Encoded) else layout.encode(record)


def _unindex(layout: Layout, old: bytes, state: State, changes: State) -> None:
    """Remove the index entries of the record that a key held."""
    if layout.entries:
        record = layout.decode(old)
        for entry in layout.entries:
            entry_key = entry.of(record)
            if entry_key is not None:
                state[entry_key] = changes[entry_key] = None


def _expect(layout: Layout, old: bytes | None, record: Any) -> None:
    found = None if old is None else layout.decode(old)
    if found != record:
        raise Conflict("a record is not what it was expected to be", kind=layout.kind.name)
