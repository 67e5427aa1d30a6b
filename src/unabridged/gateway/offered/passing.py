"""A turn's answer on its way to the client, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

import httpx2

from unabridged.daemon.origins import Refusal
from unabridged.gateway import passing
from unabridged.gateway.bodies import Refused, Send
from unabridged.gateway.offered.toolloop import BrokenOff, ToolLoop

# What no longer holds of an answer that is put together from several: its length, its coding.
CHANGED = frozenset({b"content-length", b"content-encoding", b"content-md5", b"digest", b"etag"})

Sent = Callable[[bytes], Awaitable[httpx2.Response]]


class _Answered:
    """A provider's answer, decoded."""

    def __init__(self, answer: httpx2.Response) -> None:
        self._answer = answer

    @property
    def status(self) -> int:
        return self._answer.status_code

    def chunks(self) -> AsyncIterator[bytes]:
        return self._answer.aiter_bytes()

    async def close(self) -> None:
        await self._answer.aclose()


class _Unreached:
    """An answer that did not come."""

    status = 502

    async def chunks(self) -> AsyncIterator[bytes]:
        for nothing in ():
            yield nothing

    async def close(self) -> None:
        """Do nothing."""


async def talked(
    loop: ToolLoop,
    answer: httpx2.Response,
    again: Sent,
    send: Send,
    tap: passing.Tap | None = None,
    fault: str = "",
) -> None:
    """Send on what the client gets of an answer that begins with `answer`; raises `UpstreamBroke`, `Refused`."""

    last: httpx2.Response | None = None

    async def sent(body: bytes) -> _Answered | _Unreached:
        nonlocal last
        try:
            last = await again(body)
        except Refused:
            last = None
            return _Unreached()
        return _Answered(last)

    pieces = loop.stream(_Answered(answer), sent)
    try:
        if not loop.streamed:  # all of it comes at once: what failed by then is told before it
            try:
                first = await _first(pieces)
            except BrokenOff as error:  # the client has nothing yet, and hears what the provider says
                if last is None or last.status_code == answer.status_code:
                    raise Refused(Refusal(502, "upstream-broke")) from None
                await passing.passed_as(last, _with(error.body, pieces), send, None, fault, CHANGED)
                return
            await passing.passed_as(answer, _with(first, pieces), send, tap, fault or loop.fault, CHANGED)
            return
        await passing.passed_as(answer, pieces, send, tap, fault, CHANGED)
    except (BrokenOff, httpx2.DecodingError) as error:
        raise passing.UpstreamBroke from error
    finally:
        await pieces.aclose()


async def _first(pieces: AsyncGenerator[bytes]) -> bytes:
    """Return the first piece of an answer of which the client has nothing yet; raises `Refused`, `BrokenOff`."""
    try:
        return await anext(pieces, b"")
    except (httpx2.TransportError, httpx2.DecodingError):
        raise Refused(Refusal(502, "upstream-broke")) from None


async def _with(first: bytes, pieces: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in pieces:
        yield piece
