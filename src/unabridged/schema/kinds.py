"""How a record kind is declared: its tag, its key, and its secondary indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from unabridged.schema import codec, keys
from unabridged.schema.keys import KeyPart, PartType

R = TypeVar("R", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index: a `number` (1-15) within its kind, a name, and the record's fields that it orders by.

    A unique index refuses a second record with equal fields (`Conflict`); a sparse one leaves out records whose first
    field after the project is empty (b"" or "").
    """

    number: int
    name: str
    fields: tuple[tuple[str, PartType], ...]
    unique: bool = False
    sparse: bool = False


@dataclass(frozen=True, slots=True)
class Kind(Generic[R]):
    """A record kind: tag (1-127, for ever), name, struct, key fields (the first is `project`), and indexes."""

    tag: int
    name: str
    record: type[R]
    key: tuple[tuple[str, PartType], ...]
    indexes: tuple[Index, ...] = ()
    append_only: bool = False  # a second put of an existing key is refused
    by_name: dict[str, Index] = field(default_factory=dict[str, Index])

    def __post_init__(self) -> None:
        """Fill the look-up of indexes by name."""
        self.by_name.update({index.name: index for index in self.indexes})

    def key_of(self, record: R) -> tuple[KeyPart, ...]:
        """Return a record's key tuple."""
        return tuple(getattr(record, name) for name, _ in self.key)

    def encode_key(self, parts: Sequence[KeyPart]) -> bytes:
        """Encode a key tuple, or a prefix of one."""
        return keys.encode(self.tag, 0, [kind for _, kind in self.key], parts)

    def decode_key(self, data: bytes) -> tuple[KeyPart, ...]:
        """Decode an encoded key."""
        return keys.decode([kind for _, kind in self.key], data)

    def index_types(self, index: Index) -> list[PartType]:
        """Return the part types of an index entry's key: the indexed fields, then (not unique) the record's key."""
        types = [kind for _, kind in index.fields]
        return types if index.unique else types + [kind for _, kind in self.key]

    def encode_index(self, index: Index, parts: Sequence[KeyPart]) -> bytes:
        """Encode an index entry's key, or a prefix of one."""
        return keys.encode(self.tag, index.number, self.index_types(index), parts)

    def index_keys(self, record: R) -> list[tuple[Index, bytes]]:
        """Return the encoded entry key of every index that holds the record."""
        found = list[tuple[Index, bytes]]()
        for index in self.indexes:
            parts = [getattr(record, name) for name, _ in index.fields]
            if index.sparse and not parts[1]:
                continue
            if not index.unique:
                parts.extend(getattr(record, name) for name, _ in self.key)
            found.append((index, self.encode_index(index, parts)))
        return found

    def encode(self, record: R) -> bytes:
        """Return the record's stored bytes."""
        return codec.encode(self.tag, record)

    def decode(self, data: bytes) -> R:
        """Return the record in stored bytes, verified."""
        return codec.decode(self.tag, self.record, data)
