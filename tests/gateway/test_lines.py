"""Connections to a provider: whatever it does with them, its answer comes as it is, or an error does."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx2
import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from unabridged.gateway import line, lines
from unabridged.gateway.lines import Lines
from unabridged.gateway.upstreams import upstream

PATIENCE = 60.0
TIMEOUT = {"connect": 20.0, "read": 20.0, "write": 20.0, "pool": 20.0}
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"

Act = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Check = Callable[[Lines], Awaitable[None]]


def run(
    act: Act, check: Check, *, quick: bool = False, trust: tuple[ssl.SSLContext, ssl.SSLContext] | None = None
) -> None:
    """Check the connections to a server that does `act` on each; `quick`: on the event loop that is used."""

    async def main() -> None:
        tasks = set[asyncio.Task[None]]()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await act(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=trust[0] if trust else None)
        port = server.sockets[0].getsockname()[1]
        made = Lines(
            upstream("p", f"{'https' if trust else 'http'}://127.0.0.1:{port}"), trust[1] if trust else None
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await check(made)
        finally:
            made.close()
            server.close()
            for task in tasks:
                task.cancel()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop if quick else None) as runner:
        runner.run(main())


async def asked(reader: asyncio.StreamReader) -> bytes:
    """Read one request without a body, or with one of a length."""
    head = await reader.readuntil(b"\r\n\r\n")
    _, found, rest = head.lower().partition(b"content-length: ")
    return head + (await reader.readexactly(int(rest.split(b"\r\n")[0])) if found else b"")


def says(*pieces: bytes, ends: bool = True) -> Act:
    """Answer one request with these bytes."""

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if not ends:
            await reader.read()

    return act


async def taken(answer: httpx2.Response, found: list[bytes]) -> None:
    """Put an answer's pieces into a list as they come."""
    async for piece in answer.stream:  # type: ignore[union-attr]
        found.append(piece)


async def got(
    made: Lines, method: str = "GET", body: bytes | AsyncIterator[bytes] | None = None
) -> tuple[int, bytes]:
    """Ask, and return the status and the whole body."""
    headers = [(b"host", b"h")]
    if isinstance(body, bytes):
        headers.append((b"content-length", str(len(body)).encode()))
    answer = await made.call(method, b"/p", headers, body, TIMEOUT)
    try:
        return answer.status_code, b"".join([piece async for piece in answer.stream])  # type: ignore[union-attr]
    finally:
        await answer.aclose()


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(
    ("said", "method", "status", "body"),
    [
        ([CHUNKED, b"3\r\nabc\r\n", b"2;x=y\r\nde\r\n0\r\nt: u\r\n\r\n"], "GET", 200, b"abcde"),
        ([HEAD + b"content-length: 5\r\n\r\nab", b"cde"], "GET", 200, b"abcde"),
        ([HEAD + b"\r\nab", b"cde"], "GET", 200, b"abcde"),
        ([b"HTTP/1.0 200 OK\r\n\r\nab", b"cde"], "GET", 200, b"abcde"),
        (
            [HEAD + b"content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"],
            "GET",
            200,
            b"a",
        ),
        ([HEAD + b"content-length: 5\r\n\r\n"], "HEAD", 200, b""),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], "GET", 204, b""),
        ([b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"], "GET", 304, b""),
        (
            [b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + HEAD + b"content-length: 1\r\n\r\na"],
            "GET",
            200,
            b"a",
        ),
        ([b"HTTP/1.1 200 OK\ncontent-length: 1\n\na"], "GET", 200, b"a"),
        ([b"HTTP/1.1 529\r\ncontent-length: 1\r\n\r\na"], "GET", 529, b"a"),
    ],
)
def test_an_answer_is_read_as_it_is_framed(
    quick: bool, said: list[bytes], method: str, status: int, body: bytes
) -> None:
    async def check(made: Lines) -> None:
        assert await got(made, method) == (status, body)

    run(says(*said), check, quick=quick)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200",
        HEAD + b"x: " + b"a" * (300 << 10),
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        HEAD + b"content-length: x\r\n\r\n",
    ],
)
def test_what_is_no_answer_is_an_error(quick: bool, said: bytes) -> None:
    async def check(made: Lines) -> None:
        with pytest.raises(httpx2.TransportError):
            await got(made)

    run(says(said), check, quick=quick)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(
    "said",
    [CHUNKED + b"3\r\nabc\r\n", HEAD + b"content-length: 9\r\n\r\nabc", CHUNKED + b"3\r\nabc\r\nzz\r\n"],
)
def test_of_an_answer_that_breaks_off_comes_what_there_was(quick: bool, said: bytes) -> None:
    async def check(made: Lines) -> None:
        answer = await made.call("GET", b"/", [(b"host", b"h")], None, TIMEOUT)
        found = list[bytes]()
        with pytest.raises(httpx2.TransportError):
            await taken(answer, found)
        assert b"".join(found) == b"abc"

    run(says(said), check, quick=quick)


