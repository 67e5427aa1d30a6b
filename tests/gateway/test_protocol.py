"""A client's connection: bounded in what may come and how long it may take, whatever stands on it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support import serving
from unabridged.gateway import protocol
from unabridged.gateway.protocol import HEAD_BYTES, OwnProtocol

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"
LARGE = 32 << 20  # bytes: more than the kernel keeps for one connection


async def app(scope: Any, receive: Any, send: Any) -> None:
    got = b""
    while True:
        message = await receive()
        got += message.get("body", b"")
        if not message.get("more_body", False):
            break
    body = (
        b"x" * LARGE
        if scope["path"] == "/large"
        else b"got %d, %d headers." % (len(got), len(scope["headers"]))
    )
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body[: LARGE // 2], "more_body": True})
    await send({"type": "http.response.body", "body": body[LARGE // 2 :]})


def serve(check: Callable[[int], Awaitable[None]]) -> None:
    """Run a check against a server at a port."""
    serving.serve(app, OwnProtocol, check)


async def sent(port: int, *pieces: bytes) -> bytes:
    """Send pieces and return all that comes until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
    except ConnectionError:
        pass
    found = await serving.all_of(reader)
    writer.close()
    return found


def test_who_never_ends_a_head_is_let_go_also_behind_another_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)

    async def check(port: int) -> None:
        for begun in (b"", b"POST", HEAD):
            assert await sent(port, begun) == b""
        assert b"got 0" in await sent(port, HEAD + b"\r\n", HEAD)

    serve(check)


def test_a_body_may_take_longer_than_a_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)

    async def check(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"content-length: 2\r\n\r\na")
        await asyncio.sleep(0.3)
        writer.write(b"b")
        assert await reader.readuntil(b".")
        writer.close()

    serve(check)


@pytest.mark.parametrize("pieces", [1, 5], ids=["at once", "in pieces"])
@pytest.mark.parametrize(
    "line", [b"x: " + b"a" * HEAD_BYTES, b"x: y\r\n" * (HEAD_BYTES // 4)], ids=["long", "many"]
)
def test_a_head_that_is_too_long_is_refused(line: bytes, pieces: int) -> None:
    async def check(port: int) -> None:
        head = HEAD + line + b"\r\n\r\n"
        size = len(head) // pieces + 1
        answer = await sent(port, *(head[at : at + size] for at in range(0, len(head), size)))
        assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""
        assert b"got" not in answer

    serve(check)


def test_a_path_that_is_too_long_is_refused() -> None:
    async def check(port: int) -> None:
        assert b"got" not in await sent(port, b"POST /", *([b"a" * 10_000] * 30))

    serve(check)


def test_what_stands_between_the_pieces_of_a_body_is_bounded() -> None:
    async def check(port: int) -> None:
        begun = HEAD + b"transfer-encoding: chunked\r\n\r\n1"
        assert b"got" not in await sent(port, begun, *([b";" + b"a" * 10_000] * 30))
        assert b"got" not in await sent(port, begun + b"\r\na\r\n0\r\n", *([b"t: " + b"a" * 10_000] * 30))

    serve(check)


def test_what_comes_behind_a_body_is_no_header() -> None:
    async def check(port: int) -> None:
        lines = HEAD + b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        answer = await sent(port, lines + b"1\r\na\r\n", b"0\r\nauthorization: b\r\n\r\n")
        assert b"got 1, 3 headers." in answer

    serve(check)


@pytest.mark.parametrize(
    "lines",
    [
        b"transfer-encoding: gzip\r\n",
        b"transfer-encoding: gzip, chunked\r\n",
        b"x : y\r\n",
        b" x: y\r\n",
        b"x: a\x00\r\n",
    ],
)
def test_a_head_that_could_be_read_two_ways_is_refused(lines: bytes) -> None:
    async def check(port: int) -> None:
        assert (await sent(port, HEAD + lines + b"\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 400 ")

    serve(check)


def test_requests_that_wait_for_another_are_bounded() -> None:
    async def check(port: int) -> None:
        assert (await sent(port, (HEAD + b"\r\n") * 1000)).count(b"got") < 100

    serve(check)


def test_a_request_that_offers_another_protocol_is_read_whole() -> None:
    async def check(port: int) -> None:
        lines = b"connection: Upgrade, close\r\nUpgrade: h2c\r\ncontent-length: 3\r\n\r\n"
        assert b"got 3" in await sent(port, HEAD + lines + b"abc")

    serve(check)


def test_who_does_not_read_our_answer_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "STUCK_SECONDS", 0.05)

    async def check(port: int) -> None:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setblocking(False)
        sock.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(0.5)
        reader, writer = await asyncio.open_connection(sock=sock, limit=1 << 20)
        assert len(await serving.all_of(reader)) < LARGE
        writer.close()

    serve(check)


def test_a_connection_too_many_is_ended_and_the_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MOST", 2)

    async def check(port: int) -> None:
        first, second = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        await asyncio.sleep(0)
        assert await sent(port) == b""
        for reader, writer in (first, second):
            writer.write(HEAD + b"\r\n")
            assert await reader.readuntil(b".")
            writer.close()

    serve(check)
