"""How much does a request cost before it does anything, and a whole search from the shell?"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unabridged.bench import figures, rival
from unabridged.bench.home import environment
from unabridged.bench.library import Library, built
from unabridged.bench.load import Load
from unabridged.bench.queries import fts_any, queries
from unabridged.bench.setup import Result, Setup, conditions
from unabridged.bench.transcripts import Transcripts
from unabridged.bench.wire import Connection, drive, frame, result
from unabridged.errors import DaemonUnavailable

WINDOWS = 2_000  # of the archive that is searched from the shell: what is measured is the way to it
SHELL_RUNS = 60  # at most; one for each hundred pings
ROUNDS = 4
LOAD_A_PING = 20_000  # bytes imported beside each ping that is measured under an import
LOAD_LEAST, LOAD_MOST = 16 << 20, 128 << 20
PING = frame("ping", {})

# What a person without us would type: a query of FTS5 from a script, with its ten best texts.
SCRIPT = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", (sys.argv[2],)).fetchall()
for (row,) in rows:
    print(row, db.execute("SELECT text FROM windows WHERE id = ?", (row,)).fetchone()[0][:200])
"""

DONT_COMPILE, COMPILED = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"

NOTES = [
    "The rival of `ping` is a bare asyncio server (uvloop) that answers JSON lines and does nothing else.",
    f"`shell`: the whole command from start to exit over {WINDOWS:,} windows; the rival is `python -c` with a query.",
    "Both commands run compiled, as what is installed does.",
]


def measure(setup: Setup) -> Result:
    """Measure `size` pings, idle and during an import, and whole searches from the shell."""
    found: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    with (
        built(replace(setup, size=min(WINDOWS, setup.size))) as library,
        rival.running(library.place.work) as other,
        library.place.connect() as us,
        other.connect() as them,
    ):
        setup.tell("pinging")
        drive([us], [PING] * 100, check=_well)
        drive([them], [PING] * 100, check=_well)
        ours, they = _pings(us, them, setup.size)
        found["ping"] = {"idle": figures.latencies(ours)}
        theirs["ping"] = {"idle": figures.latencies(they)}
        setup.tell("searching from the shell")
        found["shell"], theirs["shell"] = _shell(library, max(3, min(SHELL_RUNS, setup.size // 100)))
        setup.tell("pinging during an import")
        size = min(LOAD_MOST, max(LOAD_LEAST, setup.size * LOAD_A_PING))
        with Load(library.place, Transcripts(library.writer), size) as load:
            ours, they = _pings(us, them, setup.size, load)
        found["ping"]["during_import"] = figures.latencies(ours)
        theirs["ping"]["during_import"] = figures.latencies(they)
        ratio = {
            "ping": {
                when: figures.faster(found["ping"][when], theirs["ping"][when]) for when in found["ping"]
            },
            "shell": figures.faster(found["shell"], theirs["shell"]),
        }
        more = {"archive_windows": library.status["windows"]}
        return Result(found, theirs, ratio, conditions(setup, library.writer, **more), NOTES)


def _pings(
    us: Connection, them: Connection, count: int, load: Load | None = None
) -> tuple[list[float], list[float]]:
    ours, theirs = list[float](), list[float]()
    for _ in range(ROUNDS):
        for connection, times in ((us, ours), (them, theirs)):
            frames = [PING] * max(1, count // ROUNDS)
            times += drive([connection], frames, go_on=lambda: load is None or load.running)
            if load is not None and not load.running:
                return ours, theirs
    return ours, theirs


def _shell(library: Library, runs: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run whole commands, ours and the rival's in turns."""
    script = Path(sys.executable).parent / "una"
    una = [str(script)] if script.exists() else [sys.executable, "-m", "unabridged"]
    ours, theirs = list[float](), list[float]()
    env = compiled(environment(library.place.data), library.place.work / "compiled")
    for query in queries(library.writer, library.windows, runs + 1):
        ours.append(_run([*una, "search", "--scope", "all", "--", query], env))
        match = fts_any(query, stopwords=False)
        theirs.append(_run([sys.executable, "-c", SCRIPT, str(library.database), match], env))
    return figures.latencies(ours[1:]), figures.latencies(theirs[1:])  # the first ones compiled


def compiled(env: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return an environment in which Python compiles into a folder what it imports, whatever this one says.

    An installer compiles what it installs; from a checkout, where nothing may be written, each start would do so anew.
    """
    return {**{name: value for name, value in env.items() if name != DONT_COMPILE}, COMPILED: str(folder)}


def _run(command: Sequence[str], env: dict[str, str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip()[-200:]
        raise DaemonUnavailable("a command of the measurement failed", status=done.returncode, said=last)
    return seconds


def _well(line: bytes) -> None:
    result(line)
