"""Sessions as Gemini CLI 0.61 writes them, and as it wrote them before."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

PROJECT = "/home/ann/harbour"
HASH = hashlib.sha256(PROJECT.encode()).hexdigest()
SESSION = "5b0c7a52-1111-4222-8333-944444444444"
SUB = "7d1e9c03-5555-4666-8777-988888888888"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

Row = dict[str, Any]


def header(session: str = SESSION, kind: str = "main", **more: Any) -> Row:
    begun = {"startTime": "2026-03-01T10:00:00.000Z", "lastUpdated": "2026-03-01T10:00:00.000Z"}
    return {"sessionId": session, "projectHash": HASH, **begun, "kind": kind, **more}


def said(name: str, kind: str, content: Any, second: int = 0, **more: Any) -> Row:
    stamp = f"2026-03-01T10:00:{second:02d}.250Z"
    return {"id": name, "timestamp": stamp, "type": kind, "content": content, **more}


def user(name: str, text: str, second: int = 0, **more: Any) -> Row:
    return said(name, "user", [{"text": text}], second, **more)


def call(name: str, tool: str, output: str | None, status: str = "success", **arguments: Any) -> Row:
    made = {
        "id": name,
        "name": tool,
        "args": arguments,
        "status": status,
        "timestamp": "2026-03-01T10:00:09.000Z",
    }
    return made if output is None else {**made, "result": [response(name, tool, output)]}


def response(name: str, tool: str, output: str, key: str = "output") -> Row:
    return {"functionResponse": {"id": name, "name": tool, "response": {key: output}}}


def answer(name: str, text: str, second: int, *calls: Row, **more: Any) -> Row:
    thoughts = [{"subject": "Look", "description": "It says so.", "timestamp": "2026-03-01T10:00:02.000Z"}]
    tokens = {"input": 9, "output": 2, "cached": 0, "thoughts": 1, "tool": 0, "total": 12}
    row = said(name, "gemini", text, second, thoughts=thoughts, tokens=tokens, model="gemini-2.5-pro", **more)
    return {**row, "toolCalls": list(calls)} if calls else row


CONTEXT = user(
    "c0",
    f"<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - {PROJECT}\n</session_context>",
)
READ = call("read_file__1", "read_file", "The crane lifts 40 tonnes.\n", file_path="notes.txt")
SHELL = call("shell__2", "run_shell_command", "Output: 2\nExit Code: 3\nEnd", command="wc -l; exit 3")
OWN = call("search__3", "mcp_unabridged_search", "found", query="crane")
RESULTS = [response("read_file__1", "read_file", "The crane lifts 40 tonnes.\n"), SHELL["result"][0]]


def session() -> list[Row]:
    """A session with calls, a growing message, a rewind, a picture, notices, and a resumption."""
    first = [
        header(),
        {"$set": {"messages": [CONTEXT], "lastUpdated": "2026-03-01T10:00:00.000Z"}},
        user("u1", "How much does the harbour crane lift?", 1),
        answer("g1", "I read the notes.", 2),
        {"$set": {"lastUpdated": "2026-03-01T10:00:02.000Z"}},
        answer("g1", "I read the notes.", 2, READ, SHELL),
        said("u2", "user", RESULTS, 3),
        answer("g2", "It lifts forty tonnes.", 4),
        user("u3", "And the ferry, how many cars does it take?", 5),
        answer("g3", "Twenty cars, I think.", 6),
        {"$rewindTo": "u3"},
        said(
            "u4",
            "user",
            [{"text": "Look at this plan"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}],
            7,
        ),
        answer("g4", "", 8, OWN),
        answer("g5", "naïve 数据库 🙂", 9),
        said("n1", "error", "The model is overloaded.", 10),
        said("n2", "info", [{"text": "Context was compressed."}], 11),
    ]
    history = [
        CONTEXT,
        user("u1", "How much does the harbour crane lift?", 20),
        said("g1", "gemini", [{"text": "x", "thought": True}, {"text": "I read the notes."}], 20),
        said("g1_response", "user", RESULTS, 20),
        user("s1", "<state_snapshot>\nThe crane lifts 40 tonnes.\n</state_snapshot>", 21),
    ]
    return [
        *first,
        header(),
        {"$set": {"sessionId": SESSION}},
        {"$set": {"messages": history}},
        user("u5", "Thanks, write that down", 22, displayContent=[{"text": "Thanks, write @that down"}]),
        {"$set": {"summary": "Load of the harbour crane"}},
    ]


def subagent() -> list[Row]:
    """What an agent does that the session has called."""
    return [
        header(SUB, "subagent", directories=[PROJECT]),
        user("su1", "Find out who owns the crane.", 1),
        answer("sg1", "", 2),
        answer("sg1", "", 2, call(f"{SUB}#0-0", "complete_task", "done", report={"found": "the port"})),
        {"$set": {"summary": '{"found": "the port"}'}},
    ]


def lines(rows: list[Row]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def written(home: Path) -> tuple[Path, Path]:
    """Both sessions where the host has them; returns their files."""
    project = home / ".gemini" / "tmp" / "harbour"
    chats = project / "chats"
    (chats / SESSION).mkdir(parents=True)
    (project / ".project_root").write_text(PROJECT)
    main = chats / f"session-2026-03-01T10-00-{SESSION[:8]}.jsonl"
    main.write_bytes(lines(session()))
    side = chats / SESSION / f"{SUB}.jsonl"
    side.write_bytes(lines(subagent()))
    return main, side


def document(messages: list[Row], **more: Any) -> bytes:
    """An older session: one document, pretty-printed."""
    whole = {**header(), **more, "messages": messages}
    return json.dumps(whole, ensure_ascii=False, indent=2).encode()
