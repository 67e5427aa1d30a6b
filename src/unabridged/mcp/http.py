"""una mcp --http: the protocol over HTTP at the loopback address, until this process is told to end.

It is a process of its own, so that whoever started it ends it. What it serves from is the daemon, which it starts when
an agent asks and none runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import uvloop

from unabridged.daemon import loopback, paths, portfile
from unabridged.daemon.ending import Ending
from unabridged.mcp.guard import Door
from unabridged.mcp.listening import serve

TOKEN_BYTES = 32  # of randomness


class Arguments(Protocol):
    """What the command line gave."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""
        ...

    def flag(self, name: str) -> bool:
        """Tell whether a flag was given."""
        ...

    def text(self, name: str, default: str = "") -> str:
        """Return an option's text."""
        ...

    def number(self, name: str, default: int = 0) -> int:
        """Return an option's number."""
        ...


def run(arguments: Arguments) -> int:
    """Serve until told to end (`daemon.ending`); raise `InvalidInput` for a port that cannot be had."""
    ending = Ending()
    listener = loopback.listen(arguments.number("port"))
    door = Door(listener.getsockname()[1], secrets.token_urlsafe(TOKEN_BYTES))
    file = arguments.text("port-file")
    layout, folder = paths.layout(arguments.environ), str(Path.cwd())
    try:
        if file:
            portfile.write(file, door.whole_url)
        _tell(door, as_json=arguments.flag("json"))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(layout, folder, listener, door, ending))
    finally:
        if file:
            portfile.remove(file, door.whole_url)
    return 0


def _tell(door: Door, *, as_json: bool) -> None:
    """Say where the protocol is spoken, to whoever started this."""
    if as_json:
        facts = {"url": door.url, "token": door.token, "url_with_token": door.whole_url, "pid": os.getpid()}
        text = json.dumps(facts)
    else:
        text = f"{door.url}\nAuthorization: Bearer {door.token}"
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
