"""The application: a request let in, sent to its provider, its answer sent back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx2

from unabridged.daemon.origins import Refusal
from unabridged.gateway import headers, passing
from unabridged.gateway.answering import refuse
from unabridged.gateway.bodies import Bodies, ClientGone, Receive, Refused, Scope, Send, has_body, parts
from unabridged.gateway.calling import Calling
from unabridged.gateway.door import Door
from unabridged.gateway.journal import Journal
from unabridged.gateway.upstreams import Upstreams

_SLOW = (httpx2.ConnectTimeout, httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout)


class Service:
    """An ASGI application."""

    def __init__(self, door: Door, upstreams: Upstreams, journal: Journal, body_bytes: int) -> None:
        """Serve who comes through `door`; bodies that are looked into have at most `body_bytes`."""
        self._door = door
        self._upstreams = upstreams
        self._journal = journal
        self._bodies = Bodies(body_bytes)
        self._calling = Calling()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        refusal = self._door.refusal(scope["raw_path"], scope["headers"])
        if refusal is not None:
            await self._refuse(refusal, send)
            return
        try:
            await self._serve(scope, receive, send)
        except Refused as error:
            await self._refuse(error.refusal, send)
        except ClientGone:
            self._journal.refused("client-gone")

    async def close(self) -> None:
        """End all connections to providers."""
        await self._calling.close()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        upstream, target = self._upstreams.route(self._door.rest(scope["raw_path"]), scope["headers"])
        if scope["query_string"]:
            target += b"?" + scope["query_string"]
        read = asyncio.get_running_loop().create_future()

        async def given() -> AsyncIterator[bytes]:
            async for part in parts(receive):
                yield part
            read.set_result(None)

        body = given() if has_body(scope["headers"]) else None
        if body is None:
            read.set_result(None)
        sent = headers.to_provider(scope["headers"], upstream.authority)
        if body is not None:
            sent += [(name, value) for name, value in scope["headers"] if name == b"content-length"]

        async def pass_on() -> None:
            try:
                answer = await self._calling.call(upstream, scope["method"], target, sent, body)
            except _SLOW:
                raise Refused(Refusal(504, "upstream-slow")) from None
            except httpx2.ConnectError:
                raise Refused(Refusal(502, "upstream-unreachable")) from None
            except httpx2.TransportError:
                raise Refused(Refusal(502, "upstream-broke")) from None
            try:
                if passing.redirects(answer):
                    raise Refused(Refusal(502, "upstream-redirect"))
                await passing.passed(answer, send)
            finally:
                await answer.aclose()

        await passing.while_there(pass_on(), receive, read)

    async def _refuse(self, refusal: Refusal, send: Send) -> None:
        self._journal.refused(refusal.reason)
        await refuse(refusal, send)
