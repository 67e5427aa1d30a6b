"""A server in a thread of the test, with operations that tests control, and a plain client."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import uvloop

from unabridged.daemon import wire
from unabridged.daemon.dispatch import Dispatcher, SlowRequests
from unabridged.daemon.logs import Log
from unabridged.daemon.transport import Server
from unabridged.errors import DiskLow, StoreFailed
from unabridged.schema.ids import Micros
from unabridged.schema.scope import Level
from unabridged.service.caller import Call, Caller
from unabridged.service.operations import Operation
from unabridged.service.requests import Answer, Request

PATIENCE = 10.0  # seconds after which a test gives up on something that should happen at once


class Text(Request, frozen=True):
    """A text, and how much larger the answer is to be."""

    text: str = ""
    size: int = 0


class Said(Answer, frozen=True):
    """A text."""

    text: str


class Operations:
    """Handlers that wait until the test lets them go on."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.entered = threading.Semaphore(0)
        self.ended: list[str] = []

    def echo(self, _: Call, request: Text) -> Said:
        return Said(request.text + "x" * request.size)

    def wait(self, call: Call, request: Text) -> Said:
        """Wait for the gate, checking often whether anybody still wants the answer."""
        self.entered.release()
        try:
            while not self.gate.wait(0.002):
                call.check()
        except Exception as error:
            self.ended.append(type(error).__name__)
            raise
        return Said(request.text)

    def fail(self, _: Call, request: Text) -> Said:
        if request.text == "typed":
            raise DiskLow(free=1, limit=2)
        if request.text == "store":
            raise StoreFailed
        raise RuntimeError(request.text)

    def progress(self, call: Call, request: Text) -> Said:
        call.progress({"done": 1})
        return self.wait(call, request)

    def table(self, reserve: int = 4096) -> dict[str, Operation]:
        rows: list[tuple[str, Callable[[Call, Any], Said], dict[str, Any]]] = [
            ("ping", self.echo, {"immediate": True}),
            ("echo", self.echo, {}),
            ("wait", self.wait, {}),
            ("fail", self.fail, {}),
            ("progress", self.progress, {"streams": True}),
            ("large", self.echo, {"reserve": 16 << 20}),
        ]
        return {
            name: Operation(name, Text, Said, handler, "read", "none", "", **{"reserve": reserve, **rest})
            for name, handler, rest in rows
        }


class Rig:
    """One server on one socket."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.operations = Operations()
        self.path = str(folder / "s")
        self.folder = folder
        self.log = Log(str(folder / "logs"), "debug")
        self.slow = SlowRequests(limits.pop("slow_ms", 10_000))
        self._readers = limits.pop("readers", 4)
        self._limits: dict[str, Any] = {
            "connections": 16,
            "requests": 32,
            "handshake_seconds": 5.0,
            "stall_seconds": 30.0,
            **limits,
        }
        self._clients: list[Plain] = []
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(PATIENCE)

    def _run(self, started: threading.Event) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve(started))

    async def _serve(self, started: threading.Event) -> None:
        self.loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        self.stopped: list[str] = []
        services: Any = SimpleNamespace(
            now=lambda: Micros(1), daemon=SimpleNamespace(stop=self.stopped.append)
        )
        self.dispatcher = Dispatcher(
            services, self.loop.call_soon_threadsafe, self.log, self._readers, self.slow
        )
        self.server = Server(
            self.loop, self.operations.table(), self.dispatcher, self.log, self._admit, **self._limits
        )
        await self.server.listen(self.path)
        started.set()
        await self._end.wait()
        self.server.close_listener()
        self.server.close()
        await asyncio.sleep(0.01)

    @staticmethod
    def _admit(asked: wire.Handshake) -> tuple[Caller, dict[str, Any]]:
        return Caller(Level.ALL, asked.project), {"protocol": wire.PROTOCOL, "capabilities": []}

    def on_loop(self, function: Callable[[], Any]) -> Any:
        """Run something on the server's loop and return its result."""
        done: list[Any] = []
        event = threading.Event()

        def run() -> None:
            done.append(function())
            event.set()

        self.loop.call_soon_threadsafe(run)
        assert event.wait(PATIENCE)
        return done[0]

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition of the server holds."""
        deadline = time.monotonic() + PATIENCE
        while not self.on_loop(condition):
            assert time.monotonic() < deadline, "it never came to be"

    def connect(self, *, shake: bool = True) -> Plain:
        """Return a new client."""
        client = Plain(self.path)
        self._clients.append(client)
        if shake:
            client.shake()
        return client

    def close(self) -> None:
        self.operations.gate.set()
        for client in self._clients:
            client.close()
        self.loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE)
        assert self.dispatcher.close(PATIENCE)
        self.log.close()


class Plain:
    """A client that sends what it is told to, right or wrong."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self._buffer = b""

    def send(
        self, method: str, number: int | str | None = None, /, timeout: float | None = None, **params: Any
    ) -> None:
        frame: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            frame["id"] = number
        if timeout is not None:
            frame["timeout"] = timeout
        self.raw(msgspec.json.encode(frame) + b"\n")

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> dict[str, Any]:
        """Return the next message; raises EOFError at the end of the connection."""
        while b"\n" not in self._buffer:
            block = self.socket.recv(1 << 20)
            if not block:
                raise EOFError
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def call(self, method: str, number: int | str = 1, /, **params: Any) -> dict[str, Any]:
        self.send(method, number, **params)
        return self.receive()

    def shake(self, **facts: Any) -> dict[str, Any]:
        answer = self.call("handshake", 0, protocol=wire.PROTOCOL, client="test", **facts)
        assert "result" in answer, answer
        return answer["result"]

    def ended(self) -> bool:
        """Tell that the server closes the connection, whatever it says before."""
        try:
            while True:
                self.receive()
        except (EOFError, ConnectionResetError):
            return True

    def close(self) -> None:
        self.socket.close()


def code(answer: dict[str, Any]) -> str:
    """Return the typed code of an error."""
    return answer["error"]["data"]["code"]
