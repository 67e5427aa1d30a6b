"""A model provider of a measurement, in a process of its own: streams events that say when they were sent.

`python -m unabridged.bench.provider` writes its port and serves until its input ends. Headers of a request say how many
events its answer has (`x-bench-events`) and how many milliseconds lie between two (`x-bench-gap`).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

TEXT = "a few words of an answer "
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
MARK = b'"sent":'  # before a time in nanoseconds of the clock that all processes of a machine share
MOST_LINE = 1 << 16


def event(kind: str, **fields: object) -> bytes:
    """Return one event."""
    data = json.dumps({"type": kind, **fields}, separators=(",", ":"))
    return f"event: {kind}\ndata: {data}\n\n".encode()


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
            said = {name: value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            length = int(said.get("content-length", "0"))
            await reader.readexactly(length)
            events = int(said.get("x-bench-events", "1"))
            await _stream(writer, length, events, int(said.get("x-bench-gap", "0")) / 1_000)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _stream(writer: asyncio.StreamWriter, length: int, events: int, gap: float) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": length // 4, "output_tokens": 1}
    message: dict[str, object] = {
        "id": f"msg_{time.monotonic_ns()}",
        "type": "message",
        "role": "assistant",
        "content": list[object](),
    }
    text = {"type": "text", "text": ""}
    writer.write(
        HEAD + _chunk(event("message_start", message={**message, "model": "a-model", "usage": usage}))
    )
    writer.write(_chunk(event("content_block_start", index=0, content_block=text)))
    for _ in range(events):
        delta = {"type": "text_delta", "text": TEXT}
        writer.write(_chunk(event("content_block_delta", index=0, delta=delta, sent=time.monotonic_ns())))
        await writer.drain()
        if gap:
            await asyncio.sleep(gap)
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    writer.write(_chunk(event("content_block_stop", index=0)))
    writer.write(_chunk(event("message_delta", delta=end, usage={"output_tokens": events})))
    writer.write(_chunk(event("message_stop")) + b"0\r\n\r\n")
    await writer.drain()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, limit=MOST_LINE, backlog=512)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
