"""The SDK's own server over HTTP, behind the gate."""

from __future__ import annotations

import logging
import socket

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from unabridged.daemon.ending import Ending
from unabridged.daemon.loopback import BoundedProtocol, Listener
from unabridged.daemon.paths import Layout
from unabridged.mcp.gate import MAX_BODY, Gate
from unabridged.mcp.guard import Door
from unabridged.mcp.journal import Journal
from unabridged.mcp.visitors import MOST, Visitors

HEAD_BYTES = 32 << 10  # of a request's head
KEEP_SECONDS = 30  # that a connection stays open between two requests
REST_SECONDS = 15 * 60.0  # without a request, after which a session is forgotten
END_SECONDS = 1  # that what is being answered gets when this process is told to end
SILENT = logging.CRITICAL + 1  # for libraries, whose messages repeat what was sent
LIBRARIES = ("mcp", "uvicorn", "uvicorn.error", "uvicorn.access", "sse_starlette", "asyncio")


async def serve(layout: Layout, folder: str, listener: socket.socket, door: Door, ending: Ending) -> None:
    """Answer who comes through `door` at a listening socket, until told to end.

    Who does not say where he works counts as working in `folder`.
    """
    for name in LIBRARIES:
        logging.getLogger(name).setLevel(SILENT)
    visitors, journal = Visitors(layout, folder), Journal()
    manager = StreamableHTTPSessionManager(
        visitors.server(),
        session_idle_timeout=REST_SECONDS,
        max_sessions=MOST,
        max_request_body_size=MAX_BODY,
    )
    config = uvicorn.Config(
        Gate(manager.handle_request, door, journal.refused),
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=KEEP_SECONDS,
        timeout_graceful_shutdown=END_SECONDS,
    )
    journal.write("listening", port=door.port)
    try:
        async with manager.run():
            await Listener(config, ending).serve([listener])
    finally:
        visitors.close()
        journal.write("ended")
