"""Makes the recordings of Claude Code and Pi anew: real clients, a scripted provider, a folder that is thrown away.

usage: UNABRIDGED_TEST_CLIENTS=FOLDER python -m tests.hosts.record claude_code|pi TARGET

The recordings' names are session ids, so new ones have new names: the tests that name them have to follow.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

from tests.hosts.sanitise import sanitise
from tests.support import provider_anthropic
from tests.support.client_claude import ClaudeCode
from tests.support.client_pi import Pi
from tests.support.provider import Call, Provider, Reply, Rule

NOTES = "The port is 8471.\nThe parser lives in parse.py.\n"
MODULE = "PORT = 8471\n\n\ndef port() -> int:\n    return PORT\n"
SUMMARY = "SUMMARY-ZMARK: the port is 8471, the parser is done."
LONG = "alpha beta gamma delta epsilon zeta eta theta iota kappa " * 1500
EXTENSION = """export default function (pi) {
  let once = false;
  pi.on("before_agent_start", async () => {
    if (once) return;
    once = true;
    return { message: { customType: "memo", content: "EXTENSION-ZMARK: a recalled note", display: true } };
  });
}
"""


def picture() -> bytes:
    """A PNG of eight by eight points."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([40 * row % 256, 99, 7]) * 8 for row in range(8))
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def furnish(project: Path, instructions: str) -> None:
    """The files of the demo project."""
    (project / "notes.txt").write_text(NOTES)
    (project / "dot.png").write_bytes(picture())
    (project / instructions).write_text("# Demo project ZMARK\n\nAnswer in one sentence.\n")


def call(tool: str, **arguments: Any) -> Call:
    return Call(tool, arguments)


def claude_code(work: Path, target: Path) -> None:
    """Three prompts with tools, a subagent, a command, a fork, a compaction, a prompt after it."""
    rules = [
        Rule("CRITICAL: Respond with TEXT ONLY", Reply(f"<summary>{SUMMARY}</summary>")),
        Rule("SIDE-TASK", Reply("SUBAGENT-ZMARK: three files use the parser."), times=1, whole=True),
    ]
    with Provider([provider_anthropic], rules=rules) as provider:
        client = ClaudeCode(work, provider.url)
        furnish(client.project, "CLAUDE.md")
        commands = client.project / ".claude" / "commands"
        commands.mkdir(parents=True)
        (commands / "review.md").write_text("Review the file ZMARK: $ARGUMENTS\n")
        reads = [call("Read", file_path=str(client.project / name)) for name in ("notes.txt", "dot.png")]
        shell = call("Bash", command="printf 'a\\nb\\n' | wc -l; exit 3", description="Count")
        provider.then(
            Reply(
                "I read the notes and the picture.",
                [*reads, shell],
                thinking="The notes should say which port it is.",
            ),
            Reply("The port is 8471."),
        )
        client.say("Which port does the server use?")
        provider.then(
            Reply(
                "I write it down.", [call("Write", file_path=str(client.project / "port.py"), content=MODULE)]
            ),
            Reply(
                "Now I search my memory.",
                [call("Bash", command="una search 'which port'", description="Search the archive")],
            ),
            Reply("port.py holds it; naïve 数据库 🙂."),
        )
        client.say("Put the port into port.py", "-c")
        agent = call(
            "Agent",
            description="Look around",
            prompt="SIDE-TASK: which files use the parser?",
            subagent_type="general-purpose",
            run_in_background=False,
        )
        provider.then(Reply("An agent looks.", [agent]), Reply("Three files use it."))
        client.say("Let an agent find who uses the parser", "-c")
        provider.then(Reply("It looks fine."))
        client.say("/review port.py", "-c")
        session = client.transcripts()[-1].stem
        provider.then(Reply("The fork goes its own way."))
        client.say("Now in a fork: and the host name?", "--resume", session, "--fork-session")
        client.say("/compact keep the port", "--resume", session)
        provider.then(Reply("After the compaction: 8471."))
        client.say("What was the port again?", "--resume", session)
        keep(next(client.sessions.iterdir()), work, target)


def pi(work: Path, target: Path) -> None:
    """Two prompts with tools, a name, a fork, an overflow with its compaction."""
    overflow = (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
    with Provider([provider_anthropic], side=Reply(f"## Goal\n{SUMMARY}")) as provider:
        client = Pi(work, provider.url, context=40_000)
        furnish(client.project, "AGENTS.md")
        extension = work / "memo.ts"
        extension.write_text(EXTENSION)
        calls = [call("read", path=name) for name in ("notes.txt", "dot.png")]
        calls.append(call("bash", command="echo out; exit 3"))
        provider.then(
            Reply("I read the notes and the picture.", calls, thinking="The notes should say which port."),
            Reply("The port is 8471."),
        )
        client.say("Which port does the server use?", "-e", str(extension))
        calls = [
            call("write", path="port.py", content=MODULE),
            call("bash", command="una search 'which port'"),
        ]
        provider.then(Reply("I write it down.", calls), Reply("port.py holds it; naïve 数据库 🙂."))
        client.say("Put the port into port.py", "-c", "--name", "Port of the demo server")
        main = str(client.transcripts()[-1])
        provider.then(Reply("The fork goes its own way."))
        client.say("Now in a fork: and the host name?", "--fork", main)
        provider.then(Reply("Long read."), Reply(error=overflow), Reply("After the compaction: 8471."))
        client.say(f"A long text ZMARK: {LONG}", "--session", main)
        client.say("What was the port again?", "--session", main)
        keep(next(client.sessions.iterdir()), work, target)


def keep(folder: Path, work: Path, target: Path) -> None:
    """Copy what a client left, made fit to be kept."""
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        copy = target / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            data = sanitise(data, work).replace(LONG.encode(), LONG[:570].encode())
        copy.write_bytes(data)


def main(host: str, target: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        {"claude_code": claude_code, "pi": pi}[host](Path(work), Path(target))


if __name__ == "__main__":
    main(*sys.argv[1:])
