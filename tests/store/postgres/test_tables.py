"""The tables are readable, complete, and notice what others do to them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import msgspec
import psycopg
import pytest

from tests.store.postgres.server import Server
from unabridged.errors import (
    Corrupt,
    StoreMissing,
    StoreTooNew,
    TransientStoreError,
    Unsupported,
    WouldOverwrite,
)
from unabridged.schema.ids import GLOBAL
from unabridged.schema.kinds import Kind
from unabridged.schema.records import EVENT, KINDS, META_KIND, PROJECT, Meta, Project
from unabridged.store.conformance.bench import PROJECT_A, PROJECT_B
from unabridged.store.conformance.samples import event, every_kind, meta
from unabridged.store.contract import Batch
from unabridged.store.open import open_store
from unabridged.store.postgres.store import PostgresStore
from unabridged.store.postgres.tables import Table


def run(server: Server, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        cursor = connection.execute(statement, parameters)  # type: ignore[arg-type]
        return cursor.fetchall() if cursor.description else []


def put(store: PostgresStore, kind: Kind[Any], *records: Any) -> None:
    store.commit(PROJECT_A, lambda _: Batch([("put", kind, record) for record in records]))


def test_every_field_is_a_column_of_its_name(server: Server, opened: Callable[[], PostgresStore]) -> None:
    opened()
    for kind in KINDS:
        columns = run(
            server,
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'shared' AND table_name = %s",
            kind.name,
        )
        assert {name for (name,) in columns} == {*kind.record.__struct_fields__, "_digest", "_fields"}


def test_every_key_and_index_begins_with_the_project(
    server: Server, opened: Callable[[], PostgresStore]
) -> None:
    opened()
    found = run(
        server,
        "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'shared' AND tablename <> 'store_format'",
    )
    assert len(found) >= len(KINDS) + sum(len(kind.indexes) for kind in KINDS)
    for table, definition in found:
        assert "(project" in definition, (table, definition)


def test_a_person_with_psql_can_read_an_event(server: Server, opened: Callable[[], PostgresStore]) -> None:
    put(opened(), EVENT, event(PROJECT_A, 7, "naïve 😀"))
    query = "SELECT ordinal, host, role, native, pieces->>0, paths->>0 FROM shared.event"
    done = subprocess.run(
        [server.binaries / "psql", "-h", server.folder, "-U", "postgres", "-At", "-c", query],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "7|claude-code|user|line-7/0|naïve 😀|/src/x.py"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE shared.event SET native = 'other'",
        "UPDATE shared.event SET flags = flags + 1",
        "UPDATE shared.event SET digest = '\\x00'",
        """UPDATE shared.event SET pieces = '["other"]'""",
        """UPDATE shared.event SET pieces = '{"a": 1}'""",
        "UPDATE shared.event SET native = E'\\x01'",
        "UPDATE shared.event SET _digest = '\\x0000000000000000'",
        "UPDATE shared.event SET _fields = 3",
        "UPDATE shared.event SET tool = NULL",
    ],
)
def test_a_row_that_somebody_changed_is_never_returned(
    server: Server, opened: Callable[[], PostgresStore], change: str
) -> None:
    store = opened()
    put(store, EVENT, event(PROJECT_A, 7))
    run(server, change)
    with store.snapshot() as snapshot, pytest.raises(Corrupt):
        snapshot.scan(EVENT, (PROJECT_A,))


class Longer(msgspec.Struct, frozen=True, array_like=True):
    """A named value as a later version may have it."""

    project: bytes
    name: str
    value: bytes
    added: int = 7
    more: list[str] = []


def test_a_column_that_a_later_version_adds_reads_as_its_default(server: Server) -> None:
    store = PostgresStore(server.url(), create=True, schema="grown")
    put(store, META_KIND, meta("old", b"1"))
    store.close()
    later = Kind(META_KIND.tag, META_KIND.name, Longer, META_KIND.key)
    table = Table(later, "grown")
    for statement in table.ddl("grown"):
        run(server, statement)
    rows = run(server, f"SELECT {table.selected} FROM {table.name} AS t")
    assert table.record(rows[0]) == Longer(GLOBAL, "old", b"1", 7, [])
    put_row = table.row(Longer(GLOBAL, "new", b"2", 8, ["x"]))
    run(server, table.insert, *[[value] for value in put_row])
    found = run(server, f"SELECT {table.selected} FROM {table.name} AS t ORDER BY t.name")
    assert [table.record(row) for row in found][0] == Longer(GLOBAL, "new", b"2", 8, ["x"])
    # The version before still reads its own rows.
    store = PostgresStore(server.url(), schema="grown")
    with store.snapshot() as snapshot:
        assert snapshot.get(META_KIND, (GLOBAL, "old")) == Meta(GLOBAL, "old", b"1")
    store.close()


def test_making_the_tables_again_changes_nothing(server: Server) -> None:
    for number in range(2):
        store = PostgresStore(server.url(), create=True, schema="twice")
        put(store, META_KIND, meta(f"{number}"))
        store.close()
    assert run(server, "SELECT count(*) FROM twice.meta") == [(2,)]


def test_a_schema_without_a_store_is_refused(server: Server) -> None:
    with pytest.raises(StoreMissing):
        PostgresStore(server.url(), schema="absent")
    assert run(server, "SELECT 1 FROM pg_namespace WHERE nspname = 'absent'") == []
    run(server, "CREATE SCHEMA foreign_one")
    run(server, "CREATE TABLE foreign_one.event (mine text)")
    with pytest.raises(WouldOverwrite):
        PostgresStore(server.url(), create=True, schema="foreign_one")
    assert run(
        server,
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
        " WHERE nspname = 'foreign_one'",
    ) == [(1,)]


def test_a_newer_store_is_refused_and_left_as_it_is(server: Server) -> None:
    PostgresStore(server.url(), create=True, schema="newer").close()
    run(server, "INSERT INTO newer.store_format VALUES (99)")
    run(server, "DROP TABLE newer.pin")
    for create in (False, True):
        with pytest.raises(StoreTooNew):
            PostgresStore(server.url(), create=create, schema="newer")
    assert run(server, "SELECT to_regclass('newer.pin')") == [(None,)]


def test_errors_carry_no_statement_value_or_address(server: Server) -> None:
    with pytest.raises(TransientStoreError) as raised:
        PostgresStore("postgresql://somebody:hunter2@/x?host=/nowhere")
    shown = repr(raised.value) + repr(raised.value.details) + repr(raised.value.__cause__)
    assert "hunter2" not in shown
    assert "nowhere" not in shown
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_a_kind_that_is_not_declared_is_refused(opened: Callable[[], PostgresStore]) -> None:
    other = Kind(99, "other", Meta, META_KIND.key)
    with opened().snapshot() as snapshot, pytest.raises(Unsupported):
        snapshot.get(other, (GLOBAL, "x"))


def test_an_address_opens_the_database(server: Server) -> None:
    run(server, "CREATE DATABASE addressed")
    store = open_store(server.url("addressed"), create=True)
    for project in (PROJECT_A, PROJECT_B):
        records = every_kind(project, 3)
        store.commit(project, lambda _, records=records: Batch([("put", PROJECT, records["project"])]))
    assert store.capabilities.engine == "postgres"
    store.close()
    store = open_store(server.url("addressed"), read_only=True)
    with store.snapshot() as snapshot:
        assert snapshot.count(PROJECT, ()) == 2
        assert isinstance(snapshot.scan(PROJECT, ())[0], Project)
    store.close()
