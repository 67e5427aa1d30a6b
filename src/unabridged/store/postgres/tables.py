"""The table of each kind, generated from its declaration: columns, keys, and the statements over them.

A field becomes a column of its name: bytes `bytea`, integers `bigint`, booleans `boolean`, text `text COLLATE "C"` (see
`text`), anything nested `jsonb` (bytes in it as base64). Two more columns hold the digest of the record's stored form
and the number of fields that it was made from, so that a changed row is noticed, and a row that is older than a field
is not taken for a changed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import msgspec
from msgspec import inspect

from unabridged.errors import Corrupt
from unabridged.schema import codec
from unabridged.schema.keys import KeyPart
from unabridged.schema.kinds import Index, Kind
from unabridged.schema.records import KINDS
from unabridged.store.postgres.text import escape, unescape

DIGEST = "_digest"
FIELDS = "_fields"
SCHEMA_VERSION = 1  # of the tables' layout; a newer one is refused
FORMAT_TABLE = "store_format"
LOCK_TABLE = "project_lock"

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One field: its SQL type, what a parameter of it is, and what a selected value becomes."""

    name: str
    type: str
    write: Convert
    read: Convert

    @property
    def element(self) -> str:
        """The type of a parameter."""
        return "text" if self.type == "jsonb" else self.type.partition(" ")[0]

    @property
    def selected(self) -> str:
        """The expression that reads the column."""
        return f"t.{quoted(self.name)}::text" if self.type == "jsonb" else f"t.{quoted(self.name)}"


def quoted(name: str) -> str:
    """Quote a name of the declarations."""
    return f'"{name}"'


