"""One server for all tests of this folder, and an empty store for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.store.postgres.server import Server, running
from unabridged.store.postgres.store import PostgresStore

SHARED = "shared"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture(scope="session")
def emptied(server: Server) -> Callable[[], None]:
    """Return a function that empties the store that the tests share, which is quicker than making it anew."""
    store = PostgresStore(server.url(), create=True, schema=SHARED)
    names = ", ".join(table.name for table in store.tables.values())
    store.close()

    def empty() -> None:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(f"TRUNCATE {names}")

    return empty


@pytest.fixture
def opened(server: Server, emptied: Callable[[], None]) -> Iterator[Callable[[], PostgresStore]]:
    """Return a function that opens an empty store, the same one as often as it is called."""
    emptied()
    stores = list[PostgresStore]()

    def open_one() -> PostgresStore:
        stores.append(PostgresStore(server.url(), schema=SHARED))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()
