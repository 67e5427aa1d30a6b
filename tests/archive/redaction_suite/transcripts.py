"""Transcripts of three hosts that hold every kind of credential, in every place where a host puts text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.archive.redaction_suite.positives import SESSION, in_rows
from tests.archive.redaction_suite.shapes import Positive, plain

FOLDER = "/home/dev/project"
LONG_LINE = 300_000  # bytes; the texts of longer lines than 256 KiB are kept as chunks
CODEX_THREAD = "01a22998-3dff-7a41-bcaf-2efc40a421b9"
PI_SESSION = "01a22994-1aec-72ad-ba84-ae63446679e6"

# Calls that show a sensitive file, and what they showed, which looks like nothing.
CALLS = (
    "cat .env",
    "head -3 ~/.ssh/id_rsa",
    "grep -n . config/.env.production",
    "bash -lc 'cat ~/.aws/credentials'",
)
SHOWN = "FLAVOUR-{host}-{number}=vanilla-in-the-morning"

Row = dict[str, Any]


def shown(host: str) -> list[str]:
    """Return what the sensitive files of a host's transcript held."""
    return [SHOWN.format(host=host, number=number) for number in range(len(CALLS) + 1)]


def stamp(number: int) -> str:
    return f"2026-01-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"


def texts(kinds: list[Positive]) -> list[str]:
    """Return every kind's text, each with lines around it."""
    return [plain(in_rows(kind)) for kind in kinds]


