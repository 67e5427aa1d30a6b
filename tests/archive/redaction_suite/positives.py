"""Every credential kind of the suite, with the surroundings that it is met in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.archive.redaction_suite import documents, settings, tokens
from tests.archive.redaction_suite.shapes import MARK, Positive, made

SESSION = "11111111-2222-4333-8444-555555555555"
STAMP = "2026-01-01T00:00:00.000Z"


def positives() -> list[Positive]:
    """Return one text for every kind."""
    found = list[Positive]()
    for group in tokens.GROUPS.values():
        for kind, template in group.items():
            text = made(kind, template)
            found.append(Positive(kind, text if MARK.search(text) else f"‹{text}›", bare=True))
    for group in (*settings.GROUPS.values(), *documents.GROUPS.values()):
        found.extend(Positive(kind, made(kind, template), bare=False) for kind, template in group.items())
    assert len({positive.kind for positive in found}) == len(found)
    return found


def _prefixed(markup: str, prefix: Callable[[int], str]) -> str:
    return "\n".join(f"{prefix(number)}{line}" for number, line in enumerate(markup.split("\n"), 7))


# Where a credential that stands alone is met: name → the text around it.
WITHIN_A_LINE: dict[str, Callable[[str], str]] = {
    "prose": lambda it: f"Yesterday we tried {it} against the old service, and it answered at once.\n",
    "shell": lambda it: f"$ ./deploy --region eu-1 '{it}' && echo done\ndone\n",
    "code": lambda it: f'client = Client(region, "{it}", retries=3)\n',
    "markdown": lambda it: f"| before | `{it}` |\n| after | none |\n",
    "diff": lambda it: f"@@ -3,2 +3,2 @@\n-{it}\n+none\n",
    "comma": lambda it: f"(old, {it}, new)",
    "line end": lambda it: f"It printed\n{it}",
}

# Where a line or a file is met.
AROUND_LINES: dict[str, Callable[[str], str]] = {
    "prose": lambda it: f"Before it failed I had this:\n\n{it}\n\nAfter that, nothing worked.\n",
    "shell": lambda it: f"$ cat <<'EOF' > out.txt\n{it}\nEOF\n$ wc -l out.txt\n",
    "code": lambda it: f"Then:\n\n```\n{it}\n```\n\nThat is all of it.\n",
    "diff": lambda it: f"@@ -3,2 +3,9 @@ part\n unchanged\n{_prefixed(it, lambda _: '+')}\n unchanged\n",
    "numbered": lambda it: f"{_prefixed(it, lambda number: f'{number:6}→')}\n    99→last\n",
    "indented": lambda it: f"    first\n{_prefixed(it, lambda _: '    ')}\n    last\n",
    "other line ends": lambda it: f"first\n{it}\nlast\n".replace("\n", "\r\n"),
    "line end": lambda it: f"It printed\n{it}",
}


def claude_row(text: str) -> dict[str, Any]:
    """Return a row of a Claude Code transcript with the text as a tool's output, beside fields that must stay."""
    result = {"type": "tool_result", "tool_use_id": "toolu_01Ab2Cd3Ef4Gh5Ij6Kl7Mn8P", "content": text}
    return {
        "parentUuid": "51e60f2b-2035-409f-b5dd-00adcb429220",
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": [result]},
        "uuid": "0c365552-189a-4935-9c6d-e0379216eaf7",
        "timestamp": STAMP,
        "cwd": "/home/dev/project",
        "sessionId": SESSION,
        "version": "2.1.332",
    }


def codex_row(text: str) -> dict[str, Any]:
    """Return a row of a Codex transcript with the text in a call's arguments, which are JSON inside a JSON string."""
    arguments = json.dumps({"cmd": ["bash", "-lc", text], "workdir": "/home/dev/project", "timeout_ms": 1000})
    payload = {
        "type": "function_call",
        "name": "shell",
        "arguments": arguments,
        "call_id": "call_Ab2Cd3Ef4Gh5Ij6Kl7",
    }
    return {"timestamp": STAMP, "ordinal": 7, "type": "response_item", "payload": payload}


def pi_row(text: str) -> dict[str, Any]:
    """Return a row of a Pi transcript whose text is JSON, twice escaped, that holds the text."""
    inner = json.dumps({"status": 200, "body": json.dumps({"lines": text, "more": False})})
    message = {"role": "user", "content": [{"type": "text", "text": inner}], "timestamp": 1_795_993_903_200}
    return {
        "type": "message",
        "id": "9687b60e",
        "parentId": "98a40b58",
        "timestamp": STAMP,
        "message": message,
    }


def from_claude_row(row: dict[str, Any]) -> str:
    """Return the text of a Claude Code row."""
    return row["message"]["content"][0]["content"]


def from_codex_row(row: dict[str, Any]) -> str:
    """Return the text of a Codex row."""
    return json.loads(row["payload"]["arguments"])["cmd"][2]


def from_pi_row(row: dict[str, Any]) -> str:
    """Return the text of a Pi row."""
    return json.loads(json.loads(row["message"]["content"][0]["text"])["body"])["lines"]


Row = dict[str, Any]
ROWS: dict[str, tuple[Callable[[str], Row], Callable[[Row], str]]] = {
    "JSON row": (claude_row, from_claude_row),
    "escaped JSON": (codex_row, from_codex_row),
    "twice escaped JSON": (pi_row, from_pi_row),
}


def surroundings(positive: Positive) -> dict[str, str]:
    """Return the marked texts that a kind is looked for in, by the surrounding's name."""
    around = WITHIN_A_LINE if positive.bare else AROUND_LINES
    return {name: wrap(positive.markup) for name, wrap in around.items()}


def in_rows(positive: Positive) -> str:
    """Return the marked text that stands in transcript rows."""
    return f"first line\n{positive.markup}\nlast line"
