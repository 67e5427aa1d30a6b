"""The process that speaks MCP: listens for pipes, serves each until it goes, ends when nobody came for a while."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from pathlib import Path

import anyio
import msgspec

from unabridged.daemon import safety
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.paths import Layout
from unabridged.daemon.peers import peer_of_descriptor
from unabridged.daemon.speaking import Orders, Standing
from unabridged.mcp import messages
from unabridged.mcp.conversation import alone
from unabridged.mcp.pipe import MAX_LINE, PREAMBLE

IDLE_SECONDS = 120.0  # without an agent, after which the process ends to give its memory back
HELLO_SECONDS = 5.0  # that a pipe may take to say who it is
BACKLOG = 32  # pipes that the kernel keeps until they are accepted
MOST = 256  # agents served at once
SILENT = logging.CRITICAL + 1  # for the SDK, whose messages repeat what was sent


class Hello(msgspec.Struct):
    """The first line of a pipe."""

    unabridged: int
    folder: str = ""
    nonce: str = ""


def work(sock: socket.socket) -> int:
    """Serve until the daemon closes the channel, or nobody came for a while."""
    logging.getLogger("mcp").setLevel(SILENT)
    channel = Channel(sock)
    try:
        orders = msgspec.msgpack.decode(channel.receive(), type=Orders)
    except ChannelClosed:
        return 0
    asyncio.run(Serving(channel, orders).run())
    return 0


class Serving:
    """All the conversations of one home."""

    def __init__(self, channel: Channel, orders: Orders) -> None:
        """Serve as the daemon at the other end of the channel orders."""
        self._channel = channel
        self._path = orders.socket
        self._layout = Layout(orders.data, orders.config, orders.state)
        self._tasks = set[asyncio.Task[None]]()
        self._ended = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Listen, tell the daemon so, serve."""
        server = await asyncio.start_unix_server(self._accept, sock=_listen(self._path), limit=MAX_LINE + 1)
        watching = asyncio.create_task(asyncio.to_thread(self._watch, asyncio.get_running_loop()))
        self._tell()
        await self._ended.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._channel.close()  # which ends the thread that watches it
        await watching

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait until the daemon closes the channel: nothing else comes over it any more."""
        try:
            while True:
                self._channel.receive()
        except ChannelClosed:
            loop.call_soon_threadsafe(self._ended.set)

    def _tell(self) -> None:
        """Tell the daemon how many agents there are; without any, end after a while."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if not self._tasks:
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._ended.set)
        try:
            self._channel.send(msgspec.msgpack.encode(Standing(len(self._tasks))))
        except ChannelClosed:
            self._ended.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._tasks) >= MOST or peer_of_descriptor(_descriptor(writer))[0] != os.geteuid():
            writer.close()
            return
        self._tasks.add(task)
        self._tell()
        try:
            await self._converse(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # the pipe broke, or the daemon ends us: either way this conversation is over here
        finally:
            writer.close()
            self._tasks.discard(task)
            self._tell()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = await _hello(reader)
        if hello is None:
            return
        conversation = alone(self._layout, hello.folder, hello.nonce)
        server = conversation.server()
        inbox, requests = anyio.create_memory_object_stream[messages.SessionMessage | Exception](0)
        replies, outbox = anyio.create_memory_object_stream[messages.SessionMessage](0)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(messages.read, reader, inbox)
                group.start_soon(messages.write, writer, outbox)
                await server.run(requests, replies, server.create_initialization_options())
                group.cancel_scope.cancel()
        finally:
            conversation.close()


def _listen(path: str) -> socket.socket:
    """Return a listening socket at `path`, in place of a stale one; nobody sees it before it has mode 0600."""
    safety.private_folder(str(Path(path).parent), create=True)
    temporary = f"{path}.{os.getpid()}"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(temporary)
    finally:
        os.umask(mask)
    listener.listen(BACKLOG)
    listener.setblocking(False)
    Path(temporary).replace(path)
    return listener


def _descriptor(writer: asyncio.StreamWriter) -> int:
    return int(writer.get_extra_info("socket").fileno())


async def _hello(reader: asyncio.StreamReader) -> Hello | None:
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            hello = msgspec.json.decode(await reader.readline(), type=Hello)
    except (TimeoutError, ValueError):
        return None
    return hello if hello.unabridged == PREAMBLE else None
