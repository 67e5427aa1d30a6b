"""Which file systems can keep a store: not network shares, not folders that a service synchronises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from unabridged.errors import UnsupportedFilesystem

# Locks, fsync and atomic renames over these do not hold what a store needs.
NETWORK_TYPES = frozenset(
    (
        *(
            "afpfs",
            "afs",
            "beegfs",
            "ceph",
            "cifs",
            "coda",
            "davfs",
            "fuse.davfs",
            "fuse.davfs2",
            "fuse.gcsfuse",
        ),
        *("fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs", "gfs2", "glusterfs", "lustre"),
        *("ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "orangefs", "smb2", "smb3", "smbfs", "webdav"),
    )
)
# Folder names that a service's own client gives out.
SYNCED_NAMES = re.compile(
    r"dropbox( \(.+\))?|onedrive( ?- ?.+)?|google ?drive|googledrive|icloud ?drive|mobile documents|cloudstorage"
    r"|pcloud ?drive|pclouddrive|megasync|nextcloud|owncloud",
    re.IGNORECASE,
)
# What such clients leave at the top of a folder whose name says nothing.
SYNCED_MARKS = (
    ".stfolder",
    ".dropbox",
    ".dropbox.cache",
    ".owncloudsync.log",
    ".nextcloudsync.log",
    ".megaignore",
)
MOUNT_SECONDS = 5.0  # a hung share can stall the listing of mounts


def check_store_folder(path: str) -> None:
    """Raise `UnsupportedFilesystem` for a store folder (existing or not) on a network or synchronised file system."""
    real = os.path.realpath(path)
    if kind := network_type(real, mounts()):
        raise UnsupportedFilesystem(
            "the store would lie on a network file system, where locks and flushes cannot be relied on",
            path=path,
            filesystem=kind,
        )
    if mark := synced_by(real):
        raise UnsupportedFilesystem(
            "the store would lie in a folder that a service synchronises, which copies files while they change",
            path=path,
            mark=mark,
        )


def mounts() -> list[tuple[str, str]]:
    """Return (mount point, file-system type) of everything mounted; empty where it cannot be told."""
    table = Path("/proc/self/mountinfo")
    if table.exists():
        return linux_mounts(table.read_text(encoding="utf-8", errors="surrogateescape"))
    if sys.platform != "darwin":
        return []
    answer = subprocess.run(
        ["/sbin/mount"], capture_output=True, text=True, check=False, timeout=MOUNT_SECONDS
    )
    return darwin_mounts(answer.stdout)


def linux_mounts(text: str) -> list[tuple[str, str]]:
    """Read the format of /proc/self/mountinfo: field 5 is the mount point, the first behind ` - ` the type."""
    found = list[tuple[str, str]]()
    for line in text.splitlines():
        head, separator, tail = line.partition(" - ")
        fields, kind = head.split(), tail.split()
        if separator and len(fields) > 4 and kind:
            found.append((_unescaped(fields[4]), kind[0]))
    return found


def darwin_mounts(text: str) -> list[tuple[str, str]]:
    """Read the lines of macOS's `mount`: `device on point (type, options)`."""
    matches = (re.fullmatch(r".+? on (.+) \(([^,)]+).*\)", line) for line in text.splitlines())
    return [(match[1], match[2]) for match in matches if match]


def network_type(real: str, table: list[tuple[str, str]]) -> str:
    """Return the type of the network file system that holds a real path, or ""."""
    best, kind = "", ""
    for point, type_ in table:
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two mounts on one point the later covers the earlier
            best, kind = point, type_
    return kind if kind.lower() in NETWORK_TYPES else ""


def synced_by(real: str) -> str:
    """Return the folder name or mark that shows a real path to be synchronised, or ""."""
    path = Path(real)
    for folder in (path, *path.parents):
        if SYNCED_NAMES.fullmatch(folder.name):
            return folder.name
        for mark in SYNCED_MARKS:
            # A home folder holds its service's own settings under the same name.
            if (folder / mark).exists() and not (mark == ".dropbox" and (folder / mark).is_dir()):
                return mark
    return ""


def _unescaped(text: str) -> str:
    """Undo the octal escapes (space, tab, newline, backslash) of the kernel's tables."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
