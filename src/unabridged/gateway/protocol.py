"""A client's connection: this user's alone, bounded in what may come and how long it may take.

The server's own protocol waits for a request's head, and for somebody who does not read, as long as they like, and
bounds neither a head nor what stands between the pieces of a body.
"""

from __future__ import annotations

import asyncio
import os
from typing import cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from unabridged.daemon import owners
from unabridged.daemon.loopback import HEAD_SECONDS, MOST, cancelled

# Bytes of a request's head, where some clients send their tools' names, and of anything else that is no body.
HEAD_BYTES = 64 << 10
STUCK_SECONDS = (
    120.0  # that somebody may leave our answer unread: a person may have stopped the agent for a while
)
BESIDE = 4  # bytes of a header beside its name and its value
MOST_WAITING = 16  # requests of one connection that wait for the one before
TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadTooLong(Exception):
    """A head of more bytes than are taken; the parser ends with it."""


class CodedTwice(Exception):
    """A body that is coded in some other way than in pieces; the parser ends with it."""


class OwnProtocol(HttpToolsProtocol):
    """A connection of this user's, and of nobody else's."""

    _awaiting: asyncio.TimerHandle | None = None  # the head of a request
    _stuck: asyncio.TimerHandle | None = None
    _quiet = 0  # bytes since the last that were a head or a body
    _heading = False  # whether a head has begun and not ended
    _offered = False  # whether a head offers another protocol, and a body may follow it
    _head = 0  # bytes of its headers

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take a connection, unless there are too many, or the kernel says that it is another user's."""
        super().connection_made(transport)
        self.parser = self._parser()
        client, server = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        known = client and server
        if len(self.connections) > MOST or (
            known and owners.owner(client, server[1]) not in (None, os.geteuid())
        ):
            transport.abort()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._awaiting = cancelled(self._awaiting)
        self._stuck = cancelled(self._stuck)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes, of which only so many may be neither a head that ends nor a body."""
        self._quiet += len(data)
        self._unset_keepalive_if_required()
        self._feed(data)
        if self._quiet > HEAD_BYTES and not self.transport.is_closing():
            self._refuse()

    def on_message_begin(self) -> None:
        """Begin a request, whose head has not for ever."""
        if len(self.pipeline) >= MOST_WAITING:
            self.transport.abort()
        if self._awaiting is None:
            self._await_head()
        self._heading, self._head = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what comes behind a body is left out."""
        if not self._heading:
            return
        self._head += len(name) + len(value) + BESIDE
        if self._head > HEAD_BYTES:
            raise HeadTooLong
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Take a head."""
        self._quiet = 0
        self._heading = False
        coding = [value for name, value in self.headers if name == b"transfer-encoding"]
        if coding and b",".join(coding).strip().lower() != b"chunked":
            raise CodedTwice
        self._awaiting = cancelled(self._awaiting)
        assert self.parser is not None
        upgrade = b",".join(value for name, value in self.headers if name == b"upgrade").lower()
        self._offered = bool(upgrade) and b"websocket" not in upgrade and self.parser.should_upgrade()
        if not self._offered:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._quiet = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take the end of a request."""
        if not self._offered:
            super().on_message_complete()

    def pause_writing(self) -> None:
        """Learn that what we send is not read."""
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(STUCK_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Learn that it is read again."""
        self._stuck = cancelled(self._stuck)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or one with too long a head, and end the connection."""
        if self._head > HEAD_BYTES:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _feed(self, data: bytes) -> None:
        assert self.parser is not None
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
        except httptools.HttpParserUpgrade as error:
            if self._offered:
                self._declined(data[error.args[0] :])

    def _declined(self, rest: bytes) -> None:
        """Read a head again without the other protocol that it offers: the parser leaves what follows one to that."""
        assert self.parser is not None
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)]
        lines += [b"%b: %b" % (name, value) for name, value in self.headers if name != b"upgrade"]
        self.parser = self._parser()
        self._feed(b"\r\n".join((*lines, b"", rest)))

    def _parser(self) -> httptools.HttpRequestParser:
        made = httptools.HttpRequestParser(self)
        made.set_dangerous_leniencies(
            lenient_data_after_close=True,  # to answer the first of two requests
            lenient_chunked_length=True,  # of two lengths the one that is sent counts (RFC 9112, section 6.3)
        )
        return made

    def _refuse(self) -> None:
        """Answer that a head is too long, unless an answer to something else is on its way."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is None or cycle.response_complete:
            self.transport.write(TOO_LONG)
            self.transport.close()
        else:
            self.transport.abort()

    def _await_head(self) -> None:
        self._awaiting = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
