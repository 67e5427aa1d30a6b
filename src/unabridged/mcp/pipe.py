"""una mcp: carries a host's messages to the process that speaks MCP, whoever runs it at the moment.

The pipe outlives that process: when it goes away (its daemon was replaced, stopped or killed), the next message finds
or starts another, which is told the opening of the conversation again and what was not answered. Nothing but messages
of the protocol reaches the host: the descriptor of standard output is taken away from everything else in the process.
"""

from __future__ import annotations

import _thread
import os
import select
import sys
import time

from unabridged.daemon import client, paths, wirejson
from unabridged.errors import DaemonUnavailable, UnabridgedError
from unabridged.mcp import opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any, Protocol

    from unabridged.daemon.paths import Layout

    class Arguments(Protocol):
        """What the command line gave."""

        @property
        def environ(self) -> Any:
            """The environment."""
            ...


MAX_LINE = 16 << 20  # bytes of one message, as of the daemon's own frames
BLOCK = 256 << 10  # bytes read at once
ATTEMPTS = 3  # processes that a request is given to before it is given up: it may be what ends them
# Seconds before a further attempt, times its number: a process that was killed takes connections for a moment longer.
PAUSE_SECONDS = 0.2
DRAIN_MS = 2_000  # that answers may take once the host has closed its end
START_SECONDS = 60.0  # that the daemon may take until the other process listens
PREAMBLE = 1  # version of the first line that a pipe sends

_NO_REQUEST = "not a message of JSON-RPC 2.0"
_INITIALIZED = "notifications/initialized"
_CANCELLED = "notifications/cancelled"


def run(arguments: Arguments) -> int:
    """Serve the host at standard input and output until it closes its end."""
    if os.isatty(0):
        sys.stderr.write("una mcp speaks MCP on standard input and output: it is for an agent to start.\n")
    source, target = _take_standard()
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib costs a start more than the whole opening
    except FileNotFoundError:  # removed meanwhile
        folder = ""
    try:
        Pipe(paths.layout(arguments.environ), source, target, folder).serve()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the host has gone
    return 0


