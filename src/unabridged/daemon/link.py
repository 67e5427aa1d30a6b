"""A connection to the daemon from an event loop: many requests at once, each of which can be withdrawn."""

from __future__ import annotations

import _socket
import asyncio
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from unabridged import __version__
from unabridged.daemon import client
from unabridged.daemon.breaker import Breaker
from unabridged.daemon.client import MAX_FRAME, PROTOCOL, REPEATABLE
from unabridged.daemon.paths import Layout
from unabridged.errors import DaemonUnavailable, DeadlineExceeded, FrameTooLarge, UnabridgedError, from_dict

TIMEOUT = 60.0  # seconds that an operation may take: hosts give up on a tool at about that time
GRACE_SECONDS = 1.0  # longer than the daemon itself waits, so that its own answer wins
IDLE_SECONDS = 60.0  # after which an unused connection is given back: the daemon has few
# Seconds until a daemon that is gone counts as an error: it takes this process along, and the pipe asks the next one.
GONE_SECONDS = 5.0
# Seconds before each further attempt: a daemon that was killed takes connections for a moment while it goes.
AGAIN_SECONDS = (0.0, 0.05, 0.5)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


class Link:
    """Operations of the daemon for who works in one folder. For the event loop; connects when it must."""

    def __init__(
        self,
        layout: Layout,
        folder: str,
        *,
        name: str,
        starts: bool = False,
        mourns: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask as `name` for somebody who works in `folder` ("": nowhere).

        starts: where no daemon runs, one is started; where that failed, or one that runs said nothing, the next attempt
        waits (`Breaker`), and until then each call fails at once. mourns: that a daemon is gone is told late
        (`GONE_SECONDS`).
        """
        self._unstarted, self._silent = Breaker(clock), Breaker(clock)
        self._heard = 0.0  # the loop's time of the last message
        self.folder = folder
        self._name = name
        self._gone = GONE_SECONDS if mourns else 0.0
        self._starts = starts
        self._layout = layout
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._server: dict[str, Any] = {}  # what the daemon said of itself
        self._required = ""  # the version of which a replacement was asked for
        self._number = 0
        self._answers = dict[int, asyncio.Future[dict[str, Any]]]()
        self._idle: asyncio.TimerHandle | None = None

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        return self._writer is not None

    async def connect(self) -> None:
        """Connect, and start a daemon where that is wanted; raises `DaemonUnavailable`."""
        async with self._opening:
            if self._writer is None:
                await self._open()

    async def call(
        self, op: str, params: Mapping[str, Any], *, repeatable: bool = False, seconds: float = TIMEOUT
    ) -> dict[str, Any]:
        """Run an operation and return its answer; raises what the daemon answered as an `UnabridgedError`.

        `seconds` is what the operation may take, a connection not counted.

        A lost connection is made again, a few times, when the operation may be repeated, and whatever it is when a
        daemon that stops has not begun with it. Withdrawing the call withdraws the request.
        """
        again = repeatable or op in REPEATABLE
        try:
            return await self._call(op, params, seconds)
        except Lost as lost:
            if not again:
                raise DaemonUnavailable("the connection to the daemon broke before it answered") from lost
        except DaemonUnavailable as error:
            if not error.details.get("stopping") or self._gone:
                if again:
                    await asyncio.sleep(self._gone)
                raise
        for pause in AGAIN_SECONDS:
            await asyncio.sleep(pause)
            try:
                return await self._call(op, params, seconds)
            except Lost as lost:
                if not again:
                    raise DaemonUnavailable("the connection to the daemon broke before it answered") from lost
            except DaemonUnavailable as error:
                if not error.details.get("stopping"):
                    raise
        await asyncio.sleep(self._gone)
        raise DaemonUnavailable("the connection to the daemon broke several times")

    async def _call(self, op: str, params: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        await self.connect()
        if op not in self._server.get("capabilities", (op,)):
            await self._replaced(op)
        return await self._ask(op, params, seconds)

    async def _replaced(self, op: str) -> None:
        """Have a daemon of another build that lacks an operation replaced, each build once, where that is wanted."""
        version = str(self._server.get("version"))
        if not self._starts or self._required == version:
            return  # it says itself that it has none
        self._required = version
        self.close()
        await asyncio.to_thread(self._require, op)
        await self.connect()

    def _require(self, op: str) -> None:
        with client.Client(self._layout, name=self._name) as asking:
            asking.require(op)

    async def _ask(self, op: str, params: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        writer = self._writer
        if writer is None:
            raise Lost
        self._number += 1
        number = self._number
        frame: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": op, "params": params}
        if op != "handshake":
            frame["timeout"] = seconds
        data = _encoder.encode(frame) + b"\n"
        if len(data) > MAX_FRAME:
            raise FrameTooLarge("the request does not fit a frame", limit=MAX_FRAME, size=len(data))
        loop = asyncio.get_running_loop()
        answer, asked = loop.create_future(), loop.time()
        self._answers[number] = answer
        self._stay()
        try:
            writer.write(data)
            async with asyncio.timeout(seconds + GRACE_SECONDS):
                return _result(await answer)
        except TimeoutError as error:
            if self._heard < asked and self._writer is writer:
                self.close()  # it says nothing at all: what was written to it is not kept any longer
            raise DeadlineExceeded("the daemon did not answer in time", hint=client.HANGS) from error
        except asyncio.CancelledError:
            writer.write(
                _encoder.encode({"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}) + b"\n"
            )
            raise
        finally:
            self._answers.pop(number, None)
            self._stay()

    # --- the connection ---------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        if self._silent.open:
            raise DaemonUnavailable(
                "the daemon did not answer a moment ago", seconds=round(self._silent.seconds, 1)
            )
        raw = client.dial(self._layout.socket)
        if raw is None and self._starts:
            raw = await self._started()
        if raw is None:
            raise DaemonUnavailable("no daemon runs")
        sock = socket.socket(fileno=raw.detach())
        sock.setblocking(False)
        reader, self._writer = await asyncio.open_unix_connection(sock=sock, limit=MAX_FRAME)
        self._reading = asyncio.create_task(self._read(reader))
        shake: dict[str, Any] = {
            "protocol": PROTOCOL,
            "version": __version__,
            "client": self._name,
            "project": self.folder,
            "scope": "",
            "session": "",
            "capabilities": [],
        }
        try:
            self._server = await self._ask("handshake", shake, client.CONNECT_SECONDS)
        except DeadlineExceeded:
            self._silent.failed()
            self.close()
            raise
        except UnabridgedError:
            self.close()
            raise
        self._silent.succeeded()
        self._unstarted.succeeded()

    async def _started(self) -> _socket.socket | None:
        """Have a daemon started, unless one could not be a moment ago."""
        if self._unstarted.open:
            raise DaemonUnavailable(
                "the daemon could not be started a moment ago", seconds=round(self._unstarted.seconds, 1)
            )
        raw = None
        try:
            raw = await asyncio.to_thread(self._start)
        finally:
            if raw is None:
                self._unstarted.failed()
        return raw

    def _start(self) -> _socket.socket | None:
        """Have a daemon started, which stays for a while, and connect to it."""
        client.Client(self._layout, name=self._name).close()
        return client.dial(self._layout.socket)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                self._heard = asyncio.get_running_loop().time()
                message = _decoder.decode(line)
                waiting = self._answers.get(message.get("id"))
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
        except (OSError, ValueError):
            pass  # the connection broke, or what came over it is not what a daemon says: both end it
        finally:
            self.close()

    def close(self) -> None:
        """End the connection; what waits for an answer learns it."""
        writer, self._writer = self._writer, None
        reading, self._reading = self._reading, None
        if self._idle is not None:
            self._idle.cancel()
        if writer is not None and writer.transport.get_write_buffer_size():
            writer.transport.abort()  # nobody takes it
        elif writer is not None:
            writer.close()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Lost())
        if reading is not None and reading is not asyncio.current_task():
            reading.cancel()

    def _stay(self) -> None:
        """Put off giving the connection back."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._rest)

    def _rest(self) -> None:
        if not self._answers:
            self.close()


class Lost(Exception):
    """The connection broke."""


def _result(message: dict[str, Any]) -> dict[str, Any]:
    error = message.get("error")
    if error is None:
        return message["result"]
    raise from_dict(error.get("data") or {"message": error.get("message", "")})
