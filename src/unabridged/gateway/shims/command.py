"""una window serve: windows for a host's own extension, asked for over standard input and output, until that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import uvloop

from unabridged.daemon import allocation, config, paths
from unabridged.daemon.ending import Ending
from unabridged.daemon.link import Link
from unabridged.gateway.composing import of_host
from unabridged.gateway.filing import Filing
from unabridged.gateway.journal import Journal
from unabridged.gateway.shims.asked import LINE_BYTES
from unabridged.gateway.shims.hosted import Hosted
from unabridged.gateway.shims.serving import Serving

FILING_SECONDS = 2.0  # for what is still to be archived when the host ends


class Arguments(Protocol):
    """What the command line gave."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""
        ...


def run(arguments: Arguments) -> int:
    """Serve until standard input ends, or this process is told to end."""
    ending = Ending((signal.SIGTERM, signal.SIGHUP))
    allocation.thrifty()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key pressed in the host's terminal is for the host
    folder = str(Path.cwd())
    settings = config.load(arguments.environ).for_folder(folder)
    journal = Journal(paths.layout(arguments.environ).logs, settings.text("daemon.log_level"))
    link = Link(settings.layout, folder, name="shim", starts=True, mourns=False)
    told = dict[str, int]()
    filing, windows = of_host(link, journal, settings, folder, told)
    serving = Serving(Hosted(windows, told), link, journal)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(serving, filing, journal, ending))
    return 0


async def _serve(serving: Serving, filing: Filing, journal: Journal, ending: Ending) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    filing.wake()
    try:
        with ending.telling(loop, lambda _: transport.close()):  # as if the input had ended
            await serving.serve(reader, _write(os.dup(sys.stdout.fileno())))
    finally:
        await filing.end(FILING_SECONDS)
        journal.close()


def _write(descriptor: int) -> Callable[[bytes], None]:
    """Return what writes a line whole. The host reads as it comes: it waits for these lines."""

    def write(line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[os.write(descriptor, left) :]

    return write
