"""A daemon that answers from a table, a screen that remembers what was written to it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from unabridged.cli.entry import run
from unabridged.cli.screen import Screen

Answer = Mapping[str, Any] | Exception | Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Daemon:
    """Answers operations from a table and keeps what it was asked."""

    def __init__(self, **answers: Answer) -> None:
        """Take an answer (or an error, or a function of the parameters) for each operation's name."""
        self.answers = {name.replace("__", "."): answer for name, answer in answers.items()}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.progress: list[Mapping[str, Any]] = []
        self.closed = False

    def call(
        self,
        op: str,
        params: Mapping[str, Any],
        on_progress: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Answer as the table says."""
        self.asked.append((op, dict(params)))
        for news in self.progress:
            assert on_progress is not None
            on_progress(news)
        answer = self.answers[op]
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = answer(params)
        return json.loads(json.dumps(answer))

    def close(self) -> None:
        """End."""
        self.closed = True


class Stream(io.TextIOWrapper):
    """A text stream in memory that is a terminal or is not."""

    def __init__(self, terminal: bool) -> None:
        """Begin empty."""
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        """Say what was asked for."""
        return self._terminal

    def bytes(self) -> bytes:
        """Return all that was written."""
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


class Outcome:
    """What a command line did."""

    def __init__(self, status: int, out: bytes, err: bytes, asked: list[tuple[str, dict[str, Any]]]) -> None:
        """Hold the exit status and both streams."""
        self.status = status
        self.bytes = out
        self.out = out.decode(errors="surrogateescape")
        self.err = err.decode()
        self.asked = asked

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON objects on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def una(
    *words: str,
    daemon: Daemon | None = None,
    terminal: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a command line against a daemon of the table; on a terminal of 100 columns when asked."""
    daemon = daemon or Daemon()
    out, err = Stream(terminal), Stream(terminal)
    screen = Screen({"COLUMNS": "100", **(environ or {})}, out, err)
    status = run(list(words), screen, environ or {}, lambda start: daemon)
    return Outcome(status, out.bytes(), err.bytes(), daemon.asked)


HOSTILE = "\x1b]0;title\x07\x1b[31mred\x1b[0m \x9b2J a\u202egnp.exe\u2066x\u2069 z\u200bw\r\nover\x08\x7f\x00"
HOSTILE += " \U000e0041"

HIT: dict[str, Any] = {
    "document": "d0c1",
    "version": 1,
    "kind": "tool-result",
    "score": 12.5,
    "band": "high",
    "match": ["lexical"],
    "snippet": "the flash write fails with E_FLASH_BUSY",
    "locator": "loc-1",
    "handle": "h7k2",
    "session": "5e55109000000001",
    "host": "claude-code",
    "host_session": "7f0d2c54-3a61",
    "source_keys": ["claude-code:7f0d2c54-3a61:u1"],
    "time": "2026-11-03T09:14:11.411000Z",
    "bytes": [0, 39],
    "title": "Flash",
    "role": "tool",
    "tool": "Bash",
    "terms": ["flash", "write"],
    "tokens": 9,
    "similar": 0,
    "completeness": "complete",
}

FOUND: dict[str, Any] = {"status": "ok", "hits": [HIT], "next": "", "account": {}}

PIECE: dict[str, Any] = {
    **HIT,
    "snippet": "",
    "text": "the flash write fails with E_FLASH_BUSY",
    "hit": 1,
    "distance": 0,
    "omitted": {},
}

PACKET: dict[str, Any] = {
    "status": "ok",
    "evidence": [PIECE],
    "truncated": False,
    "next": "",
    "account": {},
    "conflicts": [],
}

WALKED: dict[str, Any] = {
    "status": "resolved",
    "steps": [PIECE],
    "before": "",
    "next": "",
    "session": "5e55109000000001",
    "account": {},
}

PASSAGE: dict[str, Any] = {
    "status": "resolved",
    "text": "the flash write fails\nwith E_FLASH_BUSY",
    "document": "d0c1",
    "version": 1,
    "bytes": [0, 38],
    "source_keys": ["claude-code:7f0d2c54-3a61:u1"],
    "session": "5e55109000000001",
    "time": "2026-11-03T09:14:11.411000Z",
    "omitted": {},
    "next": "",
    "host": "claude-code",
    "kind": "tool-result",
}

SESSION: dict[str, Any] = {
    "session": "5e55109000000001",
    "host": "claude-code",
    "host_session": "7f0d2c54-3a61",
    "parent": "",
    "project": "9a",
    "title": "Flash",
    "started": "2026-11-03T09:14:02.000000Z",
    "ended": "2026-11-03T09:19:04.699000Z",
    "events": 2,
    "origins": ["/srv/a.jsonl"],
    "cwd": "/srv/firmware",
}

EVENTS: list[dict[str, Any]] = [
    {
        "seq": 1,
        "event": "e1",
        "role": "user",
        "kind": "text",
        "tool": "",
        "time": "2026-11-03T09:14:02.000000Z",
        "text": "Why does the flash write fail?",
    },
    {
        "seq": 2,
        "event": "e2",
        "role": "tool",
        "kind": "tool-result",
        "tool": "Bash",
        "time": "2026-11-03T09:14:11.411000Z",
        "text": "E_FLASH_BUSY\n",
    },
]

IMPORTED: dict[str, Any] = {
    "sessions": 3,
    "events": 77,
    "documents": 20,
    "lines": {"read": 101, "new": 90, "known": 11, "unreadable": 0},
    "bytes": 55_000,
    "seconds": 0.4,
    "problems": [],
    "files": 3,
    "skipped": 1,
}
