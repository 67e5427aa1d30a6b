"""Which folders, sockets and file systems are trusted."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from unabridged.daemon import filesystem, safety
from unabridged.errors import DiskFull, ReadOnly, UnsafePath, UnsupportedFilesystem


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "private"
    path.mkdir(mode=0o700)
    return path


def test_a_missing_folder_is_made_for_its_owner_alone_with_its_parents(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    safety.private_folder(str(path), create=True)
    assert [stat.S_IMODE(item.stat().st_mode) for item in (path, path.parent, path.parent.parent)] == [
        0o700
    ] * 3


@pytest.mark.parametrize("mode", [0o750, 0o705, 0o701, 0o777])
def test_a_folder_that_others_can_enter_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.raises(UnsafePath, match="other users can enter") as caught:
        safety.private_folder(str(folder))
    assert caught.value.details["mode"] == oct(mode)


def test_a_link_in_place_of_a_folder_is_refused(tmp_path: Path, folder: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(UnsafePath, match="symbolic link"):
        safety.private_folder(str(link))
    with pytest.raises(UnsafePath, match="symbolic link"):
        safety.owned_folder(str(link), create=True)


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnsafePath, match="not a folder"):
        safety.private_folder(str(tmp_path / "file"))


def test_a_folder_below_one_that_everybody_can_change_is_refused(folder: Path) -> None:
    below = folder / "below"
    below.mkdir(mode=0o700)
    folder.chmod(0o777)
    with pytest.raises(UnsafePath, match="changed by others") as caught:
        safety.private_folder(str(below))
    assert caught.value.details["path"] == str(folder)
    assert caught.value.advice == f"chmod go-w '{folder}'"
    folder.chmod(0o1777)  # as /tmp: only owners move their files
    safety.private_folder(str(below))


def test_a_folder_of_another_user_is_refused(folder: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    below = folder / "below"
    below.mkdir(mode=0o700)
    os.chown(below, 12_345, 12_345)
    with pytest.raises(UnsafePath, match="another user"):
        safety.private_folder(str(below))
    inside = below / "inside"
    inside.mkdir(mode=0o700)
    with pytest.raises(UnsafePath, match="another user"):
        safety.private_folder(str(inside))


def test_a_link_on_the_way_is_followed_when_it_is_ours_and_leads_somewhere_safe(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "run").mkdir(mode=0o700)
    (tmp_path / "way").symlink_to(folder)
    safety.private_folder(str(tmp_path / "way" / "run"))
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    (open_to_all / "run").mkdir(mode=0o700)
    open_to_all.chmod(0o777)
    (tmp_path / "trap").symlink_to(open_to_all)
    with pytest.raises(UnsafePath, match="changed by others"):
        safety.private_folder(str(tmp_path / "trap" / "run"))


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UnsafePath):
        safety.check_ancestors(str(tmp_path / "a" / "c"))


@pytest.fixture
def listening(folder: Path) -> Iterator[Path]:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "s"))
    yield folder / "s"
    sock.close()


def test_a_socket_of_ours_is_told_from_everything_else(folder: Path, listening: Path) -> None:
    assert safety.check_socket(str(listening))
    assert not safety.check_socket(str(folder / "none"))
    (folder / "file").write_text("")
    (folder / "link").symlink_to(listening)
    for name in ("file", "link"):
        with pytest.raises(UnsafePath, match="not a socket"):
            safety.check_socket(str(folder / name))


def test_files_are_made_for_their_owner_and_never_opened_through_links(folder: Path) -> None:
    path = folder / "file"
    os.close(safety.open_private(str(path), os.O_RDWR | os.O_CREAT))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (folder / "link").symlink_to(path)
    with pytest.raises(UnsafePath, match="symbolic link"):
        safety.open_private(str(folder / "link"), os.O_RDWR)


def test_a_folder_that_cannot_be_made_is_a_typed_error() -> None:
    with pytest.raises(ReadOnly, match="cannot be opened or made"):
        safety.private_folder("/dev/null/home/run", create=True)


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EROFS, ReadOnly)])
def test_a_full_disk_is_told_from_one_that_cannot_be_written(number: int, kind: type[Exception]) -> None:
    assert type(safety.unwritable(OSError(number, os.strerror(number)), "/srv")) is kind


MOUNTS = """\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
40 22 0:35 / /mnt/share\\040one rw - nfs4 server:/export rw
41 22 0:36 / /home/me/far rw,nosuid - fuse.sshfs me@host: rw
42 41 0:37 / /home/me/far/near rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/near", ""),
        ("/mnt/share one/store", "nfs4"),
        ("/mnt/share one", "nfs4"),
        ("/mnt/share one more/store", ""),
        ("/home/me/far/store", "fuse.sshfs"),
        ("/home/me/far/near/store", ""),
    ],
)
def test_a_network_file_system_is_found_by_the_longest_mount_point(path: str, kind: str) -> None:
    assert filesystem.network_type(path, filesystem.linux_mounts(MOUNTS)) == kind


def test_the_mounts_of_the_other_platform_are_read_too() -> None:
    text = "/dev/disk3s1 on / (apfs, sealed, local)\n//me@host/a b on /Volumes/a b (smbfs, nodev)\nnothing\n"
    assert filesystem.network_type("/Volumes/a b/store", filesystem.darwin_mounts(text)) == "smbfs"


@pytest.mark.parametrize(
    "name", ["Dropbox", "Dropbox (Work)", "OneDrive - Firm", "Google Drive", "iCloud Drive"]
)
def test_a_store_in_a_synchronised_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsupportedFilesystem, match="synchronises"):
        filesystem.check_store_folder(str(tmp_path / name / "unabridged" / "store"))


def test_the_mark_of_a_synchronising_service_is_enough(tmp_path: Path) -> None:
    filesystem.check_store_folder(str(tmp_path / "plain" / "store"))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / ".stfolder").mkdir()
    with pytest.raises(UnsupportedFilesystem):
        filesystem.check_store_folder(str(tmp_path / "plain" / "store"))
