"""Opening a store: what is there is recognised, what is not a store is never touched, one process owns it."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from unabridged.errors import (
    Corrupt,
    InvalidInput,
    ReadOnly,
    StoreLocked,
    StoreMissing,
    StoreTooNew,
    UnabridgedError,
    WouldOverwrite,
)
from unabridged.schema.ids import GLOBAL, Micros
from unabridged.schema.records import META_KIND
from unabridged.store import folder as folders
from unabridged.store.conformance.bench import PROJECT_A
from unabridged.store.conformance.samples import meta
from unabridged.store.contract import Batch, Store
from unabridged.store.open import open_store

ENGINES = ["rocksdb", "sqlite"]
NOBODY = 65534  # the user and group that own nothing
SRC = Path(folders.__file__).parents[2]


def put(store: Store, name: str) -> None:
    store.commit(PROJECT_A, lambda _: Batch([("put", META_KIND, meta(name))]))


def names(store: Store) -> list[str]:
    with store.snapshot() as snapshot:
        return [record.name for record in snapshot.scan(META_KIND, (GLOBAL,))]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def make(place: Path, engine: str = "", *records: str) -> None:
    store = open_store(place, create=True, engine=engine)
    for record in records:
        put(store, record)
    store.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_store_is_opened_with_the_engine_that_made_it(engine: str, tmp_path: Path) -> None:
    make(tmp_path / "s", engine, "a")
    for create in (False, True):
        store = open_store(tmp_path / "s", create=create)
        assert store.capabilities.engine == engine
        assert names(store) == ["a"]
        store.close()


def test_the_default_engine_is_rocksdb(tmp_path: Path) -> None:
    make(tmp_path / "s")
    assert folders.engine_of(tmp_path / "s") == "rocksdb"


def test_another_engine_than_the_one_that_is_there_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "s", "sqlite", "a")
    before = tree(tmp_path)
    with pytest.raises(WouldOverwrite) as raised:
        open_store(tmp_path / "s", create=True, engine="rocksdb")
    assert (raised.value.details["found"], raised.value.details["asked"]) == ("sqlite", "rocksdb")
    assert tree(tmp_path) == before


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        open_store(tmp_path / "s", create=True, engine="papyrus")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_made_where_nothing_is_unless_asked(tmp_path: Path) -> None:
    for place in (tmp_path / "s", tmp_path / "deep" / "s", tmp_path):
        with pytest.raises(StoreMissing):
            open_store(place)
        with pytest.raises(StoreMissing):
            open_store(place, create=True, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_anything_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s" / "data").mkdir(parents=True)
    (tmp_path / "s" / "data" / "CURRENT").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(WouldOverwrite):
        open_store(tmp_path / "s", create=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(WouldOverwrite):
        open_store(tmp_path / "file", create=True)
    with pytest.raises(UnabridgedError):
        open_store(tmp_path / "file" / "below", create=True)
    assert tree(tmp_path) == before | {"file": b"mine"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_making_that_was_interrupted_is_begun_anew(engine: str, tmp_path: Path) -> None:
    make(tmp_path / "s", engine, "never acknowledged")
    (tmp_path / "s" / folders.FORMAT).rename(tmp_path / "s" / folders.MAKING)
    with pytest.raises(StoreMissing):
        open_store(tmp_path / "s")
    store = open_store(tmp_path / "s", create=True, engine=engine)
    assert names(store) == []
    store.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_store_whose_data_is_gone_is_never_made_anew(engine: str, tmp_path: Path) -> None:
    # https://github.com/gastownhall/beads/issues/3022: an empty store beside what was lost looks like success.
    make(tmp_path / "s", engine, "a")
    shutil.rmtree(tmp_path / "s" / folders.DATA)
    for create in (False, True):
        with pytest.raises(StoreMissing):
            open_store(tmp_path / "s", create=create)
    (tmp_path / "s" / folders.DATA).mkdir()
    with pytest.raises(StoreMissing):
        open_store(tmp_path / "s", create=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_newer_store_is_refused_and_left_as_it_is(engine: str, tmp_path: Path) -> None:
    make(tmp_path / "s", engine, "a")
    path = tmp_path / "s" / folders.FORMAT
    path.write_text(path.read_text().replace("version: 1", "version: 2") + "added: later\n")
    before = tree(tmp_path)
    for read_only in (False, True):
        with pytest.raises(StoreTooNew) as raised:
            open_store(tmp_path / "s", create=not read_only, read_only=read_only)
        assert raised.value.details == {"found": 2, "known": 1}
    assert tree(tmp_path) == before


def test_an_engine_of_a_later_version_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "s")
    path = tmp_path / "s" / folders.FORMAT
    path.write_text(path.read_text().replace("rocksdb", "quartz"))
    with pytest.raises(StoreTooNew):
        open_store(tmp_path / "s")


@pytest.mark.parametrize(
    "text", [b"", b"unabridged store\n", b"something else\nversion: 1\n", b"\xff" * 5000]
)
def test_a_format_file_that_is_not_one_is_refused(text: bytes, tmp_path: Path) -> None:
    make(tmp_path / "s")
    (tmp_path / "s" / folders.FORMAT).write_bytes(text)
    with pytest.raises(Corrupt):
        open_store(tmp_path / "s", create=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_owner_is_told_who_the_first_is(engine: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "s", create=True, engine=engine)
    for read_only in (False, True):
        with pytest.raises(StoreLocked) as raised:
            open_store(tmp_path / "s", read_only=read_only)
        assert raised.value.details["pid"] == os.getpid()
    code = (
        f"import sys; sys.path.insert(0, {str(SRC)!r})"
        """
