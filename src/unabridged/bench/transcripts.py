"""Transcripts in the form that Claude Code writes them, of any size.

The shares were counted in real ones: seven bytes in ten are user rows, most of those the copy of a tool's result beside
what the model got (an edit repeats the whole file), two in ten are assistant rows, half of that reasoning and its
signature, the rest is progress, snapshots and notices. About a fifth of the bytes is text that a search can find.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from unabridged.bench.passages import Passages, Window

VERSION = "2.1.20"
MODEL = "claude-opus-4-5-20251101"
START = datetime(2026, 1, 5, 8, tzinfo=UTC)
WORKING_SET = 6  # files that a session reads and edits again and again
MOST_FILE = 60_000  # characters of a file that a session works on
CALLS = (2, 9)  # tool calls of a turn: at least, and below
# Tool calls of a hundred.
TOOLS = (("Bash", 41), ("Edit", 23), ("Read", 22), ("Grep", 7), ("TodoWrite", 5), ("Task", 2))
PROGRESS = 3.6  # progress rows of a shell command on average
TEXTS = 0.41  # texts beside a tool call
TURN_WINDOWS = 10  # windows of a turn in transcripts that hold nothing but text
FILE_WINDOWS = 10_000  # windows of one such transcript

_encode = msgspec.json.Encoder().encode


class Session:
    """One session's rows: who they are, what stands before them, when."""

    def __init__(self, rng: random.Random, number: int) -> None:
        """Name the session by the dice; `number` moves it in time, so that sessions do not overlap."""
        self.rng = rng
        self.session = self.uuid()
        self.folder = f"/home/dev/projects/{('engine', 'server', 'client', 'tools')[number % 4]}"
        self.time = START + timedelta(hours=number)
        self.parent: str | None = None
        self._common: dict[str, Any] = {
            "isSidechain": False,
            "userType": "external",
            "cwd": self.folder,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": "main",
            "slug": "calm-reading-otter",
        }

    def uuid(self) -> str:
        """Return a new random name."""
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def stamp(self) -> str:
        """Return the next moment."""
        self.time += timedelta(milliseconds=200 + int(self.rng.random() * 8_000))
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def row(self, kind: str, **fields: Any) -> bytes:
        """Return a row below the one before it."""
        own = self.uuid()
        row = {"parentUuid": self.parent, **self._common, "type": kind, **fields, "uuid": own}
        row["timestamp"] = self.stamp()
        self.parent = own
        return _encode(row) + b"\n"

    def user(self, content: Any, **fields: Any) -> bytes:
        """Return a user row."""
        return self.row("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, block: dict[str, Any]) -> bytes:
        """Return an assistant row of one content block, with the usage that every row repeats."""
        rng = self.rng
        usage = {
            "input_tokens": 10,
            "cache_creation_input_tokens": int(rng.random() * 4_000),
            "cache_read_input_tokens": int(rng.random() * 150_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": int(rng.random() * 900),
            "service_tier": "standard",
        }
        message = {
            "model": MODEL,
            "id": f"msg_{rng.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return self.row("assistant", message=message, requestId=f"req_{rng.getrandbits(96):024x}")

    def call_id(self) -> str:
        """Return the name of a tool call."""
        return f"toolu_{self.rng.getrandbits(96):024x}"


class Transcripts:
    """Writes sessions from passages."""

    def __init__(self, passages: Passages) -> None:
        """Take the texts from `passages`."""
        self._passages = passages
        self._tools = [tool for tool, share in TOOLS for _ in range(share)]

    def lines(self, number: int, size: int) -> Iterator[bytes]:
        """Yield the rows of session `number`, whole turns, until they have `size` bytes."""
        work = _Work(self._passages, Session(self._passages.rng(-1 - number), number), self._tools)
        written = 0
        while written < size:
            for line in work.turn():
                written += len(line)
                yield line

    def write(self, folder: Path, size: int, each: int = 4 << 20, first: int = 0) -> list[Path]:
        """Write transcripts of `each` bytes until they have `size` in all; return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        written, paths = 0, list[Path]()
        while written < size:
            number = first + len(paths)
            path = folder / f"session-{number:06d}.jsonl"
            with path.open("wb") as file:
                file.writelines(self.lines(number, min(each, size - written)))
                written += file.tell()
            paths.append(path)
        return paths


def text_lines(rng: random.Random, number: int, windows: Iterable[Window]) -> Iterator[bytes]:
    """Yield the rows of session `number` that hold a window each and little else, in turns of `TURN_WINDOWS`."""
    session = Session(rng, number)
    for at, window in enumerate(windows):
        if at % TURN_WINDOWS == 0:
            yield session.user(window.text)
        elif window.kind == "prose":
            yield session.assistant({"type": "text", "text": window.text})
        else:
            block = {"tool_use_id": session.call_id(), "type": "tool_result", "content": window.text}
            yield session.user([block])


class _Work:
    """What goes on in one session."""

    def __init__(self, passages: Passages, session: Session, tools: list[str]) -> None:
        self._passages = passages
        self._session = session
        self._tools = tools
        rng = session.rng
        sources = [passages.source(rng) for _ in range(WORKING_SET)]
        self._files = {f"{session.folder}/{source.path}": source.text[:MOST_FILE] for source in sources}
        self._makers: dict[str, Callable[[], tuple[dict[str, Any], str, Any]]] = {
            "Bash": self._bash,
            "Edit": self._edit,
            "Read": self._read,
            "Grep": self._grep,
            "TodoWrite": self._todo,
            "Task": self._task,
        }

    def turn(self) -> Iterator[bytes]:
        """Yield the rows of one turn: prompt, tool calls with their results, last words."""
        session, rng = self._session, self._session.rng
        yield self._snapshot()
        yield session.user(self._prose(60, 500), todos=[])
        for _ in range(rng.randrange(*CALLS)):
            yield session.assistant(
                {"type": "thinking", "thinking": self._prose(200, 1_500), "signature": self._signature()}
            )
            if rng.random() < TEXTS:
                yield session.assistant({"type": "text", "text": self._prose(60, 500)})
            yield from self._call(Passages.pick(rng, self._tools))
        yield session.assistant({"type": "text", "text": self._prose(200, 1_200)})
        command = "make --silent after-stop"
        yield session.row(
            "system",
            subtype="stop_hook_summary",
            hookCount=1,
            hookInfos=[{"command": command}],
            hookErrors=[],
            preventedContinuation=False,
            hasOutput=False,
            level="suggestion",
            toolUseID=session.uuid(),
        )

    def _call(self, tool: str) -> Iterator[bytes]:
        session, rng = self._session, self._session.rng
        name = session.call_id()
        arguments, shown, result = self._makers[tool]()
        yield session.assistant({"type": "tool_use", "id": name, "name": tool, "input": arguments})
        caller = session.parent
        if tool == "Bash":
            for second in range(int(rng.random() * 2 * PROGRESS)):
                data = {"type": "bash_progress", "output": "", "fullOutput": shown[-80:]}
                data |= {"elapsedTimeSeconds": 2 + second, "totalLines": second}
                yield session.row(
                    "progress", data=data, toolUseID=f"bash-progress-{second}", parentToolUseID=name
                )
        block = {"tool_use_id": name, "type": "tool_result", "content": shown}
        yield session.user([block], toolUseResult=result, sourceToolAssistantUUID=caller)
        if tool == "Edit":
            yield self._snapshot()

    def _snapshot(self) -> bytes:
        session = self._session
        backup = {"backupFileName": f"{session.rng.getrandbits(64):016x}@v1", "version": 1}
        backup["backupTime"] = session.stamp()
        snapshot = {"messageId": session.uuid(), "trackedFileBackups": {next(iter(self._files)): backup}}
        row = {"type": "file-history-snapshot", "messageId": session.uuid(), "snapshot": snapshot}
        return _encode({**row, "isSnapshotUpdate": True}) + b"\n"

    # --- tools: arguments, what the model gets, what the host keeps beside it -----------------------------------------

    def _bash(self) -> tuple[dict[str, Any], str, Any]:
        passages, rng = self._passages, self._session.rng
        maker = Passages.pick(rng, (passages.log, passages.trace, passages.diff, passages.code))
        # Many outputs are a few lines, few are long.
        out = maker(rng, 1)[:400] if rng.random() < 0.4 else maker(rng, int(rng.expovariate(1 / 4_000)) + 200)
        command = (
            f"cd {self._session.folder} && python -m {passages.name(rng)} {passages.path(rng)} | tail -n 80"
        )
        arguments = {"command": command, "description": self._prose(20, 60)}
        return arguments, out, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}

    def _edit(self) -> tuple[dict[str, Any], str, Any]:
        passages, rng = self._passages, self._session.rng
        path = Passages.pick(rng, list(self._files))
        before = self._files[path]
        at = before.rfind("\n", 0, int(rng.random() * len(before))) + 1
        old = before[at : at + 60 + int(rng.random() * 500)]
        new = passages.renamed(rng, old, 2) + "\n" + passages.cut(rng, passages.source(rng), 120)
        self._files[path] = (before[:at] + new + before[at + len(old) :])[:MOST_FILE]
        first = before.count("\n", 0, at) + 1
        lines = [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
        patch = {"oldStart": first, "oldLines": 1 + old.count("\n"), "newStart": first, "lines": lines}
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        result = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": [patch],
            "userModified": False,
            "replaceAll": False,
        }
        return arguments, f"The file {path} has been updated successfully.", result

    def _read(self) -> tuple[dict[str, Any], str, Any]:
        rng = self._session.rng
        path = Passages.pick(rng, list(self._files))
        lines = self._files[path].split("\n")
        first = int(rng.random() * len(lines)) if len(lines) > 300 else 0
        taken = lines[first : first + 250]
        shown = "\n".join(f"{first + at + 1:>6}→{line}" for at, line in enumerate(taken))
        file = {"filePath": path, "content": "\n".join(taken), "numLines": len(taken)}
        file |= {"startLine": first + 1, "totalLines": len(lines)}
        arguments = {"file_path": path, "offset": first + 1, "limit": 250}
        return arguments, shown, {"type": "text", "file": file}

    def _grep(self) -> tuple[dict[str, Any], str, Any]:
        passages, rng = self._passages, self._session.rng
        found = passages.search(rng, 2_500)
        names = [passages.path(rng) for _ in range(int(rng.random() * 150))]
        arguments = {"pattern": passages.name(rng), "path": self._session.folder, "output_mode": "content"}
        result = {"mode": "content", "filenames": names, "content": found, "numLines": found.count("\n")}
        return arguments, found, result

    def _todo(self) -> tuple[dict[str, Any], str, Any]:
        states = ("completed", "in_progress", "pending", "pending")
        todos = [{"content": self._prose(30, 60), "status": state, "activeForm": ""} for state in states]
        return {"todos": todos}, "Todos have been modified successfully.", {"oldTodos": [], "newTodos": todos}

    def _task(self) -> tuple[dict[str, Any], str, Any]:
        prompt, report = self._prose(400, 900), self._prose(4_000, 15_000)
        content = [{"type": "text", "text": report}]
        arguments = {"description": self._prose(20, 40), "prompt": prompt, "subagent_type": "Explore"}
        result = {"status": "completed", "prompt": prompt, "content": content, "totalDurationMs": 61_000}
        return arguments, report, result

    # --- parts --------------------------------------------------------------------------------------------------------

    def _prose(self, least: int, most: int) -> str:
        rng = self._session.rng
        chars = least + int(rng.random() * (most - least))
        return self._passages.prose(rng, chars + 80)[:chars]

    def _signature(self) -> str:
        return base64.b64encode(self._session.rng.randbytes(240 + self._session.rng.randrange(260))).decode()
