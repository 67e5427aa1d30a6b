"""One client's connection: its bytes become requests, answers become its bytes, within limits that protect the others.

A connection reads no further while it holds too many requests or too many bytes, or while the client does not take its
answers; a client that stalls for too long is dropped. None of it is felt by another connection.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, cast

import msgspec

from unabridged.daemon import wire
from unabridged.daemon.dispatch import Task, gone, late
from unabridged.daemon.peers import peer_of_descriptor
from unabridged.errors import (
    DaemonIncompatible,
    FrameTooLarge,
    ProtocolError,
    Refused,
    UnabridgedError,
    UnknownOperation,
)
from unabridged.service.caller import Caller

if TYPE_CHECKING:
    from unabridged.daemon.transport import Server

QUEUED = 64  # requests of one connection that wait; more stay in the socket
ACTIVE = 16  # requests of one connection worked on at once: half of what the daemon does, so that one cannot take all
RETAINED = 32 << 20  # bytes of unanswered requests that one connection holds
OUTPUT = (16 << 20) + 1  # bytes of answers, promised and unsent, that one connection holds
WRITE_HIGH, WRITE_LOW = (
    1 << 20,
    256 << 10,
)  # bytes unsent from which a client counts as slow, and below which no longer


class Connection(asyncio.Protocol):
    """The daemon's end of one connection. All methods run on the loop."""

    def __init__(self, server: Server) -> None:
        """Belong to a server."""
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._parts = list[bytes]()  # of an unfinished line
        self._partial = 0  # their bytes
        self._discarding = False  # the rest of a line that is too long
        self._paused = False
        self._blocked = 0  # unsent bytes when the client was last seen not to take them, 0: it takes them
        self._moved = server.loop.time()  # when bytes last came or went
        self.opened = self._moved
        self.caller: Caller | None = None  # None: no handshake yet
        self.client = ""
        self.pid = 0
        self.queue = deque[tuple[wire.Frame, int]]()
        self.tasks = dict[wire.RequestId, Task]()
        self.retained = 0
        self.reserved = 0

    # --- the socket -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let in only processes of our own user."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own class is not derived from it
        self._transport.set_write_buffer_limits(WRITE_HIGH, WRITE_LOW)
        sock = transport.get_extra_info("socket")
        uid, self.pid = peer_of_descriptor(sock.fileno())
        if uid != self._server.uid:
            self.fail(Refused("this daemon belongs to another user"))
            return
        self._server.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Stop what still runs for the client; what is committed stays."""
        for task in self.tasks.values():
            task.stop(gone())
        self.queue.clear()
        self._parts.clear()
        self._server.left(self)
        self._hold(-self._partial)
        self._partial = 0

    def data_received(self, data: bytes) -> None:
        """Cut lines; most often a block is exactly one."""
        if self.closing:
            return
        if not self._partial and not self._discarding and data.find(b"\n") == len(data) - 1:
            self._line(data)
        else:
            self._cut(data)
        if self._partial:
            self._moved = self._server.loop.time()
        self.regulate()

    def pause_writing(self) -> None:
        """The client does not take its answers: begin no further requests of it."""
        self._blocked = self.unsent
        self._moved = self._server.loop.time()

    def resume_writing(self) -> None:
        """The client takes its answers again."""
        self._blocked = 0
        self.regulate()
        self._server.pump()

    def _cut(self, data: bytes) -> None:
        start = 0
        while (end := data.find(b"\n", start) + 1) > 0 and not self.closing:
            piece = data[start:end]
            start = end
            if self._discarding:
                self._discarding = False
                continue
            self._parts.append(piece)
            line = b"".join(self._parts)
            self._parts.clear()
            self._hold(-self._partial)
            self._partial = 0
            self._line(line)
        rest = len(data) - start
        if rest and not self._discarding and not self.closing:
            self._parts.append(data[start:] if start else data)
            self._partial += rest
            self._hold(rest)
            if self._partial > wire.MAX_FRAME:
                self._parts.clear()
                self._hold(-self._partial)
                self._partial, self._discarding = 0, True
                self._refuse_long()

    def _refuse_long(self) -> None:
        error = FrameTooLarge("a request is larger than a frame", limit=wire.MAX_FRAME)
        if self.caller is None:
            self.fail(error)
        else:
            self.send(wire.failure(None, error))

    # --- requests ---------------------------------------------------------------------------------------------------

    def _line(self, line: bytes) -> None:
        size = len(line)
        if size > wire.MAX_FRAME:
            self._refuse_long()
            return
        try:
            frame = wire.decode(line)
        except ProtocolError as error:
            if self.caller is None:
                self.fail(error)
            elif line.strip():
                self.send(wire.failure(None, error))
            return
        if self.caller is None:
            self._shake(frame)
        elif frame.id is msgspec.UNSET:
            if frame.method == "cancel":
                self._cancel(frame)
        else:
            self._request(frame, size)

    def _request(self, frame: wire.Frame, size: int) -> None:
        assert frame.id is not msgspec.UNSET
        operation = self._server.operations.get(frame.method)
        if operation is None:
            self.send(
                wire.failure(frame.id, UnknownOperation(f"there is no operation {frame.method[:64]!r}"))
            )
            return
        if frame.id in self.tasks:
            self.send(wire.failure(frame.id, ProtocolError("a request of that id is not answered yet")))
            return
        if operation.immediate and not self._blocked:
            self.send(self._server.dispatcher.immediate(self._task(frame, size)))
            return
        if self._server.draining:
            self.send(wire.failure(frame.id, self._server.draining))
            return
        self._hold(size)
        self.queue.append((frame, size))
        self._server.enqueue(self)

    def _task(self, frame: wire.Frame, size: int) -> Task:
        assert self.caller is not None
        operation = self._server.operations[frame.method]
        return Task(operation, self.caller, frame, size, self._answered, self._notify)

    def can_begin(self) -> bool:
        """Tell whether this connection's next request fits what one connection may hold."""
        frame, _ = self.queue[0]
        reserve = self._server.operations[frame.method].reserve
        return (
            not self._blocked
            and len(self.tasks) < ACTIVE
            and (self.reserved + self.unsent + reserve <= OUTPUT or not self.tasks)
        )

    def begin(self) -> None:
        """Hand the next request over to the threads."""
        frame, size = self.queue.popleft()
        task = self._task(frame, size)
        if task.request in self.tasks:
            self._hold(-size)
            self.send(wire.failure(task.request, ProtocolError("a request of that id is not answered yet")))
            return
        self.tasks[task.request] = task
        self.reserved += task.operation.reserve
        self._server.begun(task)
        if frame.timeout is not None:
            self._server.loop.call_later(max(0.0, frame.timeout), self._expire, task, frame.timeout)
        self._server.dispatcher.submit(task)

    def _answered(self, task: Task, data: bytes) -> None:
        self._hold(-task.size)
        self.reserved -= task.operation.reserve
        if self.tasks.get(task.request) is task:
            del self.tasks[task.request]
            self.send(data)
        self._server.ended(task)
        self.regulate()

    def _notify(self, task: Task, line: bytes) -> None:
        # Progress that a slow client would get late says nothing any more.
        if not self._blocked and self.tasks.get(task.request) is task:
            self.send(line)

    def _cancel(self, frame: wire.Frame) -> None:
        try:
            wanted = msgspec.json.decode(frame.params, type=wire.Cancel).id
        except msgspec.DecodeError:
            return
        for queued in list(self.queue):
            if queued[0].id == wanted:
                self.queue.remove(queued)
                self._hold(-queued[1])
                self.send(wire.failure(wanted, gone()))
        task = self.tasks.get(wanted)
        if task is not None:
            self._give_up(task, gone())

    def _expire(self, task: Task, seconds: float) -> None:
        if self.tasks.get(task.request) is task:
            self._give_up(task, late(seconds))

    def _give_up(self, task: Task, error: UnabridgedError) -> None:
        """Stop a request. One that runs for minutes ends at a boundary and answers then; others are answered now."""
        task.stop(error)
        if not task.operation.streams:
            del self.tasks[task.request]
            self.send(wire.failure(task.request, error))

    # --- the handshake ----------------------------------------------------------------------------------------------

    def _shake(self, frame: wire.Frame) -> None:
        request = None if frame.id is msgspec.UNSET else frame.id
        if frame.method != "handshake":
            self.fail(ProtocolError("the first request must be `handshake`"), request)
            return
        try:
            asked = msgspec.json.decode(frame.params, type=wire.Handshake)
        except msgspec.DecodeError as error:
            self.fail(ProtocolError(f"not a handshake: {error}"), request)
            return
        if asked.protocol != wire.PROTOCOL:
            error = DaemonIncompatible("another protocol is spoken here", protocol=wire.PROTOCOL)
            self.fail(error, request)
            return
        try:
            granted, result = self._server.admit(asked)
        except UnabridgedError as error:
            self.fail(error, request)
            return
        self.client = asked.client[:64]
        self.caller = granted
        self.send(wire.answer(request, result))

    # --- limits -----------------------------------------------------------------------------------------------------

    @property
    def closing(self) -> bool:
        """Whether the connection is being closed."""
        return self._transport is None or self._transport.is_closing()

    @property
    def unsent(self) -> int:
        """Bytes of answers that the client has not taken."""
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    @property
    def blocked(self) -> bool:
        """Whether the client does not take its answers."""
        return bool(self._blocked)

    @property
    def partial(self) -> int:
        """Bytes of an unfinished request."""
        return self._partial

    def _hold(self, size: int) -> None:
        self.retained += size
        self._server.hold(size)

    def regulate(self) -> None:
        """Read on, or stop reading, as the limits say."""
        stop = (
            len(self.queue) >= QUEUED
            or self.retained >= RETAINED
            or bool(self._blocked)
            or not self._server.may_read(self)
        )
        if stop == self._paused or self._transport is None or self._transport.is_closing():
            return
        self._paused = stop
        if stop:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def sweep(self, now: float) -> str:
        """Return why the client must be dropped ("" when it need not): it stalls in one direction or the other."""
        if self.caller is None:
            return "no handshake" if now - self.opened > self._server.handshake_seconds else ""
        if self._blocked:
            unsent = self.unsent
            if unsent < self._blocked:
                self._blocked, self._moved = max(unsent, 1), now
            elif now - self._moved > self._server.stall_seconds:
                return "takes no answers"
        elif self._partial and not self._paused and now - self._moved > self._server.stall_seconds:
            return "does not end its request"
        return ""

    # --- output -----------------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write a line."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def fail(self, error: UnabridgedError, request: wire.RequestId = None) -> None:
        """Answer with an error and close."""
        self.send(wire.failure(request, error))
        if self._transport is not None:
            self._transport.close()

    def drop(self) -> None:
        """Close at once, unsent bytes and all."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Close once the unsent bytes are out."""
        if self._transport is not None:
            self._transport.close()
