"""Folders and files that no other user can change: checked before anything in them is opened or connected to.

Imports only the standard library's smallest modules, since clients check too.
"""

from __future__ import annotations

import errno
import os
import stat

from unabridged.errors import DiskFull, ReadOnly, UnsafePath

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
OTHERS = 0o077  # every right of group and others
MAX_LINKS = 40  # symbolic links followed among the ancestors, as many as Linux follows


def private_folder(path: str, *, create: bool = False) -> None:
    """Check that `path` is a real folder of ours with mode 0700 below ancestors that only we or root can change.

    With `create` it is made, with its missing parents. Raises `UnsafePath`, `ReadOnly` or `DiskFull`.
    """
    parent = os.path.dirname(path)
    if create:
        make_folders(path)
    check_ancestors(parent)
    found = _lstat(path)
    if stat.S_ISLNK(found.st_mode):
        raise UnsafePath("the folder is a symbolic link", path=path)
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafePath("that is not a folder", path=path)
    if found.st_uid != os.geteuid():
        raise UnsafePath("the folder belongs to another user", path=path, owner=found.st_uid)
    if found.st_mode & OTHERS:
        raise UnsafePath(
            "other users can enter the folder",
            path=path,
            mode=oct(stat.S_IMODE(found.st_mode)),
            hint=f"chmod 700 '{path}', or `una doctor --fix`.",
        )


def owned_folder(path: str, *, create: bool = False) -> None:
    """Check a folder that may be entered by others but changed by us alone (the top of a home); never a link."""
    if create:
        make_folders(path)
    found = _lstat(path)
    if stat.S_ISLNK(found.st_mode):
        raise UnsafePath(
            "the folder is a symbolic link", path=path, hint="Name the folder that it points to."
        )
    check_ancestors(path)
    if found.st_uid != os.geteuid():
        raise UnsafePath("the folder belongs to another user", path=path, owner=found.st_uid)


def make_folders(path: str) -> None:
    """Create a folder and its missing parents, each with mode 0700."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent != path:
        make_folders(parent)
    try:
        os.mkdir(path, PRIVATE_FOLDER)
    except FileExistsError:
        # Made by somebody else meanwhile, or a dangling link: the checks that follow tell.
        return
    except OSError as error:
        raise unwritable(error, path) from error


def unwritable(error: OSError, path: str) -> DiskFull | ReadOnly:
    """Return what keeps a folder or file of ours from being made or opened."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(path=path)
    return ReadOnly(f"{path} cannot be opened or made: {error.strerror}")


def check_ancestors(path: str) -> None:
    """Check that only we or root can change any folder on the way to `path`, and `path` itself.

    A symbolic link on the way is followed when it is root's or ours, since the folder that holds it was checked.
    """
    user, links = os.geteuid(), 0
    done, pending = "/", [part for part in os.path.abspath(path).split("/") if part]
    _check_ancestor("/", user)
    while pending:
        name = pending.pop(0)
        here = os.path.join(done, name)
        found = _lstat(here)
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if found.st_uid not in (0, user) or links > MAX_LINKS:
                raise UnsafePath("a symbolic link on the way belongs to another user", path=here)
            target = os.path.normpath(os.path.join(done, os.readlink(here)))
            pending = [part for part in target.split("/") if part] + pending
            done = "/"
            continue
        _check_ancestor(here, user)
        done = here


def _check_ancestor(path: str, user: int) -> None:
    found = _lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafePath("that is not a folder", path=path)
    if found.st_uid not in (0, user):
        raise UnsafePath("a folder on the way belongs to another user", path=path, owner=found.st_uid)
    mode = found.st_mode
    # Where files can be moved only by their owners (as in /tmp), others' rights to write do no harm. A group that
    # bears the user's own number is the user's private group, which many systems create.
    if mode & stat.S_ISVTX:
        return
    if mode & stat.S_IWOTH or (mode & stat.S_IWGRP and found.st_gid not in (0, user)):
        raise UnsafePath(
            "a folder on the way can be changed by others",
            path=path,
            mode=oct(stat.S_IMODE(mode)),
            hint=f"chmod go-w '{path}'",
        )


def check_socket(path: str) -> bool:
    """Tell whether a socket of ours lies at `path`; raise `UnsafePath` when something else does."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    if not stat.S_ISSOCK(found.st_mode):
        raise UnsafePath("something that is not a socket lies in the socket's place", path=path)
    if found.st_uid != os.geteuid():
        raise UnsafePath("the socket belongs to another user", path=path, owner=found.st_uid)
    return True


def open_private(path: str, flags: int) -> int:
    """Open (or create, mode 0600) a file of ours, never through a link; return its descriptor.

    Raises `UnsafePath`, `ReadOnly`, `DiskFull`, or FileNotFoundError for one that is not there.
    """
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    except FileNotFoundError:
        raise
    except OSError as error:
        if os.path.islink(path):
            raise UnsafePath("the file is a symbolic link", path=path) from error
        raise unwritable(error, path) from error
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid() or not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise UnsafePath("the file belongs to another user", path=path, owner=found.st_uid)
    return descriptor


def _lstat(path: str) -> os.stat_result:
    try:
        return os.lstat(path)
    except FileNotFoundError as error:
        raise UnsafePath("a folder on the way does not exist", path=path) from error
