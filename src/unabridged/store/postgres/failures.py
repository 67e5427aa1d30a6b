"""What a failure of the server means: whether it may be tried again, and which error of the tree it is.

The driver's own errors hold statements, values and addresses, so none of their text goes on, and none is a cause.
"""

from __future__ import annotations

import psycopg
from psycopg import errors as sql

from unabridged.errors import (
    Conflict,
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreFailed,
    StoreMissing,
    TransientStoreError,
    UnabridgedError,
)

# A transaction that ended so wrote nothing, and may succeed when it is run again.
_AGAIN = (
    sql.SerializationFailure,
    sql.DeadlockDetected,
    sql.UniqueViolation,  # another project's commit took a key of no project in between: the next run sees it
    sql.LockNotAvailable,
)

_KNOWN: tuple[tuple[tuple[type[psycopg.Error], ...], type[UnabridgedError]], ...] = (
    ((sql.UniqueViolation,), Conflict),
    ((sql.DiskFull,), DiskFull),
    ((sql.ReadOnlySqlTransaction, sql.InsufficientPrivilege), ReadOnly),
    ((sql.UndefinedTable, sql.InvalidSchemaName, sql.InvalidCatalogName), StoreMissing),
    ((*_AGAIN, sql.QueryCanceled, sql.TooManyConnections, sql.CannotConnectNow), TransientStoreError),
)


def may_run_again(error: psycopg.Error) -> bool:
    """Tell whether a transaction that failed so wrote nothing and may succeed later."""
    return isinstance(error, _AGAIN) or lost_connection(error)


def lost_connection(error: psycopg.Error) -> bool:
    """Tell whether the connection is gone, so that what a commit came to is not known."""
    if isinstance(error, sql.AdminShutdown | sql.CrashShutdown | sql.CannotConnectNow):
        return True
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and error.sqlstate is None


def translated(error: psycopg.Error) -> UnabridgedError:
    """Return the error of our tree for one of the driver's."""
    for theirs, ours in _KNOWN:
        if isinstance(error, theirs):
            return ours(engine="postgres", sqlstate=error.sqlstate)
    if lost_connection(error):
        return TransientStoreError("the database cannot be reached", engine="postgres")
    if isinstance(error, psycopg.InterfaceError):
        return StoreClosed()
    return StoreFailed(engine="postgres", sqlstate=error.sqlstate)
