"""A provider on the loopback interface that does what a test tells it, byte by byte."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Act = Callable[["Asked"], Awaitable[None]]


@dataclass
class Asked:
    """One request as it came over the wire, and the way back."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key.lower() == name)

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: str = "200 OK", *headers: str) -> None:
        await self.say("\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode())

    async def stream(self, *pieces: bytes, end: bool = True) -> None:
        """Send pieces as chunks of an event stream."""
        await self.head("200 OK", "content-type: text/event-stream", "transfer-encoding: chunked")
        for piece in pieces:
            await self.chunk(piece)
        if end:
            await self.say(b"0\r\n\r\n")

    async def chunk(self, piece: bytes) -> None:
        await self.say(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    async def json(self, body: bytes, status: str = "200 OK", *headers: str) -> None:
        await self.head(status, "content-type: application/json", f"content-length: {len(body)}", *headers)
        await self.say(body)

    def drop(self) -> None:
        """End the connection without a word."""
        self.writer.transport.abort()


class Upstream:
    """The provider: `act` answers each request."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self.asked = list[Asked]()
        self._server: asyncio.Server | None = None
        self._tasks = set[asyncio.Task[None]]()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Upstream:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 22)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                asked = await _read(reader, writer)
                self.asked.append(asked)
                await self.act(asked)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            for asked in self.asked:
                if asked.writer is writer:
                    asked.gone.set()
            writer.close()
            self._tasks.discard(task)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in head[1:] if line)]
    known = {name.lower(): value for name, value in headers}
    body = b""
    if known.get("transfer-encoding", "") == "chunked":
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    elif "content-length" in known:
        body = await reader.readexactly(int(known["content-length"]))
    return Asked(method, target, headers, body, reader, writer)
