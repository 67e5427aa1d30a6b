"""An answer on its way back: its bytes as they come, no faster than they are read, ended as the provider ends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Container, Coroutine
from typing import Any, TypeVar

import httpx2

from unabridged.gateway import headers
from unabridged.gateway.bodies import ClientGone, Message, Receive, Send

T = TypeVar("T")
REDIRECTS = frozenset({301, 302, 303, 305, 307, 308})
Tap = Callable[[bytes], None]


class UpstreamBroke(Exception):
    """The provider ended the connection in the middle of an answer: the client must see an answer without an end."""


def redirects(answer: httpx2.Response) -> bool:
    """Tell whether an answer sends its reader elsewhere."""
    return answer.status_code in REDIRECTS


async def passed(answer: httpx2.Response, send: Send, tap: Tap | None = None, fault: str = "") -> None:
    """Send an answer on; `tap` gets each piece after it was sent. Raises `UpstreamBroke`."""
    await passed_as(answer, _pieces(answer), send, tap, fault)


async def passed_as(
    answer: httpx2.Response,
    pieces: AsyncIterable[bytes],
    send: Send,
    tap: Tap | None = None,
    fault: str = "",
    without: Container[bytes] = (),
) -> None:
    """Send an answer's head on, `without` some headers, and pieces as its body. Raises `UpstreamBroke`."""
    raw = [(bytes(name), bytes(value)) for name, value in answer.headers.raw]
    shown = [(name, value) for name, value in headers.to_client(raw, fault) if name not in without]
    await send({"type": "http.response.start", "status": answer.status_code, "headers": shown})
    try:
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            if tap is not None:
                tap(piece)
    except httpx2.TransportError as error:
        raise UpstreamBroke from error
    await send({"type": "http.response.body", "body": b""})


def _pieces(answer: httpx2.Response) -> Any:
    """Return the answer's stream, undecoded."""
    return answer.stream


def watched(send: Send) -> tuple[Send, Callable[[], bool]]:
    """Return what sends an answer, and what tells that all of it was sent: then a client may go."""
    ended = False

    async def sending(message: Message) -> None:
        nonlocal ended
        ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await send(message)

    return sending, lambda: ended


async def while_there(
    work: Coroutine[Any, Any, T], receive: Receive, read: Awaitable[Any], ended: Callable[[], bool]
) -> T:
    """Run `work` for as long as the client is there; raise `ClientGone` when it is not.

    `read` ends when the request's body was read: who goes is heard of behind that, until all was `ended`.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(receive, read))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if working.done() or ended():
            return await working
    finally:
        watching.cancel()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
    raise ClientGone


async def _gone(receive: Receive, read: Awaitable[Any]) -> None:
    await read
    while (await receive())["type"] == "http.request":
        pass
