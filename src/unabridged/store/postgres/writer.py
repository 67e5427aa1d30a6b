"""The thread that commits to a database: one transaction for plans of one project that wait together.

The transaction takes the project's row, which orders all writers of the project, on whatever machine; then runs each
plan over what the ones before it left. A transaction that the server ended, or whose connection was lost before the
commit, wrote nothing and is run again. Where the connection is lost during the commit, the server is asked afterwards
what became of the transaction; where it cannot tell, the error says that the outcome is not known.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, cast

import psycopg

from unabridged.errors import StoreClosed, StoreFailed, TransientStoreError
from unabridged.schema.ids import ProjectId
from unabridged.schema.kinds import Kind
from unabridged.store.collections import effects
from unabridged.store.contract import Batch, Plan
from unabridged.store.postgres.failures import lost_connection, may_run_again, translated
from unabridged.store.postgres.reader import PostgresReader, StoredReader, asking
from unabridged.store.postgres.tables import LOCK_TABLE, Table, quoted

GROUP_PLANS = 64  # plans of one transaction; more would hold the project's row too long for other machines
QUEUE_PLANS = 4_096  # plans; a longer queue means that writes come faster than the database takes them
PAUSES = (
    0.01,
    0.05,
    0.2,
    0.5,
    1.0,
)  # seconds before each further attempt; a failover takes longer and is reported

Connect = Callable[[], psycopg.Connection[Any]]
Outcome = tuple[Any, BaseException | None]  # a plan's result, or its error
_Job = tuple[ProjectId, Plan, Future[Any]]


class _Unknown(Exception):
    """A commit whose outcome the server could not tell."""


class _Broken(Exception):
    """A transaction that a failing read of a plan ended; it wrote nothing."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class PostgresWriter:
    """The writer thread of one store."""

    def __init__(
        self,
        connect: Connect,
        schema: str,
        tables: Mapping[int, Table],
        committed: Callable[[], None],
    ) -> None:
        """Start the thread; `committed` is called after each commit, before its futures resolve."""
        self._connect = connect
        self._tables = tables
        self._lock_table = f"{quoted(schema)}.{quoted(LOCK_TABLE)}"
        self._committed = committed
        self._connection: psycopg.Connection[Any] | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._pause = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, project: ProjectId, plan: Plan) -> Future[Any]:
        """Queue a plan; raise `StoreClosed`, or `TransientStoreError` when too many wait."""
        future: Future[Any] = Future()
        with self._gate:
            if self._closed:
                raise StoreClosed
            if self._jobs.qsize() >= QUEUE_PLANS:
                raise TransientStoreError("too many writes are waiting", limit=QUEUE_PLANS)
            self._jobs.put((project, plan, future))
        return future

    def close(self) -> None:
        """Run what is queued, then end the thread."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join()

    # --- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        waiting: _Job | None = None
        stopping = False
        while not stopping:
            job = waiting or self._jobs.get()
            waiting = None
            if job is None:
                break
            group = [job]
            while len(group) < GROUP_PLANS:
                try:
                    another = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if another is None:
                    stopping = True
                    break
                if another[0] != job[0]:
                    waiting = another
                    break
                group.append(another)
            self._finish([one for one in group if one[2].set_running_or_notify_cancel()])
        self._drop()

    def _finish(self, group: list[_Job]) -> None:
        if not group:
            return
        try:
            outcomes = self._persistent(group)
        except Exception as error:  # noqa: BLE001 - the thread must outlive any error; it goes to who is waiting
            outcomes = [(None, error) for _ in group]
        self._committed()
        for (_, _, future), (result, error) in zip(group, outcomes, strict=True):
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def _persistent(self, group: list[_Job]) -> list[Outcome]:
        """Run a group, again after failures that wrote nothing; from the second time on each plan by itself."""
        try:
            return self._transaction(group)
        except _Unknown:
            return [(None, _unknown()) for _ in group]
        except psycopg.Error as error:
            if len(group) == 1 and not may_run_again(error):
                return [(None, translated(error))]
        except _Broken as broken:
            if len(group) == 1 and not isinstance(broken.error, TransientStoreError):
                return [(None, broken.error)]
        return [self._alone(job) for job in group]

    def _alone(self, job: _Job) -> Outcome:
        """Run one plan until it is written, or fails for good."""
        failure: Exception = TransientStoreError()
        for seconds in PAUSES:
            try:
                return self._transaction([job])[0]
            except _Unknown:
                return None, _unknown()
            except psycopg.Error as error:
                failure = translated(error)
                if not may_run_again(error):
                    break
            except _Broken as broken:
                failure = broken.error
                if not isinstance(failure, TransientStoreError):
                    break
            self._pause.wait(seconds)
        return None, failure

    def _transaction(self, group: list[_Job]) -> list[Outcome]:
        connection = self._live()
        try:
            number = self._lock(connection, [group[0][0]])
            reader = PostgresReader(asking(connection), self._tables)
            outcomes = [self._attempt(connection, reader, project, plan) for project, plan, _ in group]
        except (psycopg.Error, _Broken):
            self._undo(connection)
            raise
        try:
            connection.commit()
        except psycopg.Error as error:
            if not lost_connection(error):
                self._undo(connection)
                raise
            self._drop()
            if not self._was_committed(number):
                raise
        return outcomes

    def _attempt(
        self, connection: psycopg.Connection[Any], reader: PostgresReader, project: ProjectId, plan: Plan
    ) -> Outcome:
        """Run one plan, then write what it wants. Failures of the server end the whole transaction."""
        try:
            batch = plan(reader)
            foreign = sorted(_projects(batch) - {project})
            if foreign:  # records of no project, or another's: their writers wait for each other too
                self._lock(connection, foreign)
            wanted = effects(batch, StoredReader(reader))
        except Exception as error:  # whatever a plan raises goes to who submitted it
            if connection.info.transaction_status is not psycopg.pq.TransactionStatus.INTRANS:
                raise _Broken(error) from error
            return None, error
        self._write(connection, batch, wanted.changes)
        return batch.result, None

    def _lock(self, connection: psycopg.Connection[Any], projects: Iterable[ProjectId]) -> str:
        """Take the rows of projects, in that order; return the transaction's number."""
        number = ""
        with connection.cursor() as cursor:
            for project in projects:
                cursor.execute(
                    cast("Any", f"INSERT INTO {self._lock_table} VALUES (%s) ON CONFLICT DO NOTHING"),
                    (project,),
                )
                statement = (
                    f"SELECT pg_current_xact_id()::text FROM {self._lock_table} WHERE project = %s FOR UPDATE"
                )
                row = cursor.execute(cast("Any", statement), (project,)).fetchone()
                number = row[0] if row else ""
        return number

    def _write(
        self, connection: psycopg.Connection[Any], batch: Batch, changes: Mapping[bytes, bytes | None]
    ) -> None:
        """Write what a plan wants: removals first, then rows, in one go to the server and back."""
        removed = {kind.encode_key(value) for name, kind, value in batch.ops if name == "delete"}
        gone: dict[int, list[bytes]] = {}
        made: dict[int, list[bytes]] = {}
        for key, value in changes.items():
            if key[2]:
                continue  # an entry of an index, which the database keeps itself
            table = self._tables[key[1]]
            # A row that others' unique fields may have moved to is removed and made, not changed in place.
            replaced = table.unique and (key in removed or not table.kind.append_only)
            if value is None or replaced:
                gone.setdefault(key[1], []).append(key)
            if value is not None:
                made.setdefault(key[1], []).append(value)
        with connection.pipeline(), connection.cursor() as cursor:
            for tag, keys in gone.items():
                table = self._tables[tag]
                rows = [table.parameters(table.key, table.kind.decode_key(key)) for key in keys]
                cursor.execute(cast("Any", table.delete), _columns(rows))
            for tag, values in made.items():
                table = self._tables[tag]
                kind: Kind[Any] = table.kind
                cursor.execute(
                    cast("Any", table.insert), _columns([table.row(kind.decode(value)) for value in values])
                )

    # --- the connection ------------------------------------------------------------------------------------------

    def _live(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def _undo(self, connection: psycopg.Connection[Any]) -> None:
        try:
            connection.rollback()
        except psycopg.Error:  # it is gone, and with it the transaction
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _was_committed(self, number: str) -> bool:
        """Ask the server what became of a transaction whose commit was not answered."""
        for seconds in PAUSES:
            try:
                with self._live().cursor() as cursor:
                    row = cursor.execute("SELECT pg_xact_status(%s::xid8)", (number,)).fetchone()
                    self._live().rollback()
            except psycopg.Error:
                self._drop()
                row = None
            if row is not None and row[0] in ("committed", "aborted"):
                return row[0] == "committed"
            self._pause.wait(
                seconds
            )  # unreachable, or still in progress: it ends when the server notices the loss
        raise _Unknown


def _columns(rows: list[list[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _projects(batch: Batch) -> set[ProjectId]:
    """Return the projects of the records that a batch touches."""
    found = set[ProjectId]()
    for operation, _, value in batch.ops:
        if operation == "delete":
            found.add(value[0])
        elif operation == "expect":
            found.add(value[0][0])
        else:
            found.add(value.project)
    return found


def _unknown() -> StoreFailed:
    return StoreFailed(
        "the connection was lost during a commit, and the server does not tell what became of it",
        hint="Send the request again with the same request id: the archive knows whether it has it.",
        outcome="unknown",
    )
