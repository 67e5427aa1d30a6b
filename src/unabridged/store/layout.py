"""How one kind's keys are encoded: functions compiled once, since a commit encodes four keys a record.

They give the same bytes as `Kind.encode_key` and `Kind.encode_index`, which also raise the errors for bad parts.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from unabridged.errors import InvalidInput
from unabridged.schema import codec, keys
from unabridged.schema.keys import KEY_VERSION, KeyPart, PartType
from unabridged.schema.kinds import Index, Kind

Encode = Callable[[Any], bytes]  # record -> encoded key
EncodeParts = Callable[[Sequence[KeyPart]], bytes]  # whole key tuple -> encoded key
EncodeSome = Callable[[Any], bytes | None]  # record -> encoded key, or None where the index leaves it out


class Entry:
    """One index of a kind, compiled: `of` encodes a record's entry; `tail` is the size of its primary-key part."""

    __slots__ = ("index", "of", "of_parts", "tail", "types", "unique")

    def __init__(self, kind: Kind[Any], index: Index) -> None:
        self.index = index
        self.unique = index.unique
        self.types = kind.index_types(index)
        names = [name for name, _ in index.fields]
        if not index.unique:
            names += [name for name, _ in kind.key]
        whole = _compiled(kind.tag, index.number, names, self.types)
        self.of_parts: EncodeParts = _compiled_parts(kind.tag, index.number, self.types)
        self.of: EncodeSome = _sparse(whole, index.fields[1][0]) if index.sparse else whole
        self.tail = _fixed_size([part for _, part in kind.key])


class Layout:
    """One kind, compiled."""

    __slots__ = (
        "decode",
        "encode",
        "entries",
        "head",
        "key_of",
        "key_types",
        "kind",
        "numbered",
        "of_parts",
        "width",
    )

    def __init__(self, kind: Kind[Any]) -> None:
        self.kind = kind
        self.key_types = [part for _, part in kind.key]
        self.width = len(self.key_types)
        self.numbered = self.key_types[-1].kind == "uint"
        self.head = bytes((KEY_VERSION, kind.tag, 0))
        self.key_of: Encode = _compiled(kind.tag, 0, [name for name, _ in kind.key], self.key_types)
        self.of_parts: EncodeParts = _compiled_parts(kind.tag, 0, self.key_types)
        self.encode: Encode = codec.encoder(kind.tag, kind.record)
        self.decode: Callable[[bytes], Any] = codec.decoder(kind.tag, kind.record)
        self.entries = tuple(Entry(kind, index) for index in kind.indexes)

    def key(self, parts: Sequence[KeyPart]) -> bytes:
        """Encode a whole key."""
        if len(parts) != self.width:
            raise InvalidInput(
                "a key has the wrong number of parts", kind=self.kind.name, expected=self.width
            )
        return self.of_parts(parts)

    def unique_key(self, entry: Entry, parts: Sequence[KeyPart]) -> bytes:
        """Encode a whole key of a unique index."""
        if len(parts) != len(entry.types):
            raise InvalidInput(
                "a key has the wrong number of parts", kind=self.kind.name, expected=len(entry.types)
            )
        return entry.of_parts(parts)

    def entry(self, name: str) -> Entry:
        """Return an index by its name."""
        for entry in self.entries:
            if entry.index.name == name:
                return entry
        raise InvalidInput("there is no index of that name", kind=self.kind.name, index=name)

    def bounds(
        self,
        index: str,
        prefix: Sequence[KeyPart],
        start: Sequence[KeyPart] = (),
        stop: Sequence[KeyPart] = (),
    ) -> tuple[bytes, bytes]:
        """Return the encoded range (lower inclusive, upper exclusive) of a scan."""
        number, types = 0, self.key_types
        if index:
            found = self.entry(index)
            number, types = found.index.number, found.types
        if max(len(start), len(stop)) + len(prefix) > len(types):
            raise InvalidInput("a key has too many parts", kind=self.kind.name, limit=len(types))
        tag = self.kind.tag
        lower = keys.encode(tag, number, types, (*prefix, *start))
        if stop:
            return lower, keys.encode(tag, number, types, (*prefix, *stop))
        return lower, keys.after_prefix(keys.encode(tag, number, types, prefix))

    def primary(self, entry: Entry, key: bytes, value: bytes) -> bytes:
        """Return the encoded primary key that an index entry points to."""
        if entry.unique:
            return value
        if entry.tail:
            return self.head + key[-entry.tail :]
        return keys.encode(self.kind.tag, 0, self.key_types, keys.decode(entry.types, key)[-self.width :])


