"""Histories as aider 0.86 writes them (`aider/io.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unabridged.hosts.aider import HOST
from unabridged.hosts.aider.discover import HISTORY
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head

FIRST, SECOND = "2026-11-28 09:10:11", "2026-11-28 10:20:30"


class History:
    """A history that grows as aider's does."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / HISTORY

    def _append(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)

    def start(self, moment: str) -> History:
        """Aider is started."""
        self._append(f"\n# aider chat started at {moment}\n\n")
        self.tool(
            "/opt/aider --model openai/gpt-x", "Aider v0.86.2", "Model: openai/gpt-x with diff edit format"
        )
        return self

    def user(self, text: str) -> History:
        """A person sends a message."""
        lines = text.splitlines() or ["<blank>"]
        marked = "  \n#### ".join(lines)
        self._append(f"\n#### {marked}".rstrip() + "  \n")
        return self

    def model(self, text: str) -> History:
        """The model answers."""
        self._append("\n" + text.strip() + "\n\n")
        return self

    def tool(self, *lines: str) -> History:
        """Aider says something."""
        for line in lines:
            self._append(f"> {line.strip()}".rstrip() + "  \n")
        return self


def history(folder: Path) -> History:
    """Two sessions, with what is easily taken for something else."""
    made = History(folder).start(FIRST)
    made.tool("Added a.py to the chat.")
    made.user("Why does a.py fail?\n\n    x = 1\nIt worked yesterday.")
    made.model("#### Cause\n\n> It divides by zero.\n\n# a.py\n```\nx = 1\n```")
    made.tool("Tokens: 1.2k sent, 80 received.", "Applied edit to a.py", "Commit 1a2b3c4 fix: no zero")
    made.user("/run pytest")
    made.tool("1 passed", "Add 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: y")
    made.user("/ask what else could fail?")
    made.model("Nothing.")
    made.start(SECOND).user("Hello").model("Hello.")
    return made


def rows(path: Path, stream: str, state: bytes = b"") -> tuple[list[bytes], bytes]:
    """All lines that several looks give, with the last state."""
    lines: list[bytes] = []
    while True:
        more, state = HOST.rows(path, stream, state)
        if not more:
            return lines, state
        lines += more


def blocks(lines: Sequence[bytes]) -> list[Block]:
    """The blocks of lines."""
    reader = HOST.reader("x", HOST.head(Path("x"), lines) or Head("of a later look"), b"", 1)
    return [block for line in lines for block in reader.read(line.rstrip(b"\n"), 1).blocks]


def said(lines: Sequence[bytes]) -> list[tuple[str, str]]:
    """What lines say, shortly: role, text."""
    return [(block.role, text_of(block)) for block in blocks(lines)]


def sessions(path: Path) -> list[list[tuple[str, str]]]:
    """What each session of a history says."""
    return [said(rows(path, stream.name)[0]) for stream in HOST.streams(path)]
