"""What stands before the SDK on the way in: the guard, and bounds on how much a request brings and how long it takes.

A request is read whole before anything else sees it, so that nobody who sends slowly holds more than a connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from unabridged.daemon.origins import Refusal
from unabridged.mcp.guard import Door

MAX_BODY = 16 << 20  # bytes of one request: what a pipe takes as one message
MAX_BODIES = 32 << 20  # bytes of all requests that are being read or worked on
BODY_SECONDS = 15.0  # that a request's body may take
RETRY_SECONDS = b"1"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Gate:
    """An ASGI application in front of another one."""

    def __init__(self, app: App, door: Door, refused: Callable[[str], None]) -> None:
        """Let into `app` who may come through `door`; `refused` is told the reason of each refusal."""
        self._app = app
        self._door = door
        self._refused = refused
        self._held = 0  # bytes of bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        refusal = self._door.refusal(scope["method"], scope["raw_path"], scope["headers"])
        if refusal is not None:
            await self._refuse(refusal, send)
            return
        reading = _Reading(receive)
        try:
            found = await self._read(scope, reading)
            if isinstance(found, Refusal):
                await self._refuse(found, send)
            else:
                await self._app({**scope, "path": "/mcp", "raw_path": b"/mcp"}, _given(found, receive), send)
        finally:
            self._held -= reading.held

    async def _read(self, scope: Scope, reading: _Reading) -> bytes | Refusal:
        """Return a request's body, counted as held."""
        announced = _length(scope)
        if announced > MAX_BODY:
            return Refusal(413, "size")
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for part in reading:
                    if len(body) + len(part) > MAX_BODY:
                        return Refusal(413, "size")
                    if self._held + len(part) > MAX_BODIES:
                        return Refusal(503, "bodies", ((b"retry-after", RETRY_SECONDS),))
                    body += part
                    reading.held += len(part)
                    self._held += len(part)
        except TimeoutError:
            return Refusal(408, "slow")
        return bytes(body)

    async def _refuse(self, refusal: Refusal, send: Send) -> None:
        """Answer without a word on what would have been right, and end the connection."""
        self._refused(refusal.reason)
        headers = [(b"content-length", b"0"), (b"connection", b"close"), *refusal.headers]
        await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


class _Reading:
    """The parts of a request's body."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._more = True
        self.held = 0

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> bytes:
        if not self._more:
            raise StopAsyncIteration
        message = await self._receive()
        self._more = message["type"] == "http.request" and message.get("more_body", False)
        return message.get("body", b"")


def _given(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read, then what comes after it: that the other side has gone."""
    waiting = [body]

    async def give() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return give


def _length(scope: Scope) -> int:
    said = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(said[0]) if said and said[0].isdigit() else 0
