"""The tools come from the operations, are few and short, and say what they need."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.hosts.claude_code.plugin import TOOLS as TOOLS_OF_THE_PLUGIN
from unabridged.schema import tokens
from unabridged.service.operations import OPERATIONS
from unabridged.service.tools.arguments import parameters
from unabridged.service.tools.table import (
    BY_NAME,
    LOADED,
    LOADED_KEY,
    TOOLS,
    input_schema,
    listing,
    required,
    type_of,
)

MOST_TOKENS = (
    3_950  # of what tools/list gives and a model reads: all but shapes of answers and marks for hosts
)
MOST_LOADED_TOKENS = 1_800  # of those that Claude Code's model is shown whole, as the guide says


def listed() -> list[dict[str, Any]]:
    return [listing(tool) for tool in TOOLS]


def test_what_claude_codes_model_has_at_hand_is_short() -> None:
    told = [
        {
            "name": f"{TOOLS_OF_THE_PLUGIN}{tool['name']}",
            "description": tool["description"],
            "input_schema": tool["inputSchema"],
        }
        for tool in listed()
        if tool.get("_meta", {}).get(LOADED_KEY)
    ]
    assert {tool["name"].removeprefix(TOOLS_OF_THE_PLUGIN) for tool in told} == LOADED
    assert tokens.by_script(json.dumps(told, separators=(",", ":")).encode()) < MOST_LOADED_TOKENS


def test_the_whole_list_is_short() -> None:
    unread = {"outputSchema", "_meta"}
    told = [{name: value for name, value in tool.items() if name not in unread} for tool in listed()]
    assert tokens.by_script(json.dumps({"tools": told}, separators=(",", ":")).encode()) < MOST_TOKENS


def test_every_tool_is_an_operation_and_every_argument_a_field_of_its_request() -> None:
    assert [tool.name for tool in TOOLS] == [
        *("search", "grep", "recall", "gather", "traverse", "sessions", "remember", "correct", "status")
    ]
    for tool in TOOLS:
        assert tool.operation is OPERATIONS[tool.op]
        for argument in tool.arguments:
            assert type_of(tool, argument) in (str, int, bool, list[str])
            assert isinstance(required(tool, argument), bool)


def test_only_the_tools_that_write_are_not_marked_as_reading() -> None:
    for tool in listed():
        marks = tool["annotations"]
        assert marks["readOnlyHint"] is (tool["name"] not in ("remember", "correct"))
        assert marks["openWorldHint"] is False
    assert BY_NAME["remember"].operation.effect == BY_NAME["correct"].operation.effect == "write"


def test_a_schema_names_what_is_required_and_refuses_what_is_unknown() -> None:
    schema = input_schema(BY_NAME["search"])
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    assert schema["properties"]["scope"]["enum"] == ["project", "all"]
    assert "required" not in input_schema(BY_NAME["status"])


def test_arguments_become_the_fields_of_the_request() -> None:
    given = {"query": "x", "limit": "7", "kinds": "text", "since": "7d", "session": "", "path": None}
    assert parameters(BY_NAME["search"], given) == {
        "query": "x",
        "limit": 7,
        "scope": "project",
        "filters": {"since": "7d", "kinds": ["text"]},
    }
    assert parameters(BY_NAME["search"], {"query": ""})["query"] == ""
    assert parameters(BY_NAME["recall"], {"target": "t", "whole": "true"}) == {
        "envelope": True,
        "target": "t",
        "whole": True,
    }
    assert parameters(BY_NAME["remember"], {"text": "t", "subject": "s"}) == {"text": "t", "subject_key": "s"}


@pytest.mark.parametrize(
    ("tool", "given", "message", "hint"),
    [
        ("search", {}, "`query` is missing", "cannot do without"),
        ("search", {"query": 3.5}, "`query`", "Give a text."),
        ("search", {"query": "x", "limit": "many"}, "`limit`", "Give a whole number."),
        ("search", {"query": "x", "limit": 0}, "`limit` is below 1", "At least 1."),
        ("search", {"query": "x", "limit": 51}, "`limit` is above 50", "At most 50"),
        ("search", {"query": "x", "kinds": ["text", "poem"]}, "`kinds` cannot be 'poem'", "One of: text,"),
        ("search", {"query": "x", "scope": "galaxy"}, "`scope` cannot be 'galaxy'", "One of: project, all."),
        ("search", {"query": "x", "session_id": "y"}, "takes no `session_id`", "Did you mean `session`?"),
        ("status", {"verbose": True}, "takes no `verbose`", "It takes: nothing."),
        ("recall", {"target": "t", "max_tokens": 20_001}, "`max_tokens` is above", "`next`"),
        ("recall", {"target": "t", "whole": "perhaps"}, "`whole`", "Give true or false."),
        ("gather", {"query": "x", "max_tokens": -1}, "`max_tokens` is below", "At least 150."),
        ("gather", {"query": "x", "intent": "mood"}, "`intent` cannot be 'mood'", "One of: auto,"),
        ("traverse", {"before": 3}, "`target` is missing", "cannot do without"),
        ("traverse", {"target": "t", "after": 129}, "`after` is above 128", "At most 128"),
    ],
)
def test_a_wrong_argument_is_answered_with_what_to_give_instead(
    tool: str, given: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        parameters(BY_NAME[tool], given)
    assert message in caught.value.message
    assert hint in caught.value.advice
    assert isinstance(caught.value, LimitExceeded) == ("above" in message)
