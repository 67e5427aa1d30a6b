"""Worker processes: started by the daemon, ended with it, started again when they die.

A worker is `python -m unabridged.app.worker ROLE` at the other end of a socket pair. It ends when that pair does, and
on Linux the kernel ends it with the thread that started it: so that thread must live as long as its `Process`.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable

from unabridged.daemon import paths
from unabridged.daemon.channel import Channel

END_SECONDS = 2.0  # that a worker gets to end by itself once its channel is closed
FIRST_DELAY, LAST_DELAY = 0.05, 5.0  # seconds before a dead worker is started again: doubling, with jitter
HEALTHY_SECONDS = 30.0  # a worker that lived so long starts anew without a delay
MODULE = "unabridged.app.worker"


class Process:
    """One worker process and the channel to it."""

    def __init__(self, role: str, errors: str = "") -> None:
        """Start a worker; `errors` is the file that its error stream is appended to."""
        ours, theirs = socket.socketpair()
        with theirs:
            stream = _appending(errors)
            try:
                self._child = subprocess.Popen(
                    # -P: the working directory and the script's folder never shadow a module.
                    [sys.executable, "-P", "-m", MODULE, role, str(theirs.fileno()), str(os.getpid())],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=stream,
                    cwd="/",
                    env=paths.thrifty(),
                )
            finally:
                if stream >= 0:
                    os.close(stream)
        self.channel = Channel(ours)
        self.role = role
        self.started = time.monotonic()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child.poll() is None

    def end(self) -> int:
        """Close the channel and wait; kill the worker when it does not end. Returns its exit status."""
        self.channel.close()
        try:
            return self._child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()

    def kill(self) -> None:
        """End the worker at once."""
        self._child.kill()


def _appending(path: str) -> int:
    if not path:
        return subprocess.DEVNULL
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


class Backoff:
    """How long to wait before a worker is started again."""

    def __init__(self, dice: Callable[[], float] = random.random, last: float = LAST_DELAY) -> None:
        """Start without a delay; `dice` gives a number from 0 to 1, `last` is the longest delay."""
        self._dice = dice
        self._last = last
        self._delay = 0.0

    def next(self, lived: float) -> float:
        """Return the seconds to wait after a worker that lived so many seconds died."""
        if lived >= HEALTHY_SECONDS:
            self._delay = 0.0
        delay = self._delay
        self._delay = min(self._last, max(FIRST_DELAY, delay * 2))
        return delay * (0.5 + self._dice() / 2)
