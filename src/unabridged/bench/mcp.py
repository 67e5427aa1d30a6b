"""How soon does an agent that starts `una mcp` have its first answers?"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.bench import figures, home
from unabridged.bench.home import Home, environment
from unabridged.bench.rpc import compiled
from unabridged.bench.setup import Result, Setup, conditions, passages
from unabridged.daemon import client, starting
from unabridged.errors import DaemonUnavailable, UnabridgedError

ANSWER_SECONDS = 120.0  # that an answer may take
END_SECONDS = 30.0  # that a daemon which a pipe has started gets to end
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
RUNNING, DOWN = "running", "down"

# A server that has no tool at all, as the protocol's own SDK makes one.
RIVAL = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def main():
    server = Server("rival")
    async with stdio_server() as (source, target):
        await server.run(source, target, server.create_initialization_options())
anyio.run(main)
"""

NOTES = [
    "From the start of the process to the answer of `initialize`; `first_call`: to that of the first call of a tool.",
    "The rival is a server without tools on standard input and output, by the protocol's own Python SDK.",
    "`running`: beside a daemon that runs; `down`: on a home where none does, which is started meanwhile.",
]


def measure(setup: Setup) -> Result:
    """Start `size` pipes and as many rivals in turns, with the daemon running and without one."""
    times: dict[str, dict[str, list[float]]] = {
        way: {"initialize": [], "first_call": []} for way in (RUNNING, DOWN)
    }
    theirs = list[float]()
    script = Path(sys.executable).parent / "una"
    una = [str(script), "mcp"] if script.exists() else [sys.executable, "-m", "unabridged", "mcp"]
    with home.temporary(setup.keep) as place:
        env = compiled(environment(place.data), place.work / "compiled")
        setup.tell("starting pipes beside a daemon")
        place.start()
        for number in range(setup.size + 1):
            ours = _opened(una, env, place.work, call=True)
            they = _opened([sys.executable, "-c", RIVAL], env, place.work, call=False)
            if number:  # the first ones compiled
                _add(times[RUNNING], ours)
                theirs.append(they[0])
        place.stop()
        setup.tell("starting pipes where no daemon runs")
        for _ in range(setup.size):
            try:
                _add(times[DOWN], _opened(una, env, place.work, call=True))
            finally:
                _end(place)
    found = {
        way: {name: figures.latencies(seconds) for name, seconds in kinds.items()}
        for way, kinds in times.items()
    }
    other = figures.latencies(theirs)  # it has no daemon that could run or not
    rival = {way: {"initialize": other} for way in found}
    ratio = {way: {"initialize": figures.faster(found[way]["initialize"], other)} for way in found}
    return Result(found, rival, ratio, conditions(setup, passages(setup)), NOTES)


def _add(times: dict[str, list[float]], seconds: Sequence[float]) -> None:
    for name, value in zip(times, seconds, strict=True):
        times[name].append(value)


def _opened(command: Sequence[str], env: dict[str, str], folder: Path, *, call: bool) -> list[float]:
    """Start a server, open a conversation and end it; return the seconds until each answer."""
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=env,
        bufsize=0,
    ) as process:
        try:
            _say(process, {"id": 1, "method": "initialize", "params": OPENING})
            _hear(process)
            found = [time.perf_counter() - started]
            _say(process, {"method": "notifications/initialized"})
            if call:
                _say(
                    process, {"id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
                )
                _hear(process)
                found.append(time.perf_counter() - started)
        except BaseException:
            process.kill()
            raise
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    return found


def _say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def _hear(process: subprocess.Popen[bytes]) -> None:
    """Read one answer that is no error."""
    assert process.stdout is not None
    ready = select.select([process.stdout], [], [], ANSWER_SECONDS)[0]
    line = process.stdout.readline() if ready else b""
    if not line or "result" not in json.loads(line):
        raise DaemonUnavailable(
            "a server of the measurement did not answer", said=line[:200].decode(errors="replace")
        )


def _end(place: Home) -> None:
    """End the daemon that a pipe has started."""
    try:
        with client.Client(place.layout, start=False) as daemon:
            daemon.call("shutdown")
    except UnabridgedError:
        return  # none came to be
    if not starting.await_end(place.layout, END_SECONDS):
        raise DaemonUnavailable("the daemon of the measurement does not end")
