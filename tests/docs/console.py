"""Runs the commands of a page's ```console blocks as a person would see them, and compares what they print.

In a block, a line that begins with `$ ` is a command (a following `> ` goes on with it), every other line is what it
prints. `…` stands for anything within a line; a line that is `…` alone stands for any number of lines. A command may
end in `# exit N` when it is meant to fail.

    python -m tests.docs.console PAGE…     rewrites the output in pages with what the commands print now

Output that still matches stays as it is; rewritten output is plain: put `…` where it is different each time.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "src" / "unabridged" / "samples"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\s+# exit (\d+)$")
COLUMNS = 96
SECONDS = 60  # that one command may take

# What a handle, a cursor or a time is changes with the order of an import, with the key of an archive, with the clock.
MASKS = (
    (re.compile(r"\bw[0-9a-z]{10,19}\b"), "HANDLE"),
    (re.compile(r"\buna1_[\w-]+"), "LOCATOR"),
    (re.compile(r"--cursor [0-9a-f]{8,}"), "--cursor CURSOR"),
    (re.compile(r"\b[\d.]+ (ms|s)\b"), "TIME"),
    (re.compile(r"\bprocess \d+"), "process PID"),
)
PAGING = "next: the same with --cursor"
# Seconds since 1970 that the samples count as written at: long ago, so that their last turns are closed.
WRITTEN = 1_794_000_000

# Where each host keeps its sessions below the home folder, and what of the samples goes there.
PLACES = {
    "claude-code/projects": ".claude/projects",
    "codex/sessions": ".codex/sessions",
    "pi/sessions": ".pi/agent/sessions",
}


@dataclass
class Step:
    """One command of a page with the output that the page claims."""

    command: str
    status: int
    expected: list[str] = field(default_factory=list)


def steps(block: str) -> list[Step]:
    """Cut a block into commands, each with its output."""
    found: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            command, status = line[2:], 0
            if match := EXIT.search(command):
                command, status = command[: match.start()], int(match[1])
            found.append(Step(command, status))
        elif line.startswith("> ") and found and not found[-1].expected:
            found[-1].command += "\n" + line[2:]
        elif found:
            found[-1].expected.append(line)
    return found


def blocks(text: str) -> list[str]:
    """Return the console blocks of a page."""
    return [match[1] for match in BLOCK.finditer(text)]


class Terminal:
    """A shell in a home of its own with the samples where their hosts would have left them."""

    def __init__(self, folder: Path) -> None:
        """Make the home."""
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        for sample, place in PLACES.items():
            shutil.copytree(SAMPLES / sample, self.home / place)
        for path in self.home.rglob("*.jsonl"):
            os.utime(path, (WRITTEN, WRITTEN))
        self.work = self.home / "firmware"
        self.work.mkdir()
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "UNABRIDGED_HOME": str(self.home / ".unabridged"),
            "COLUMNS": str(COLUMNS),
            "NO_COLOR": "1",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT / "src"),
        }
        script = folder / "una"
        if not (Path(sys.executable).parent / "una").exists():
            code = "import sys; from unabridged.app.main import main; sys.exit(main())"
            script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{code}' \"$@\"\n")
            script.chmod(0o700)
            self.env["PATH"] = f"{folder}{os.pathsep}{self.env['PATH']}"

    def run(self, command: str) -> tuple[int, list[str]]:
        """Run a command with both streams on a terminal; return its status and the lines that it wrote."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        output = bytearray()
        try:
            while piece := _read(master):
                output += piece
            status = process.wait(SECONDS)
        finally:
            os.close(master)
            if process.poll() is None:
                process.kill()
                process.wait()
        text = re.sub(r"[^\n]*\r\x1b\[K", "", output.decode(errors="replace").replace("\r\n", "\n"))
        return status, [line.rstrip() for line in self.anywhere(text).splitlines()]

    def anywhere(self, text: str) -> str:
        """Write this home as a person's own."""
        return text.replace(str(self.home), "~")

    def close(self) -> None:
        """Stop the daemon that the commands started."""
        self.run("una daemon stop")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux says EIO when the other end is closed
        return b""


def masked(line: str) -> str:
    """Return a line without what differs from one archive or moment to the next."""
    for pattern, name in MASKS:
        line = pattern.sub(name, line)
    return line


def matches(expected: list[str], actual: list[str]) -> bool:
    """Tell whether the lines are what the page says."""
    # Whether there is a next page depends on how many candidates ranking looked at.
    expected, actual = (
        [line for line in lines if not line.startswith(PAGING)] for lines in (expected, actual)
    )
    pieces: list[str] = []
    for line in expected:
        if line.strip() == "…":
            pieces.append(r"(?:.*\n)*")
        else:
            pieces.append(".*".join(re.escape(part) for part in masked(line.rstrip()).split("…")) + r"\n")
    return re.fullmatch("".join(pieces), "".join(f"{masked(line)}\n" for line in actual)) is not None


def rewritten(text: str, terminal: Terminal) -> str:
    """Return a page with what its commands print now."""

    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        for step in steps(match[1]):
            status, printed = terminal.run(step.command)
            if status == step.status and matches(step.expected, printed):
                printed = step.expected  # with its `…`
            first, *rest = step.command.split("\n")
            mark = f"   # exit {status}" if status else ""
            lines += [f"$ {first}{'' if rest else mark}", *(f"> {line}" for line in rest), *printed]
        return "```console\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(block, text)


def prepare(terminal: Terminal, text: str) -> None:
    """Import the samples, unless the page begins with an import of its own."""
    first = next((step.command for block in blocks(text) for step in steps(block)), "")
    if not first.startswith("una import"):
        terminal.run("una import")


def main(pages: list[str]) -> int:
    """Rewrite pages."""
    for name in pages:
        with tempfile.TemporaryDirectory() as folder:
            terminal = Terminal(Path(folder))
            try:
                page = Path(name)
                text = page.read_text(encoding="utf-8")
                prepare(terminal, text)
                page.write_text(rewritten(text, terminal), encoding="utf-8")
            finally:
                terminal.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
