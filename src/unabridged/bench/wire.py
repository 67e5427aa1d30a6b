"""The client's end of a measured connection: lines made beforehand, sent as they are, timed.

One thread drives any number of connections, so that no lock of this process stands between two requests.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, cast

from unabridged import __version__
from unabridged.daemon.client import PROTOCOL
from unabridged.errors import DaemonUnavailable, from_dict

BLOCK = 1 << 20  # bytes received at once
PATIENCE = 600.0  # seconds of silence after which a measured server counts as dead


def frame(method: str, params: dict[str, Any]) -> bytes:
    """Return a request's line."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class Connection:
    """One connection to a daemon or rival; a context manager."""

    def __init__(self, path: str, *, folder: str = "", handshake: bool = True) -> None:
        """Connect, and shake hands as a daemon wants it."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(path)
        self._rest = b""
        if handshake:
            shake = {"protocol": PROTOCOL, "client": "bench", "version": __version__, "project": folder}
            self.call("handshake", shake)

    def fileno(self) -> int:
        """Return the descriptor, for selectors."""
        return self._socket.fileno()

    def send(self, data: bytes) -> None:
        """Send a line."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise DaemonUnavailable("the measured server took no more") from error

    def receive(self) -> bytes:
        """Return the next line."""
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            try:
                block = self._socket.recv(BLOCK)
            except OSError as error:
                raise DaemonUnavailable("the measured server does not answer") from error
            if not block:
                raise DaemonUnavailable("the measured server closed the connection")
            parts.append(block)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def ask(self, data: bytes) -> bytes:
        """Send a line and return the answer's."""
        self.send(data)
        return self.receive()

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Run an operation and return its result; raises what the daemon answered."""
        self.send(frame(method, params))
        while True:
            line = self.receive()
            if b'"method":"progress"' not in line[:60]:
                return result(line)

    def interrupt(self) -> None:
        """Make whoever waits for an answer stop waiting; may be called from another thread."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other end was faster

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def __enter__(self) -> Connection:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


def result(line: bytes) -> dict[str, Any]:
    """Return an answer's result; raise its error."""
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        error = answer["error"]
        raise from_dict(error.get("data") or {"message": str(error.get("message", ""))})
    return cast("dict[str, Any]", answer["result"])


def drive(
    connections: Sequence[Connection],
    frames: Iterable[bytes],
    *,
    check: Callable[[bytes], None] | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> list[float]:
    """Send frames, each connection its next one as soon as it has its answer; return the seconds that each took.

    `check` sees every answer, outside of the measured time of its own request. Once `go_on` says no, nothing more is
    sent.
    """
    source = iter(frames)
    if len(connections) == 1:
        return list(_one(connections[0], source, check, go_on))
    return list(_many(connections, source, check, go_on))


def _one(
    connection: Connection,
    source: Iterator[bytes],
    check: Callable[[bytes], None] | None,
    go_on: Callable[[], bool],
) -> Iterator[float]:
    for data in source:
        started = time.perf_counter()
        line = connection.ask(data)
        yield time.perf_counter() - started
        if check is not None:
            check(line)
        if not go_on():
            return


def _many(
    connections: Sequence[Connection],
    source: Iterator[bytes],
    check: Callable[[bytes], None] | None,
    go_on: Callable[[], bool],
) -> Iterator[float]:
    started = dict[Connection, float]()
    with selectors.DefaultSelector() as selector:

        def send(connection: Connection) -> None:
            data = next(source, None) if go_on() else None
            if data is None:
                selector.unregister(connection)
                return
            started[connection] = time.perf_counter()
            connection.send(data)

        for connection in connections:
            selector.register(connection, selectors.EVENT_READ)
            send(connection)
        while selector.get_map():
            for key, _ in selector.select(PATIENCE):
                connection = cast("Connection", key.fileobj)
                line = connection.receive()
                yield time.perf_counter() - started[connection]
                if check is not None:
                    check(line)
                send(connection)
