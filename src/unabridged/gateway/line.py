"""One connection to a provider: a request on its way, and its answer as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Sequence
from typing import cast

import httptools
import httpx2

HEAD_BYTES = 100 << 10  # of an answer's head, and of anything else that comes and is no body
HELD_BYTES = 64 << 10  # of an answer that nobody has taken yet; above that no more is read
_UNTIL_CLOSED = frozenset({204, 304})  # answers that have no body, whatever their head says

Raw = tuple[bytes, bytes]


class Line(asyncio.Protocol):
    """A connection, for one request at a time. All that fails raises an `httpx2.TransportError`."""

    def __init__(self, lost: Callable[[Line], None]) -> None:
        """`lost` is told when it is one no more."""
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpResponseParser(self)
        # What is read here is framed anew for the client: what servers of model providers get away with elsewhere.
        self._parser.set_dangerous_leniencies(
            lenient_chunked_length=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
            lenient_data_after_close=True,
        )
        self._transport: asyncio.Transport | None = None
        self._writable: asyncio.Future[None] | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._quiet = 0  # bytes since the last that were an answer's head or body
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._silent = self._write = 0.0
        self.expiry: asyncio.TimerHandle | None = None
        self._begun()

    def _begun(self) -> None:
        """Be ready for a request."""
        self.status = 0
        self.headers: Sequence[Raw] = ()
        self._raw = list[Raw]()
        self._parts, self._size = list[bytes](), 0
        self._waiting: asyncio.Future[None] | None = None
        self._error: httpx2.TransportError | None = None
        self._asked = self._head_only = self._whole = self._sent = self._paused = False
        self._complete = self._until_closed = self._alive = False

    # --- for who asks -----------------------------------------------------------------------------------------------

    @property
    def reusable(self) -> bool:
        """Whether another request may be sent."""
        open_ = self._transport is not None and not self._transport.is_closing()
        return open_ and self._complete and self._sent and self._alive

    async def ask(
        self,
        head: bytes,
        body: bytes | AsyncIterable[bytes] | None,
        *,
        chunked: bool,
        head_only: bool,
        silent: float,
        write: float,
    ) -> None:
        """Send a request and wait for its answer's head.

        `chunked`: the body's pieces are framed. `head_only`: the answer has no body, whatever it says. The provider
        may be silent for so many seconds, and leave what is sent unread for as many as `write` says.
        """
        self._begun()
        self._asked, self._head_only, self._silent, self._write = True, head_only, silent, write
        self._send(head)
        if isinstance(body, bytes):
            self._send(body)
        elif body is not None:
            await self._stream(body, chunked=chunked)
        self._sent = not self.status
        self._heard = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(silent, self._late)
        while not self.status and self._error is None:
            await self._more()
        if not self.status and self._error is not None:
            raise self._error

    async def pieces(self) -> AsyncIterable[bytes]:
        """Yield an answer's body as it comes: all that is there at once."""
        while True:
            if self._parts:
                yield self._taken()
            elif self._complete:
                return
            elif self._error is not None:
                raise self._error
            else:
                await self._more()

    def end(self) -> None:
        """End the connection."""
        if self._transport is not None:
            self._transport.abort()

    def _send(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            self._fail(httpx2.WriteError("the connection is closed"))
        else:
            self._transport.write(data)

    async def _stream(self, body: AsyncIterable[bytes], *, chunked: bool) -> None:
        """Send a body until its end, or until there is an answer, which then is one to what was sent so far."""
        async for piece in body:
            while self._writable is not None and self._error is None and not self.status:
                await asyncio.shield(self._writable)
            if self._error is not None or self.status:
                return
            self._send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self._send(b"0\r\n\r\n")

    async def _more(self) -> None:
        self._waiting = self._loop.create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _taken(self) -> bytes:
        parts, self._parts, self._size = self._parts, list[bytes](), 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._heard = self._loop.time()
            self._transport.resume_reading()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _late(self) -> None:
        """Look whether the provider has been silent for too long; what is held back here is not its silence."""
        self._timer = None
        if not self._asked or self._complete:
            return
        left = self._heard + self._silent - self._loop.time()
        if self._paused or left > 0:
            self._timer = self._loop.call_later(self._silent if self._paused else left, self._late)
        else:
            self._fail(httpx2.ReadTimeout("the provider is silent"))

    def _fail(self, error: httpx2.TransportError) -> None:
        if self._error is None and not self._complete:
            self._error = error
        self._wake()
        self._let_write()
        self.end()

    # --- of the connection ------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Learn that it is gone: the end of an answer that has no other."""
        for timer in (self._timer, self._unread, self.expiry):
            if timer is not None:
                timer.cancel()
        if self.status and self._until_closed and exc is None:
            self._complete = True
        elif not self._complete and self._error is None:
            self._error = httpx2.RemoteProtocolError("the provider ended the connection")
        self._transport = None
        self._wake()
        self._let_write()
        self._lost(self)

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if not self._asked or self._complete:
            self.end()  # an answer that nobody asked for
            return
        self._heard = self._loop.time()
        self._quiet += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(httpx2.RemoteProtocolError("the provider's answer is no HTTP"))
            return
        if self._quiet > HEAD_BYTES:
            self._fail(httpx2.RemoteProtocolError("the provider's answer has too long a head"))

    def pause_writing(self) -> None:
        """Learn that the provider does not read."""
        if self._writable is None:
            self._writable = self._loop.create_future()
            self._unread = self._loop.call_later(
                self._write, self._fail, httpx2.WriteTimeout("the provider does not read")
            )

    def resume_writing(self) -> None:
        """Learn that it reads again."""
        self._let_write()

    def _let_write(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        if self._writable is not None:
            if not self._writable.done():
                self._writable.set_result(None)
            self._writable = None

    # --- of the parser ----------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Begin an answer, or one that comes before it and says only that it will."""
        self._raw = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what comes behind a body is left out."""
        if not self.status:
            self._raw.append((name, value))

    def on_headers_complete(self) -> None:
        """Take an answer's head."""
        self._quiet = 0
        status = self._parser.get_status_code()
        if self.status or status < 200:
            return
        named = {name.lower(): value.lower() for name, value in self._raw}
        framed = b"content-length" in named or b"chunked" in named.get(b"transfer-encoding", b"")
        self.headers, self.status = self._raw, status
        self._until_closed = not framed and status not in _UNTIL_CLOSED
        self._complete = self._head_only  # whether a body follows all the same is not waited for
        self._wake()
        self._let_write()

    def on_body(self, body: bytes) -> None:
        """Take a piece of an answer's body."""
        self._quiet = 0
        if self._complete:
            return
        self._parts.append(body)
        self._size += len(body)
        if self._size > HELD_BYTES and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def on_message_complete(self) -> None:
        """Take that an answer is whole."""
        if self.status and not self._complete:
            self._complete = True
            self._alive = self._parser.should_keep_alive()
            self._wake()
