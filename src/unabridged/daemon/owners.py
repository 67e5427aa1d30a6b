"""Whose connection it is that comes to a port at the loopback address, as the kernel tells it."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

TABLE = "/proc/net/tcp"
_LOCAL, _REMOTE, _OWNER = 1, 2, 7  # columns of a row


def owner(client: tuple[str, int], port: int, table: str = TABLE) -> int | None:
    """Return the user id of who holds the other end of a connection to 127.0.0.1:`port`, None where it is not told.

    The table is of the kernel (proc(5)): a row a socket, addresses in hexadecimal, in the machine's byte order.
    """
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
