"""Whose connection it is that comes to a port at the loopback address, as the kernel tells it."""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
from pathlib import Path

TABLE = "/proc/net/tcp"
_LOCAL, _REMOTE, _OWNER = 1, 2, 7  # columns of a row

# sock_diag(7): ask for one socket by its two ends, which costs the same however many there are.
_DIAGNOSE, _OF_FAMILY, _REQUEST = 4, 20, 1
_HEAD = struct.Struct("=IHHII")  # length, type, flags, number, port
_ASKED = struct.Struct("=BBBxI")  # family, protocol, extensions, states
_ENDS = struct.Struct("!HH4s12x4s12x")  # ports and addresses, in the network's order
_TAIL = struct.Struct("=III")  # interface, cookie: any
_FAMILY_BYTES, _COUNTERS_BYTES = 4, 12  # of the answer before the ends, and between them and the user
_WAIT_SECONDS = 0.1  # it is answered at once, or not at all


def owner(client: tuple[str, int], port: int, table: str = TABLE) -> int | None:
    """Return the user id of who holds the other end of a connection to 127.0.0.1:`port`, None where it is not told."""
    if table == TABLE and sys.platform == "linux":
        with contextlib.suppress(OSError):  # it may not be asked: some sandboxes forbid it
            return _asked(client, ("127.0.0.1", port))
    return _read(client, port, table)


def _asked(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """Ask the kernel for the client's end; None where it does not know it. Raises `OSError`."""
    ends = _ENDS.pack(client[1], server[1], socket.inet_aton(client[0]), socket.inet_aton(server[0]))
    body = (
        _ASKED.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFFFFFF)
        + ends
        + _TAIL.pack(0, 0xFFFFFFFF, 0xFFFFFFFF)
    )
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _DIAGNOSE) as asking:
        asking.settimeout(_WAIT_SECONDS)
        asking.send(_HEAD.pack(_HEAD.size + len(body), _OF_FAMILY, _REQUEST, 1, 0) + body)
        answer = asking.recv(1 << 12)
    start = _HEAD.size + _FAMILY_BYTES
    at = start + _ENDS.size + _TAIL.size + _COUNTERS_BYTES
    if len(answer) < at + 4 or answer[start : start + _ENDS.size] != ends:
        return None
    return struct.unpack_from("=I", answer, at)[0]


def _read(client: tuple[str, int], port: int, table: str) -> int | None:
    """Read the kernel's table (proc(5)): a row a socket, addresses in hexadecimal, in the machine's byte order."""
    try:
        rows = Path(table).read_text(encoding="ascii").splitlines()[1:]
    except (OSError, UnicodeDecodeError):
        return None
    theirs, ours = _place(*client), _place("127.0.0.1", port)
    for row in rows:
        if theirs not in row:
            continue
        columns = row.split()
        if columns[_LOCAL] == theirs and columns[_REMOTE] == ours:
            return int(columns[_OWNER])
    return None


def _place(address: str, port: int) -> str:
    number = int.from_bytes(socket.inet_aton(address), sys.byteorder)
    return f"{number:08X}:{port:04X}"
