"""The connections to one provider: made when they are needed, used again, not too many at once."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from asyncio.staggered import staggered_race
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest

import httpx2

from unabridged.gateway.line import Line, Raw
from unabridged.gateway.upstreams import Upstream

KEEP_SECONDS = 30.0  # that an unused connection is kept
MOST = 512  # connections at once
NEXT_SECONDS = (
    0.25  # after which the next address is tried beside one that does not answer (RFC 8305, section 5)
)
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})  # methods of which a request without a body says so
_NO_TARGET = re.compile(rb"[\x00-\x20\x7f]")

Address = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


class Lines:
    """The connections."""

    def __init__(self, upstream: Upstream, trust: ssl.SSLContext | None) -> None:
        """Connect to a provider; `trust` is None where nothing is encrypted."""
        self._upstream, self._trust = upstream, trust
        self._free, self._used = list[Line](), set[Line]()
        self._room = asyncio.Semaphore(MOST)

    async def call(
        self,
        method: str,
        target: bytes,
        headers: Sequence[Raw],
        body: bytes | AsyncIterator[bytes] | None,
        timeout: Mapping[str, float],
    ) -> httpx2.Response:
        """Return an answer once its head is there; raises `httpx2.TransportError`. It must be closed.

        `timeout` has the seconds of `connect`, `read`, `write` and `pool`.
        """
        if _NO_TARGET.search(target):
            raise httpx2.LocalProtocolError("that is no path")
        said = {name for name, _ in headers}
        chunked = not isinstance(body, bytes | None) and b"content-length" not in said
        sent = list(headers)
        if chunked:
            sent.append((b"transfer-encoding", b"chunked"))
        elif body is None and method in _WITH_BODY and b"content-length" not in said:
            sent.append((b"content-length", b"0"))
        first = method.encode() + b" " + target + b" HTTP/1.1\r\n"
        head = b"".join((first, *(b"%b: %b\r\n" % one for one in sent), b"\r\n"))
        await self._allowed(timeout["pool"])
        line: Line | None = None
        try:
            line = self._kept() or await self._connected(timeout["connect"])
            self._used.add(line)
            await line.ask(
                head,
                body,
                chunked=chunked,
                head_only=method == "HEAD",
                silent=timeout["read"],
                write=timeout["write"],
            )
        except BaseException:
            self._let_go(line)
            raise
        return httpx2.Response(line.status, headers=list(line.headers), stream=_Body(self, line))

    def close(self) -> None:
        """End all of them."""
        for line in (*self._free, *self._used):
            line.end()

    def release(self, line: Line) -> None:
        """Take a connection back, for the next request where it takes one."""
        if line not in self._used:
            return
        if line.reusable:
            self._used.discard(line)
            self._room.release()
            line.expiry = asyncio.get_running_loop().call_later(KEEP_SECONDS, line.end)
            self._free.append(line)
        else:
            self._let_go(line)

    def _let_go(self, line: Line | None) -> None:
        self._room.release()
        if line is not None:
            self._used.discard(line)
            line.end()

    def _lost(self, line: Line) -> None:
        if line in self._free:
            self._free.remove(line)

    async def _allowed(self, seconds: float) -> None:
        if not self._room.locked():
            await self._room.acquire()  # at once
            return
        try:
            async with asyncio.timeout(seconds):
                await self._room.acquire()
        except TimeoutError:
            raise httpx2.PoolTimeout("too many requests are under way") from None

    def _kept(self) -> Line | None:
        while self._free:
            line = self._free.pop()
            if line.expiry is not None:
                line.expiry.cancel()
            if line.reusable:
                return line
        return None

    async def _connected(self, seconds: float) -> Line:
        loop, host = asyncio.get_running_loop(), self._upstream.host
        try:
            async with asyncio.timeout(seconds):
                reached = await _reached(host, self._upstream.port)
                try:
                    _, line = await loop.create_connection(
                        lambda: Line(self._lost),
                        sock=reached,
                        ssl=self._trust,
                        server_hostname=host if self._trust is not None else None,
                    )
                except BaseException:
                    reached.close()
                    raise
        except TimeoutError:
            raise httpx2.ConnectTimeout("the provider cannot be reached in time") from None
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error)) from error
        return line


class _Body(httpx2.AsyncByteStream):
    """An answer's body on its way."""

    def __init__(self, lines: Lines, line: Line) -> None:
        self._lines, self._line = lines, line

    def __aiter__(self) -> AsyncIterator[bytes]:
        return aiter(self._line.pieces())

    async def aclose(self) -> None:
        self._lines.release(self._line)


async def _reached(host: str, port: int) -> socket.socket:
    """Return a connected socket: to whichever of a host's addresses answers first, each given a start over the next."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    sixes = [one for one in found if one[0] == socket.AF_INET6]
    others = [one for one in found if one[0] != socket.AF_INET6]
    mixed = [one for one in chain.from_iterable(zip_longest(sixes, others)) if one is not None]
    if len(mixed) == 1:
        return await _socket(mixed[0])
    reached, _, errors = await staggered_race([partial(_socket, one) for one in mixed], NEXT_SECONDS)
    if reached is None:
        raise next((error for error in errors if error is not None), OSError("no address"))
    return reached


async def _socket(address: Address) -> socket.socket:
    made = socket.socket(address[0], address[1], address[2])
    try:
        made.setblocking(False)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(made, address[4])
    except BaseException:
        made.close()
        raise
    return made
