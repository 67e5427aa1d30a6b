"""A server of our kind at a port of its own, while one check speaks to it in bytes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from unabridged.daemon.loopback import Listener

PATIENCE = 30.0  # seconds that a check may take


def serve(app: Any, protocol: type[asyncio.Protocol], check: Callable[[int], Awaitable[None]]) -> None:
    """Run a check, which is given the port, against an application behind a protocol."""

    async def run() -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            app, http=protocol, lifespan="off", log_config=None, ws="none", timeout_graceful_shutdown=1
        )
        server = Listener(config)
        serving = asyncio.create_task(server.serve([listener]))
        try:
            async with asyncio.timeout(PATIENCE):
                await check(listener.getsockname()[1])
        finally:
            server.should_exit = True
            await serving

    asyncio.run(run())


async def all_of(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the connection ends, in whatever way."""
    found = b""
    try:
        while piece := await reader.read(1 << 16):
            found += piece
    except ConnectionError:
        pass
    return found