def _take_standard() -> tuple[int, int]:
    """Keep standard input and output for the protocol: who else writes there writes to the error stream."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return source, target


class Lines:
    """Cuts a stream of bytes into lines; of one that is too long nothing is kept."""

    def __init__(self) -> None:
        """Begin without any."""
        self._parts: list[bytes] = []  # of a line that has not ended
        self._size = 0  # their bytes, and those that were not kept

    def cut(self, block: bytes) -> list[bytes | None]:
        """Take a block and return the lines that it ends, without their ends; None: one that was too long."""
        first, *rest = block.split(b"\n")
        self._add(first)
        found: list[bytes | None] = []
        for piece in rest:
            found.append(b"".join(self._parts) if self._size <= MAX_LINE else None)
            self._parts, self._size = [], 0
            self._add(piece)
        return found

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_LINE:
            self._parts = []
        elif piece:
            self._parts.append(piece)


class Pipe:
    """One host's conversation."""

    def __init__(self, layout: Layout, source: int, target: int, folder: str) -> None:
        """Read the host's messages from `source`, write to `target`; `folder` is where the host works."""
        self._layout = layout
        self._source = source
        self._target = target
        self._preamble = {"unabridged": PREAMBLE, "folder": folder, "nonce": os.urandom(8).hex()}
        self._socket: _socket.socket | None = None
        self._answers = Lines()
        self._opening = b""  # the line that opened the conversation
        self._initialized = b""
        self._waiting: dict[Any, tuple[bytes, str, int]] = {}  # id → line, method, attempts
        self._swallowed: set[Any] = set()  # ids whose answers the host has already
        self._dialling = False
        self._dialled: _socket.socket | UnabridgedError | None = None
        self._woken, self._wake = os.pipe()  # the thread that connects says that it is done

    def serve(self) -> None:
        """Carry messages until the host closes its end and, for a moment, what it waits for is answered."""
        asked = Lines()
        while True:
            ready = self._await(self._source)
            if self._source not in ready:
                continue
            block = os.read(self._source, BLOCK)
            if not block:
                break
            for line in asked.cut(block):
                self._ask(line)
        while self._waiting and (self._dialling or self._await(milliseconds=DRAIN_MS)):
            if self._dialling:
                self._await()

    def _await(self, *further: int, milliseconds: int | None = None) -> list[int]:
        """Wait for the other process, the thread that connects to it, or `further`; serve the first two."""
        poller = select.poll()
        connected = self._socket.fileno() if self._socket is not None else -1
        for descriptor in (self._woken, connected, *further):
            if descriptor >= 0:
                poller.register(descriptor, select.POLLIN)
        ready = [descriptor for descriptor, _ in poller.poll(milliseconds)]
        if self._woken in ready:
            os.read(self._woken, BLOCK)
            self._connected()
        elif connected in ready:
            self._take_answers()
        return ready

    # --- from the host ----------------------------------------------------------------------------------------------

    def _ask(self, line: bytes | None) -> None:
        """Take one line of the host."""
        if line is None:
            self._tell(opening.failure(None, opening.INVALID_REQUEST, f"a message is over {MAX_LINE} bytes"))
            return
        if not line.strip():
            return
        line = _paired(line)
        try:
            message: Any = wirejson.loads(line.decode())
        except (ValueError, RecursionError):
            self._tell(opening.failure(None, opening.PARSE, "not JSON"))
            return
        if not isinstance(message, dict):
            self._tell(opening.failure(None, opening.INVALID_REQUEST, _NO_REQUEST))
            return
        fields: dict[str, Any] = message  # pyright: ignore[reportUnknownVariableType]
        method, request, params = fields.get("method"), fields.get("id"), fields.get("params")
        if "id" not in fields or method is None:
            self._pass_on(line, method, params)
            return
        named = isinstance(request, str | int) and not isinstance(request, bool)
        if not named or fields.get("jsonrpc") != "2.0" or not isinstance(params, dict | None):
            self._tell(opening.failure(request if named else None, opening.INVALID_REQUEST, _NO_REQUEST))
            return
        self._request(line, str(method), request, params)

    def _pass_on(self, line: bytes, method: Any, params: Any) -> None:
        """Take a notification, or an answer: it means nothing to another process than the one that is connected."""
        if method == _INITIALIZED:
            self._initialized = line
        elif method == _CANCELLED and isinstance(params, dict):
            withdrawn: object = params.get("requestId")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if isinstance(withdrawn, str | int):
                self._waiting.pop(withdrawn, None)
        if self._socket is not None:
            self._send(line)

    def _request(self, line: bytes, method: str, request: Any, params: Any) -> None:
        """Answer a request that opens the conversation; give any other to the other process."""
        if method == "initialize":
            self._opening = line
        answer = opening.answer(method, params, shaken=bool(self._opening))
        if answer is None:
            self._waiting[request] = (line, method, 0)
            self._give(request)
            return
        self._tell({"jsonrpc": "2.0", "id": request, "result": answer})
        if self._socket is None:
            self._dial()  # so that it is there when the host goes on
        elif method == "initialize":
            self._swallowed.add(request)
            self._send(line)

    # --- to and from the other process ------------------------------------------------------------------------------

    def _give(self, request: Any) -> None:
        """Send a waiting request, now or once there is somebody to take it; one that ended too many is given up."""
        line, method, attempts = self._waiting[request]
        if attempts >= ATTEMPTS:
            self._refuse(
                request, DaemonUnavailable("the process that answers ended each time it worked on this")
            )
        elif self._socket is None:
            self._dial()
        else:
            self._waiting[request] = (line, method, attempts + 1)
            self._send(line)

    def _dial(self) -> None:
        """Begin to connect, in a thread: to start a daemon takes a while, and the host is heard meanwhile."""
        if not self._dialling:
            self._dialling = True
            attempts = max((attempts for _, _, attempts in self._waiting.values()), default=0)
            _thread.start_new_thread(self._connect, (PAUSE_SECONDS * attempts,))

    def _connect(self, pause: float) -> None:
        found: _socket.socket | UnabridgedError = DaemonUnavailable("connecting to the daemon failed")
        try:
            time.sleep(pause)
            found = reach(self._layout)
        except UnabridgedError as error:
            found = error
        finally:
            self._dialled = found
            os.write(self._wake, b"!")

    def _connected(self) -> None:
        """Open the conversation again and ask what waits; without a connection answer with what went wrong."""
        found, self._dialled, self._dialling = self._dialled, None, False
        if found is None or isinstance(found, UnabridgedError):
            for request in list(self._waiting):
                self._refuse(request, found or DaemonUnavailable())
            return
        self._socket, self._answers = found, Lines()
        self._send(wirejson.dumps(self._preamble).encode())
        if self._opening:
            request = wirejson.loads(self._opening.decode())["id"]
            if request not in self._waiting:
                self._swallowed.add(request)
                self._send(self._opening)
        waiting = list(self._waiting)
        for request in waiting:
            if self._waiting[request][1] == "initialize":
                self._give(request)
                waiting.remove(request)
        if self._initialized:
            self._send(self._initialized)
        for request in waiting:
            self._give(request)

    def _send(self, line: bytes) -> None:
        view = memoryview(line + b"\n")
        try:
            while view and self._socket is not None:
                view = view[self._socket.send(view) :]
        except OSError:
            # It has gone. What it left unanswered is found when the loop reads the end of the stream.
            return

    def _take_answers(self) -> None:
        assert self._socket is not None
        try:
            block = self._socket.recv(BLOCK)
        except OSError:
            block = b""
        if block:
            for line in self._answers.cut(block):
                if line:
                    self._answer(line)
            return
        self._socket.close()
        self._socket = None
        self._swallowed.clear()
        for request in list(self._waiting):
            self._give(request)

    def _answer(self, line: bytes) -> None:
        try:
            message: Any = wirejson.loads(line.decode())
        except ValueError:
            return  # cut off by the end of its process: what is left unanswered is asked again
        if not isinstance(message, dict):
            return
        fields: dict[str, Any] = message  # pyright: ignore[reportUnknownVariableType]
        request = fields.get("id")
        if "method" not in fields and request is not None:
            if request in self._swallowed:
                self._swallowed.discard(request)
                return
            if self._waiting.pop(request, None) is None:
                return  # the answer of a request that was cancelled, or that was answered before
        self._write(line)

    # --- to the host ------------------------------------------------------------------------------------------------

    def _refuse(self, request: Any, error: UnabridgedError) -> None:
        """Answer a request with what went wrong: the model is told what a tool met, the host what else did."""
        _, method, _ = self._waiting.pop(request)
        facts = error.to_dict()
        if method == "tools/call":
            text = f"{error.code}: {error.message}" + (f"\n{error.advice}" if error.advice else "")
            content = [{"type": "text", "text": text}]
            result = {"content": content, "isError": True, "structuredContent": {"error": facts}}
            self._tell({"jsonrpc": "2.0", "id": request, "result": result})
        else:
            self._tell(opening.failure(request, opening.FAILED, error.message, facts))

    def _tell(self, message: dict[str, Any]) -> None:
        self._write(wirejson.dumps(message).encode())

    def _write(self, line: bytes) -> None:
        view = memoryview(line + b"\n")
        while view:
            view = view[os.write(self._target, view) :]


