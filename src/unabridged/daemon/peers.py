"""Who is at the other end of a Unix socket, as the kernel says it."""

from __future__ import annotations

import os
import socket
import struct
import sys

_LINUX = struct.Struct("3i")  # pid, uid, gid
_DARWIN_LEVEL, _DARWIN_PEERCRED, _DARWIN_PEERPID = 0, 1, 2
_DARWIN = struct.Struct("2ih16i")  # version, uid, number of groups, groups


def peer(sock: socket.socket) -> tuple[int, int]:
    """Return (uid, pid) of the process at the other end; pid is 0 where the system does not tell."""
    if sys.platform == "darwin":
        data = sock.getsockopt(_DARWIN_LEVEL, _DARWIN_PEERCRED, _DARWIN.size)
        pid = sock.getsockopt(_DARWIN_LEVEL, _DARWIN_PEERPID)
        return _DARWIN.unpack(data)[1], pid
    pid, uid, _ = _LINUX.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size))
    return uid, pid


def peer_of_descriptor(descriptor: int) -> tuple[int, int]:
    """Return (uid, pid) at the other end of a socket that somebody else owns."""
    copy = socket.socket(fileno=os.dup(descriptor))
    try:
        return peer(copy)
    finally:
        copy.close()