def test_what_stands_between_the_pieces_of_an_answer_is_bounded() -> None:
    async def check(made: Lines) -> None:
        for _ in range(2):
            with pytest.raises(httpx2.RemoteProtocolError):
                await got(made)

    run(says(CHUNKED + b"1;", *([b"a" * 50_000] * 10), ends=False), check)
    run(says(CHUNKED + b"1\r\na\r\n0\r\nt: ", *([b"a" * 50_000] * 10), ends=False), check)


@pytest.mark.parametrize("quick", [False, True])
def test_a_connection_is_used_again_until_either_side_ends_it(quick: bool) -> None:
    served = list[int]()

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(0)
        while True:
            await asked(reader)
            served[-1] += 1
            ending = b"connection: close\r\n" if served[-1] == 3 else b""
            writer.write(HEAD + ending + b"content-length: 1\r\n\r\na")

    async def check(made: Lines) -> None:
        for _ in range(5):
            assert await got(made, "POST", b"{}") == (200, b"a")
        assert served == [3, 2]

    run(act, check, quick=quick)


def test_a_connection_that_was_ended_or_says_something_unasked_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served = list[str]()

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append("begun")
        await asked(reader)
        writer.write(HEAD + b"content-length: 1\r\n\r\na")
        await writer.drain()
        if len(served) == 1:
            return  # ends it
        if len(served) == 2:
            await asyncio.sleep(0.05)
            writer.write(HEAD + b"content-length: 6\r\n\r\nforged")
        await reader.read()

    async def check(made: Lines) -> None:
        for _ in range(4):
            assert await got(made) == (200, b"a")
            await asyncio.sleep(0.2)
        assert len(served) == 4

    monkeypatch.setattr(lines, "KEEP_SECONDS", 0.1)
    run(act, check)


@pytest.mark.parametrize("quick", [False, True])
def test_a_body_that_comes_in_pieces_is_sent_in_pieces(quick: bool) -> None:
    heard = list[bytes]()

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"0\r\n\r\n"))
        writer.write(HEAD + b"content-length: 0\r\n\r\n")

    async def body() -> AsyncIterator[bytes]:
        yield b"abc"
        yield b"d" * 20

    async def check(made: Lines) -> None:
        assert await got(made, "POST", body()) == (200, b"")
        assert heard[0].endswith(
            b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n14\r\n" + b"d" * 20 + b"\r\n0\r\n\r\n"
        )

    run(act, check, quick=quick)


def test_an_answer_that_comes_before_the_body_s_end_ends_it() -> None:
    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"abc")
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 1\r\n\r\na")
        await reader.read()

    async def body() -> AsyncIterator[bytes]:
        while True:
            yield b"abc" * 1000
            await asyncio.sleep(0)

    async def check(made: Lines) -> None:
        assert await got(made, "POST", body()) == (413, b"a")

    run(act, check)


