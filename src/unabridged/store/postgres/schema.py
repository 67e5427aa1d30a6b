"""The tables of a store in a database: made, brought up to date, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import psycopg

from unabridged.errors import StoreMissing, StoreTooNew, WouldOverwrite
from unabridged.store.postgres.tables import FORMAT_TABLE, LOCK_TABLE, SCHEMA_VERSION, Table, quoted

# The advisory lock under which tables are made: the first bytes of a hash of the product's name, as a signed integer.
MAKING_LOCK = 0x556E_6162_7264


def ensure(
    connection: psycopg.Connection[Any], schema: str, tables: Mapping[int, Table], *, create: bool
) -> None:
    """Check that the store is there and not newer; with `create`, make it, or add the columns that it lacks."""
    with connection.transaction(), connection.cursor() as cursor:
        if create:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (MAKING_LOCK,))
        found = cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
            (schema,),
        ).fetchall()
        names = {row[0] for row in found}
        format_table = f"{quoted(schema)}.{quoted(FORMAT_TABLE)}"
        if FORMAT_TABLE in names:
            version = cursor.execute(_text(f"SELECT max(version) FROM {format_table}")).fetchone()
            if version is None or version[0] > SCHEMA_VERSION:
                raise StoreTooNew(found=version and version[0], known=SCHEMA_VERSION)
        elif names:
            raise WouldOverwrite(
                "the schema is not empty, but holds no store", schema=schema, found=len(names)
            )
        elif not create:
            raise StoreMissing("there is no store in that schema", schema=schema)
        if create:
            for statement in _statements(schema, tables, format_table):
                cursor.execute(_text(statement))


def _statements(schema: str, tables: Mapping[int, Table], format_table: str) -> list[str]:
    statements = [
        f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}",
        f"CREATE TABLE IF NOT EXISTS {format_table} (version integer PRIMARY KEY)",
        f"INSERT INTO {format_table} VALUES ({SCHEMA_VERSION}) ON CONFLICT DO NOTHING",
        f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.{quoted(LOCK_TABLE)} (project bytea PRIMARY KEY)",
    ]
    for table in tables.values():
        statements += table.ddl(schema)
    return statements


def _text(statement: str) -> Any:
    """The driver takes literal statements alone, to keep values out; these are made from declarations."""
    return cast("Any", statement)
