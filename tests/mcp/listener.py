"""`una mcp --http` as a process of its own, and clients of it: the SDK's, and one that sends raw bytes."""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from tests.daemon.living import PATIENCE, Home


class Listener:
    """The process; it says where it listens before anything else."""

    def __init__(self, home: Home, folder: Path, *flags: str, env: Mapping[str, str] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "unabridged", "mcp", "--http", "--json", *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "UNABRIDGED_HOME": str(home.folder), **(env or {})},
        )
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            assert selector.select(PATIENCE), "it says nothing"
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.url, self.token, self.whole_url = said["url"], said["token"], said["url_with_token"]
        self.port = int(self.url.split(":")[2].split("/")[0])
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except ConnectionError:
                assert time.monotonic() < deadline

    def run(self, act: Callable[[Client], Awaitable[None]], *, whole: bool = False, **how: Any) -> None:
        """Have a client of the SDK act. whole: it knows the address with the token, and sends no header."""

        async def connect() -> None:
            headers = how.pop("headers", {}) | ({} if whole else {"Authorization": f"Bearer {self.token}"})
            async with (
                asyncio.timeout(PATIENCE),
                httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            ):
                url = self.whole_url if whole else self.url
                async with Client(streamable_http_client(url, http_client=http), **how) as client:
                    await act(client)

        asyncio.run(connect())

    def raw(self, data: bytes) -> bytes:
        """Send bytes and return everything that comes back until the other side ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as sock:
            found = b""
            try:
                sock.sendall(data)
                while block := sock.recv(1 << 16):
                    found += block
            except ConnectionError:
                pass
            return found

    def request(
        self, body: Any, *headers: str, method: str = "POST", path: str = "/mcp"
    ) -> tuple[int, bytes]:
        """Send a request that is right but for what is given; returns status and head of its answer."""
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {name.split(":")[0].lower() for name in headers}
        usual = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(text)),
            "connection": "close",
        }
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{k}: {v}" for k, v in usual.items() if k not in given),
            *headers,
        ]
        # A header without a value is left out.
        head = "\r\n".join(line for line in lines if not line.endswith(": -")) + "\r\n\r\n"
        answer = self.raw(head.encode() + text)
        return int(answer.split(b" ", 2)[1]), answer

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Tell it to end; returns its exit status and what it wrote to the error stream."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, said = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, said.decode()


def shown(result: types.CallToolResult) -> dict[str, Any]:
    """The object of a result that is no error."""
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content
