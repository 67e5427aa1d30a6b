"""The contract's `Store` over a PostgreSQL database, shared by any number of processes and machines."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from unabridged.errors import StoreClosed, TransientStoreError, Unsupported
from unabridged.schema.ids import Micros, ProjectId
from unabridged.store.contract import Capabilities, Plan, Snapshot, Usage
from unabridged.store.postgres.failures import translated
from unabridged.store.postgres.reader import PostgresReader, Row, asking
from unabridged.store.postgres.schema import ensure
from unabridged.store.postgres.tables import quoted, tables
from unabridged.store.postgres.writer import PostgresWriter

SCHEMA = "unabridged"
SNAPSHOTS = 32  # connections for snapshots held at once; a server allows about a hundred in all
POOL_SECONDS = 10.0  # how long a snapshot waits for a connection
CONNECT_SECONDS = 10  # how long one attempt to connect takes
POLL_SECONDS = 0.5  # between looks at the log for what other machines wrote

# What a commit promises is durable also where the server's own default is laxer.
SESSION = "SET synchronous_commit = on; SET default_transaction_isolation = 'read committed'"
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
SIZE_LIMIT = (
    1 << 29
)  # bytes of one value: a parameter's limit is 1 GiB, and it may travel as text of twice its size


class PostgresSnapshot(PostgresReader):
    """One state of the database: a transaction of its own."""

    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Row]) -> None:
        """Take over a connection with an open transaction."""
        self._store = store
        self._connection: psycopg.Connection[Row] | None = connection
        self._lock = threading.Lock()
        ask = asking(connection)

        def guarded(statement: str, parameters: Any) -> list[Row]:
            with self._lock:
                if self._connection is None or store.closed:
                    raise StoreClosed("the snapshot is closed")
                return ask(statement, parameters)

        super().__init__(guarded, store.tables)

    def close(self) -> None:
        """Release the state."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            self._store.release(connection)

    def __enter__(self) -> Snapshot:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the state."""
        self.close()


class PostgresStore:
    """One schema of a database."""

    capabilities = Capabilities(
        engine="postgres", durable=True, shared=True, backup=False, compact=True, max_value_bytes=SIZE_LIMIT
    )

    def __init__(self, url: str, *, create: bool = False, schema: str = SCHEMA) -> None:
        """Connect; with `create` make the tables where they are missing. Raises as `open_store` does."""
        self._url = url
        self._schema = schema
        self.tables = tables(schema)
        self.closed = False
        self._moved = threading.Condition()
        self._commits = 0  # groups of this process, under `_moved`
        try:
            with self._connected() as connection:
                ensure(connection, schema, self.tables, create=create)
        except psycopg.Error as error:
            raise translated(error) from None
        self._pool: ConnectionPool[psycopg.Connection[Any]] = ConnectionPool(
            url,
            min_size=1,
            max_size=SNAPSHOTS,
            timeout=POOL_SECONDS,
            configure=_configure,
            open=True,
            name="snapshots",
        )
        self._writer = PostgresWriter(self._connected, schema, self.tables, self._announce)

    def _connected(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._url, connect_timeout=CONNECT_SECONDS)
        _configure(connection)
        return connection

    def snapshot(self, project: ProjectId | None = None) -> Snapshot:  # noqa: ARG002 - one state holds all projects
        """Return the state of the last commit of anybody."""
        if self.closed:
            raise StoreClosed
        try:
            connection = self._pool.getconn()
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            connection.execute("SELECT 1")  # the state is taken by the first read
        except PoolClosed:
            raise StoreClosed from None
        except PoolTimeout:
            raise TransientStoreError("too many snapshots are held", limit=SNAPSHOTS) from None
        except psycopg.Error as error:
            raise translated(error) from None
        return PostgresSnapshot(self, connection)

    def release(self, connection: psycopg.Connection[Any]) -> None:
        """Take a snapshot's connection back."""
        try:
            connection.rollback()
        except psycopg.Error:
            connection.close()  # the pool makes another
        self._pool.putconn(connection)

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Queue a plan; the future resolves when it is committed, or to its error."""
        return self._writer.submit(project, plan)

    def commit(self, project: ProjectId, plan: Plan) -> Any:
        """Submit a plan and wait for it."""
        return self.submit(project, plan).result()

    def _announce(self) -> None:
        with self._moved:
            self._commits += 1
            self._moved.notify_all()

    def now(self) -> Micros:
        """Return the database's clock."""
        return Micros(self._ask(NOW)[0][0])

    def wait(self, project: ProjectId, after: int, timeout: float) -> bool:
        """Wait until the project's log goes beyond position `after`: at once for commits of this process."""
        statement = f"SELECT 1 FROM {quoted(self._schema)}.log WHERE project = %s AND position > %s LIMIT 1"
        left = timeout
        while not self.closed:
            seen = self._commits
            if self._ask(statement, (project, after)):
                return True
            if left <= 0:
                return False
            pause = min(POLL_SECONDS, left)
            with self._moved:
                if not self._moved.wait_for(lambda seen=seen: self._commits != seen, pause):
                    left -= pause
        return False

    def _ask(self, statement: str, parameters: tuple[Any, ...] = ()) -> list[Row]:
        if self.closed:
            raise StoreClosed
        try:
            with self._pool.connection() as connection:
                return connection.execute(cast("Any", statement), parameters).fetchall()
        except (PoolClosed, PoolTimeout):
            raise TransientStoreError("the database cannot be reached", engine="postgres") from None
        except psycopg.Error as error:
            raise translated(error) from None

    def backup(self, path: Path) -> None:
        """Raise: the database's own tools make its backups."""
        raise Unsupported(
            "a database is backed up with its own tools", hint="pg_dump, or pg_basebackup", path=str(path)
        )

    def warm(self) -> None:
        """Do nothing: the server keeps itself ready."""

    def compact(self) -> None:
        """Mark the space of removed rows for use."""
        try:
            with self._connected() as connection:
                connection.autocommit = True
                for table in self.tables.values():
                    connection.execute(cast("Any", f"VACUUM (ANALYZE) {table.name}"))
        except psycopg.Error as error:
            raise translated(error) from None

    def usage(self) -> Usage:
        """Return the bytes of the tables with their indexes, and estimates of their rows."""
        rows = self._ask(
            "SELECT c.relname, pg_total_relation_size(c.oid), c.reltuples::bigint FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = 'r'",
            (self._schema,),
        )
        names = {table.kind.name for table in self.tables.values()}
        records = {name: count for name, _, count in rows if name in names and count >= 0}
        return Usage(bytes_on_disk=sum(size for _, size, _ in rows), records=records)

    def close(self) -> None:
        """Finish queued plans, then disconnect."""
        self._writer.close()
        self.closed = True
        self._announce()
        self._pool.close()


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.execute(SESSION)
    connection.commit()
