"""Serving HTTP at the loopback address: the port, how many connections there are, how long each may keep us waiting.

The server's own protocol waits for a request's head, and for somebody who does not read, as long as they like.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Generator

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unabridged.daemon.ending import Ending
from unabridged.daemon.origins import ADDRESS
from unabridged.errors import InvalidInput

MOST = 512  # connections at once: a session has one for what is asked and one on which it only listens
HEAD_SECONDS = 10.0  # from a connection, or the first byte of a further request, to the end of the head
STUCK_SECONDS = 20.0  # that somebody may leave our answer unread
MOST_PORT = 65_535
BACKLOG = 64  # connections that the kernel keeps until they are accepted


def listen(port: int) -> socket.socket:
    """Return a socket that listens at a port, 0: any free one; raise `InvalidInput` for one that cannot be had."""
    if not 0 <= port <= MOST_PORT:
        raise InvalidInput("that is no port", field="port", value=port, limit=MOST_PORT)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise InvalidInput(
            f"port {port} cannot be had: {error.strerror}",
            field="port",
            hint="Take another one, or `--port 0` for any that is free.",
        ) from error
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


class BoundedProtocol(H11Protocol):
    """One connection."""

    _awaiting: asyncio.TimerHandle | None = None  # the head of a request
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take a connection, or end it at once when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._awaiting = cancelled(self._awaiting)
        self._stuck = cancelled(self._stuck)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a head have not for ever."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._awaiting = cancelled(self._awaiting)
        elif self._awaiting is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def pause_writing(self) -> None:
        """Learn that what we send is not read."""
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(STUCK_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Learn that it is read again."""
        self._stuck = cancelled(self._stuck)
        super().resume_writing()

    def _await_head(self) -> None:
        self._awaiting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)


class Listener(uvicorn.Server):
    """The server, which ends when it is told to, also before it serves and while it ends."""

    def __init__(self, config: uvicorn.Config, ending: Ending | None = None) -> None:
        """Serve as `config` says; without an `ending` no signal is heard."""
        super().__init__(config)
        self._ending = ending

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Be told of signals for as long as it serves."""
        if self._ending is None:
            yield
            return
        with self._ending.telling(asyncio.get_running_loop(), self._told):
            yield

    def _told(self, name: str) -> None:
        if self.should_exit and name == signal.SIGINT.name:
            self.force_exit = True  # asked twice by a person: what is under way is not waited for
        self.should_exit = True


def cancelled(timer: asyncio.TimerHandle | None) -> None:
    """Cancel a timer, if there is one; return what stands in its place."""
    if timer is not None:
        timer.cancel()
