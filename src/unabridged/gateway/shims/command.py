"""una window serve: windows for a host's own extension, asked for over standard input and output, until that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import uvloop

from unabridged.daemon import allocation, config, paths
from unabridged.daemon.config import Config
from unabridged.daemon.ending import Ending
from unabridged.daemon.link import Link
from unabridged.gateway.journal import Journal
from unabridged.gateway.shims.asked import LINE_BYTES
from unabridged.gateway.shims.serving import Serving

if TYPE_CHECKING:
    from unabridged.gateway.filing import Filing
    from unabridged.gateway.shims.hosted import Hosted

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
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(link, journal, settings, folder, ending))
    return 0


async def _serve(link: Link, journal: Journal, settings: Config, folder: str, ending: Ending) -> None:
    loop = asyncio.get_running_loop()
    making = loop.create_task(_made(link, journal, settings, folder))
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    end = await _input(loop, reader)
    try:
        with ending.telling(loop, lambda _: end()):  # as if the input had ended
            await Serving(_hosted(making), link, journal).serve(reader, _write(os.dup(sys.stdout.fileno())))
    finally:
        filing, _ = await making
        await filing.end(FILING_SECONDS)
        journal.close()


async def _input(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> Callable[[], object]:
    """Have standard input read; return what ends that."""
    if _can_be_waited_for(sys.stdin.fileno()):
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.connect_read_pipe(lambda: protocol, sys.stdin.buffer)
        return transport.close
    # A person tries it: a file is read to its end.
    reader.feed_data(await loop.run_in_executor(None, sys.stdin.buffer.read))
    reader.feed_eof()
    return lambda: None


async def _made(link: Link, journal: Journal, settings: Config, folder: str) -> tuple[Filing, Hosted]:
    """Return what hands items to the archive, and what makes windows. It is loaded beside what is answered already."""
    filing, hosted = await asyncio.to_thread(_loaded, link, journal, settings, folder)
    filing.wake()
    return filing, hosted


async def _hosted(making: asyncio.Task[tuple[Filing, Hosted]]) -> Hosted:
    return (await making)[1]


def _loaded(link: Link, journal: Journal, settings: Config, folder: str) -> tuple[Filing, Hosted]:
    from unabridged.gateway.composing import of_host  # noqa: PLC0415 - it takes as long to load as all else here
    from unabridged.gateway.shims.hosted import Hosted  # noqa: PLC0415 - likewise

    told = dict[str, int]()
    filing, windows = of_host(link, journal, settings, folder, told)
    return filing, Hosted(windows, told)


def _can_be_waited_for(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


def _write(descriptor: int) -> Callable[[bytes], None]:
    """Return what writes a line whole. The host reads as it comes: it waits for these lines."""

    def write(line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[os.write(descriptor, left) :]

    return write
