"""A turn's answer on its way to the client, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

from unabridged.gateway import passing
from unabridged.gateway.bodies import Refused, Send
from unabridged.gateway.offered.turn import BrokenOff, Turn

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
    turn: Turn,
    answer: httpx2.Response,
    again: Sent,
    send: Send,
    tap: passing.Tap | None = None,
    fault: str = "",
) -> None:
    """Send on what the client gets of a turn that begins with `answer`; raises `UpstreamBroke`."""

    async def sent(body: bytes) -> _Answered | _Unreached:
        try:
            return _Answered(await again(body))
        except Refused:
            return _Unreached()

    pieces = turn.stream(_Answered(answer), sent)
    try:
        await passing.passed_as(answer, pieces, send, tap, fault, CHANGED)
    except BrokenOff as error:
        raise passing.UpstreamBroke from error
    finally:
        await pieces.aclose()
