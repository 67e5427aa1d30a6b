"""Requests to a gateway, one at a time or many at once, and how late each event of their answers comes."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from unabridged.bench.provider import MARK

_SENT = re.compile(re.escape(MARK) + rb"(\d+)")
END = b"\r\n0\r\n\r\n"
PATIENCE = 300.0  # seconds that one answer may take
MOST_LINE = 1 << 20


class Heard:
    """What one answer came to, in seconds: from the request to its first event, and how late each event came."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.first = 0.0
        self.late = list[float]()


async def ask(url: str, body: bytes, session: str, events: int, gap: int) -> Heard:
    """Send a request to an address and read its answer to the end."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=MOST_LINE)
    head = (
        f"POST {parts.path}/v1/messages HTTP/1.1\r\nhost: {parts.hostname}:{parts.port}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\nx-session-id: {session}\r\n"
        f"x-bench-events: {events}\r\nx-bench-gap: {gap}\r\nconnection: close\r\n\r\n"
    )
    try:
        async with asyncio.timeout(PATIENCE):
            return await _heard(reader, writer, head.encode() + body)
    finally:
        writer.close()


async def _heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> Heard:
    heard, began, held = Heard(), time.monotonic_ns(), b""
    writer.write(sent)
    await writer.drain()
    while data := await reader.read(1 << 16):
        now = time.monotonic_ns()
        held += data
        whole, mark, rest = held.rpartition(b"\n\n")
        for found in _SENT.finditer(whole if mark else b""):
            heard.first = heard.first or (now - began) / 1e9
            heard.late.append((now - int(found[1])) / 1e9)
        held = rest if mark else held
        if held.endswith(END) or held == END[2:]:
            break
    if not heard.late:
        raise AssertionError(f"no answer: {held[:200]!r}")
    return heard


async def together(
    url: str, bodies: Sequence[bytes], name: str, events: int, gap: int, over: float
) -> list[Heard]:
    """Send requests of conversations of their own, begun over so many seconds, all streaming at once."""

    async def one(number: int, body: bytes) -> Heard:
        await asyncio.sleep(over * number / len(bodies))
        return await ask(url, body, f"{name}-{number}", events, gap)

    return await asyncio.gather(*(one(number, body) for number, body in enumerate(bodies)))
