"""However a host and all that runs for it or for the daemon is killed, nothing of ours outlives its purpose.

`UNABRIDGED_TEST_KILLS` sets how many are killed (50 unless told otherwise). Processes are counted, not their memory:
what was left behind and paged out weighs nothing and is there all the same.
"""

# https://github.com/thedotmack/claude-mem/issues/3301, /3413 and /2184: helpers outlive a killed worker, for days.

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.daemon.living import SESSION, Home, alive, kill, transcript, until
from tests.support.hooking import HOOK, surroundings
from unabridged.daemon import lock

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_800)]

KILLS = int(os.environ.get("UNABRIDGED_TEST_KILLS", "50"))
IDLE = 2.0  # seconds after which a daemon that nobody needs ends
KINDS = {
    "host": "host stand-in",
    "hook": "hook.py",
    "starter": "unabridged.app.starter",
    "mcp": "unabridged mcp",
    "run": "unabridged run",
    "gateway": "unabridged gateway",
    "extension": "unabridged window serve",
    "worker": "unabridged.app.worker",
    "daemon": "unabridged.app.daemon",
}

# A host: keeps a server, what its extension asks, an agent behind a gateway; has its transcript grow, runs hooks. It
# takes no care of anything at its end.
HOST = """
import json, subprocess, sys  # host stand-in
hook, path, session = sys.argv[1:4]

def keep(*words):
    words = [sys.executable, "-m", "unabridged", *words]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

server, extension, agent = keep("mcp"), keep("window", "serve"), keep("run", "--", "cat")
extension.stdin.write(json.dumps({"id": 1, "op": "event", "host": "pi", "session": session}).encode() + b"\\n")
extension.stdin.flush()
server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion":
    "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}).encode() + b"\\n")
server.stdin.flush()
number = 0
while True:
    number += 1
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd"):
        said = {"session_id": session, "transcript_path": path, "cwd": "/", "hook_event_name": name, "prompt": "word1"}
        subprocess.run([sys.executable, "-I", "-S", "-E", hook, "claude-code"], input=json.dumps(said).encode(),
            stdout=subprocess.DEVNULL)
    with open(path, "a") as file:
        row = {"type": "user", "uuid": f"{number}", "sessionId": session, "cwd": "/nowhere", "message":
            {"role": "user", "content": "more" * 500}}
        file.write(json.dumps(row) + "\\n")
"""


def census(home: Path) -> dict[int, str]:
    """Return the processes that were started for a home, and what each of them is."""
    found: dict[int, str] = {}
    mark = os.fsencode(home)
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            ours = mark in (entry / "environ").read_bytes() or mark in (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        if ours and alive(int(entry.name)):
            found[int(entry.name)] = next((kind for kind, part in KINDS.items() if part in line), line)
    return found


def test_after_kills_at_random_the_count_of_our_processes_returns_to_zero(tmp_path: Path) -> None:
    rng = random.Random(11)
    home = Home(tmp_path / "h")
    home.configure(disk={"free_bytes": 0}, daemon={"idle_seconds": IDLE})
    path = transcript(tmp_path / f"{SESSION}.jsonl", SESSION, 50, filler=50)
    killed, hosts = Counter[str](), list[subprocess.Popen[bytes]]()
    try:
        while sum(killed.values()) < KILLS:
            if not hosts or hosts[-1].poll() is not None:
                line = [sys.executable, "-c", HOST, str(HOOK), str(path), SESSION]
                hosts.append(subprocess.Popen(line, env=surroundings(home.folder), start_new_session=True))
            # The breaker holds starts back after a kill; a user who is that unlucky waits, a test does not.
            (home.folder / "run" / "hook.starts").unlink(missing_ok=True)
            time.sleep(rng.uniform(0.0, 2.0))  # so that now and then all that starts is there
            there = census(home.folder)
            kinds = sorted(set(there.values()) & set(KINDS))
            if not kinds:
                continue
            kind = min(
                kinds, key=lambda name: (killed[name], rng.random())
            )  # those that are rare come to their turn
            kill(rng.choice([pid for pid, what in there.items() if what == kind]))
            killed[kind] += 1
    finally:
        for host in hosts:
            host.kill()
            host.wait()
    always = set(KINDS) - {"starter"}  # which is there for a moment only
    assert always <= set(killed), killed
    until(lambda: census(home.folder) == {}, f"left behind: {census(home.folder)}, killed: {killed}")
    assert not lock.held(home.layout.lock)
    client = home.connect()
    until(lambda: list(Path(home.layout.outbox).glob("*.json")) == [])
    assert client.call("verify", {"deep": True}, timeout=300)["violations"] == []
    home.end()
    until(lambda: census(home.folder) == {})
