"""The lock that gives a store's folder one owner process, and tells the next who that is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unabridged.errors import ReadOnly, StoreLocked

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, shared: bool) -> None:
        del shared  # Windows locks a byte for one process
        os.lseek(descriptor, LOCKED_AT, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


NAME = "owner.lock"
MAX_NOTE = 32  # bytes of the process id that the file holds
LOCKED_AT = 1 << 20  # where Windows locks a byte: beyond the note, since a locked byte cannot be read there


class Owner:
    """A held lock."""

    def __init__(self, descriptor: int) -> None:
        """Take over a locked descriptor."""
        self._descriptor = descriptor

    def release(self) -> None:
        """Let the lock go; once is enough."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def acquire(folder: Path, *, shared: bool = False) -> Owner:
    """Lock a folder for this process, or raise `StoreLocked` with the owner's `pid` where it is known.

    `shared` is for readers: many of them, but none beside an owner; they write nothing.
    """
    path = folder / NAME
    flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    try:
        descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileNotFoundError:
        if shared:
            return Owner(-1)  # a copy that never had an owner
        raise
    except OSError as error:
        raise ReadOnly(
            "the store's lock cannot be opened", path=str(folder), reason=error.strerror
        ) from error
    try:
        _lock(descriptor, shared=shared)
    except OSError as error:
        pid = _pid(descriptor)
        os.close(descriptor)
        raise StoreLocked(path=str(folder), pid=pid) from error
    if not shared:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, str(os.getpid()).encode())
    return Owner(descriptor)


def _pid(descriptor: int) -> int | None:
    """Return the owner's process id, where it wrote one."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = os.read(descriptor, MAX_NOTE).decode("ascii", "replace")
    return int(text) if text.isdigit() else None