def reach(layout: Layout) -> _socket.socket:
    """Return a connection to the process that speaks MCP for a home, having both it and the daemon started.

    Raises what kept them from starting.
    """
    found = client.dial(layout.mcp_socket)
    if found is None:
        # The daemon is held until the connection stands, so that it does not end in between.
        with client.Client(layout, name="mcp") as daemon:
            for attempt in range(ATTEMPTS):
                time.sleep(PAUSE_SECONDS * attempt)
                found = client.dial(daemon.call("mcp", timeout=START_SECONDS)["socket"])
                if found is not None:
                    break
    if found is None:
        raise DaemonUnavailable("the process that speaks MCP cannot be reached")
    found.settimeout(None)
    return found


def _paired(line: bytes) -> bytes:
    """Return JSON with U+FFFD for each escape of half a pair of surrogates: the SDK would drop the whole message."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    parts, at = list[bytes](), 0
    while (found := line.find(b"\\", at)) >= 0:
        parts.append(line[at:found])
        half, size = _half(line, found), 2
        if half == "high" and _half(line, found + 6) == "low":
            size = 12
        elif half:
            size = 6
        parts.append(b"\\ufffd" if half and size == 6 else line[found : found + size])
        at = found + size
    return b"".join((*parts, line[at:]))


def _half(line: bytes, at: int) -> str:
    """Return which half of a pair is escaped at a place, "" for none."""
    text = line[at : at + 6].lower()
    if len(text) < 6 or not text.startswith(b"\\ud"):
        return ""
    return "high" if text[3:4] in b"89ab" else "low" if text[3:4] in b"cdef" else ""
