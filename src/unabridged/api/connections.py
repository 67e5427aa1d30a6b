"""Connections to a daemon for several threads: each call has one to itself, and a broken one is made anew."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from unabridged.api.asking import Progress
from unabridged.daemon.client import Client
from unabridged.errors import (
    ArchiveClosed,
    Cancelled,
    DaemonUnavailable,
    DeadlineExceeded,
    ProtocolError,
    UnabridgedError,
)
from unabridged.service.requests import Request

# Seconds left for a call that waited almost all of its time for a connection.
LEAST_SECONDS = 0.001


class Connections:
    """At most so many connections; the engine of an archive that a daemon owns."""

    def __init__(self, connect: Callable[[], Client], most: int) -> None:
        """Make the first connection by `connect`, further ones when calls run at the same time."""
        self._connect = connect
        self._most = most
        self._changed = threading.Condition()
        self._process = os.getpid()
        self._closed = False
        self._cancels = 0  # how often everything was cancelled
        self._free = [connect()]
        self._busy = set[Client]()
        self._count = 1  # free, busy and being made

    def call(self, op: str, request: Request, on_progress: Progress | None, seconds: float) -> dict[str, Any]:
        """Run an operation on a connection of its own; see `Engine`."""
        deadline = time.monotonic() + seconds if seconds else 0.0
        client = self._take(deadline)
        kept = False
        try:
            left = max(LEAST_SECONDS, deadline - time.monotonic()) if seconds else 0.0
            found = client.call(op, msgspec.to_builtins(request), told(on_progress), left)
            kept = True
        except UnabridgedError as error:
            # What the daemon answered leaves the connection as it was.
            kept = not isinstance(error, DaemonUnavailable | ProtocolError | Cancelled)
            raise
        finally:
            self._give(client, kept)
        return found

    def cancel(self) -> None:
        """End what runs now; see `Engine`."""
        with self._gate():
            self._cancels += 1
            for client in self._busy:
                client.interrupt()
            self._changed.notify_all()

    def close(self) -> None:
        """Cancel what runs and end every connection; see `Engine`."""
        with self._gate():
            self._closed = True
            for client in self._busy:
                client.interrupt()
            for client in self._free:
                client.close()
            self._count -= len(self._free)
            self._free.clear()
            self._changed.notify_all()

    def _take(self, deadline: float) -> Client:
        """Return a connection for one call, waiting for one while all are in use."""
        with self._gate():
            cancels = self._cancels
            while True:
                if self._closed:
                    raise ArchiveClosed
                if self._cancels != cancels:
                    raise Cancelled
                if self._free:
                    client = self._free.pop()
                    self._busy.add(client)
                    return client
                if self._count < self._most:
                    self._count += 1
                    break
                if not self._changed.wait(deadline - time.monotonic() if deadline else None):
                    raise DeadlineExceeded("every connection was in use for that long")
        try:
            client = self._connect()
        except BaseException:
            with self._changed:
                self._count -= 1
                self._changed.notify()
            raise
        with self._changed:
            self._busy.add(client)
        if self._closed:
            self._give(client, False)
            raise ArchiveClosed
        return client

    def _give(self, client: Client, kept: bool) -> None:
        """Take a connection back, or end it: what still runs for it is cancelled."""
        with self._changed:
            self._busy.discard(client)
            if kept and not client.interrupted and not self._closed:
                self._free.append(client)
            else:
                client.close()
                self._count -= 1
            self._changed.notify()

    def _gate(self) -> threading.Condition:
        """Return what keeps threads apart; in a forked child leave the parent's connections to it, and begin anew."""
        if os.getpid() != self._process:
            self._process = os.getpid()
            self._changed = threading.Condition()  # the other one may be held by a thread that is not here
            for client in (*self._free, *self._busy):
                client.close()  # the child's end only
            self._free, self._busy, self._count = list[Client](), set[Client](), 0
        return self._changed


def told(on_progress: Progress | None) -> Progress | None:
    """Return what takes a daemon's notifications: the caller learns the facts without the request's number."""
    if on_progress is None:
        return None
    return lambda facts: on_progress({name: value for name, value in facts.items() if name != "id"})
