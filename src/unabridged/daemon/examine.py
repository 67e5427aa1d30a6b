"""Checks of an installation's files, with the repairs that are safe: usable with and without a running daemon."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

from unabridged.daemon import filesystem, hookbreaker, lock, safety
from unabridged.daemon.outbox import Outbox
from unabridged.daemon.paths import Layout
from unabridged.errors import UnabridgedError
from unabridged.service.ports import Finding

MAX_COMMAND_BYTES = 65_536
DAEMON = b"unabridged.app.daemon"
ENDING_SECONDS = 2.0  # that another daemon of the home gets to end
POLL_SECONDS = 0.05  # between two looks at it


def files(layout: Layout, fix: bool, *, running: bool) -> Iterator[Finding]:
    """Check folders, their modes, lock and socket; `running`: this very process owns them."""
    yield _home(layout)
    if os.path.exists(layout.data) and not os.access(layout.data, os.R_OK | os.X_OK):
        return  # somebody else's, or closed: nothing below it can be looked at
    for name, path in (
        ("run folder", layout.run),
        ("store folder", layout.store),
        ("index folder", layout.index),
        ("key folder", layout.keys),
        ("log folder", layout.logs),
        ("outbox folder", layout.outbox),
    ):
        yield _private(name, path, fix)
    yield _filesystem(layout)
    if not os.path.exists(layout.run) or os.access(layout.run, os.R_OK | os.X_OK):
        yield _lock(layout, running)
        yield from _doubles(layout)
        yield _socket(layout, fix, running)
        yield _hooks(layout)
    yield _outbox(layout)


def _home(layout: Layout) -> Finding:
    if not os.path.exists(layout.data):
        return Finding("home", True, f"{layout.data} does not exist yet")
    try:
        safety.owned_folder(layout.data)
    except UnabridgedError as error:
        return Finding("home", False, f"{layout.data}: {error.message}", error.advice)
    return Finding("home", True, layout.data)


def _private(name: str, path: str, fix: bool) -> Finding:
    if not os.path.lexists(path):
        return Finding(name, True, f"{path} does not exist yet")
    try:
        safety.private_folder(path)
    except UnabridgedError as error:
        if fix and _tightened(path):
            return Finding(name, True, f"{path}: mode set to 0700", fixed=True)
        return Finding(name, False, f"{path}: {error.message}", error.advice)
    return Finding(name, True, path)


def _tightened(path: str) -> bool:
    """Take others' rights from a real folder of ours; tell whether all is well then."""
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return False
    os.chmod(path, safety.PRIVATE_FOLDER)
    try:
        safety.private_folder(path)
    except UnabridgedError:
        return False
    return True


def _filesystem(layout: Layout) -> Finding:
    try:
        filesystem.check_store_folder(layout.store)
    except UnabridgedError as error:
        return Finding("file system", False, error.message, error.advice)
    return Finding("file system", True, "a local one")


def _lock(layout: Layout, running: bool) -> Finding:
    facts = lock.read_owner(layout.lock)
    pid = facts.get("pid", 0)
    if running:
        same = pid == os.getpid()
        return Finding("owner", same, f"process {pid}" + ("" if same else f", but this is {os.getpid()}"))
    if lock.held(layout.lock):
        return Finding("owner", True, f"process {pid} owns this home")
    stale = f"the last one, process {pid}, ended without a word" if pid else "nobody"
    return Finding("owner", True, stale)


def _doubles(layout: Layout) -> Iterator[Finding]:
    """Look for further daemons on this home, where the system lists processes in /proc."""
    found, deadline = _daemons(layout), time.monotonic() + ENDING_SECONDS
    # One that could not start, or was told to stop, is about to end.
    while found and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        found &= _daemons(layout)
    for pid in sorted(found):
        yield Finding("daemons", False, f"process {pid} is another daemon of this home", f"kill {pid}")


def _daemons(layout: Layout) -> set[int]:
    """Return the processes that are daemons of this home, except its owner and this one."""
    owner, data = lock.read_owner(layout.lock).get("pid", 0), os.fsencode(layout.data)
    found = set[int]()
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if not name.isdigit() or int(name) in (owner, os.getpid()):
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                arguments = file.read(MAX_COMMAND_BYTES).split(b"\0")
        except OSError:
            continue  # it ended meanwhile, or belongs to somebody else
        if DAEMON in arguments and data in arguments:
            found.add(int(name))
    return found


def _outbox(layout: Layout) -> Finding:
    box = Outbox(layout.outbox)
    try:
        waiting = box.waiting()
    except UnabridgedError as error:
        return Finding("outbox", False, error.message, error.advice)
    held = box.held_count()
    detail = f"{waiting} events wait, {held} could not be applied"
    return Finding("outbox", not held, detail, "`una outbox` lists them." if held else "")


def _hooks(layout: Layout) -> Finding:
    """Tell what hooks hold back from. One start that has not ended yet is no fault."""
    found = hookbreaker.facts(layout)
    starts, silence, fault = found["starts"]["failures"], found["silence"]["failures"], found["fault"]
    if fault:
        detail = f"the daemon that a hook wanted did not start: {fault.get('message') or fault.get('code')}"
        return Finding("hooks", False, detail, str(fault.get("hint") or "`una daemon start`"))
    if starts > 1:
        return Finding("hooks", False, f"{starts} starts in a row brought no daemon", "`una daemon start`")
    if silence:
        detail = f"the daemon did not answer {silence} hooks in a row"
        return Finding("hooks", False, detail, "`una daemon restart --force`")
    return Finding("hooks", True, "nothing holds them back")


def _socket(layout: Layout, fix: bool, running: bool) -> Finding:
    path = layout.socket
    try:
        there = safety.check_socket(path)
    except UnabridgedError as error:
        return Finding("socket", False, error.message, error.advice)
    if not there:
        return Finding("socket", not running, "there is none", "`una daemon restart`" if running else "")
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    if mode & safety.OTHERS:
        if not fix:
            return Finding("socket", False, f"{path} has mode {oct(mode)}", "`una doctor --fix`")
        os.chmod(path, safety.PRIVATE_FILE)
        return Finding("socket", True, f"{path}: mode set to 0600", fixed=True)
    if not running and not lock.held(layout.lock):
        if not fix:
            return Finding("socket", False, f"{path} is left over: nobody listens", "`una doctor --fix`")
        os.unlink(path)
        return Finding("socket", True, f"{path} was left over; removed", fixed=True)
    return Finding("socket", True, path)