def test_a_provider_that_does_not_read_is_waited_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(PATIENCE)

    async def check(made: Lines) -> None:
        monkeypatch.setitem(TIMEOUT, "write", 0.1)
        with pytest.raises(httpx2.WriteTimeout):
            await got(made, "POST", b"x" * (32 << 20))

    run(act, check)


def test_an_answer_that_goes_silent_is_an_error_and_one_that_is_held_back_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = line.HELD_BYTES * 40

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        writer.write(HEAD + b"content-length: %d\r\n\r\n" % large + b"x" * (large - 1))
        await reader.read()

    async def check(made: Lines) -> None:
        monkeypatch.setitem(TIMEOUT, "read", 0.2)
        answer = await made.call("GET", b"/", [(b"host", b"h")], None, TIMEOUT)
        await asyncio.sleep(1.0)
        found = list[bytes]()
        with pytest.raises(httpx2.ReadTimeout):
            await taken(answer, found)
        assert len(b"".join(found)) == large - 1

    run(act, check)


def test_requests_that_are_too_many_wait_for_another_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST", 1)

    async def check(made: Lines) -> None:
        first = await made.call("GET", b"/", [(b"host", b"h")], None, TIMEOUT)
        monkeypatch.setitem(TIMEOUT, "pool", 0.05)
        with pytest.raises(httpx2.PoolTimeout):
            await got(made)
        waiting = asyncio.create_task(
            made.call("GET", b"/", [(b"host", b"h")], None, {**TIMEOUT, "pool": 20.0})
        )
        await first.aclose()
        await first.aclose()
        await (await waiting).aclose()
        with pytest.raises(httpx2.PoolTimeout):
            await asyncio.gather(
                *(made.call("GET", b"/", [(b"host", b"h")], None, TIMEOUT) for _ in range(2))
            )

    run(says(CHUNKED, ends=False), check)


def test_a_request_that_is_given_up_ends_its_connection() -> None:
    ended = asyncio.Event()

    async def act(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asked(reader)
        await reader.read()
        ended.set()

    async def check(made: Lines) -> None:
        task = asyncio.create_task(got(made))
        await asyncio.sleep(0.1)
        task.cancel()
        await ended.wait()

    run(act, check)


def test_of_several_addresses_the_one_that_answers_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(made: Lines) -> None:
        port = made._upstream.port
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            refusing = free.getsockname()[1]
            found = [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", one)) for one in (refusing, port)
            ]

            async def several(*_: object, **__: object) -> list[object]:
                return list(found)

            monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", several)
            assert await got(made) == (200, b"a")
            found.pop()
            found *= 2
            with pytest.raises(httpx2.ConnectError):
                await got(made)

    run(says(HEAD + b"connection: close\r\ncontent-length: 1\r\n\r\na"), check)


def test_a_path_that_would_end_its_line_is_not_asked_for() -> None:
    async def check(made: Lines) -> None:
        with pytest.raises(httpx2.LocalProtocolError):
            await made.call("GET", b"/a HTTP/1.1\r\nx: y", [], None, TIMEOUT)

    run(says(HEAD), check)


def certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context, and one of a client that trusts it."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=True
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=made.public_bytes(serialization.Encoding.PEM).decode())


@pytest.mark.parametrize("quick", [False, True])
def test_a_connection_is_encrypted_and_its_other_end_checked(tmp_path: Path, quick: bool) -> None:
    server, client = certificate(tmp_path)

    async def check(made: Lines) -> None:
        assert await got(made, "POST", b"x" * 1_000_000) == (200, b"abcde")

    async def refused(made: Lines) -> None:
        with pytest.raises(httpx2.ConnectError):
            await got(made)

    said = says(HEAD + b"content-length: 5\r\n\r\nab", b"cde", ends=False)
    run(said, check, quick=quick, trust=(server, client))
    run(said, refused, quick=quick, trust=(server, ssl.create_default_context()))
