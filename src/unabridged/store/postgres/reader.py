"""Reads of one transaction: typed ones for plans and snapshots, and by encoded key for the collection layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
import psycopg

from unabridged.errors import InvalidInput, Unsupported
from unabridged.schema import keys as key_codec
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Index, Kind
from unabridged.store.collections import check_limit
from unabridged.store.contract import DEFAULT_SCAN
from unabridged.store.layout import Layouts
from unabridged.store.postgres.failures import translated
from unabridged.store.postgres.tables import Table, quoted

R = TypeVar("R", bound=msgspec.Struct)
Row = tuple[Any, ...]
Ask = Callable[[str, Sequence[Any]], list[Row]]

_layouts = Layouts()


def asking(connection: psycopg.Connection[Row]) -> Ask:
    """Return a way to run a select on a connection, with its failures translated."""

    def ask(statement: str, parameters: Sequence[Any]) -> list[Row]:
        try:
            with connection.cursor(binary=True) as cursor:
                return cursor.execute(cast("Any", statement), parameters).fetchall()
        except psycopg.Error as error:
            raise translated(error) from None

    return ask


class PostgresReader:
    """The contract's `Reader` over one transaction."""

    def __init__(self, ask: Ask, tables: Mapping[int, Table]) -> None:
        """Read through `ask`."""
        self._ask = ask
        self._tables = tables

    def table(self, kind: Kind[Any]) -> Table:
        """Return a kind's table."""
        table = self._tables.get(kind.tag)
        if table is None or table.kind is not kind:
            raise Unsupported("this engine holds the declared kinds alone", kind=kind.name)
        return table

    def get(self, kind: Kind[R], key: tuple[KeyPart, ...]) -> R | None:
        """Return the record at a whole key, or None."""
        return self.get_many(kind, [key])[0]

    def get_many(self, kind: Kind[R], keys: Sequence[tuple[KeyPart, ...]]) -> list[R | None]:
        """Return the records at whole keys, in that order."""
        table, layout = self.table(kind), _layouts.of(kind)
        for key in keys:
            layout.key(key)  # refuses what is not one
        found: list[R | None] = [None] * len(keys)
        for row in self._matching(table, table.key, keys, table.selected):
            found[row[0] - 1] = table.record(row[1:])
        return found

    def lookup(
        self, kind: Kind[Any], index: str, keys: Sequence[tuple[KeyPart, ...]]
    ) -> list[tuple[KeyPart, ...] | None]:
        """Return, for each whole key of a unique index, the key of the record that it names, or None."""
        table, layout = self.table(kind), _layouts.of(kind)
        entry = layout.entry(index)
        if not entry.unique:
            raise InvalidInput("the index is not unique", kind=kind.name, index=index)
        for key in keys:
            layout.unique_key(entry, key)
        found: list[tuple[KeyPart, ...] | None] = [None] * len(keys)
        wanted = ", ".join(f"t.{quoted(name)}" for name in table.key)
        for row in self._matching(table, table.index_columns(entry.index), keys, wanted):
            found[row[0] - 1] = tuple(
                table.by_name[name].read(value) for name, value in zip(table.key, row[1:], strict=True)
            )
        return found

    def _matching(
        self, table: Table, names: Sequence[str], keys: Sequence[Sequence[KeyPart]], columns: str
    ) -> list[Row]:
        if not keys:
            return []
        rows = [table.parameters(names, key) for key in keys]
        return self._ask(table.matching(names, columns), [list(column) for column in zip(*rows, strict=True)])

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
        table, found = self.table(kind), self._index(kind, index)
        _layouts.of(kind).bounds(index, prefix, start, stop)  # refuses what is not one
        where, parameters = self._where(table, found, prefix, start, stop)
        direction = " DESC" if reverse else ""
        order = ", ".join(f"t.{quoted(name)}{direction}" for name in table.index_columns(found))
        statement = f"SELECT {table.selected} FROM {table.name} AS t{where} ORDER BY {order} LIMIT {limit}"
        return [table.record(row) for row in self._ask(statement, parameters)]

    def count(self, kind: Kind[Any], prefix: tuple[KeyPart, ...], *, index: str = "") -> int:
        """Return how many records (or index entries) begin with `prefix`."""
        table, found = self.table(kind), self._index(kind, index)
        _layouts.of(kind).bounds(index, prefix)
        where, parameters = self._where(table, found, prefix, (), ())
        return self._ask(f"SELECT count(*) FROM {table.name} AS t{where}", parameters)[0][0]

    def _index(self, kind: Kind[Any], name: str) -> Index | None:
        return _layouts.of(kind).entry(name).index if name else None

    def _where(
        self,
        table: Table,
        index: Index | None,
        prefix: Sequence[KeyPart],
        start: Sequence[KeyPart],
        stop: Sequence[KeyPart],
    ) -> tuple[str, list[Any]]:
        """Return the condition of a scan. Comparing some first columns as a row is comparing keys cut there."""
        names = [name for name, _ in (table.kind.key if index is None else index.fields)]
        if index is not None and not index.unique:
            names += [name for name, _ in table.kind.key]
        conditions, parameters = list[str](), list[Any]()
        for sign, bound in (("=", prefix), (">=", start), ("<", stop)):
            if bound:
                behind = 0 if bound is prefix else len(prefix)
                columns = names[behind : behind + len(bound)]
                row = ", ".join(f"t.{quoted(name)}" for name in columns)
                values = ", ".join(f"%s::{table.by_name[name].element}" for name in columns)
                conditions.append(f"({row}) {sign} ({values})")
                parameters += table.parameters(columns, bound)
        if index is not None and index.sparse:
            conditions.append(table.present(index))
        return (f" WHERE {' AND '.join(conditions)}" if conditions else ""), parameters

    # --- by encoded key, for the collection layer ----------------------------------------------------------------

    def stored(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the stored form under encoded keys: of a record its bytes, of a unique index's entry its key."""
        found: dict[bytes, bytes] = {}
        groups: dict[tuple[int, int], list[bytes]] = {}
        for key in keys:
            groups.setdefault((key[1], key[2]), []).append(key)
        for (tag, number), some in groups.items():
            table = self._tables[tag]
            if number:
                self._entries(table, number, some, found)
                continue
            decoded = [table.kind.decode_key(key) for key in some]
            for key, record in zip(some, self.get_many(table.kind, decoded), strict=True):
                if record is not None:
                    found[key] = table.kind.encode(record)
        return [found.get(key) for key in keys]

    def _entries(self, table: Table, number: int, keys: list[bytes], found: dict[bytes, bytes]) -> None:
        kind = table.kind
        index = next(index for index in kind.indexes if index.number == number)
        types = kind.index_types(index)
        decoded = [key_codec.decode(types, key) for key in keys]
        for key, primary in zip(keys, self.lookup(kind, index.name, decoded), strict=True):
            if primary is not None:
                found[key] = kind.encode_key(primary)


class StoredReader:
    """The reads of the collection layer over a transaction."""

    def __init__(self, reader: PostgresReader) -> None:
        """Read through a reader."""
        self._reader = reader

    def get(self, key: bytes) -> bytes | None:
        """Return the stored form under an encoded key."""
        return self._reader.stored([key])[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the stored forms under encoded keys."""
        return self._reader.stored(keys)

    def range(
        self, lower: bytes, upper: bytes, *, reverse: bool = False, limit: int
    ) -> list[tuple[bytes, bytes]]:
        """Raise: nothing scans encoded keys here."""
        raise Unsupported("scans go by columns", size=len(lower) + len(upper), reverse=reverse, limit=limit)

    def count(self, lower: bytes, upper: bytes) -> int:
        """Raise: nothing counts encoded keys here."""
        raise Unsupported("counts go by columns", size=len(lower) + len(upper))
