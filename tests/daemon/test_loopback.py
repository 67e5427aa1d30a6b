"""How long a connection over HTTP may keep us waiting, and how many there are."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support import serving
from unabridged.daemon import loopback
from unabridged.daemon.loopback import BoundedProtocol

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
LARGE = 32 << 20  # bytes: more than the kernel keeps for one connection


async def app(scope: Any, _: Any, send: Any) -> None:
    body = b"x" * LARGE if scope["path"] == "/large" else b"yes"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body[: LARGE // 2], "more_body": True})
    await send({"type": "http.response.body", "body": body[LARGE // 2 :]})


def serve(check: Callable[[int], Awaitable[None]]) -> None:
    """Run a check against a server at a port."""
    serving.serve(app, BoundedProtocol, check)


def test_who_never_ends_a_head_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "HEAD_SECONDS", 0.05)

    async def check(port: int) -> None:
        for sent in (b"", b"GET", HEAD):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            assert await serving.all_of(reader) == b""
            writer.close()

    serve(check)


def test_nor_does_the_head_of_a_further_request_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "HEAD_SECONDS", 0.05)

    async def check(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"\r\n")
        await reader.readuntil(b"yes")
        writer.write(HEAD)
        assert b"HTTP/1.1" not in await serving.all_of(reader)
        writer.close()

    serve(check)


def test_who_does_not_read_our_answer_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "STUCK_SECONDS", 0.05)

    async def check(port: int) -> None:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setblocking(False)
        sock.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(0.5)
        reader, writer = await asyncio.open_connection(sock=sock, limit=1 << 20)
        got = 0
        try:
            while block := await reader.read(1 << 20):
                got += len(block)
        except ConnectionError:
            pass
        assert got < LARGE
        writer.close()

    serve(check)


def test_a_connection_too_many_is_ended_and_the_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "MOST", 2)

    async def check(port: int) -> None:
        first, second = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        await asyncio.sleep(0)
        third = await asyncio.open_connection("127.0.0.1", port)
        assert await serving.all_of(third[0]) == b""
        for reader, writer in (first, second):
            writer.write(HEAD + b"\r\n")
            assert await reader.readuntil(b"yes")
            writer.close()

    serve(check)
