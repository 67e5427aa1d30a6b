"""The application: a request let in, given its window, sent to its provider, its answer sent back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx2
from msgspec import structs

from unabridged.daemon.origins import Refusal, values
from unabridged.gateway import headers, passing
from unabridged.gateway.answering import refuse
from unabridged.gateway.bodies import (
    Bodies,
    ClientGone,
    Receive,
    Refused,
    Scope,
    Send,
    drained,
    has_body,
    parts,
    plain,
)
from unabridged.gateway.calling import Calling
from unabridged.gateway.door import Door
from unabridged.gateway.journal import Journal
from unabridged.gateway.longwork import LongWork
from unabridged.gateway.upstreams import Upstream, Upstreams
from unabridged.gateway.windows import Going, Windows
from unabridged.window.answers.builders import builder
from unabridged.window.answers.reading import Reading
from unabridged.window.providers.adapters import ANTHROPIC, RESPONSES, adapter_for
from unabridged.window.providers.contract import Adapter

if TYPE_CHECKING:
    from unabridged.gateway.offered.passing import Sent
    from unabridged.gateway.offered.toolloop import ToolLoop

_SLOW = (httpx2.ConnectTimeout, httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout)
# Paths whose requests are only counted, by their ends.
_COUNTED: tuple[tuple[bytes, Adapter], ...] = (
    (b"/messages/count_tokens", ANTHROPIC),
    (b"/responses/input_tokens", RESPONSES),
)
OK = 200


class Service:
    """An ASGI application."""

    def __init__(
        self,
        door: Door,
        upstreams: Upstreams,
        windows: Windows,
        journal: Journal,
        body_bytes: int,
    ) -> None:
        """Serve who comes through `door`; bodies that are looked into have at most `body_bytes`."""
        self._door = door
        self._upstreams = upstreams
        self._windows = windows
        self._journal = journal
        self._bodies = Bodies(body_bytes)
        self._most = body_bytes
        self._calling = Calling()
        self._long = LongWork()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        refusal = self._door.refusal(scope["raw_path"], scope["headers"], scope["method"])
        if refusal is not None:
            await self._refuse(refusal, send)
            return
        path = self._door.rest(scope["raw_path"])
        upstream, target = self._upstreams.route(path, scope["headers"])
        if scope["query_string"]:
            target += b"?" + scope["query_string"]
        try:
            if scope["method"] == "POST" and (_counted(path) or adapter_for(path.decode("ascii", "replace"))):
                await self._understood(scope, upstream, target, path, receive, send)
            else:
                await self._through(scope, upstream, target, receive, send)
        except Refused as error:
            await self._refuse(error.refusal, send, error.fault)
        except ClientGone:
            self._journal.refused("client-gone")
        except passing.UpstreamBroke:
            self._journal.refused("upstream-broke-off")
            raise  # the server ends the connection without an end of the answer
        except Exception as error:
            self._journal.failure("request", error)
            raise

    async def close(self) -> None:
        """End all connections to providers."""
        await self._calling.close()

    # --- requests that are passed through ---------------------------------------------------------------------------

    async def _through(
        self, scope: Scope, upstream: Upstream, target: bytes, receive: Receive, send: Send
    ) -> None:
        send, ended = passing.watched(send)
        read = asyncio.get_running_loop().create_future()

        async def given() -> AsyncIterator[bytes]:
            async for part in parts(receive):
                yield part
            read.set_result(None)

        body = given() if has_body(scope["headers"]) else None
        sent = headers.to_provider(scope["headers"], upstream.authority)
        if body is None:
            read.set_result(None)
        elif not values(
            scope["headers"], b"transfer-encoding"
        ):  # else the length that is said is not what counts
            sent += [(name, value) for name, value in scope["headers"] if name == b"content-length"]

        async def work() -> None:
            answer = await self._asked(upstream, scope["method"], target, sent, body)
            try:
                await passing.passed(answer, send, fault=self._journal.unwritable)
            finally:
                await answer.aclose()

        try:
            await passing.while_there(work(), receive, read, ended)
        except Refused:
            if not read.done():
                await drained(receive)
            raise

    # --- requests that are given a window ---------------------------------------------------------------------------

    async def _understood(
        self, scope: Scope, upstream: Upstream, target: bytes, path: bytes, receive: Receive, send: Send
    ) -> None:
        send, ended = passing.watched(send)
        came = await self._bodies.whole(scope["headers"], receive)
        held = len(came)

        async def work() -> None:
            nonlocal came, held
            going, recoded = await self._windowed(scope, path, came)
            came = b""
            sent = headers.to_provider(scope["headers"], upstream.authority, recoded=recoded)
            sent.append((b"content-length", str(len(going.body)).encode()))
            try:
                answer = await self._asked(upstream, "POST", target, sent, going.body)
            except Refused as error:
                error.fault = going.fault
                raise

            async def again(body: bytes) -> httpx2.Response:
                length = (b"content-length", str(len(body)).encode())
                return await self._asked(upstream, "POST", target, [*sent[:-1], length], body)

            loop = self._loop(going, answer)
            going = structs.replace(going, body=b"")
            if loop is None:
                self._bodies.let_go(held)
                held = 0
            try:
                await self._passed(going, answer, send, loop, again)
            finally:
                await answer.aclose()

        try:
            await passing.while_there(work(), receive, _read(), ended)
        finally:
            self._bodies.let_go(held)

    async def _windowed(self, scope: Scope, path: bytes, came: bytes) -> tuple[Going, bool]:
        """Return what to send, and whether that is coded otherwise than what came."""
        coding = b",".join(values(scope["headers"], b"content-encoding")).strip().lower()
        body = came
        if coding and coding != b"identity":
            decoded = await self._long.run(len(came), lambda: plain(came, coding, self._most))
            if decoded is None:
                return Going(came, "not-understood"), False
            body = decoded
        counted, adapter = _counted(path), adapter_for(path.decode("ascii", "replace"))
        try:
            if counted is not None:
                going = Going(await self._windows.counted(counted, body, scope["headers"]))
            else:
                assert adapter is not None
                going = await self._windows.window(adapter, body, scope["headers"])
        except Exception as error:  # noqa: BLE001 - a fault of ours must not stop an agent; it is told as one
            self._journal.failure("window", error)
            using = counted or adapter
            assert using is not None
            going = await self._windows.again(using, body)
        if going.fault:
            self._journal.fault(going.fault)
        if going.error is not None:
            self._journal.failure("window", going.error)
            going = structs.replace(going, error=None)  # its frames hold the request
        if going.body is body or going.body == body:
            return structs.replace(going, body=came), False
        return going, body is not came

    async def _passed(
        self, going: Going, answer: httpx2.Response, send: Send, loop: ToolLoop | None, again: Sent
    ) -> None:
        """Send an answer on, and read it on its way."""
        reading: Reading | None = None
        if going.conversation is not None and going.adapter is not None and answer.status_code == OK:
            kind = answer.headers.get("content-type", "").encode("latin-1", "replace")
            coding = answer.headers.get("content-encoding", "").strip().lower().encode("latin-1", "replace")
            if loop is not None:  # it is read decoded
                coding = b""
            reading = Reading(builder(going.adapter), kind, coding)
        complete = False
        fault = going.fault or self._journal.unwritable
        try:
            tap = reading.feed if reading else None
            if loop is None:
                await passing.passed(answer, send, tap, fault)
            else:
                assert self._windows.offers is not None
                assert going.conversation is not None
                await self._windows.offers.passed(going.conversation, loop, answer, again, send, tap, fault)
            complete = True
        finally:
            self._answered(going, reading, loop, complete=complete)

    def _loop(self, going: Going, answer: httpx2.Response) -> ToolLoop | None:
        """Return what carries out the answer to a request that offers tools; None for any other."""
        offers = self._windows.offers
        if offers is None or going.offering is None or going.conversation is None:
            return None
        return offers.loop(going.conversation, going.offering, going.body, answer)

    def _answered(
        self, going: Going, reading: Reading | None, loop: ToolLoop | None, *, complete: bool
    ) -> None:
        try:
            if reading is not None:
                spent = loop.spent if loop is not None else ()
                if reading.error is not None:
                    self._journal.failure("answer", reading.error)
                if loop is not None and loop.fault and not going.account.fault:
                    going = structs.replace(going, account=structs.replace(going.account, fault=loop.fault))
                self._windows.answered(going, reading.answer(complete=complete), spent)
            elif going.conversation is not None:
                self._windows.unanswered(going)
        except Exception as error:  # noqa: BLE001 - the answer is on its way; what is not archived now comes again
            self._journal.failure("answer", error)

    # --- both -------------------------------------------------------------------------------------------------------

    async def _asked(
        self,
        upstream: Upstream,
        method: str,
        target: bytes,
        sent: list[tuple[bytes, bytes]],
        body: bytes | AsyncIterator[bytes] | None,
    ) -> httpx2.Response:
        try:
            answer = await self._calling.call(upstream, method, target, sent, body)
        except _SLOW:
            raise Refused(Refusal(504, "upstream-slow")) from None
        except httpx2.ConnectError:
            raise Refused(Refusal(502, "upstream-unreachable")) from None
        except httpx2.TransportError:
            raise Refused(Refusal(502, "upstream-broke")) from None
        if passing.redirects(answer):
            await answer.aclose()
            raise Refused(Refusal(502, "upstream-redirect"))
        return answer

    async def _refuse(self, refusal: Refusal, send: Send, fault: str = "") -> None:
        self._journal.refused(refusal.reason)
        await refuse(refusal, send, fault)


def _counted(path: bytes) -> Adapter | None:
    """Return the format of a path whose requests are only counted."""
    return next((adapter for end, adapter in _COUNTED if path.rstrip(b"/").endswith(end)), None)


async def _read() -> None:
    """Tell that a body was read already."""
