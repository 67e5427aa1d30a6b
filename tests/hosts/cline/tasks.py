"""Conversations as Cline's command line 3.0, its extension, and Roo Code write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unabridged.hosts.cline import HOST

PROJECT = "/home/ann/harbour"
SESSION = "1772359200000_abcde"
AGENT = "agent_1772359201000_fghij"
TASK = "1772359200000"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
DETAILS = (
    "<environment_details>\n# Visual Studio Code Open Tabs\nnotes.txt\n\n"
    f"# Current Working Directory ({PROJECT}) Files\nnotes.txt\n</environment_details>"
)

Row = dict[str, Any]


def text(words: str) -> Row:
    return {"type": "text", "text": words}


def message(name: str, role: str, second: int, *content: Any, **more: Any) -> Row:
    return {
        "id": name,
        "role": role,
        "content": list(content),
        "ts": 1_772_359_200_000 + 1000 * second,
        **more,
    }


def newer() -> list[Row]:
    """Messages of a session of the command line."""
    model = {"modelInfo": {"id": "fake-gpt", "provider": "openai-compatible"}, "metrics": {"inputTokens": 9}}
    looked = {"query": "notes.txt", "result": "1 | The crane lifts 40 tonnes.", "success": True}
    failed = {"query": "wc -l", "result": "", "error": "Command failed with exit code 3", "success": False}
    return [
        message("u-1", "user", 1, text('<user_input mode="act">How much does the crane lift?</user_input>')),
        message(
            "msg_1",
            "assistant",
            2,
            {"type": "thinking", "thinking": "The notes."},
            text("I look into the notes."),
            {
                "type": "tool_use",
                "id": "call_1",
                "name": "read_files",
                "input": {"files": [{"path": "notes.txt"}]},
            },
            {
                "type": "tool_use",
                "id": "call_2",
                "name": "mcp__unabridged__search",
                "input": {"query": "crane"},
            },
            **model,
        ),
        message(
            "msg_2",
            "user",
            3,
            {
                "type": "tool_result",
                "tool_use_id": "call_1",
                "name": "read_files",
                "content": [looked, failed],
            },
            {"type": "tool_result", "tool_use_id": "call_2", "name": "search", "content": "found"},
        ),
        message("msg_3", "assistant", 4, text("It lifts forty tonnes."), **model),
        message(
            "u-2",
            "user",
            5,
            text('<user_input mode="act">Look at this plan</user_input>'),
            {"type": "image", "data": PNG, "mediaType": "image/png"},
            {"type": "file", "path": "plan.md", "content": "# The plan"},
        ),
        message("msg_4", "assistant", 6, text("naïve 数据库 🙂"), **model),
    ]


def older() -> list[Row]:
    """Messages of a task whose calls stand in the text; the newest fields are missing."""
    said = [
        ("user", [text("<task>\nHow much does the crane lift?\n</task>"), text(DETAILS)]),
        (
            "assistant",
            [
                text(
                    "<thinking>\nNotes.\n</thinking>\n\nI look.\n<read_file>\n<path>notes.txt</path>\n</read_file>"
                )
            ],
        ),
        (
            "user",
            [text("[read_file for 'notes.txt'] Result:"), text("The crane lifts 40 tonnes."), text(DETAILS)],
        ),
        ("assistant", [text("It says so in the notes.")]),
        (
            "assistant",
            [
                text(
                    "<attempt_completion>\n<result>\nIt lifts forty tonnes.\n</result>\n</attempt_completion>"
                )
            ],
        ),
        (
            "user",
            [
                text("[attempt_completion] Result: Done"),
                text("<feedback>\nAnd the ferry?\n</feedback>"),
                text(DETAILS),
            ],
        ),
    ]
    return [{"role": role, "content": content} for role, content in said]


def stamped(rows: list[Row]) -> list[Row]:
    """The same of a version that stamps messages."""
    return [{**row, "ts": 1_772_359_200_000 + 1000 * number} for number, row in enumerate(rows)]


def parted() -> list[Row]:
    """Messages of a version of Roo Code that writes the parts of the AI SDK."""
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": {"path": "notes.txt"}}
    fine = {
        "type": "tool-result",
        "toolCallId": "c1",
        "toolName": "read_file",
        "output": {"type": "text", "value": "40"},
    }
    bad = {
        "type": "tool-result",
        "toolCallId": "c2",
        "toolName": "list_files",
        "output": {"type": "error-text", "value": "no such folder"},
    }
    return stamped(
        [
            {"role": "user", "content": [text("<user_message>\nHow much?\n</user_message>")]},
            {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, call]},
            {"role": "tool", "content": [fine, bad]},
            {"type": "reasoning", "encrypted_content": "gAAA", "summary": []},
            {"role": "assistant", "content": "Forty tonnes.", "condenseParent": "s1"},
            {"role": "user", "content": [text("The crane lifts forty tonnes.")], "isSummary": True},
        ]
    )


def shown() -> list[Row]:
    """What was shown to the person of a task."""
    base = 1_772_359_200_000
    rows: list[Row] = [
        {
            "type": "say",
            "say": "task",
            "text": "How much does the crane lift?",
            "images": [f"data:image/png;base64,{PNG}"],
        },
        {"type": "say", "say": "api_req_started", "text": '{"request":"x"}'},
        {"type": "say", "say": "reasoning", "text": "hm"},
        {"type": "ask", "ask": "command", "text": "wc -l notes.txt"},
        {"type": "say", "say": "command_output", "text": "2"},
        {"type": "say", "say": "error", "text": "It failed."},
        {"type": "ask", "ask": "completion_result", "text": "Forty tonnes."},
    ]
    return [{"ts": base + 1000 * number, **row} for number, row in enumerate(rows)]


def session_files(data: Path) -> tuple[Path, Path]:
    """A session of the command line and its agent's, where the host has them; returns their documents."""
    folder = data / "sessions" / SESSION
    folder.mkdir(parents=True)
    manifest = {
        "version": 1,
        "session_id": SESSION,
        "cwd": PROJECT,
        "metadata": {"title": "Load of the crane"},
    }
    (folder / f"{SESSION}.json").write_text(json.dumps(manifest, indent=2))
    main, side = folder / f"{SESSION}.messages.json", folder / f"{AGENT}.messages.json"
    main.write_bytes(whole(newer()))
    agent = f"{SESSION}__{AGENT}"
    origin = {"mode": "subagent", "parentThreadId": SESSION}
    prompt = [
        message("s-1", "user", 1, text("Who owns the crane?")),
        message("s-2", "assistant", 2, text("The port.")),
    ]
    side.write_bytes(whole(prompt, sessionId=agent, agent="subagent", origin=origin))
    return main, side


def whole(messages: list[Row], **members: Any) -> bytes:
    """A document of the command line."""
    members = {"version": 1, "agent": "lead", "sessionId": SESSION, **members}
    return json.dumps({**members, "messages": messages, "system_prompt": "You are Cline."}, indent=2).encode()


def task_file(storage: Path, rows: list[Row] | Row, name: str = "api_conversation_history.json") -> Path:
    """A task's document, where an extension has it."""
    folder = storage / "tasks" / TASK
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(rows))
    return path


def rows_of(path: Path, state: bytes = b"") -> tuple[list[bytes], bytes]:
    """All that further looks at a document give."""
    (stream,) = HOST.streams(path)
    found: list[bytes] = []
    while True:
        more, state = HOST.rows(path, stream.name, state)
        if not more:
            return found, state
        found += more
