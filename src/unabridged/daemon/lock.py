"""One owner per home: a locked file that says who the owner is.

The kernel's lock decides; the text in the file only tells people and clients. A process that dies loses the lock
whatever the file says, so a stale file never keeps anybody out.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

from unabridged.daemon import safety, wirejson
from unabridged.errors import StoreLocked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_OWNER_BYTES = 4096  # of the file's text; more is not ours
POLL_SECONDS = 0.01


class Ownership:
    """The lock, held until `release` or the end of the process."""

    __slots__ = ("descriptor", "path")

    def __init__(self, path: str, descriptor: int) -> None:
        """Own the locked file."""
        self.path = path
        self.descriptor = descriptor

    def describe(self, **facts: Any) -> None:
        """Write who the owner is, as one JSON object."""
        data = wirejson.dumps(facts).encode()
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, data, 0)

    def stands(self) -> bool:
        """Tell whether the locked file is still what lies at its path: else the home is gone, or is another one."""
        return _same_file(self.descriptor, self.path)

    def release(self) -> None:
        """Empty the file, then give the lock up. The file stays: a lock on a removed file would lock nobody out."""
        os.ftruncate(self.descriptor, 0)
        os.close(self.descriptor)


def acquire(path: str, *, wait: float = 0.0) -> Ownership:
    """Take the lock, waiting at most `wait` seconds; raise `StoreLocked` with the owner's facts, or `UnsafePath`."""
    deadline = time.monotonic() + wait
    while True:
        descriptor = _try(path)
        if descriptor is not None:
            os.ftruncate(descriptor, 0)  # what an owner that was killed said of itself
            return Ownership(path, descriptor)
        if time.monotonic() >= deadline:
            facts = read_owner(path)
            pid = facts.get("pid", "unknown")
            raise StoreLocked(f"process {pid} owns this home", path=path, owner=facts)
        time.sleep(POLL_SECONDS)


def _try(path: str) -> int | None:
    descriptor = safety.open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return None
        raise
    # Somebody may have removed the file since it was opened: then the lock is on nothing.
    if _same_file(descriptor, path):
        return descriptor
    os.close(descriptor)
    return None


def _same_file(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except OSError:
        return False


def read_owner(path: str) -> dict[str, Any]:
    """Return the facts in the owner file, held or stale; empty where there are none."""
    try:
        with open(path, "rb") as file:
            facts: object = wirejson.loads(file.read(MAX_OWNER_BYTES).decode() or "{}")
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def held(path: str) -> bool:
    """Tell whether somebody holds the lock now."""
    try:
        descriptor = safety.open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)
