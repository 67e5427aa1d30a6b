"""What does a host wait for at each of its events, with the daemon up, down and hung?"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import unabridged
from unabridged.bench import figures
from unabridged.bench.home import Home, environment
from unabridged.bench.library import built
from unabridged.bench.queries import queries
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.errors import DaemonUnavailable

WINDOWS = 2_000  # of the archive behind the daemon: hints on more are measured by `una bench hint`
HUNG = 5  # events behind the first one that finds the daemon hung
HOST = "claude-code"
HOOK = Path(unabridged.__file__).with_name("hook.py")
FLOOR = (sys.executable, "-I", "-S", "-c", "pass")
OURS = (sys.executable, "-I", "-S", "-E", str(HOOK), HOST)
HELD = b"x" * 10  # the breaker after so many starts that brought no daemon: none is started meanwhile

# What a tool's hook commonly is: a script that reads the event and keeps something of it.
RIVAL = """
import json, sqlite3, subprocess, sys, urllib.request
event = json.load(sys.stdin)
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE IF NOT EXISTS events (session TEXT, name TEXT)")
db.execute("INSERT INTO events VALUES (?, ?)", (event["session_id"], event["hook_event_name"]))
db.commit()
"""

NOTES = [
    "Whole processes, from their start to their end, as a host waits for them; all kinds in turns.",
    (
        "`floor` is `python3 -I -S -c pass`, and part of ours; the rival is a script that imports json, sqlite3, "
        "subprocess and urllib.request, and keeps the event in SQLite."
    ),
    (
        "`down`: the event is durable in the outbox when the process ends. `hung`: the daemon is there and does not "
        "answer; `first` waits for it, `later` ones are held back by the breaker."
    ),
]


def measure(setup: Setup) -> Result:
    """Run `size` hooks of each kind in each state."""
    with built(replace(setup, size=min(WINDOWS, max(setup.size, 100)))) as library:
        place = library.place
        script = place.work / "rival.py"
        script.write_text(RIVAL, encoding="utf-8")
        rival = (sys.executable, str(script), str(place.work / "rival.db"))
        asked = queries(library.writer, library.windows, setup.size + 1)
        running = _state(setup, place, rival, asked, "running")
        hung = _hung(setup, place)
        place.stop()
        down = _state(setup, place, rival, asked, "down")
        found = {"running": running, "down": down}
        ours = {
            state: {kind: figures.latencies(times[kind]) for kind in ("floor", "turn_end", "prompt")}
            for state, times in found.items()
        }
        theirs = {
            state: {kind: figures.latencies(times["rival"]) for kind in ("turn_end", "prompt")}
            for state, times in found.items()
        }
        ratio = {
            state: {kind: figures.faster(ours[state][kind], theirs[state][kind]) for kind in kinds}
            for state, kinds in theirs.items()
        }
        more = {"archive_windows": library.status["windows"], "hook_bytes": HOOK.stat().st_size}
        return Result({**ours, "hung": hung}, theirs, ratio, conditions(setup, library.writer, **more), NOTES)


def _state(
    setup: Setup, place: Home, rival: Sequence[str], asked: Sequence[str], state: str
) -> dict[str, list[float]]:
    """Run each kind of process in turns; the first of each is not counted."""
    setup.tell(f"starting hooks, daemon {state}")
    env = environment(place.data)
    times: dict[str, list[float]] = {"floor": [], "turn_end": [], "prompt": [], "rival": []}
    for number, query in enumerate(asked):
        if state == "down":
            _hold_starts(place)
        session = f"{number:08d}-{state}"
        end = event("Stop", session, place.work, last_assistant_message=query)
        prompt = event("UserPromptSubmit", session, place.work, prompt=f"What did we decide about {query}?")
        for kind, command, said in (
            ("floor", FLOOR, end),
            ("turn_end", OURS, end),
            ("prompt", OURS, prompt),
            ("rival", rival, prompt),
        ):
            taken = run(command, said, env)
            if number:
                times[kind].append(taken)
    return times


def _hung(setup: Setup, place: Home) -> dict[str, Any]:
    """Stop the daemon in its tracks; measure the event that finds it so, and those behind it."""
    setup.tell("starting hooks, daemon hung")
    env, said = environment(place.data), event("UserPromptSubmit", "hung", place.work, prompt="Anything?")
    os.kill(place.pid, signal.SIGSTOP)
    try:
        first = run(OURS, said, env)
        later = [run(OURS, said, env) for _ in range(HUNG)]
    finally:
        os.kill(place.pid, signal.SIGCONT)
    return {"first": figures.latencies([first]), "later": figures.latencies(later)}


def _hold_starts(place: Home) -> None:
    path = Path(place.layout.run) / "hook.starts"
    path.write_bytes(HELD)
    with suppress(FileNotFoundError):
        (Path(place.layout.run) / "hook.silence").unlink()


def event(name: str, session: str, folder: Path, **more: str) -> bytes:
    """Return an event as a host tells it."""
    said = {"session_id": session, "transcript_path": str(folder / f"{session}.jsonl"), "cwd": str(folder)}
    return json.dumps({**said, "hook_event_name": name, **more}).encode()


def run(command: Sequence[str], said: bytes, env: Mapping[str, str]) -> float:
    """Start a process, give it an event, read what it prints; return the seconds until it has ended."""
    given, giving = os.pipe()
    reading, written = os.pipe()
    os.set_blocking(giving, False)
    null = os.open(os.devnull, os.O_RDWR)
    started = time.perf_counter()
    try:
        child = os.posix_spawn(
            command[0],
            list(command),
            env,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, given, 0),
                (os.POSIX_SPAWN_DUP2, written, 1),
                (os.POSIX_SPAWN_DUP2, null, 2),
            ],
        )
    finally:
        for descriptor in (given, written, null):
            os.close(descriptor)
    with suppress(BrokenPipeError):  # the floor reads nothing
        os.write(giving, said)
    os.close(giving)
    while os.read(reading, 65_536):
        pass
    os.close(reading)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    seconds = time.perf_counter() - started
    if status:
        raise DaemonUnavailable("a process of the measurement failed", status=status)
    return seconds
