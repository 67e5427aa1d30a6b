"""The socket that clients connect to, with the limits that all connections share."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from unabridged.daemon import safety, wire
from unabridged.daemon.connection import Connection
from unabridged.daemon.dispatch import Dispatcher, Task
from unabridged.daemon.logs import Log
from unabridged.errors import (
    DaemonUnavailable,
    DeadlineExceeded,
    ProtocolError,
    TooManyConnections,
    UnabridgedError,
)
from unabridged.service.caller import Caller
from unabridged.service.operations import Operation

RETAINED = 32 << 20  # bytes of unanswered requests that all connections hold
OUTPUT = 64 << 20  # bytes of answers, promised and unsent, that all connections hold
BACKLOG = 128  # connections that the kernel keeps until they are accepted
WAITING_FACTOR = (
    2  # connections without a handshake, per connection with one, before further ones are turned away
)
SWEEP_SECONDS = 1.0  # between two looks for stalled clients, at most

Admit = Callable[[wire.Handshake], tuple[Caller, dict[str, Any]]]


class Server:
    """Accepts connections and shares the daemon's capacity among them. All methods run on the loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        operations: Mapping[str, Operation],
        dispatcher: Dispatcher,
        log: Log,
        admit: Admit,
        *,
        connections: int,
        requests: int,
        handshake_seconds: float,
        stall_seconds: float,
    ) -> None:
        """Serve `operations` through `dispatcher`; `admit` decides what a handshake is granted."""
        self.loop = loop
        self.operations = operations
        self.dispatcher = dispatcher
        self.handshake_seconds = handshake_seconds
        self.stall_seconds = stall_seconds
        self.uid = os.geteuid()
        self.draining: UnabridgedError | None = None
        self.active = 0
        self.served = 0
        self.last_use = loop.time()
        self._admit = admit
        self._log = log
        self._limit = connections
        self._requests = requests
        self._all = set[Connection]()
        self._clients = 0
        self._retained = 0
        self._reserved = 0
        self._waiting = deque[Connection]()
        self._listener: asyncio.AbstractServer | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._privileged: Connection | None = None
        self._tight = False
        self._path, self._socket_id = "", (0, 0)  # device and inode

    async def listen(self, path: str) -> None:
        """Open the socket at `path`, in place of a stale one; nobody sees it before it has mode 0600 and listens."""
        temporary = f"{path}.{os.getpid()}"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            _unlink(temporary)
            listener.bind(temporary)
        finally:
            os.umask(mask)
        os.chmod(temporary, safety.PRIVATE_FILE)
        listener.listen(BACKLOG)
        listener.setblocking(False)
        self._path, self._socket_id = path, _id_of(temporary)
        os.replace(temporary, path)
        self._listener = await self.loop.create_unix_server(lambda: Connection(self), sock=listener)

    def close_listener(self) -> None:
        """Accept nothing more and remove the socket, unless another one is in its place."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
            if _id_of(self._path) == self._socket_id:
                _unlink(self._path)

    def drain(self) -> None:
        """Begin no further requests; those that are active go on."""
        self.draining = DaemonUnavailable("the daemon is stopping", stopping=True)
        for connection in self._all:
            while connection.queue:
                frame, _ = connection.queue.popleft()
                if isinstance(frame.id, int | str):
                    connection.send(wire.failure(frame.id, self.draining))
        self._waiting.clear()

    def cancel_all(self, error: UnabridgedError) -> None:
        """Let every active request end at its next check."""
        for connection in self._all:
            for task in connection.tasks.values():
                task.stop(error)

    def close(self) -> None:
        """Close every connection once its answers are out."""
        for connection in list(self._all):
            connection.close()
        if self._sweeper is not None:
            self._sweeper.cancel()

    @property
    def clients(self) -> int:
        """Connections with a handshake."""
        return self._clients

    @property
    def connections(self) -> int:
        """All connections."""
        return len(self._all)

    def facts(self) -> dict[str, Any]:
        """Return counts for status."""
        return {
            "connections": self._clients,
            "active_requests": self.active,
            "requests_served": self.served,
            "retained_bytes": self._retained,
            "reserved_bytes": self._reserved,
        }

    # --- connections ------------------------------------------------------------------------------------------------

    def joined(self, connection: Connection) -> None:
        """Take a new connection; too many without a handshake are turned away."""
        self._all.add(connection)
        if len(self._all) - self._clients > WAITING_FACTOR * self._limit:
            connection.fail(TooManyConnections(limit=self._limit))
        if self._sweeper is None:
            self._sweep_later()

    def left(self, connection: Connection) -> None:
        """Forget a connection."""
        self._all.discard(connection)
        if connection.caller is not None:
            self._clients -= 1
        if connection in self._waiting:
            self._waiting.remove(connection)
        self.last_use = self.loop.time()
        self._balance()
        self.pump()

    def admit(self, asked: wire.Handshake) -> tuple[Caller, dict[str, Any]]:
        """Grant a handshake; raise `TooManyConnections` when there are as many as may be."""
        if self.draining is not None:
            raise self.draining
        if self._clients >= self._limit:
            raise TooManyConnections(f"{self._limit} clients are connected already", limit=self._limit)
        granted, result = self._admit(asked)
        self._clients += 1
        self.last_use = self.loop.time()
        return granted, result

    def _sweep_later(self) -> None:
        period = min(SWEEP_SECONDS, self.handshake_seconds / 4, self.stall_seconds / 4)
        self._sweeper = self.loop.call_later(period, self._sweep)

    def _sweep(self) -> None:
        now = self.loop.time()
        for connection in list(self._all):
            reason = connection.sweep(now)
            if not reason:
                continue
            self._log.warning("client-dropped", reason=reason, client=connection.client, peer=connection.pid)
            if connection.caller is None:
                connection.fail(_no_handshake(self.handshake_seconds))
            else:
                connection.drop()
        self._sweeper = None
        if self._all:
            self._sweep_later()

    # --- requests ---------------------------------------------------------------------------------------------------

    def enqueue(self, connection: Connection) -> None:
        """Note that a connection has a request waiting; begin what can begin."""
        if connection not in self._waiting:
            self._waiting.append(connection)
        self.pump()

    def pump(self) -> None:
        """Begin waiting requests, one of each connection in turn, as far as the shared limits allow."""
        idle = 0
        while self._waiting and idle < len(self._waiting) and self.active < self._requests:
            connection = self._waiting.popleft()
            if not connection.queue:
                continue
            if connection.can_begin() and self._fits(connection):
                connection.begin()
                idle = 0
            else:
                idle += 1
            if connection.queue:
                self._waiting.append(connection)

    def _fits(self, connection: Connection) -> bool:
        """Tell whether the answer fits; when it does not, the client that blocks the most loses its connection."""
        reserve = self.operations[connection.queue[0][0].method].reserve
        blocked = [item for item in self._all if item.blocked]
        unsent = sum(item.unsent for item in blocked)
        if self._reserved + unsent + reserve <= OUTPUT or not self.active:
            return True
        if blocked:
            worst = max(blocked, key=lambda item: item.unsent)
            self._log.warning("client-dropped", reason="its unread answers are in the way", peer=worst.pid)
            worst.drop()
        return False

    def begun(self, task: Task) -> None:
        """Count a request that was handed to the threads."""
        self.active += 1
        self._reserved += task.operation.reserve

    def ended(self, task: Task) -> None:
        """Count an answered request."""
        self.active -= 1
        self.served += 1
        self._reserved -= task.operation.reserve
        self.last_use = self.loop.time()
        if self._waiting:
            self.pump()

    # --- input ------------------------------------------------------------------------------------------------------

    def hold(self, size: int) -> None:
        """Count retained input; near the limit only one connection goes on reading, so that its request can end."""
        self._retained += size
        if self._tight or self._retained > RETAINED - wire.MAX_FRAME:
            self._balance()

    def may_read(self, connection: Connection) -> bool:
        """Tell whether a connection may read on."""
        return not self._tight or connection is self._privileged

    def _balance(self) -> None:
        tight = self._retained > RETAINED - wire.MAX_FRAME
        keep = self._privileged
        if tight and (keep is None or keep not in self._all or not keep.partial):
            keep = max(self._all, key=lambda item: item.partial, default=None)
            keep = keep if keep is not None and keep.partial else None
        if not tight:
            keep = None
        if (tight, keep) == (self._tight, self._privileged):
            return
        self._tight, self._privileged = tight, keep
        if tight:
            # At once: others of which the loop knows already that they can be read would all read once more.
            self._regulate_all()
        else:
            self.loop.call_soon(self._regulate_all)

    def _regulate_all(self) -> None:
        for connection in list(self._all):
            connection.regulate()


def _no_handshake(seconds: float) -> UnabridgedError:
    if seconds > 0:
        return DeadlineExceeded("no handshake came in time", seconds=seconds)
    return ProtocolError("no handshake came")


def _id_of(path: str) -> tuple[int, int]:
    try:
        found = os.lstat(path)
    except OSError:  # its folder may be gone, or not ours any more
        return 0, 0
    return found.st_dev, found.st_ino


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
