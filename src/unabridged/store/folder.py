"""The folder of a store: what says which engine made it, and how it is made whole or not at all.

`FORMAT` names the engine and the format version, `data` is the engine's, `owner.lock` keeps a second owner out.
`FORMAT` is written last when a store is made, first under the name `FORMAT.new`: a folder with the latter is one whose
making was interrupted, before anything in it was acknowledged.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from unabridged.errors import (
    Corrupt,
    DiskFull,
    ReadOnly,
    StoreFailed,
    StoreTooNew,
    UnabridgedError,
    WouldOverwrite,
)
from unabridged.store import owner

STORE_VERSION = 1  # of the folder's layout; a newer one is refused
FORMAT = "FORMAT"
MAKING = "FORMAT.new"
DATA = "data"
FIRST_LINE = "unabridged store"
MAX_FORMAT_BYTES = 4_096  # bytes of FORMAT; a larger file is not ours
FOLDER_MODE = 0o700
FILE_MODE = 0o600

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_FORBIDDEN = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))


def is_store(folder: Path) -> bool:
    """Tell whether a folder is a store."""
    return (folder / FORMAT).exists()


def engine_of(folder: Path) -> str:
    """Return the engine that a store's FORMAT names; raise `StoreTooNew` or `Corrupt`."""
    with (folder / FORMAT).open("rb") as file:
        lines = file.read(MAX_FORMAT_BYTES).decode("utf-8", "replace").splitlines()
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    version = fields.get("version", "")
    if not lines or lines[0] != FIRST_LINE or not version.isdigit():
        raise Corrupt(
            "the store's FORMAT file is not readable",
            hint="It names the store's version and engine: restore that file from a backup.",
            path=str(folder / FORMAT),
        )
    if int(version) > STORE_VERSION:
        raise StoreTooNew(found=int(version), known=STORE_VERSION)
    return fields.get("engine", "")


def prepare(folder: Path) -> None:
    """Make a folder for a store; raise `WouldOverwrite` when something else is there."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise WouldOverwrite("there is a file of that name", path=str(folder)) from error
    except OSError as error:
        raise failure(error, folder) from error
    names = {entry.name for entry in os.scandir(folder)}
    if FORMAT not in names and MAKING not in names and not names <= {owner.NAME}:
        raise WouldOverwrite(
            "the folder is not empty, but holds no store",
            hint="Restore its FORMAT file from a backup, or set UNABRIDGED_HOME to another folder.",
            path=str(folder),
            found=len(names),
        )


def begin(folder: Path, engine: str) -> Path:
    """Begin to make a store in a prepared folder; return the absent path where the engine makes its data."""
    text = f"{FIRST_LINE}\nversion: {STORE_VERSION}\nengine: {engine}\n"
    try:
        if (folder / DATA).exists():  # of an interrupted making: nothing in it was ever acknowledged
            shutil.rmtree(folder / DATA)
        _write(folder / MAKING, text.encode())
        _sync(folder)  # before anything else is in the folder
    except OSError as error:
        raise failure(error, folder) from error
    return folder / DATA


def finish(folder: Path) -> None:
    """Make the folder a store, durably, now that the engine's data is there."""
    try:
        (folder / MAKING).replace(folder / FORMAT)
        _sync(folder)
        _sync(folder.parent)
    except OSError as error:
        raise failure(error, folder) from error


def failure(error: OSError, folder: Path) -> UnabridgedError:
    """Return the error of our tree for one of the system's."""
    if error.errno in _FULL:
        return DiskFull(path=str(folder))
    if error.errno in _FORBIDDEN:
        return ReadOnly(path=str(folder))
    return StoreFailed("the store's folder cannot be used", path=str(folder), reason=error.strerror)


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
    try:
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be synced there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