class Layouts:
    """The layouts of kinds, each compiled at its first use."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, Layout] = {}

    def of(self, kind: Kind[Any]) -> Layout:
        """Return the layout of a kind."""
        found = self._known.get(
            id(kind)
        )  # a kind cannot be hashed; the layout keeps it, so its id stays its own
        if found is None:
            found = self._known[id(kind)] = Layout(kind)
        return found


def _fixed_size(types: Sequence[PartType]) -> int:
    """Return the encoded size of parts that all have one size, else 0."""
    if any(part.kind == "text" for part in types):
        return 0
    return sum(part.size or 8 for part in types)


def _sparse(whole: Encode, field: str) -> EncodeSome:
    value_of = attrgetter(field)

    def of(record: Any) -> bytes | None:
        return whole(record) if value_of(record) else None

    return of


def _compiled(tag: int, number: int, names: Sequence[str], types: Sequence[PartType]) -> Encode:
    """Return the encoder of a record's key from its fields."""
    if len(names) == 1:
        value_of: Callable[[Any], KeyPart] = attrgetter(names[0])
        return lambda record: keys.encode(tag, number, types, (value_of(record),))
    values_of: Callable[[Any], tuple[KeyPart, ...]] = attrgetter(*names)
    if not _fixed_size(types):
        return lambda record: keys.encode(tag, number, types, values_of(record))

    def slowly(record: Any) -> bytes:
        """Encode, or raise the error that says what is wrong."""
        return keys.encode(tag, number, types, values_of(record))

    fields = "; ".join(f"p{at} = given.{name}" for at, name in enumerate(names))
    return _written(tag, number, types, fields, slowly)


def _compiled_parts(tag: int, number: int, types: Sequence[PartType]) -> EncodeParts:
    """Return the encoder of whole key tuples."""

    def slowly(parts: Sequence[KeyPart]) -> bytes:
        """Encode, or raise the error that says what is wrong."""
        return keys.encode(tag, number, types, parts)

    if not _fixed_size(types):
        return slowly
    fields = "".join(f"p{at}, " for at in range(len(types))) + "= given"
    return _written(tag, number, types, fields, slowly)


def _written(tag: int, number: int, types: Sequence[PartType], fields: str, slowly: Encode) -> Encode:
    pack = struct.Struct(
        ">3s" + "".join("q" if part.kind == "uint" else f"{part.size}s" for part in types)
    ).pack
    scope: dict[str, Any] = {
        "pack": pack,
        "head": bytes((KEY_VERSION, tag, number)),
        "slowly": slowly,
        "Wrong": (struct.error, TypeError),
    }
    parts = [f"p{at}" for at in range(len(types))]
    checks = [
        f"{part} >= 0" if kind.kind == "uint" else f"len({part}) == {kind.size}"
        for part, kind in zip(parts, types, strict=True)
    ]
    # Written out for the kind, as dataclasses are: a loop over its parts takes three times as long. pack cuts and pads
    # bytes and takes negative numbers, so both are checked. Names and sizes come from declarations alone.
    exec(_SOURCE.format(fields=fields, good=" and ".join(checks), parts=", ".join(parts)), scope)
    return scope["of"]


_SOURCE = """
def of(given):
    {fields}
    try:
        if {good}:
            return pack(head, {parts})
    except Wrong:
        pass
    return slowly(given)
"""
