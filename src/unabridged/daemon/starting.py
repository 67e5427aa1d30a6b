"""Starts and stops daemons from outside: however many start one at once, one runs in the end and all reach it."""

from __future__ import annotations

import fcntl
import os
import sys
import time

from unabridged.daemon import lock, paths, safety, wirejson
from unabridged.errors import DaemonUnavailable, ProtocolError, UnabridgedError, from_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from unabridged.daemon.paths import Layout

START_SECONDS = 60.0  # that a start may take in all: a store that crashed has to replay its log
STOP_SECONDS = 30.0  # that a daemon may take to end
FORCE_SECONDS = 10.0  # that it gets before force is used
SIGNAL_SECONDS = 5.0  # between a signal and a harder one
POLL_SECONDS = 0.01
SILENT_STARTS = 3  # processes that end without a word before a start is given up
MAX_PAUSE_SECONDS = 1.0  # between two attempts, when a daemon starts but cannot be reached
TERMINATE, KILL = 15, 9  # importing `signal` for their names brings `enum` along
MODULE = "unabridged.app.daemon"


def start(
    layout: Layout,
    connected: Callable[[], bool],
    *,
    explicit: bool = False,
    flags: tuple[str, ...] = (),
    wait: bool = True,
) -> None:
    """Start the daemon of a home unless it runs by then; return when `connected` says so.

    Starters queue at a lock of their own, so that the second finds what the first started. Raises what kept the daemon
    from starting, or `DaemonUnavailable`. Not `wait`: return once the process is on its way.
    """
    deadline = time.monotonic() + START_SECONDS
    queue = _queue(layout)
    try:
        while not _locked(queue):
            if connected():
                return
            _check(deadline, layout)
            time.sleep(POLL_SECONDS)
        _start(layout, connected, deadline, explicit=explicit, flags=flags, wait=wait)
    finally:
        os.close(queue)


def restart(
    layout: Layout, ask: Callable[[], None], connected: Callable[[], bool], *, force: bool = False
) -> dict[str, Any]:
    """Stop the daemon of a home and start another, which nobody else starts meanwhile; return who was stopped.

    `ask` and `force` as for `stop`, `connected` as for `start`; raises what either does.
    """
    deadline = time.monotonic() + START_SECONDS
    queue = _queue(layout)
    try:
        while not _locked(queue):
            _check(deadline, layout)
            time.sleep(POLL_SECONDS)
        stopped = stop(layout, ask, force=force)
        _start(layout, connected, time.monotonic() + START_SECONDS, explicit=True)
    finally:
        os.close(queue)
    return stopped


def _queue(layout: Layout) -> int:
    """Return the file that starters queue at."""
    safety.owned_folder(layout.data, create=True)
    safety.private_folder(layout.run, create=True)
    return safety.open_private(layout.start_lock, os.O_RDWR | os.O_CREAT)


def _start(
    layout: Layout,
    connected: Callable[[], bool],
    deadline: float,
    *,
    explicit: bool = False,
    flags: tuple[str, ...] = (),
    wait: bool = True,
) -> None:
    """Start the daemon of a home unless it runs, alone among the starters."""
    pause, silent = POLL_SECONDS, 0
    while not connected():
        _check(deadline, layout)
        told = spawn(layout, explicit=explicit, flags=flags, wait=wait)
        if not wait or connected():
            return
        silent = 0 if told else silent + 1
        if silent >= SILENT_STARTS:
            raise DaemonUnavailable(
                "the daemon ends while it starts", log=layout.logs, error_stream=layout.errors
            )
        time.sleep(pause)
        pause = min(pause * 2, MAX_PAUSE_SECONDS)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _check(deadline: float, layout: Layout) -> None:
    if time.monotonic() > deadline:
        raise DaemonUnavailable("the daemon did not start in time", home=layout.data, log=layout.logs)


