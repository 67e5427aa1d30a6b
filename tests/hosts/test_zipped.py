"""A file inside an archive is read anywhere in bounded memory; what no honest archive is, is refused."""

from __future__ import annotations

import io
import random
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.errors import DamagedExport, EncryptedExport, UnsafeExport
from unabridged.hosts import zipped
from unabridged.hosts.zipped import Member, Unpacked

DATA = b"".join(b"%d, %x; " % (number, number * 7919) for number in range(40_000))


def packed(path: Path, data: bytes, method: int = zipfile.ZIP_DEFLATED, name: str = "a.json") -> Member:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("before.txt", "x" * 100)
        archive.writestr(name, data)
        archive.writestr("behind.txt", "x" * 100)
    return next(member for member in zipped.members(path) if member.name == name)


def everything(file: Unpacked) -> bytes:
    return b"".join(iter(lambda: file.read(5_000), b""))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_file_is_read_whole(method: int, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    assert everything(Unpacked(path, packed(path, DATA, method))) == DATA


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.integers(0, 70_000)), max_size=12))
def test_a_file_is_read_from_any_place(places: list[tuple[int, int]]) -> None:
    path = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    path = path / f"unabridged-zipped-{random.getrandbits(64):x}.zip"
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(zipped, "SPACING", 50_000)
            file = Unpacked(path, packed(path, DATA))
            for at, size in places:
                file.seek(at)
                got = b""
                while len(got) < min(size, len(DATA) - at):
                    got += file.read(size - len(got))
                assert got == DATA[at : at + size]
    finally:
        path.unlink()


def test_going_back_unpacks_from_the_nearest_place_and_places_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipped, "SPACING", 4_096)
    monkeypatch.setattr(zipped, "MAX_MARKS", 8)
    monkeypatch.setattr(zipped, "PIECE", 4_096)
    path = tmp_path / "a.zip"
    file = Unpacked(path, packed(path, DATA))
    assert everything(file) == DATA
    assert len(file._marks) <= 8
    file.seek(300_000)
    assert file.read(10) == DATA[300_000:300_010]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.json", "w") as out:
        for _ in range(60):
            out.write(random.Random(1).randbytes(500_000) + b"x" * 500_000)
    (member,) = zipped.members(path)
    file = Unpacked(path, member)
    tracemalloc.start()
    size = sum(map(len, iter(lambda: file.read(1 << 20), b"")))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == member.size
    assert peak < 6 << 20


def test_an_archive_that_is_cut_off_has_no_files(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    packed(path, DATA)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DamagedExport):
        zipped.members(path)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        member = packed(path, DATA, method)
        data = bytearray(path.read_bytes())
        data[member.header + 2_000] ^= 0x10
        path.write_bytes(data)
        with pytest.raises(DamagedExport):
            everything(Unpacked(path, member))


def test_a_directory_that_promises_more_or_less_than_there_is_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    member = packed(path, DATA)
    for size in (member.size + 1, member.size - 1):
        with pytest.raises(DamagedExport):
            everything(Unpacked(path, member._replace(size=size)))


@pytest.mark.parametrize(
    "name", ["../conversations.json", "/conversations.json", "a/../../x.json", "C:\\x.json"]
)
def test_a_name_that_leads_out_of_the_archive_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "[]")
    (member,) = zipped.members(path)
    with pytest.raises(UnsafeExport):
        zipped.check(path, member)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.json", "w") as out:
        for _ in range(100):
            out.write(b" " * (1 << 20))
    (member,) = zipped.members(path)
    with pytest.raises(UnsafeExport):
        zipped.check(path, member)


def test_an_encrypted_file_and_an_unknown_compression_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    member = packed(path, DATA)
    with pytest.raises(EncryptedExport):
        zipped.check(path, member._replace(encrypted=True))
    with pytest.raises(UnsafeExport):
        zipped.check(path, packed(path, DATA, zipfile.ZIP_BZIP2))
    zipped.check(path, member)


def test_the_mark_of_encryption_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.json", "[]")
    data = bytearray(buffer.getvalue())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    assert [member.encrypted for member in zipped.members(path)] == [True]


@pytest.mark.parametrize("missing", [1, 60, 5_000])
def test_an_archive_without_its_beginning_is_damaged(missing: int, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    packed(path, DATA)
    path.write_bytes(path.read_bytes()[missing:])
    with pytest.raises(DamagedExport):
        zipped.members(path)