from unabridged.errors import StoreLocked
from unabridged.store.open import open_store
try:
    open_store(sys.argv[1])
except StoreLocked as error:
    print(error.details['pid'])
"""
    )
    other = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "s")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert other.stdout.strip() == str(os.getpid()), other.stderr
    store.close()
    open_store(tmp_path / "s").close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_store_can_be_opened_for_reading_alone(engine: str, tmp_path: Path) -> None:
    make(tmp_path / "s", engine, "a")
    before = sorted(tree(tmp_path / "s" / "data"))
    first = open_store(tmp_path / "s", read_only=True)
    second = open_store(tmp_path / "s", read_only=True)
    assert names(first) == names(second) == ["a"]
    with pytest.raises(ReadOnly):
        put(first, "b")
    with pytest.raises(ReadOnly):
        first.compact()
    with pytest.raises(StoreLocked):
        open_store(tmp_path / "s")
    first.close()
    second.close()
    assert [name for name in sorted(tree(tmp_path / "s" / "data")) if "LOG" not in name] == [
        name for name in before if "LOG" not in name
    ]
    store = open_store(tmp_path / "s")
    put(store, "b")
    assert names(store) == ["a", "b"]
    store.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_folder_that_may_not_be_written_says_so(engine: str, tmp_path: Path) -> None:
    make(tmp_path / "s", engine, "a")
    paths = [path for path in (tmp_path, *tmp_path.parents) if path.stat().st_uid == os.geteuid()]
    before = [path.stat().st_mode for path in paths]
    try:
        for path in paths:  # pytest's folders are its user's alone
            path.chmod(path.stat().st_mode | 0o555)
        for path in (tmp_path, tmp_path / "s", *(tmp_path / "s").rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert held_back(tmp_path / "s") == "ReadOnly"
        assert held_back(tmp_path / "s", create=True) == "ReadOnly"
        assert held_back(tmp_path / "absent", create=True) == "ReadOnly"
        # The RocksDB driver writes a file of its own at every opening, for reading too.
        assert held_back(tmp_path / "s", read_only=True) == ("ReadOnly" if engine == "rocksdb" else engine)
    finally:
        for path in (tmp_path, tmp_path / "s", *(tmp_path / "s").rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        for path, mode in zip(paths, before, strict=True):
            path.chmod(mode)


def held_back(place: Path, **options: bool) -> str:
    """Open a store in a process that file permissions hold back, which they do not root; return what came of it."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("forkserver").Process(
        target=open_as_nobody, args=(str(place), options, theirs)
    )
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join(60)


def open_as_nobody(place: str, options: dict[str, bool], answer: Connection) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    try:
        store = open_store(place, **options)
    except UnabridgedError as error:
        answer.send(type(error).__name__)
    else:
        answer.send(store.capabilities.engine)
        store.close()


def test_the_clock_of_a_store_is_the_one_it_was_given(tmp_path: Path) -> None:
    for place in ("memory:", tmp_path / "s"):
        store = open_store(place, create=True, clock=lambda: Micros(42))
        assert store.now() == 42
        store.close()


def test_a_store_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    make(tmp_path / "s", "sqlite")
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "s" / "data").stat().st_mode & 0o777 == 0o700
    for path in (tmp_path / "s").rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o777 == 0o600, path.name


@pytest.mark.parametrize("engine", ENGINES)
def test_damaged_files_are_reported_as_damage(engine: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "s", create=True, engine=engine)
    for number in range(200):
        put(store, f"{number:04}" + "x" * 1000)
    store.compact()
    store.close()
    files = [path for path in (tmp_path / "s" / "data").iterdir() if path.suffix in (".sst", ".sqlite")]
    largest = max(files, key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    for at in range(100, len(data), 97):
        data[at] ^= 0x55
    largest.write_bytes(data)

    def read() -> None:
        store = open_store(tmp_path / "s")
        try:
            names(store)
        finally:
            store.close()

    with pytest.raises(Corrupt):
        read()
