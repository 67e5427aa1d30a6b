"""Hostile clients and providers: refused, bounded, told in a form that clients read, logged without content."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import zstandard

from tests.gateway.serving import PATIENCE, TOKEN, Stand
from tests.gateway.upstream import Asked
from tests.gateway.wire import MESSAGES, answers, anthropic, body, run, talk
from tests.support.serving import all_of
from unabridged.daemon import owners
from unabridged.gateway import bodies, calling

KERNEL = 16 << 20  # bytes that the kernel may hold of one connection, generously


async def raw(stand: Stand, data: bytes) -> bytes:
    """Send bytes and return all that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", stand.door.port)
    writer.write(data)
    found = await all_of(reader)
    writer.close()
    return found


def head(stand: Stand, path: str, *lines: str, method: str = "POST") -> bytes:
    """The head of a request."""
    first = f"{method} /{TOKEN}{path} HTTP/1.1"
    return "\r\n".join((first, f"host: 127.0.0.1:{stand.door.port}", *lines, "", "")).encode()


def error(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of an error of ours."""
    return answer.status_code, answer.json()["error"]["code"]


def test_a_body_above_the_bound_is_refused_announced_or_not(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        large = b"x" * (2 << 20)
        assert error(await stand.post(MESSAGES, large)) == (413, "size")

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield b"x" * 100_000

        answer = await stand.http.post(stand.url + MESSAGES, content=pieces())
        assert error(answer) == (413, "size")
        assert answer.json()["error"]["type"] == "request_too_large"
        assert stand.upstream.asked == []

    run(tmp_path, answers, check, body_bytes=1 << 20)


def test_a_compressed_body_that_would_be_larger_than_the_bound_is_not_unpacked(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        packed = zstandard.compress(b'{"messages": [' + b" " * (64 << 20) + b"]}")
        answer = await stand.post(MESSAGES, packed, **{"content-encoding": "zstd"})
        assert answer.headers["x-unabridged-fault"] == "not-understood"
        assert stand.upstream.asked[0].body == packed

    run(tmp_path, answers, check, body_bytes=1 << 20)


def test_who_sends_a_body_too_slowly_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SECONDS", 0.05)

    async def check(stand: Stand) -> None:
        answer = await raw(stand, head(stand, MESSAGES, "content-length: 10") + b"x")
        assert answer.startswith(b"HTTP/1.1 408 ")

    run(tmp_path, answers, check)


def test_all_bodies_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_HELD", 1000)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(4)))
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert (await stand.post(MESSAGES, body([{"role": "user", "content": "short"}]))).status_code == 200
        assert (await stand.post(MESSAGES, body([{"role": "user", "content": "x" * 700}]))).status_code == 200

    run(tmp_path, answers, check)


@pytest.mark.parametrize(
    "lines",
    [
        ("content-length: 3", "content-length: 4"),
        ("transfer-encoding: gzip, chunked",),
        ("bad header: 1",),
        ("x: a\x00b",),
    ],
)
def test_a_head_that_could_be_read_two_ways_reaches_no_provider(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    async def check(stand: Stand) -> None:
        answer = await raw(stand, head(stand, MESSAGES, *lines) + b"abcd")
        assert answer.split(b" ")[1] in (b"400", b"501")
        assert stand.upstream.asked == []

    run(tmp_path, answers, check)


@pytest.mark.parametrize("path", [MESSAGES, "/v1/files"])
def test_of_two_lengths_that_a_body_is_said_to_have_the_one_that_is_sent_reaches_the_provider(
    tmp_path: Path, path: str
) -> None:
    async def check(stand: Stand) -> None:
        lines = ("content-length: 3", "transfer-encoding: chunked", "connection: close")
        answer = await raw(stand, head(stand, path, *lines) + b'7\r\n{"a":1}\r\n0\r\n\r\n')
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert [asked.body for asked in stand.upstream.asked] == [b'{"a":1}']

    run(tmp_path, answers, check)


def test_a_request_smuggled_behind_another_one_needs_the_token_too(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        inner = b"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n"
        sent = head(stand, MESSAGES, "content-length: 2") + b"{}" + inner
        answer = await raw(stand, sent)
        assert answer.count(b"HTTP/1.1 ") == 2
        assert b"HTTP/1.1 421 " in answer
        assert [asked.body for asked in stand.upstream.asked] == [b"{}"]

    run(tmp_path, answers, check)


def test_a_page_of_another_site_is_answered_by_nobody(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        for headers in (
            {"origin": "https://evil.example"},
            {"sec-fetch-site": "cross-site"},
            {"host": "evil.example"},
        ):
            answer = await stand.post(MESSAGES, body(talk(1)), **headers)
            assert answer.status_code in (403, 421)
            assert (answer.content, "access-control-allow-origin" in answer.headers) == (b"", False)
        assert stand.upstream.asked == []

    run(tmp_path, answers, check)


def test_a_connection_of_another_user_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(stand: Stand) -> None:
        monkeypatch.setattr(owners, "owner", lambda *_: os.geteuid() + 1)
        with pytest.raises(httpx2.TransportError):
            await stand.post(MESSAGES, body(talk(1)))
        assert stand.upstream.asked == []

    run(tmp_path, answers, check)


def test_a_redirect_is_followed_by_nobody(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        await asked.json(b"{}", "307 Temporary Redirect", "location: http://127.0.0.1:1/elsewhere")

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(1)), authorization="Bearer secret")
        assert error(answer) == (502, "upstream-redirect")
        assert "location" not in answer.headers
        assert error(await stand.http.get(stand.url + "/v1/models"))[0] == 502

    run(tmp_path, act, check)


def test_a_provider_that_cannot_be_reached_or_ends_too_early_is_told(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        asked.drop()

    async def check(stand: Stand) -> None:
        assert error(await stand.post(MESSAGES, body(talk(1)))) == (502, "upstream-broke")
        assert error(await stand.post("/closed" + MESSAGES, body(talk(1)))) == (502, "upstream-unreachable")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        run(tmp_path, act, check, urls={"closed": f"http://127.0.0.1:{free.getsockname()[1]}"})


def test_a_provider_that_stays_silent_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calling.TIMEOUT, "read", 0.05)

    async def act(asked: Asked) -> None:
        await asked.gone.wait()

    async def check(stand: Stand) -> None:
        assert error(await stand.post(MESSAGES, body(talk(1)))) == (504, "upstream-slow")

    run(tmp_path, act, check)


def test_an_answer_that_breaks_off_breaks_off_for_the_client_and_what_came_is_kept(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        await asked.stream(*anthropic("The ans", stop=False), end=False)
        asked.drop()

    async def check(stand: Stand) -> None:
        got = list[bytes]()

        async def read() -> None:
            async with stand.http.stream("POST", stand.url + MESSAGES, json=body(talk(1))) as answer:
                async for piece in answer.aiter_raw():
                    got.append(piece)

        with pytest.raises(httpx2.RemoteProtocolError):
            await read()
        assert b"The ans" in b"".join(got)
        await stand.filed()
        assert b"The ans" in stand.memory.rows[-1].raw

    run(tmp_path, act, check)


def test_a_client_that_goes_takes_its_request_with_it(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        await asked.stream(*anthropic("The ans", stop=False), end=False)
        await asked.reader.read()
        asked.gone.set()

    async def check(stand: Stand) -> None:
        async with stand.http.stream("POST", stand.url + MESSAGES, json=body(talk(1))) as answer:
            async for _ in answer.aiter_raw():
                break
        await stand.upstream.asked[0].gone.wait()
        await stand.filed()
        assert b"The ans" in stand.memory.rows[-1].raw

    run(tmp_path, act, check)


def test_a_client_that_does_not_read_holds_the_provider_back(tmp_path: Path) -> None:
    written = list[int]()

    async def act(asked: Asked) -> None:
        await asked.head("200 OK", "content-type: text/event-stream", "transfer-encoding: chunked")
        while True:
            await asked.chunk(b": " + b"x" * 65_000 + b"\n\n")
            written.append(65_000)

    async def check(stand: Stand) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", stand.door.port, limit=1 << 12)
        sent = json.dumps(body(talk(1))).encode()
        writer.write(head(stand, MESSAGES, f"content-length: {len(sent)}") + sent)
        await reader.readuntil(b"\r\n\r\n")
        before = -1
        while len(written) != before:
            before = len(written)
            await asyncio.sleep(0.3)
        assert sum(written) < KERNEL
        writer.close()

    run(tmp_path, act, check)


def test_a_client_that_expects_to_be_asked_for_its_body_is(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", stand.door.port)
        sent = json.dumps(body(talk(1))).encode()
        writer.write(head(stand, MESSAGES, f"content-length: {len(sent)}", "expect: 100-continue"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        writer.write(sent)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        writer.close()
        assert stand.upstream.asked[0].header("expect") == ""

    run(tmp_path, answers, check)


def test_a_websocket_is_refused_and_the_connection_ended(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        lines = (
            "connection: Upgrade",
            "upgrade: websocket",
            "sec-websocket-version: 13",
            "sec-websocket-key: eA==",
        )
        answer = await raw(stand, head(stand, "/v1/responses", *lines, method="GET"))
        assert answer.startswith(b"HTTP/1.1 426 ")

    run(tmp_path, answers, check)


def test_the_log_holds_nothing_that_was_sent(tmp_path: Path) -> None:
    secret = "sk-ant-a-secret-of-this-test"

    async def act(asked: Asked) -> None:
        if "fail" in asked.target:
            asked.drop()
        else:
            await asked.stream(*anthropic(secret))

    async def check(stand: Stand) -> None:
        for path in (MESSAGES, f"/v1/fail/{secret}", f"/v1/models/{secret}?key={secret}", f"/../{secret}"):
            await stand.post(
                path, body([{"role": "user", "content": secret}]), authorization=f"Bearer {secret}"
            )
        await raw(stand, f"GET /{secret} HTTP/1.1\r\nhost: {secret}\r\n\r\n".encode())
        await stand.filed()
        logged = (stand.logs / "gateway.log").read_text()
        assert secret not in logged
        assert TOKEN not in logged
        assert "refused" in logged

    run(tmp_path, act, check)


def test_a_hundred_streams_at_once_are_served_each_its_own(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        said = json.loads(asked.body)["messages"][0]["content"]
        await asked.head("200 OK", "content-type: text/event-stream", "transfer-encoding: chunked")
        for piece in anthropic(*(f"{said} {number} " for number in range(20))):
            await asked.chunk(piece)
            await asyncio.sleep(0)
        await asked.say(b"0\r\n\r\n")

    async def check(stand: Stand) -> None:
        async def one(number: int) -> bytes:
            async with httpx2.AsyncClient(timeout=PATIENCE) as http:
                said = body([{"role": "user", "content": f"stream-{number}!"}])
                return (await http.post(stand.url + MESSAGES, json=said)).content

        found = await asyncio.gather(*(one(number) for number in range(100)))
        for number, answer in enumerate(found):
            assert answer.count(f"stream-{number}!".encode()) == 20
            assert answer.endswith(b'{"type": "message_stop"}\n\n')
        await stand.filed()
        assert len(stand.memory.rows) == 200

    run(tmp_path, act, check)
