"""The model of a disk that forgets keeps what was synced, and may lose anything else."""

from __future__ import annotations

import random
from pathlib import Path

from tests.store.disk import Call, Disk

ROOT = Path("/r")


def text(data: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def replayed(*calls: tuple[str, str, int]) -> Disk:
    disk = Disk(ROOT)
    for at, (name, arguments, result) in enumerate(calls):
        disk.replay(Call(name, arguments, result, at, at))
    return disk


def outcomes(disk: Disk, name: str) -> set[bytes | str | None]:
    return {disk.left(random.Random(seed)).get(name, "absent") for seed in range(400)}


OPENED = ("openat", f"AT_FDCWD, {text(b'/r/a')}, O_RDWR|O_CREAT, 0644", 5)
FOLDER = ("openat", f"AT_FDCWD, {text(b'/r')}, O_RDONLY|O_DIRECTORY", 6)
SYNC_NAMES = ("fsync", "6", 0)


def test_what_was_synced_with_its_name_is_always_there() -> None:
    disk = replayed(OPENED, ("write", f"5, {text(b'abc')}, 3", 3), ("fsync", "5", 0), FOLDER, SYNC_NAMES)
    assert outcomes(disk, "a") == {b"abc"}


def test_a_name_that_was_not_synced_may_be_absent() -> None:
    disk = replayed(OPENED, ("write", f"5, {text(b'abc')}, 3", 3), ("fdatasync", "5", 0))
    assert outcomes(disk, "a") == {b"abc", "absent"}


def test_bytes_that_were_not_synced_may_be_absent_or_torn() -> None:
    data = b"x" * 1024
    disk = replayed(OPENED, FOLDER, SYNC_NAMES, ("write", f"5, {text(data)}, 1024", 1024))
    assert outcomes(disk, "a") == {b"", data, data[:512]}


def test_writes_may_reach_the_disk_in_any_order() -> None:
    disk = replayed(
        OPENED,
        FOLDER,
        SYNC_NAMES,
        ("pwrite64", f"5, {text(b'a')}, 1, 0", 1),
        ("pwrite64", f"5, {text(b'b')}, 1, 1", 1),
    )
    assert {b"", b"a", b"ab", b"\x00b"} <= outcomes(disk, "a")


def test_a_write_that_ended_after_a_sync_began_is_not_synced_by_it() -> None:
    disk = Disk(ROOT)
    for at, (name, arguments, result) in enumerate((OPENED, FOLDER, SYNC_NAMES)):
        disk.replay(Call(name, arguments, result, at, at))
    disk.replay(Call("write", f"5, {text(b'a')}, 1", 1, 4, 6))
    disk.replay(Call("fsync", "5", 0, 5, 7))
    assert outcomes(disk, "a") == {b"", b"a"}


def test_a_rename_replaces_at_once_or_not_at_all() -> None:
    disk = replayed(
        OPENED,
        ("write", f"5, {text(b'old')}, 3", 3),
        ("fsync", "5", 0),
        ("openat", f"AT_FDCWD, {text(b'/r/b')}, O_WRONLY|O_CREAT, 0644", 7),
        ("write", f"7, {text(b'new')}, 3", 3),
        ("fsync", "7", 0),
        FOLDER,
        SYNC_NAMES,
        ("rename", f"{text(b'/r/b')}, {text(b'/r/a')}", 0),
    )
    assert outcomes(disk, "a") == {b"old", b"new"}
    assert outcomes(disk, "b") == {b"new", "absent"}


def test_a_file_that_was_cut_may_still_be_whole() -> None:
    disk = replayed(
        OPENED,
        ("write", f"5, {text(b'abc')}, 3", 3),
        ("fsync", "5", 0),
        FOLDER,
        SYNC_NAMES,
        ("ftruncate", "5, 1", 0),
    )
    assert outcomes(disk, "a") == {b"abc", b"a"}
