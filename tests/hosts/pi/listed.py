"""Sessions of version 1, a list of rows without ids, as Pi wrote them until the end of 2025."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "7f3c1a52-5b0e-4a53-9f2d-1c2b3a4d5e6f"
BRANCH = "0b9d8c7e-1111-4222-8333-444455556666"
START = 1_766_000_000_000  # milliseconds


def iso(millis: int) -> str:
    seconds, rest = divmod(millis - START, 1000)
    return f"2025-12-17T19:33:{20 + seconds:02d}.{rest:03d}Z"


def row(millis: int, message: dict[str, Any], later: int = 3) -> dict[str, Any]:
    """A message row; the row is written `later` milliseconds than the message began."""
    return {
        "type": "message",
        "timestamp": iso(millis + later),
        "message": {**message, "timestamp": millis},
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def rows() -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": "toolu_1", "name": "bash", "arguments": {"command": "ls -la"}}
    other = {"type": "toolCall", "id": "toolu_2", "name": "read", "arguments": {"path": "src/a.py"}}
    results = [("toolu_1", "bash", "a.py\nb.py\n"), ("toolu_2", "read", "x = 1\n")]
    return [
        # The first prompt is older than the header: the file begins with the first answer.
        row(START + 1000, {"role": "user", "content": [text("What is in this folder?")]}),
        row(
            START + 1004, {"role": "assistant", "content": [text("I look."), call, other], "model": "m"}, 900
        ),
        *(
            row(
                START + 2000,
                {
                    "role": "toolResult",
                    "toolCallId": name,
                    "toolName": tool,
                    "content": [text(out)],
                    "isError": False,
                },
            )
            for name, tool, out in results
        ),
        {"type": "thinking_level_change", "timestamp": iso(START + 2500), "thinkingLevel": "low"},
        row(START + 3000, {"role": "assistant", "content": [text("Two files.")], "stopReason": "stop"}, 800),
        row(
            START + 5000, {"role": "bashExecution", "command": "git status", "output": "clean", "exitCode": 0}
        ),
        row(
            START + 6000,
            {"role": "assistant", "content": [], "stopReason": "aborted", "errorMessage": "Aborted."},
        ),
        {
            "type": "compaction",
            "timestamp": iso(START + 7000),
            "summary": "The folder has two files.",
            "firstKeptEntryIndex": 3,
            "tokensBefore": 99,
        },
        row(START + 8000, {"role": "user", "content": "Thanks, and goodbye."}),
    ]


def listed(folder: Path) -> Path:
    """A session of version 1."""
    header = {"type": "session", "id": SESSION, "timestamp": iso(START + 1500), "cwd": "/home/dev/project"}
    return _write(folder / f"2025-12-17T19-33-21-500Z_{SESSION}.jsonl", [header, *rows()])


def branch(parent: Path, folder: Path, *, stamped_anew: bool) -> Path:
    """A session that was branched off behind the first answer; early versions gave the copies new times."""
    header = {
        "type": "session",
        "id": BRANCH,
        "timestamp": iso(START + 20_000),
        "cwd": "/home/dev/project",
        "branchedFrom": str(parent),
    }
    copied = [
        {**item, "timestamp": iso(START + 20_001)} if stamped_anew else item
        for item in rows()[:5]
        if not (stamped_anew and item["type"] != "message")
    ]
    own = row(START + 30_000, {"role": "user", "content": [text("Another way.")]})
    return _write(folder / f"2025-12-17T19-33-40-000Z_{BRANCH}.jsonl", [header, *copied, own])


def _write(path: Path, items: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path
