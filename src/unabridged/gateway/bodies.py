"""A request's body on its way in: read whole within bounds, or passed on piece by piece."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import zstandard

from unabridged.daemon.origins import Headers, Refusal, values

MOST_HELD = 256 << 20  # bytes of all bodies that are being read, planned or sent
SECONDS = 60.0  # that a whole body may take: it comes from this machine
DRAIN_SECONDS = 5.0  # that who sends too much may go on until he is told so
RETRY_SECONDS = b"1"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientGone(Exception):
    """The client ended the connection."""


class Refused(Exception):
    """A body that is not taken."""

    def __init__(self, refusal: Refusal) -> None:
        """Say how."""
        super().__init__(refusal.reason)
        self.refusal = refusal
        self.fault = ""  # what of ours had failed before


class Bodies:
    """Counts what is held of all requests."""

    def __init__(self, most: int) -> None:
        """Take bodies of at most `most` bytes each."""
        self._most = most
        self._held = 0

    async def whole(self, headers: Headers, receive: Receive) -> bytes:
        """Return a body read to its end, counted until it is let go; raise `Refused` or `ClientGone`."""
        if announced(headers) > self._most:
            await drained(receive)
            raise Refused(Refusal(413, "size"))
        body, size = list[bytes](), 0
        try:
            async with asyncio.timeout(SECONDS):
                async for part in parts(receive):
                    if size + len(part) > self._most:
                        await drained(receive)
                        raise Refused(Refusal(413, "size"))
                    if self._held + len(part) > MOST_HELD:
                        raise Refused(Refusal(503, "bodies", ((b"retry-after", RETRY_SECONDS),)))
                    body.append(part)
                    size += len(part)
                    self._held += len(part)
        except TimeoutError:
            self.let_go(size)
            raise Refused(Refusal(408, "slow")) from None
        except (Refused, ClientGone):
            self.let_go(size)
            raise
        return b"".join(body)

    def let_go(self, size: int) -> None:
        """Count a body no longer."""
        self._held -= size


async def parts(receive: Receive) -> AsyncIterator[bytes]:
    """Yield a body's parts as they come; raise `ClientGone`."""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        more = message.get("more_body", False)
        if part := message.get("body", b""):
            yield part


def announced(headers: Headers) -> int:
    """Return the length that a body is said to have, 0 where none is."""
    said = values(headers, b"content-length")
    return int(said[0]) if said and said[0].isdigit() else 0


def has_body(headers: Headers) -> bool:
    """Tell whether a request brings a body."""
    return announced(headers) > 0 or bool(values(headers, b"transfer-encoding"))


async def drained(receive: Receive) -> None:
    """Read on for a while, so that a client which sends first and reads then finds our refusal."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in parts(receive):
                pass
    except (TimeoutError, ClientGone):
        return


def plain(body: bytes, coding: bytes, most: int) -> bytes | None:
    """Return a body decoded (RFC 9110, section 8.4.1), None where that cannot be done or makes more than `most`."""
    try:
        if coding in (b"gzip", b"x-gzip", b"deflate"):
            inflater = zlib.decompressobj(32 + zlib.MAX_WBITS)
            found = inflater.decompress(body, most)
            return found if inflater.eof else None
        if coding == b"zstd":
            with zstandard.ZstdDecompressor(max_window_size=most).stream_reader(body) as reader:
                found = reader.read(most + 1)
            return found if len(found) <= most else None
    except (zlib.error, zstandard.ZstdError):
        return None
    return None
