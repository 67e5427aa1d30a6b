"""una gateway: stands between agents and their providers until this process is told to end."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import uvloop

from unabridged.daemon import allocation, config, loopback, paths, portfile
from unabridged.daemon.ending import Ending
from unabridged.daemon.link import Link
from unabridged.gateway import handed
from unabridged.gateway.composing import composed, whose
from unabridged.gateway.door import Door
from unabridged.gateway.journal import Journal
from unabridged.gateway.listening import serve
from unabridged.gateway.service import Service
from unabridged.gateway.upstreams import Upstreams, named


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

    def list(self, name: str) -> list[str]:
        """Return the values of an option that may be given several times."""
        ...


def run(arguments: Arguments) -> int:
    """Serve until told to end (`daemon.ending`); raise `InvalidInput` for a port or an upstream that cannot be had."""
    ending = Ending()
    allocation.thrifty()
    settings = config.load(arguments.environ).for_folder(str(Path.cwd()))
    given = handed.given(arguments.environ)
    paths.forget(handed.VARIABLE)  # it is for nobody whom this process starts
    flags = [*(given.upstreams if given else ()), *arguments.list("upstream")]
    upstreams = Upstreams({**settings.values["gateway.upstreams"], **named(flags)})
    listener = given.listener if given else loopback.listen(arguments.number("port"))
    token = given.token if given else handed.new_token()
    door = Door(listener.getsockname()[1], token)
    journal = Journal(paths.layout(arguments.environ).logs, settings.text("daemon.log_level"))
    file = arguments.text("port-file")
    link = Link(settings.layout, str(Path.cwd()), name="gateway", starts=True, mourns=False)
    who = whose(arguments.text("host"), token)
    filing, windows = composed(link, journal, settings, str(Path.cwd()), who)
    service = Service(door, upstreams, windows, journal, settings.number("gateway.body_bytes"))
    journal.write("listening", port=door.port)
    try:
        if file:
            portfile.write(file, door.url)
        _tell(door, journal.unlogged, as_json=arguments.flag("json"))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            ends = arguments.flag("until-input-ends")
            runner.run(serve(listener, service, filing, journal, ending, until_input_ends=ends))
    finally:
        if file:
            portfile.remove(file, door.url)
    return 0


def _tell(door: Door, unlogged: str, *, as_json: bool) -> None:
    """Say where the gateway is, and what it goes without, to whoever started this."""
    facts = {"url": door.url, "openai_url": f"{door.url}/v1", "port": door.port, "pid": os.getpid()}
    if unlogged:
        facts["fault"] = unlogged
        sys.stderr.write(unlogged + "\n")
    text = json.dumps(facts) if as_json else f"ANTHROPIC_BASE_URL={door.url}\nOPENAI_BASE_URL={door.url}/v1"
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