class Table:
    """One kind as a table of a schema."""

    def __init__(self, kind: Kind[Any], schema: str) -> None:
        """Derive the columns."""
        self.kind = kind
        self.name = f"{quoted(schema)}.{quoted(kind.name)}"
        types = cast("inspect.StructType", inspect.type_info(kind.record)).fields
        hints = {field.name: field.type for field in msgspec.structs.fields(kind.record)}
        self.columns = tuple(_column(field, hints[field.name]) for field in types)
        self.by_name = {column.name: column for column in self.columns}
        self.key = tuple(name for name, _ in kind.key)
        self.unique = any(index.unique for index in kind.indexes)

    # --- statements ----------------------------------------------------------------------------------------------

    def ddl(self, schema: str) -> list[str]:
        """Return statements that make the table, or add what it lacks."""
        key = ", ".join(quoted(name) for name in self.key)
        lines = [
            f"{quoted(column.name)} {column.type} NOT NULL"
            for column in self.columns
            if column.name in self.key
        ]
        made = ", ".join([*lines, f"PRIMARY KEY ({key})"])
        statements = [f"CREATE TABLE IF NOT EXISTS {self.name} ({made})"]
        added = [(column.name, column.type) for column in self.columns if column.name not in self.key]
        added += [(FIELDS, "smallint"), (DIGEST, "bytea")]
        statements += [
            f"ALTER TABLE {self.name} ADD COLUMN IF NOT EXISTS {quoted(name)} {kind}" for name, kind in added
        ]
        # What is packed already is not packed again.
        statements += [
            f"ALTER TABLE {self.name} ALTER COLUMN {quoted(column.name)} SET STORAGE EXTERNAL"
            for column in self.columns
            if column.name == "data"
        ]
        for index in self.kind.indexes:
            unique = "UNIQUE " if index.unique else ""
            names = ", ".join(quoted(name) for name in self.index_columns(index))
            where = f" WHERE {self.present(index)}" if index.sparse else ""
            title = quoted(f"{self.kind.name}_{index.name}")
            statements.append(f"CREATE {unique}INDEX IF NOT EXISTS {title} ON {self.name} ({names}){where}")
        statements.append(
            f"COMMENT ON TABLE {self.name} IS '{schema}: see docs/format.md, kind {self.kind.tag}'"
        )
        return statements

    @cached_property
    def selected(self) -> str:
        """The columns of a record, as `record` takes them."""
        return ", ".join(
            [*(column.selected for column in self.columns), f"t.{quoted(FIELDS)}", f"t.{quoted(DIGEST)}"]
        )

    def index_columns(self, index: Index | None) -> tuple[str, ...]:
        """Return the columns that an index (or the key) orders by, each once."""
        if index is None:
            return self.key
        names = [name for name, _ in index.fields]
        if not index.unique:
            names += [name for name in self.key if name not in names]
        return tuple(names)

    def present(self, index: Index) -> str:
        """Return the condition of a sparse index."""
        column = self.by_name[index.fields[1][0]]
        return f"{quoted(column.name)} <> ''"

    def matching(self, names: Sequence[str], columns: str) -> str:
        """Return a select of `columns` by arrays of values of some columns, each row with its place in them."""
        arrays = ", ".join(f"%s::{self.by_name[name].element}[]" for name in names)
        asked = ", ".join(f"k{at}" for at in range(len(names)))
        on = " AND ".join(f"t.{quoted(name)} = q.k{at}" for at, name in enumerate(names))
        rows = f"unnest({arrays}) WITH ORDINALITY AS q({asked}, n)"
        return f"SELECT q.n, {columns} FROM {rows} JOIN {self.name} AS t ON {on}"

    @cached_property
    def insert(self) -> str:
        """The insertion of rows from one array a column; over an existing row where that cannot break an index."""
        names = [*(column.name for column in self.columns), FIELDS, DIGEST]
        types = [*(column.element for column in self.columns), "smallint", "bytea"]
        arrays = ", ".join(f"%s::{kind}[]" for kind in types)
        asked = ", ".join(f"c{at}" for at in range(len(names)))
        values = ", ".join(
            f"c{at}::jsonb" if at < len(self.columns) and self.columns[at].type == "jsonb" else f"c{at}"
            for at in range(len(names))
        )
        into = ", ".join(quoted(name) for name in names)
        statement = f"INSERT INTO {self.name} ({into}) SELECT {values} FROM unnest({arrays}) AS q({asked})"
        if self.unique:
            return statement
        key = ", ".join(quoted(name) for name in self.key)
        changed = ", ".join(
            f"{quoted(name)} = excluded.{quoted(name)}" for name in names if name not in self.key
        )
        return f"{statement} ON CONFLICT ({key}) DO UPDATE SET {changed}"

    @cached_property
    def delete(self) -> str:
        """The removal of rows by one array a key column."""
        arrays = ", ".join(f"%s::{self.by_name[name].element}[]" for name in self.key)
        asked = ", ".join(f"k{at}" for at in range(len(self.key)))
        on = " AND ".join(f"t.{quoted(name)} = q.k{at}" for at, name in enumerate(self.key))
        return f"DELETE FROM {self.name} AS t USING unnest({arrays}) AS q({asked}) WHERE {on}"

    # --- rows ----------------------------------------------------------------------------------------------------

    def parameters(self, names: Sequence[str], values: Sequence[KeyPart]) -> list[Any]:
        """Return values of columns as parameters."""
        return [self.by_name[name].write(value) for name, value in zip(names, values, strict=True)]

    def row(self, record: Any) -> list[Any]:
        """Return a record as the parameters of one inserted row."""
        values = [column.write(getattr(record, column.name)) for column in self.columns]
        return [*values, len(self.columns), codec.entry_digest(self.kind.encode(record))]

    def record(self, row: Sequence[Any]) -> Any:
        """Return the record of a selected row; raise `Corrupt` when it is not what was written."""
        fields, digest = row[-2], row[-1]
        try:
            values = [column.read(value) for column, value in zip(self.columns[:fields], row, strict=False)]
            found = self.kind.record(*values)
            whole = fields == len(self.columns)
            stored = self.kind.encode(found) if whole else codec.encode_fields(self.kind.tag, found, fields)
        except (TypeError, ValueError, KeyError, msgspec.MsgspecError) as error:
            raise Corrupt("a row does not decode", kind=self.kind.name) from error
        if codec.entry_digest(stored) != digest:
            raise Corrupt("a row has the wrong digest", kind=self.kind.name)
        return found


def tables(schema: str) -> Mapping[int, Table]:
    """Return the tables of all kinds by tag."""
    return {kind.tag: Table(kind, schema) for kind in KINDS}


def _column(field: inspect.Field, hint: Any) -> Column:
    kind = field.type
    if isinstance(kind, inspect.UnionType) and len({type(one) for one in kind.types}) == 1:
        kind = kind.types[0]  # two names of one type
    if isinstance(kind, inspect.BytesType):
        return Column(field.name, "bytea", _same, bytes)
    if isinstance(kind, inspect.BoolType):
        return Column(field.name, "boolean", _same, _same)
    if isinstance(kind, inspect.IntType):
        return Column(field.name, "bigint", _same, _same)
    if isinstance(kind, inspect.StrType):
        return Column(field.name, 'text COLLATE "C"', escape, unescape)
    return Column(field.name, "jsonb", _nested, lambda text: _unnested(text, hint))


def _same(value: Any) -> Any:
    return value


def _nested(value: Any) -> str:
    return msgspec.json.encode(codec.mapped(msgspec.to_builtins(value), escape)).decode()


def _unnested(text: str, hint: Any) -> Any:
    return msgspec.convert(codec.mapped(msgspec.json.decode(text), unescape), hint)
