"""What a tool printed of a sensitive file is in no stored byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.archiving import NOW, PROJECT, ROOT
from unabridged.archive.admission import plan_append
from unabridged.archive.check import check
from unabridged.archive.ingest import Ingest
from unabridged.archive.masking import Masker, arguments
from unabridged.archive.redact.engine import Redactor
from unabridged.archive.resolve import Resolver
from unabridged.archive.restore import read_original
from unabridged.hosts.claude_code import HOST as CLAUDE
from unabridged.hosts.codex import HOST as CODEX
from unabridged.hosts.contract import Candidate
from unabridged.hosts.pi import HOST as PI
from unabridged.schema.records import EVENT, GENERATION
from unabridged.store.open import open_store

SHOWN = "FLAVOUR=vanilla-in-the-morning"
STAMP = "2026-01-01T00:00:0%d.000Z"
SESSION = "11111111-2222-4333-8444-555555555555"


def claude(command: dict[str, Any], tool: str, output: str) -> list[dict[str, Any]]:
    base = {"sessionId": SESSION, "cwd": "/p", "version": "2.0", "isSidechain": False, "userType": "external"}
    call = {"type": "tool_use", "id": "toolu_01", "name": tool, "input": command}
    result = {"type": "tool_result", "tool_use_id": "toolu_01", "content": output}
    return [
        {
            **base,
            "type": "user",
            "uuid": "a" * 36,
            "timestamp": STAMP % 1,
            "message": {"role": "user", "content": "look"},
        },
        {
            **base,
            "type": "assistant",
            "uuid": "b" * 36,
            "timestamp": STAMP % 2,
            "message": {"id": "msg_1", "role": "assistant", "content": [call]},
        },
        {
            **base,
            "type": "user",
            "uuid": "c" * 36,
            "timestamp": STAMP % 3,
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"stdout": output, "file": {"filePath": "/p/x", "content": output}},
        },
        {
            **base,
            "type": "user",
            "uuid": "d" * 36,
            "timestamp": STAMP % 4,
            "message": {"role": "user", "content": "on"},
        },
    ]


def codex(command: str, output: str) -> list[dict[str, Any]]:
    def item(number: int, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": STAMP % number, "type": "response_item", "payload": payload}

    meta = {"id": SESSION, "timestamp": STAMP % 0, "cwd": "/p", "originator": "x", "cli_version": "0.1"}
    return [
        {"timestamp": STAMP % 0, "type": "session_meta", "payload": meta},
        item(1, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "look"}]}),
        item(
            2,
            {
                "type": "function_call",
                "name": "exec_command",
                "call_id": "call_1",
                "arguments": json.dumps({"cmd": command}),
            },
        ),
        item(3, {"type": "function_call_output", "call_id": "call_1", "output": output}),
        item(
            4, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        ),
    ]


def pi(command: str, output: str) -> list[dict[str, Any]]:
    def row(number: int, message: dict[str, Any]) -> dict[str, Any]:
        return {"type": "message", "id": f"0000000{number}", "timestamp": STAMP % number, "message": message}

    call = {"type": "toolCall", "id": "toolu_9", "name": "bash", "arguments": {"command": command}}
    return [
        {"type": "session", "version": 3, "id": SESSION, "timestamp": STAMP % 0, "cwd": "/p"},
        row(1, {"role": "user", "content": [{"type": "text", "text": "look"}]}),
        row(2, {"role": "assistant", "content": [call], "stopReason": "toolUse"}),
        row(
            3,
            {
                "role": "toolResult",
                "toolCallId": "toolu_9",
                "toolName": "bash",
                "content": [{"type": "text", "text": output}],
                "details": {"output": output},
            },
        ),
        row(4, {"role": "assistant", "content": [{"type": "text", "text": "done"}], "stopReason": "stop"}),
    ]


CASES = [
    (CLAUDE, claude({"command": "cat .env", "description": "show"}, "Bash", SHOWN), True),
    (CLAUDE, claude({"file_path": "/p/.env"}, "Read", SHOWN), True),
    (CLAUDE, claude({"file_path": "/p/.env.example"}, "Read", SHOWN), False),
    (CLAUDE, claude({"command": "cat README.md"}, "Bash", SHOWN), False),
    (CODEX, codex("cat config/.env", SHOWN), True),
    (CODEX, codex("cat notes.txt", SHOWN), False),
    (PI, pi("head -3 ~/.ssh/id_rsa", SHOWN), True),
    (PI, pi("ls", SHOWN), False),
]


@pytest.mark.parametrize(("host", "rows", "masked"), CASES)
def test_output_of_a_sensitive_file_is_masked_and_other_output_is_not(
    host: Any, rows: list[dict[str, Any]], masked: bool
) -> None:
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    data = b"".join(lines)
    store = open_store("memory:", create=True)
    head = host.head(Path(f"/t/{SESSION}.jsonl"), lines)
    work = Ingest(host, Candidate(f"/t/{SESSION}.jsonl", "file"), head, ROOT, PROJECT, Redactor.compile())
    for append in [*work.feed(data), *work.finish(True)]:
        store.commit(PROJECT, plan_append(append, NOW))
    snapshot = store.snapshot()
    generation = snapshot.scan(GENERATION, (PROJECT,))[0]
    kept = b"".join(read_original(snapshot, generation))
    texts = [Resolver(snapshot).event_text(event) for event in snapshot.scan(EVENT, (PROJECT,))]
    if masked:
        assert SHOWN.encode() not in kept
        assert not any(SHOWN in text for text in texts)
        assert any("[redacted:sensitive-file]" in text for text in texts)
        assert generation.redactions == 1
        assert [json.loads(line) for line in kept.splitlines()] != []
    else:
        assert kept == data
        assert any(SHOWN in text for text in texts)
        assert generation.redactions == 0
    assert list(check(snapshot)) == []
    store.close()


def test_only_so_many_calls_are_waited_for() -> None:
    masker = Masker()
    for number in range(100):
        masker.saw("Bash", f"call-{number}", b"Bash\ncommand: cat .env")
    assert len(masker.waiting) == 16
    assert masker.waiting[-1] == "call-99"
    assert Masker(masker.waiting).concerns(b"call-99")


def test_arguments_are_read_back_from_a_rendering() -> None:
    assert json.loads(arguments('Bash\ncommand: cat a\nb\nlist: ["x"]')) == {
        "command": "cat a\nb",
        "list": ["x"],
    }
    assert arguments("cat .env") == "cat .env"
