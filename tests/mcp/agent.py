"""An agent's end of `una mcp`: a plain client of JSON-RPC over the pipe of a real process."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.daemon.living import PATIENCE, Home

CLIENT = {"name": "a test", "version": "1"}
VERSION = "2025-11-25"


class Agent:
    """One `una mcp` in a folder; every line that it writes must be a message of the protocol."""

    def __init__(
        self,
        home: Home,
        folder: Path,
        *,
        roots: list[Path] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._roots = roots
        self._buffer = b""
        self.heard: list[dict[str, Any]] = []
        self._number = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "unabridged", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "UNABRIDGED_HOME": str(home.folder), **(env or {})},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()

    def begin(self) -> dict[str, Any]:
        """Shake hands; returns the result of `initialize`."""
        abilities = {"roots": {}} if self._roots is not None else {}
        params = {"protocolVersion": VERSION, "capabilities": abilities, "clientInfo": CLIENT}
        answer = self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def raw(self, data: bytes) -> None:
        """Write bytes."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._in, view) :]

    def send(self, message: Any) -> None:
        """Write one message."""
        self.raw(json.dumps(message).encode() + b"\n")

    def request(self, method: str, params: Any = None) -> int:
        """Write a request; returns its id."""
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self.send(body if params is None else {**body, "params": params})
        return self._number

    def answer(self, number: Any) -> dict[str, Any]:
        """Wait for the answer to a request; what the server asks meanwhile is answered."""
        return self.hear(lambda message: "method" not in message and message.get("id") == number)

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for a message."""
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._message(deadline)
            if message.get("method") == "roots/list":
                found = [{"uri": root.as_uri(), "name": root.name} for root in self._roots or ()]
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": found}})
            elif wanted(message):
                return message

    def _message(self, deadline: float) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                assert selector.select(max(0.0, deadline - time.monotonic())), "no answer came"
                block = os.read(self._out, 1 << 20)
                assert block, "the pipe ended"
                self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        assert len(line.decode().splitlines()) == 1, "a reader may take it for several lines"
        message: Any = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.heard.append(message)
        return message

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Ask and wait for the answer."""
        return self.answer(self.request(method, params))

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; returns its result, errors of the tool included."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]

    def text(self, name: str, **arguments: Any) -> str:
        """Call a tool that succeeds; returns the text that a model gets."""
        result = self.call(name, **arguments)
        assert not result["isError"], result
        return str(result["content"][0]["text"])

    def data(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that succeeds; returns the object that a program gets."""
        result = self.call(name, **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    def refusal(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that fails; returns its error."""
        result = self.call(name, **arguments)
        assert result["isError"], result
        error = result["structuredContent"]["error"]
        assert result["content"][0]["text"].startswith(f"{error['code']}: {error['message']}")
        return error

    def end(self) -> int:
        """Close our end; returns the exit status."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
