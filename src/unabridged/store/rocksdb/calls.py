"""Calls of the driver, whose every failure is a plain `Exception` told apart by its text."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import TypeVar

from unabridged.errors import (
    Corrupt,
    DiskFull,
    ReadOnly,
    StoreClosed,
    StoreError,
    StoreFailed,
    StoreLocked,
    TransientStoreError,
)

T = TypeVar("T")


def call(action: Callable[[], T]) -> T:
    """Run a call of the driver with its failures translated."""
    try:
        return action()
    except Exception as error:  # the driver raises nothing else
        raise translated(error) from error


def translated(error: Exception) -> StoreError | ReadOnly:
    """Return the error of our tree for one of the driver's, told by its text."""
    if isinstance(error, StoreError | ReadOnly):
        return error
    if type(error).__name__ == "DbClosedError":
        return StoreClosed()
    text = str(error)
    for part, known in (
        (os.strerror(errno.ENOSPC), DiskFull),
        (os.strerror(errno.EDQUOT), DiskFull),
        ("lock hold by current process", StoreLocked),
        ("While lock file", StoreLocked),
        (os.strerror(errno.EROFS), ReadOnly),
        (os.strerror(errno.EACCES), ReadOnly),
        (os.strerror(errno.EPERM), ReadOnly),
        ("Corruption", Corrupt),
        ("checksum mismatch", Corrupt),
        ("Resource busy", TransientStoreError),
        ("Try again", TransientStoreError),
    ):
        if part in text:
            return known(engine="rocksdb")
    return StoreFailed(engine="rocksdb")