def spawn(
    layout: Layout, *, explicit: bool = False, flags: tuple[str, ...] = (), wait: bool = True
) -> dict[str, Any]:
    """Start a detached daemon process; with `wait` return its first word, raising the error that it reports."""
    safety.private_folder(layout.logs, create=True)
    errors = safety.open_private(layout.errors, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDWR)
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    # -P: neither the working directory nor a script's folder may shadow a module of ours.
    command = [sys.executable, "-P", "-m", MODULE, "--detach", "--ready", str(theirs)]
    command += ["--place", layout.data, layout.config, layout.state]
    command += ["--explicit"] if explicit else []
    for flag in flags:
        command += ["--set", flag]
    actions = [
        (os.POSIX_SPAWN_DUP2, nothing, 0),
        (os.POSIX_SPAWN_DUP2, errors, 1),
        (os.POSIX_SPAWN_DUP2, errors, 2),
    ]
    try:
        child = os.posix_spawn(sys.executable, command, paths.thrifty(), file_actions=actions)
    finally:
        for descriptor in (errors, nothing, theirs):
            os.close(descriptor)
    try:
        os.waitpid(child, 0)  # it leaves at once; the daemon is a process of its own by then
        return _first_word(ours) if wait else {}
    finally:
        os.close(ours)


def _first_word(descriptor: int) -> dict[str, Any]:
    data = b""
    while block := os.read(descriptor, 65_536):
        data += block
    if not data:
        return {}  # it ended without a word; the caller tries a few times
    try:
        word: object = wirejson.loads(data.decode().splitlines()[0])
    except ValueError as error:
        raise ProtocolError("the daemon's first word is not JSON") from error
    facts: dict[str, Any] = word if isinstance(word, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    if "error" in facts:
        raise from_dict(facts["error"])
    return facts


def await_end(layout: Layout, seconds: float = STOP_SECONDS, pid: int = 0) -> bool:
    """Wait until nobody owns the home, or another process than `pid` (0: any); tell whether that came to be.

    Agents have another daemon started as soon as one ends, so that the home may be without an owner for a moment only.
    """
    deadline = time.monotonic() + seconds
    while _owns(layout, pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _owns(layout: Layout, pid: int) -> bool:
    """Tell whether a process owns the home: an owner empties the file that names it before it lets go."""
    return lock.held(layout.lock) and (not pid or lock.read_owner(layout.lock).get("pid") == pid)


def _owner(layout: Layout, seconds: float) -> dict[str, Any]:
    """Return who owns the home, once that is said: a daemon that starts says it when it is ready."""
    deadline = time.monotonic() + seconds
    while lock.held(layout.lock):
        facts = lock.read_owner(layout.lock)
        if "pid" in facts or time.monotonic() > deadline:
            return facts
        time.sleep(POLL_SECONDS)
    return {}


def stop(layout: Layout, ask: Callable[[], None], *, force: bool = False) -> dict[str, Any]:
    """Stop the daemon of a home; return who was stopped (empty: none ran).

    `ask` sends it `shutdown`. With `force` one that does not end is ended by signals, but only the process that holds
    the lock: a number in a stale file is nobody's business.
    """
    facts = _owner(layout, FORCE_SECONDS if force else STOP_SECONDS)
    if not lock.held(layout.lock):
        return {}
    named = facts.get("pid")
    pid = named if isinstance(named, int) else 0
    try:
        ask()
    except UnabridgedError:
        if not force and _owns(layout, pid):
            raise
    if await_end(layout, FORCE_SECONDS if force else STOP_SECONDS, pid):
        return facts
    if not force:
        raise DaemonUnavailable("the daemon did not end in time", hint="`una daemon stop --force`", **facts)
    for number in (TERMINATE, KILL):
        if facts.get("in_process"):
            break  # a person's own program
        if not pid or not _owns(layout, pid) or not is_daemon(pid):
            break
        os.kill(pid, number)
        if await_end(layout, SIGNAL_SECONDS, pid):
            return facts
    if _owns(layout, pid):
        raise DaemonUnavailable("the daemon could not be ended", **facts)
    return facts


def is_daemon(pid: int) -> bool:
    """Tell whether a process runs our daemon; where the system does not say, the lock it holds must do."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return MODULE.encode() in file.read(4096)
    except FileNotFoundError:
        return not os.path.isdir("/proc/self")
    except OSError:
        return False
