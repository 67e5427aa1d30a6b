"""The gateway's server: its process from the first connection to the last."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys

import uvicorn

from unabridged.daemon.ending import Ending
from unabridged.daemon.loopback import Listener
from unabridged.gateway.filing import Filing
from unabridged.gateway.journal import Journal
from unabridged.gateway.protocol import OwnProtocol
from unabridged.gateway.service import Service

KEEP_SECONDS = 75  # that a connection stays open between two requests
FILING_SECONDS = 5.0  # that what waits for the archive gets then
END_SECONDS = 5  # that answers on their way get when this process is told to end
# Objects allocated before the collector looks at the youngest ones: a request is read into thousands of values that
# hold no cycles.
COLLECT_AFTER = 50_000
SILENT = logging.CRITICAL + 1  # for libraries, whose messages repeat what was sent
LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "httpx2", "httpcore2", "asyncio")


def server(service: Service, ending: Ending | None = None) -> Listener:
    """Return what serves an application at a listening socket, until told by `ending` to end."""
    config = uvicorn.Config(
        service,
        http=OwnProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_SECONDS,
        timeout_graceful_shutdown=END_SECONDS,
    )
    return Listener(config, ending)


async def serve(
    listener: socket.socket,
    service: Service,
    filing: Filing,
    journal: Journal,
    ending: Ending,
    *,
    until_input_ends: bool,
) -> None:
    """Answer at a listening socket until told to end, or until standard input ends where that is wanted."""
    for name in LIBRARIES:
        logging.getLogger(name).setLevel(SILENT)
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)
    made = server(service, ending)
    if until_input_ends:
        _end_with_input(made)
    filing.wake()
    try:
        await made.serve([listener])
    finally:
        await service.close()
        await filing.end(FILING_SECONDS)
        journal.write("ended")


def _end_with_input(server: uvicorn.Server) -> None:
    """Have the server end when nobody holds the other end of standard input any more."""
    loop, descriptor = asyncio.get_running_loop(), sys.stdin.fileno()

    def heard() -> None:
        if not os.read(descriptor, 1 << 12):
            loop.remove_reader(descriptor)
            server.should_exit = True

    loop.add_reader(descriptor, heard)
