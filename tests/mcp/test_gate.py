"""How much a request over HTTP may bring, and how long it may take to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from unabridged.mcp import gate
from unabridged.mcp.gate import Gate, Message, Receive, Scope, Send
from unabridged.mcp.guard import Door

DOOR = Door(4711, "token")


class Seen:
    """The application behind the gate; it keeps what reached it and answers when it may."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.paths: list[str] = []
        self.may = asyncio.Event()
        self.may.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.paths.append(scope["path"])
        self.bodies.append((await receive())["body"])
        await self.may.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def scope(**more: bytes) -> dict[str, Any]:
    headers = [(b"host", b"127.0.0.1:4711"), (b"content-type", b"application/json")]
    headers += [(name.replace("_", "-").encode(), value) for name, value in more.items()]
    return {
        "type": "http",
        "method": "POST",
        "raw_path": b"/token/mcp",
        "path": "/token/mcp",
        "headers": headers,
    }


async def ask(through: Gate, *parts: bytes, ends: bool = True, **headers: bytes) -> int:
    """Send a request in parts; returns the status of its answer. `ends`: whether the last part comes."""
    waiting = list(parts)
    told: list[Message] = []

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        part = waiting.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(waiting) or not ends}

    async def send(message: Message) -> None:
        told.append(message)

    await through(scope(**headers), receive, send)
    return int(told[0]["status"])


def test_a_request_reaches_the_application_whole_and_without_the_token() -> None:
    async def check() -> None:
        seen = Seen()
        assert await ask(Gate(seen, DOOR, print), b'{"a"', b": 1}") == 200
        assert seen.bodies == [b'{"a": 1}']
        assert seen.paths == ["/mcp"]

    asyncio.run(check())


def test_a_body_that_is_too_large_is_refused_announced_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MAX_BODY", 10)

    async def check() -> None:
        seen, reasons = Seen(), list[str]()
        through = Gate(seen, DOOR, reasons.append)
        assert await ask(through, ends=False, content_length=b"11") == 413
        assert await ask(through, b"12345", b"678901", ends=False) == 413
        assert await ask(through, b"1234567890") == 200
        assert seen.bodies == [b"1234567890"]
        assert reasons == ["size", "size"]

    asyncio.run(check())


def test_who_sends_slowly_is_let_go_and_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "BODY_SECONDS", 0.02)
    monkeypatch.setattr(gate, "MAX_BODIES", 8)

    async def check() -> None:
        seen = Seen()
        through = Gate(seen, DOOR, lambda _: None)
        assert await ask(through, b"1234567", ends=False) == 408
        assert await ask(through, b"12345678") == 200

    asyncio.run(check())


def test_all_bodies_together_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MAX_BODIES", 8)

    async def check() -> None:
        seen = Seen()
        seen.may.clear()
        through = Gate(seen, DOOR, lambda _: None)
        first = asyncio.create_task(ask(through, b"12345"))
        while not seen.bodies:
            await asyncio.sleep(0)
        assert await ask(through, b"6789") == 503
        seen.may.set()
        assert await first == 200
        assert await ask(through, b"6789") == 200

    asyncio.run(check())


def test_a_refusal_ends_the_connection_and_allows_no_origin() -> None:
    async def check() -> None:
        told: list[Message] = []

        async def send(message: Message) -> None:
            told.append(message)

        async def receive() -> Message:
            raise AssertionError("a refused request is not read")

        asked = {**scope(origin=b"http://evil.example"), "method": "OPTIONS"}
        await Gate(Seen(), DOOR, lambda _: None)(asked, receive, send)
        headers = dict(told[0]["headers"])
        assert told[0]["status"] == 403
        assert headers[b"connection"] == b"close"
        assert not [name for name in headers if name.startswith(b"access-control")]
        assert told[1]["body"] == b""

    asyncio.run(check())