def long_text(kinds: list[Positive]) -> str:
    """Return one text of every kind that is longer than a long line."""
    whole = "\n\n".join(texts(kinds))
    filler = "the words between are of no interest to anybody at all. "
    return whole + "\n\n" + filler * ((LONG_LINE - len(whole)) // len(filler) + 1)


# --- Claude Code ----------------------------------------------------------------------------------------------------


def claude(kinds: list[Positive]) -> Iterator[Row]:
    """Yield the rows of a Claude Code transcript."""
    rows = Claude()
    yield rows.user("Look at everything.")
    for number, text in enumerate([*texts(kinds), long_text(kinds)]):
        yield from rows.exchange(number % 6, text)
    for number, (call, output) in enumerate(zip(CALLS, shown("claude"), strict=False)):
        yield rows.assistant(
            {"type": "tool_use", "id": f"toolu_c{number}", "name": "Bash", "input": {"command": call}}
        )
        yield rows.result(f"toolu_c{number}", output, {"stdout": output, "stderr": "", "interrupted": False})
    output = shown("claude")[-1]
    yield rows.assistant(
        {"type": "tool_use", "id": "toolu_r", "name": "Read", "input": {"file_path": f"{FOLDER}/.env"}}
    )
    file = {"type": "text", "file": {"filePath": f"{FOLDER}/.env", "content": output, "numLines": 1}}
    yield rows.result("toolu_r", f"     1→{output}", file)
    yield {"type": "ai-title", "aiTitle": f"Rotate {kinds[0].secrets[0]} at last", "sessionId": SESSION}
    yield {"type": "summary", "summary": f"Moved {kinds[1].secrets[0]} away", "leafUuid": rows.last}
    yield rows.user("Enough.")


class Claude:
    """Rows that follow each other."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""

    def row(self, kind: str, message: Row, **rest: Any) -> Row:
        parent, self.last = self.last or None, f"{self.count:08x}-2b20-409f-b5dd-00adcb429220"
        self.count += 1
        base = {
            "isSidechain": False,
            "userType": "external",
            "cwd": FOLDER,
            "sessionId": SESSION,
            "version": "2.1.332",
        }
        own = {
            "parentUuid": parent,
            "type": kind,
            "message": message,
            "uuid": self.last,
            "timestamp": stamp(self.count),
        }
        return {**base, **own, **rest}

    def user(self, text: str) -> Row:
        return self.row("user", {"role": "user", "content": text})

    def assistant(self, block: Row) -> Row:
        message = {
            "id": f"msg_{self.count}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [block],
        }
        return self.row("assistant", message)

    def result(self, call: str, content: Any, facts: Any) -> Row:
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.row("user", {"role": "user", "content": [block]}, toolUseResult=facts)

    def exchange(self, place: int, text: str) -> Iterator[Row]:
        call = f"toolu_{self.count}"
        if place == 0:
            yield self.user(text)
        elif place == 1:
            yield self.assistant({"type": "text", "text": text})
        elif place == 2:
            command = {"command": f"cat <<'EOF' > notes.txt\n{text}\nEOF", "description": "write"}
            yield self.assistant({"type": "tool_use", "id": call, "name": "Bash", "input": command})
            yield self.result(call, "", {"stdout": "", "stderr": ""})
        elif place == 3:
            yield self.assistant(
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "./show"}}
            )
            yield self.result(call, [{"type": "text", "text": text}], {"stdout": text, "stderr": ""})
        elif place == 4:
            call_input = {"file_path": f"{FOLDER}/notes.txt", "content": text}
            yield self.assistant({"type": "tool_use", "id": call, "name": "Write", "input": call_input})
            yield self.result(
                call, "File created", {"type": "create", "content": text, "structuredPatch": []}
            )
        else:
            yield self.assistant(
                {"type": "tool_use", "id": call, "name": "mcp__x__get", "input": {"of": "notes"}}
            )
            yield self.result(call, json.dumps({"status": 200, "body": {"text": text}}), "ok")


# --- Codex ----------------------------------------------------------------------------------------------------------


def codex(kinds: list[Positive]) -> Iterator[Row]:
    """Yield the rows of a Codex rollout."""
    meta = {
        "id": CODEX_THREAD,
        "timestamp": stamp(0),
        "cwd": FOLDER,
        "originator": "codex_exec",
        "cli_version": "0.171.0",
    }
    yield {"timestamp": stamp(0), "type": "session_meta", "payload": meta}
    yield said(1, "user", "input_text", "Look at everything.")
    for number, text in enumerate([*texts(kinds), long_text(kinds)]):
        for payload in codex_exchange(number, text):
            yield item(number + 2, payload)
    for number, (call, output) in enumerate(zip(CALLS, shown("codex"), strict=False)):
        arguments = (
            json.dumps({"cmd": call}) if number % 2 else json.dumps({"command": ["bash", "-lc", call]})
        )
        name = "exec_command" if number % 2 else "shell"
        yield item(900 + number, called(f"call_c{number}", name, arguments))
        yield item(900 + number, answered(f"call_c{number}", f"Exit code: 0\nOutput:\n{output}\n"))
    yield said(999, "assistant", "output_text", "Done.")


def item(number: int, payload: Row) -> Row:
    return {"timestamp": stamp(number), "type": "response_item", "payload": payload}


def said(number: int, role: str, kind: str, text: str) -> Row:
    return item(number, {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


def called(call: str, name: str, arguments: str) -> Row:
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call}


def answered(call: str, output: str) -> Row:
    return {"type": "function_call_output", "call_id": call, "output": output}


def codex_exchange(number: int, text: str) -> Iterator[Row]:
    call, place = f"call_{number}", number % 5
    if place == 0:
        yield {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    elif place == 1:
        yield {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    elif place == 2:
        yield called(
            call,
            "exec_command",
            json.dumps({"cmd": f"cat <<'EOF' > notes.txt\n{text}\nEOF", "yield_time_ms": 9}),
        )
        yield answered(call, "Exit code: 0\nOutput:\n")
    elif place == 3:
        yield called(call, "exec_command", json.dumps({"cmd": "./show"}))
        yield answered(
            call, json.dumps({"output": text, "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
        )
    else:
        patch = "\n".join(f"+{line}" for line in text.split("\n"))
        patch = f"*** Begin Patch\n*** Add File: notes.txt\n{patch}\n*** End Patch"
        yield {
            "type": "custom_tool_call",
            "call_id": call,
            "name": "apply_patch",
            "input": patch,
            "status": "completed",
        }
        yield {"type": "custom_tool_call_output", "call_id": call, "output": "Success."}


# --- Pi -------------------------------------------------------------------------------------------------------------


def pi(kinds: list[Positive]) -> Iterator[Row]:
    """Yield the rows of a Pi session."""
    yield {"type": "session", "version": 3, "id": PI_SESSION, "timestamp": stamp(0), "cwd": FOLDER}
    rows = Pi()
    yield rows.user("Look at everything.")
    for number, text in enumerate([*texts(kinds), long_text(kinds)]):
        yield from rows.exchange(number % 4, text)
    for number, (call, output) in enumerate(zip(CALLS, shown("pi"), strict=False)):
        yield rows.call(f"toolu_c{number}", "bash", {"command": call})
        yield rows.result(f"toolu_c{number}", "bash", output)
    yield rows.call("toolu_r", "read", {"path": ".env"})
    yield rows.result("toolu_r", "read", shown("pi")[-1])
    yield rows.user("Enough.")


class Pi:
    """Entries that follow each other."""

    def __init__(self) -> None:
        self.count = 0

    def entry(self, message: Row) -> Row:
        parent, self.count = (f"{self.count:08x}" if self.count else None), self.count + 1
        own = {
            "type": "message",
            "id": f"{self.count:08x}",
            "parentId": parent,
            "timestamp": stamp(self.count),
        }
        return {**own, "message": {**message, "timestamp": 1_795_993_903_200 + self.count}}

    def user(self, text: str) -> Row:
        return self.entry({"role": "user", "content": [{"type": "text", "text": text}]})

    def call(self, call: str, tool: str, arguments: Row) -> Row:
        block = {"type": "toolCall", "id": call, "name": tool, "arguments": arguments}
        return self.entry({"role": "assistant", "content": [block], "stopReason": "toolUse"})

    def result(self, call: str, tool: str, text: str) -> Row:
        content = [{"type": "text", "text": text}]
        answer = {
            "role": "toolResult",
            "toolCallId": call,
            "toolName": tool,
            "content": content,
            "isError": False,
        }
        return self.entry({**answer, "details": {"output": text, "diff": text}})

    def exchange(self, place: int, text: str) -> Iterator[Row]:
        call = f"toolu_{self.count}"
        if place == 0:
            yield self.user(text)
        elif place == 1:
            yield self.entry(
                {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop"}
            )
        elif place == 2:
            yield self.call(call, "write", {"path": "notes.txt", "content": text})
            yield self.result(call, "write", "Wrote notes.txt")
        else:
            yield self.call(call, "bash", {"command": "./show"})
            yield self.result(call, "bash", text)


def lines(rows: Iterator[Row]) -> bytes:
    """Return rows as hosts write them."""
    return b"".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows
    )


def write_all(folder: Path, kinds: list[Positive]) -> list[Path]:
    """Write a transcript for each host, with a torn last line; return their paths."""
    places = {
        folder / "claude" / "projects" / "-home-dev-project" / f"{SESSION}.jsonl": lines(claude(kinds)),
        folder
        / "codex"
        / "sessions"
        / "2026"
        / "01"
        / "01"
        / f"rollout-2026-01-01T00-00-00-{CODEX_THREAD}.jsonl": lines(codex(kinds)),
        folder / "pi" / "--home-dev-project--" / f"2026-01-01T00-00-00-000Z_{PI_SESSION}.jsonl": lines(
            pi(kinds)
        ),
    }
    torn = json.dumps({"type": "user", "text": long_text(kinds)[:40_000]}).encode()[:-20]
    for path, data in places.items():
        path.parent.mkdir(parents=True)
        path.write_bytes(data + torn)
    # The name that a person gave to the thread stands beside the rollouts.
    named = {"id": CODEX_THREAD, "thread_name": f"use {kinds[0].secrets[0]} here", "updated_at": stamp(9)}
    (folder / "codex" / "session_index.jsonl").write_text(json.dumps(named) + "\n")
    return list(places)
