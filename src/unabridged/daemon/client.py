"""The client's end of the daemon's socket: everything that speaks to a daemon uses it.

Every start of a command pays for what this module imports, so it keeps to a few built-in modules: the C scanner of the
JSON module without the pure Python around it, and the C socket without the wrapper.
"""

from __future__ import annotations

import _socket
import os
import sys
import time

from unabridged import __version__
from unabridged.daemon import paths, safety, wirejson
from unabridged.errors import (
    Cancelled,
    DaemonIncompatible,
    DaemonUnavailable,
    DeadlineExceeded,
    FrameTooLarge,
    ProtocolError,
    UnknownOperation,
    UnsafePath,
    from_dict,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from unabridged.daemon.paths import Layout

PROTOCOL = 1
HANGS = "Try it again; `una daemon restart --force` replaces a daemon that hangs."
MAX_FRAME = 16 << 20  # bytes of one line (see daemon/wire)
BLOCK = 256 << 10  # bytes received at once
CONNECT_SECONDS = 5.0  # for the handshake: the daemon answers it on its event loop
GRACE_SECONDS = 1.0  # longer than the daemon itself waits, so that its own answer wins
TIMEOUT = 30.0  # seconds that an answer may take unless the caller says otherwise
# What may be sent again when the connection broke before the answer came: it changes nothing, or says the same twice.
REPEATABLE = frozenset(
    (
        *(
            "ping",
            "status",
            "stats",
            "sessions",
            "show",
            "original",
            "search",
            "grep",
            "recall",
            "gather",
            "traverse",
            "verify",
            "doctor",
        ),
        *("daemon.status", "notify", "mcp", "hint", "why"),
        *("windows", "window.show", "window.explain", "window.open", "window.rotate", "capture"),
    )
)


class Client:
    """A connection to a daemon. For one thread."""

    def __init__(
        self,
        layout: Layout,
        *,
        name: str = "una",
        project: str = "",
        scope: str = "",
        session: str = "",
        start: bool = True,
    ) -> None:
        """Connect to the daemon of a home, starting it when it does not run (unless not `start`).

        `project` is the folder that the caller works in; `scope` the widest scope that it wants. Raises
        `DaemonUnavailable`, `UnsafePath`, or what kept the daemon from starting.
        """
        self._layout = layout
        self._shake = {"client": name, "project": project, "scope": scope, "session": session}
        self._start = start
        self._socket: _socket.socket | None = None
        self._buffer: bytearray = bytearray()
        self._number = 0
        self._replaced = False
        self.interrupted = False
        self.server: dict[str, Any] = {}
        self._connect()

    @classmethod
    def connect(cls, layout: Layout | None = None, start: bool = True, **facts: str) -> Client:
        """Connect to the daemon of `layout`, or of the environment's home."""
        return cls(layout or paths.layout(paths.environment()), start=start, **facts)

    def call(
        self,
        op: str,
        params: Mapping[str, Any] | None = None,
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Run an operation and return its answer; raises what the daemon answered as an `UnabridgedError`.

        `timeout` (seconds, default 30; 0: none) is told to the daemon, which stops working when it has passed. An
        operation with progress has none unless one is given. A lost connection is made again once, and the operation
        repeated when that is harmless.
        """
        seconds = timeout if timeout is not None else (0.0 if on_progress else TIMEOUT)
        if op not in REPEATABLE and self._ended():
            self._connect()
        self.require(op)
        try:
            return self._call(op, params or {}, on_progress, seconds)
        except _Lost as lost:
            if self.interrupted:
                raise Cancelled from lost
            if op not in REPEATABLE and not lost.refused:
                raise DaemonUnavailable("the connection to the daemon broke before it answered") from lost
        self._connect()
        try:
            return self._call(op, params or {}, on_progress, seconds)
        except _Lost as lost:
            if self.interrupted:
                raise Cancelled from lost
            raise DaemonUnavailable("the connection to the daemon broke twice") from lost

    def require(self, op: str) -> None:
        """Have a daemon of another build replaced, once, where it lacks an operation.

        Raises `UnknownOperation` where this build's lacks it, too, or `DaemonIncompatible`.
        """
        if op not in self.server["capabilities"]:
            self._replace(op)

    def interrupt(self) -> None:
        """From another thread: have the call that waits now raise `Cancelled`. The client is of no further use."""
        self.interrupted = True
        sock = self._socket
        if sock is not None:
            try:
                sock.shutdown(_socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended by itself

    def close(self) -> None:
        """End the connection; what still runs for it is cancelled."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def __enter__(self) -> Client:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    # --- connecting -------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.close()
        try:
            if self._open(self._layout.socket):
                return
        except _Lost:
            pass  # it ended between the connection and the handshake: as if it had not been there
        if not self._start:
            raise DaemonUnavailable("no daemon runs", home=self._layout.data)
        from unabridged.daemon import starting  # only who has to start a daemon pays for it

        starting.start(self._layout, lambda: self._open_quietly(self._layout.socket))
        if self._socket is None:
            raise DaemonUnavailable("the daemon was started but cannot be reached", home=self._layout.data)

    def _ended(self) -> bool:
        """Tell whether the connection is known to be no more: a request that nobody got may be sent anew."""
        if self._socket is None:
            return True
        try:
            self._socket.settimeout(0.0)
            return not self._socket.recv(1, _socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _open_quietly(self, path: str) -> bool:
        try:
            return self._open(path)
        except _Lost:
            return False

    def _open(self, path: str) -> bool:
        """Connect and shake hands; return False when nobody listens."""
        sock = dial(path)
        if sock is None:
            return False
        self._socket = sock
        self._buffer.clear()
        shake: dict[str, Any] = {
            "protocol": PROTOCOL,
            "version": __version__,
            "capabilities": [],
            **self._shake,
        }
        self.server = self._call("handshake", shake, None, CONNECT_SECONDS)
        return True

    def _replace(self, op: str) -> None:
        """Have a daemon that lacks an operation replaced by one of this build, once."""
        if self._replaced or not self._start or self.server["version"] == __version__:
            raise UnknownOperation(f"the daemon has no operation {op!r}", version=self.server["version"])
        self._replaced = True
        from unabridged.daemon import starting  # rare

        try:
            self._call("shutdown", {"reason": f"a client of version {__version__} needs {op}"}, None, TIMEOUT)
        except (_Lost, DaemonUnavailable):
            pass  # it ends already: another client has asked it to
        self.close()
        starting.await_end(self._layout, pid=self.server["pid"])
        self._connect()
        if op not in self.server["capabilities"]:
            raise DaemonIncompatible(f"the daemon has no operation {op!r}", version=self.server["version"])

    # --- one request ------------------------------------------------------------------------------------------------

    def _call(
        self,
        op: str,
        params: Mapping[str, Any],
        on_progress: Callable[[Mapping[str, Any]], None] | None,
        seconds: float,
    ) -> dict[str, Any]:
        self._number += 1
        number = self._number
        frame: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": op, "params": params}
        if seconds and op != "handshake":
            frame["timeout"] = seconds
        data = wirejson.dumps(frame).encode() + b"\n"
        if len(data) > MAX_FRAME:
            raise FrameTooLarge("the request does not fit a frame", limit=MAX_FRAME, size=len(data))
        deadline = time.monotonic() + seconds + GRACE_SECONDS if seconds else None
        self._send(data, deadline)
        while True:
            message = self._receive(deadline)
            if message.get("method") == "progress":
                if on_progress is not None and message["params"].get("id") == number:
                    on_progress(message["params"])
                continue
            if message.get("id") != number:
                if message.get("id") is None and "error" in message:
                    raise from_dict(message["error"].get("data") or {})
                continue  # the late answer of a request that was given up
            if "error" in message:
                self._fail(message["error"])
            return message["result"]

    def _fail(self, error: Mapping[str, Any]) -> NoReturn:
        """Raise what the daemon answered."""
        told = from_dict(error.get("data") or {"message": error.get("message", "")})
        if told.details.get("stopping"):
            self.close()
            raise _Refused from told
        raise told

    def _send(self, data: bytes, deadline: float | None) -> None:
        if self._socket is None:
            raise _Lost
        try:
            view = memoryview(data)
            while view:
                self._wait(deadline)
                view = view[self._socket.send(view) :]
        except TimeoutError as error:
            self.close()
            raise DeadlineExceeded("the daemon does not take the request") from error
        except OSError as error:
            self.close()
            raise _Lost from error

    def _receive(self, deadline: float | None) -> dict[str, Any]:
        """Return the next message."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > MAX_FRAME or self._socket is None:
                raise ProtocolError("the daemon's answer has no end")
            try:
                self._wait(deadline)
                block = self._socket.recv(BLOCK)
            except TimeoutError as error:
                self.close()
                raise DeadlineExceeded("the daemon did not answer in time", hint=HANGS) from error
            except OSError as error:
                self.close()
                raise _Lost from error
            if not block:
                self.close()
                raise _Lost
            self._buffer += block
        line = self._buffer[:end]
        del self._buffer[: end + 1]
        try:
            message: object = wirejson.loads(line.decode())
        except ValueError as error:
            raise ProtocolError("the daemon's answer is not JSON") from error
        if not isinstance(message, dict):
            raise ProtocolError("the daemon's answer is not an object")
        return message  # pyright: ignore[reportUnknownVariableType]

    def _wait(self, deadline: float | None) -> None:
        assert self._socket is not None
        if deadline is None:
            self._socket.settimeout(None)
            return
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)


class _Lost(Exception):
    """The connection broke; or the request was `refused` by a daemon that stops, which did not begin with it."""

    refused = False


class _Refused(_Lost):
    """What was asked may be asked of the next daemon."""

    refused = True


def dial(path: str) -> _socket.socket | None:
    """Return a connection to the socket at `path`; None when nobody listens there.

    Raises `UnsafePath` when the socket, or the process behind it, is not ours.
    """
    folder = os.path.dirname(path)
    if not os.path.lexists(folder):
        return None
    safety.private_folder(folder)
    if not safety.check_socket(path):
        return None
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        sock.settimeout(CONNECT_SECONDS)
        sock.connect(path)
    except OSError:
        sock.close()
        return None
    if sys.platform == "linux":
        credentials = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        owner = int.from_bytes(credentials[4:8], sys.byteorder)
        if owner != os.geteuid():
            sock.close()
            raise UnsafePath("another user's process answers at the socket", path=path, owner=owner)
    return sock


def answers(path: str) -> bool:
    """Tell whether somebody listens at the socket."""
    sock = dial(path)
    if sock is None:
        return False
    sock.close()
    return True
