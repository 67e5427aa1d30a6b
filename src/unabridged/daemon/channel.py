"""Messages between the daemon and its workers: 4 bytes of length, then MessagePack, over a socket pair."""

from __future__ import annotations

import selectors
import socket
import struct

from unabridged.errors import ProtocolError

MAX_MESSAGE = 512 << 20  # bytes; the text of one very long line as chunks is the largest that is sent
_LENGTH = struct.Struct(">I")
_JOINED = 64 << 10  # bytes up to which a message is copied behind its length to save a second call


class ChannelClosed(Exception):
    """The other process has gone."""


class Channel:
    """One end. `send` and `receive` block; each may be used by one thread at a time."""

    def __init__(self, sock: socket.socket) -> None:
        """Own a connected socket."""
        self._socket = sock
        self._socket.setblocking(True)

    def send(self, data: bytes) -> None:
        """Send a message; raise `ChannelClosed` when nobody takes it."""
        head = _LENGTH.pack(len(data))
        try:
            if len(data) <= _JOINED:
                self._socket.sendall(head + data)
            else:
                self._socket.sendall(head)
                self._socket.sendall(data)
        except OSError as error:
            raise ChannelClosed from error

    def receive(self) -> bytearray:
        """Return the next message; raise `ChannelClosed` at the end."""
        size = _LENGTH.unpack(self._exactly(_LENGTH.size))[0]
        if size > MAX_MESSAGE:
            raise ProtocolError("a worker's message is too large", limit=MAX_MESSAGE, size=size)
        return self._exactly(size)

    def ready(self, seconds: float) -> bool:
        """Tell whether something (a message, or the end) can be received within so many seconds."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_READ)
                return bool(selector.select(max(0.0, seconds)))
        except (OSError, ValueError, KeyError):  # it was closed from this side meanwhile
            return True

    def close(self) -> None:
        """Close this end; the other one sees the end of the stream."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was closed from the other side already
        self._socket.close()

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view, at = memoryview(data), 0
        while at < size:
            try:
                count = self._socket.recv_into(view[at:])
            except OSError as error:
                raise ChannelClosed from error
            if not count:
                raise ChannelClosed
            at += count
        return data
