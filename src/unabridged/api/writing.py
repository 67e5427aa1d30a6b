"""Writes a file whole or not at all: beside its target, synced, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from unabridged.errors import DiskFull, PathNotFound, Refused, UnabridgedError, UnsafePath, WouldOverwrite

# Archived conversations are private: nobody else may read what is written from them.
FILE_MODE = 0o600
FOLDER_MODE = 0o700


def check(target: Path, force: bool) -> None:
    """Refuse a target that is a symbolic link or no regular file, or that exists and may not be replaced."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise failed(target, error) from error
    if stat.S_ISLNK(found.st_mode):
        raise UnsafePath(f"{target} is a symbolic link", hint="Name the file itself; links are not followed.")
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"{target} is not a regular file", hint="Choose another path.")
    if not force:
        raise WouldOverwrite(f"{target} exists")


def failed(path: Path, error: OSError) -> UnabridgedError:
    """Return what an error of the file system means for the person who named the path."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the disk is full: {path} was not written", hint="Free some space, then try again.")
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return PathNotFound(f"there is no folder for {path}")
    return Refused(f"cannot write {path}: {error.strerror}", hint="Check the folder's permissions.")


class NewFile:
    """A file that appears under its name only when it is complete.

    Use it as a context: `write` pieces, then leave the context to put it in place; an exception leaves no trace.
    Without `force` a file that appears meanwhile wins: it is not replaced.
    """

    def __init__(self, target: Path, force: bool = False) -> None:
        """Check the target and open a file beside it."""
        check(target, force)
        self.target = target
        self._force = force
        self._temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        )
        try:
            self._descriptor = os.open(self._temporary, flags, FILE_MODE)
        except OSError as error:
            raise failed(target, error) from error

    def __enter__(self) -> NewFile:
        """Return this file."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put the file in place, or remove it when something failed."""
        try:
            if kind is None:
                self._guard(self._place)
        finally:
            os.close(self._descriptor)
            self._temporary.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        """Append bytes."""
        self._guard(lambda: self._write(data))

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def _place(self) -> None:
        os.fsync(self._descriptor)
        check(self.target, self._force)
        if self._force:
            self._temporary.replace(self.target)
        else:
            self._link()
        sync_folder(self.target.parent)

    def _link(self) -> None:
        try:
            os.link(self._temporary, self.target, follow_symlinks=False)
        except FileExistsError as error:
            raise WouldOverwrite(f"{self.target} exists") from error
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EACCES):
                raise
            self._temporary.replace(self.target)  # a file system without hard links

    def _guard(self, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError as error:
            raise failed(self.target, error) from error


def sync_folder(folder: Path) -> None:
    """Make a rename in the folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder (and those above it) with mode 0700 unless it exists; a symbolic link is refused."""
    if path.is_symlink():
        raise UnsafePath(f"{path} is a symbolic link", hint="Name the folder itself; links are not followed.")
    try:
        _make(path)
    except FileExistsError as error:
        raise Refused(f"{path} is not a folder", hint="Choose another path.") from error
    except OSError as error:
        raise failed(path, error) from error


def _make(path: Path) -> None:
    """Make a folder and its missing parents; `Path.mkdir` would give the parents the usual mode."""
    if path.is_dir():
        return
    if not path.parent.is_dir():
        _make(path.parent)
    path.mkdir(FOLDER_MODE, exist_ok=True)
