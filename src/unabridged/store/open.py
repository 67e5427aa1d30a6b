"""Open the store that is at a place, or make one there.

A store is a folder: `FORMAT` names its engine and format version, `data` is the engine's, `owner.lock` keeps a second
owner out. `FORMAT` is written last when a store is made, as `FORMAT.new` first, so that a store is never half there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from unabridged.errors import (
    Corrupt,
    DiskFull,
    InvalidInput,
    ReadOnly,
    StoreMissing,
    StoreTooNew,
    WouldOverwrite,
)
from unabridged.schema.ids import Micros
from unabridged.store import owner
from unabridged.store.bytes import ByteEngine
from unabridged.store.clock import system_clock
from unabridged.store.contract import Store
from unabridged.store.embedded import EmbeddedStore
from unabridged.store.memory import MemoryEngine
from unabridged.store.rocksdb import RocksEngine

STORE_VERSION = 1  # of the folder's layout; a newer one is refused
FORMAT = "FORMAT"
MAKING = "FORMAT.new"
DATA = "data"
FIRST_LINE = "unabridged store"
MAX_FORMAT_BYTES = 4_096  # bytes of FORMAT; a larger file is not ours
DEFAULT_ENGINE = "rocksdb"
FOLDER_MODE = 0o700

OpenEngine = Callable[..., ByteEngine]
ENGINES: dict[str, OpenEngine] = {"rocksdb": RocksEngine}


def open_store(
    place: str | Path,
    *,
    create: bool = False,
    read_only: bool = False,
    engine: str = "",
    clock: Callable[[], Micros] = system_clock,
) -> Store:
    """Open the store at a folder (or `memory:`).

    `create` makes one where there is none, with `engine` ("rocksdb" unless given); over anything else that is there it
    raises `WouldOverwrite`. A store that is there is opened with its own engine; `engine` naming another is refused.
    Raises `StoreMissing`, `StoreLocked`, `StoreTooNew`, `ReadOnly`, `Corrupt`.
    """
    if str(place) == "memory:":
        return EmbeddedStore(MemoryEngine(), clock=clock)
    if engine and engine not in ENGINES:
        raise InvalidInput("there is no storage engine of that name", engine=engine, known=sorted(ENGINES))
    folder = Path(place)
    if not (folder / FORMAT).exists():
        if not create or read_only:
            raise StoreMissing(path=str(folder))
        return _create(folder, engine or DEFAULT_ENGINE, clock)
    name = _recognised(folder, engine)
    held = owner.acquire(folder, shared=read_only)
    try:
        opened = ENGINES[name](folder / DATA, read_only=read_only)
        return EmbeddedStore(opened, clock=clock, released=held.release)
    except BaseException:
        held.release()
        raise


def _recognised(folder: Path, engine: str) -> str:
    """Return the engine that a store's FORMAT names, or refuse the store."""
    with (folder / FORMAT).open("rb") as file:
        lines = file.read(MAX_FORMAT_BYTES).decode("utf-8", "replace").splitlines()
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    version = fields.get("version", "")
    if not lines or lines[0] != FIRST_LINE or not version.isdigit():
        raise Corrupt("the store's FORMAT file is not readable", path=str(folder / FORMAT))
    if int(version) > STORE_VERSION:
        raise StoreTooNew(found=int(version), known=STORE_VERSION)
    name = fields.get("engine", "")
    if name not in ENGINES:
        raise StoreTooNew("the store has an engine that this version does not know", engine=name[:64])
    if engine and engine != name:
        raise WouldOverwrite("the store there has another engine", path=str(folder), found=name, asked=engine)
    return name


def _create(folder: Path, engine: str, clock: Callable[[], Micros]) -> Store:
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise WouldOverwrite("there is a file of that name", path=str(folder)) from error
    except OSError as error:
        raise ReadOnly("the folder cannot be made", path=str(folder), reason=error.strerror) from error
    _refuse_foreign(folder)
    held = owner.acquire(folder)
    try:
        _refuse_foreign(folder)
        if (folder / FORMAT).exists():  # another process made it meanwhile
            name = _recognised(folder, engine)
            opened = ENGINES[name](folder / DATA)
        else:
            opened = _made(folder, engine)
        return EmbeddedStore(opened, clock=clock, released=held.release)
    except BaseException:
        held.release()
        raise


def _refuse_foreign(folder: Path) -> None:
    """Raise unless the folder holds nothing, or what an interrupted creation left, or a store."""
    names = {entry.name for entry in os.scandir(folder)}
    if FORMAT in names or MAKING in names or names <= {owner.NAME}:
        return
    raise WouldOverwrite("the folder is not empty, but holds no store", path=str(folder), found=len(names))


def _made(folder: Path, engine: str) -> ByteEngine:
    text = f"{FIRST_LINE}\nversion: {STORE_VERSION}\nengine: {engine}\n"
    try:
        if (
            folder / DATA
        ).exists():  # of a creation that was interrupted: nothing was ever acknowledged from it
            shutil.rmtree(folder / DATA)
        _write_durably(folder / MAKING, text.encode())
        (folder / DATA).mkdir(mode=FOLDER_MODE)
        opened = ENGINES[engine](folder / DATA, create=True)
        try:
            (folder / MAKING).replace(folder / FORMAT)
            _sync_folder(folder)
            _sync_folder(folder.parent)
        except BaseException:
            opened.close()
            raise
    except PermissionError as error:
        raise ReadOnly(path=str(folder)) from error
    except OSError as error:
        raise DiskFull("the store could not be made", path=str(folder), reason=error.strerror) from error
    return opened


def _write_durably(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be synced there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
