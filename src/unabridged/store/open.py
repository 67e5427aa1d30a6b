"""Open the store that is at a place, or make one there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unabridged.errors import InvalidInput, StoreMissing, StoreTooNew, Unsupported, WouldOverwrite
from unabridged.schema.ids import Micros
from unabridged.store import folder as folders
from unabridged.store import owner
from unabridged.store.bytes import ByteEngine
from unabridged.store.clock import system_clock
from unabridged.store.contract import Store
from unabridged.store.embedded import EmbeddedStore
from unabridged.store.memory import MemoryEngine
from unabridged.store.rocksdb.engine import RocksEngine
from unabridged.store.sqlite import SqliteEngine
from unabridged.store.wrap.readonly import ReadOnlyStore

MEMORY = "memory:"
URLS = ("postgresql://", "postgres://")
DEFAULT_ENGINE = "rocksdb"
ENGINES: dict[str, Callable[..., ByteEngine]] = {"rocksdb": RocksEngine, "sqlite": SqliteEngine}


def open_store(
    place: str | Path,
    *,
    create: bool = False,
    read_only: bool = False,
    engine: str = "",
    clock: Callable[[], Micros] = system_clock,
    wrap: Callable[[ByteEngine], ByteEngine] = lambda engine: engine,
) -> Store:
    """Open the store at a folder, at a `postgresql://` address, or (`memory:`) in this process alone.

    `create` makes one where there is none, with `engine` ("rocksdb" unless given); over anything else that is there it
    raises `WouldOverwrite`. A store that is there is opened with its own engine; `engine` naming another is refused.
    `clock` is what `Store.now` returns; `wrap` puts a wrapper of the engine's contract (`store.wrap`) around it.
    Raises `StoreMissing`, `StoreLocked`, `StoreTooNew`, `ReadOnly`, `Corrupt`, `DiskFull`.
    """
    if str(place) == MEMORY:
        return EmbeddedStore(wrap(MemoryEngine()), clock=clock)
    if str(place).startswith(URLS):
        return _postgres(str(place), create=create, read_only=read_only)
    if engine and engine not in ENGINES:
        raise InvalidInput("there is no storage engine of that name", engine=engine, known=sorted(ENGINES))
    folder = Path(place)
    if not folders.is_store(folder):
        if not create or read_only:
            raise StoreMissing(path=str(folder))
        folders.prepare(folder)
    else:
        _engine(folder, engine)  # refused before anything is locked
    held = owner.acquire(folder, shared=read_only)
    try:
        if folders.is_store(folder):  # by now, or since another process made it just before
            opened = ENGINES[_engine(folder, engine)](folder / folders.DATA, read_only=read_only)
        else:
            opened = _made(folder, engine or DEFAULT_ENGINE)
        try:
            store = EmbeddedStore(wrap(opened), clock=clock, released=held.release)
        except BaseException:
            opened.close()
            raise
        return ReadOnlyStore(store) if read_only else store
    except BaseException:
        held.release()
        raise


def _postgres(url: str, *, create: bool, read_only: bool) -> Store:
    try:
        from unabridged.store.postgres.store import PostgresStore  # noqa: PLC0415 - its driver is an extra
    except ModuleNotFoundError as error:
        raise Unsupported(
            "the PostgreSQL driver is not installed", hint="Install unabridged[postgres].", missing=error.name
        ) from None
    store = PostgresStore(url, create=create and not read_only)
    return ReadOnlyStore(store) if read_only else store


def _made(folder: Path, engine: str) -> ByteEngine:
    opened = ENGINES[engine](folders.begin(folder, engine), create=True)
    try:
        folders.finish(folder)
    except BaseException:
        opened.close()
        raise
    return opened


def _engine(folder: Path, asked: str) -> str:
    """Return the engine of the store that is there; raise when it is not known, or not the one asked for."""
    name = folders.engine_of(folder)
    if name not in ENGINES:
        raise StoreTooNew("the store has an engine that this version does not know", engine=name[:64])
    if asked and asked != name:
        raise WouldOverwrite("the store there has another engine", path=str(folder), found=name, asked=asked)
    return name
