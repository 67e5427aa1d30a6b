"""Requests beside the conversation, and what providers report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.window.providers.adapters import ANTHROPIC, RESPONSES
from unabridged.window.providers.sidecalls import Aside, aside, compacted
from unabridged.window.providers.usage import Usage, usage


def asked(*texts: str) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    return ANTHROPIC.read(json.dumps({"messages": messages}).encode()).conversation


def test_a_compaction_is_told_by_how_it_is_asked_for() -> None:
    critical = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- more"
    assert aside(asked("go", "so", critical)) is Aside.COMPACTION
    assert aside(asked(critical, "so", "go on")) is Aside.NONE
    items = [{"role": "user", "content": "go"}, {"type": "compaction_trigger"}]
    body = json.dumps({"input": items}).encode()
    assert aside(RESPONSES.read(body).conversation) is Aside.COMPACTION


def test_a_title_is_told_by_how_it_is_asked_for() -> None:
    assert aside(asked("Generate a title for this conversation:\n")) is Aside.TITLE
    assert aside(asked("go")) is Aside.NONE
    assert aside(asked()) is Aside.NONE


def test_a_history_that_a_host_made_short_is_told() -> None:
    assert compacted(asked("This session is being continued from a previous conversation that ran out"))
    assert not compacted(asked("go on"))


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (
            {
                "input_tokens": 5,
                "cache_read_input_tokens": 90,
                "cache_creation_input_tokens": 3,
                "output_tokens": 7,
            },
            Usage(5, 90, 3, 7),
        ),
        (
            {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 80}, "output_tokens": 7},
            Usage(20, 80, 0, 7),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": None}},
            Usage(100, 0, 0, 7),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 7}, Usage(100, 0, 0, 7)),
        ({"output_tokens": 7}, None),
        ({"input_tokens": -1}, None),
        ({"input_tokens": "many"}, None),
        ([], None),
    ],
)
def test_what_a_provider_reports_is_read_in_every_format(reported: Any, expected: Usage | None) -> None:
    found = usage(json.dumps(reported).encode())
    assert found == expected
    if found is not None:
        assert found.prompt in (98, 100)
