"""What a provider would refuse is found before it is sent, as the stricter of two independent checks says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import provider_anthropic, provider_openai
from tests.window.scripts import FORMATS, SCRIPTS, Format, Script
from unabridged.window.providers import checking
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, new_problems

USER, SAID = {"role": "user", "content": "go"}, {"role": "assistant", "content": "so"}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]}
OTHER_CALL = [{"type": "tool_use", "id": "2", "name": "t", "input": {}}]
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


def found(adapter: Adapter, **outer: Any) -> list[str]:
    return [problem.code for problem in adapter.problems(json.dumps(outer).encode())]


@pytest.mark.parametrize(
    ("messages", "codes"),
    [
        ([USER, CALL, RESULT, SAID], []),
        ([{"role": "system", "content": []}, USER, SAID, USER], []),
        ([], [checking.NO_MESSAGES]),
        ([SAID, USER], [checking.FIRST_ROLE]),
        ([USER, CALL, USER], [checking.UNPAIRED_CALL]),
        ([USER, CALL], [checking.UNPAIRED_CALL]),
        ([USER, RESULT, SAID], [checking.UNPAIRED_RESULT]),
        ([USER, CALL, RESULT, CALL, RESULT], [checking.REPEATED_CALL]),
        ([USER, CALL, {"role": "user", "content": [MARKED, *RESULT["content"]]}], [checking.ORDER]),
        ([{"role": "robot", "content": "x"}, USER], [checking.FIRST_ROLE, checking.UNKNOWN_ROLE]),
        ([USER, {"role": "assistant", "content": []}, USER], [checking.EMPTY]),
        ([{"role": "user", "content": [MARKED] * 5}], [checking.TOO_MANY_MARKS]),
        ([USER, {"role": "assistant", "content": [{**MARKED, "type": "thinking"}]}], [checking.MARK_PLACE]),
        (
            [{"role": "user", "content": CALL["content"]}, RESULT],
            [checking.BLOCK_TYPE, checking.UNPAIRED_RESULT, checking.ORDER],
        ),
    ],
)
def test_anthropic_messages_are_checked(messages: list[Any], codes: list[str]) -> None:
    assert found(ANTHROPIC, messages=messages) == codes


def test_marks_of_system_tools_and_results_count_and_one_in_a_text_does_not() -> None:
    inner = {"role": "user", "content": [{**RESULT["content"][0], "content": [MARKED]}]}
    said = {"role": "assistant", "content": 'the "cache_control" of it'}
    messages = [USER, CALL, inner, said, {"role": "user", "content": [MARKED]}]
    assert found(ANTHROPIC, messages=messages, system=[MARKED], tools=[MARKED]) == []
    assert found(ANTHROPIC, messages=messages, system=[MARKED, MARKED], tools=[MARKED]) == [
        checking.TOO_MANY_MARKS
    ]


CALLED = {"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "1", "output": "r"}
THOUGHT = {"type": "reasoning", "id": "r"}


@pytest.mark.parametrize(
    ("items", "codes"),
    [
        ([USER, THOUGHT, CALLED, OUTPUT, SAID], []),
        ("hello", []),
        ([], [checking.NO_MESSAGES]),
        ([USER, CALLED], [checking.UNPAIRED_CALL]),
        ([USER, OUTPUT], [checking.UNPAIRED_RESULT]),
        ([USER, OUTPUT, CALLED], [checking.UNPAIRED_RESULT, checking.UNPAIRED_CALL]),
        ([{"type": "item_reference", "id": "x"}, OUTPUT], []),
        ([USER, THOUGHT, USER], [checking.ORDER]),
        ([USER, THOUGHT], [checking.ORDER]),
        ([{"role": "robot", "content": "x"}], [checking.UNKNOWN_ROLE]),
        ([USER, CALLED, CALLED, OUTPUT], [checking.REPEATED_CALL]),
    ],
)
def test_responses_are_checked(items: Any, codes: list[str]) -> None:
    assert found(RESPONSES, input=items) == codes


def test_what_builds_on_an_earlier_response_is_not_checked_for_pairs() -> None:
    assert found(RESPONSES, input=[OUTPUT], previous_response_id="resp_1") == []
    assert found(RESPONSES, input=[OUTPUT], previous_response_id=None) == [checking.UNPAIRED_RESULT]


ASKED = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}, {"id": "2"}]}


@pytest.mark.parametrize(
    ("messages", "codes"),
    [
        (
            [USER, ASKED, {"role": "tool", "tool_call_id": "2"}, {"role": "tool", "tool_call_id": "1"}, SAID],
            [],
        ),
        ([], [checking.NO_MESSAGES]),
        ([SAID], [checking.FIRST_ROLE]),
        ([{"role": "system", "content": "r"}, USER], []),
        ([USER, ASKED, {"role": "tool", "tool_call_id": "1"}, USER], [checking.UNPAIRED_CALL]),
        ([USER, {"role": "tool", "tool_call_id": "1"}], [checking.UNPAIRED_RESULT]),
        ([USER, {"role": "robot"}], [checking.UNKNOWN_ROLE]),
    ],
)
def test_chat_completions_are_checked(messages: list[Any], codes: list[str]) -> None:
    assert found(CHAT, messages=messages) == codes


def test_only_what_a_window_broke_counts_against_it() -> None:
    broken = json.dumps({"messages": [USER, CALL, USER]}).encode()
    worse = json.dumps({"messages": [SAID, CALL, USER]}).encode()
    assert new_problems(ANTHROPIC, broken, broken) == ()
    assert new_problems(ANTHROPIC, broken, broken + b" ") == ()
    assert [problem.code for problem in new_problems(ANTHROPIC, broken, worse)] == [checking.FIRST_ROLE]
    twice = json.dumps(
        {"messages": [USER, CALL, USER, {**CALL, "content": [MARKED, *OTHER_CALL]}, USER]}
    ).encode()
    assert {problem.code for problem in new_problems(ANTHROPIC, broken, twice)} == {checking.UNPAIRED_CALL}


def refused(form: Format, body: Any) -> bool:
    """Tell whether the provider that the clients are tested with would refuse a body."""
    if form.name == "anthropic":
        return bool(provider_anthropic.history_problems(body))
    return bool(provider_openai.history_problems(body))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@settings(max_examples=40, deadline=None)
@given(script=SCRIPTS, left_out=st.sets(st.integers(0, 20), max_size=3))
def test_whatever_the_other_check_refuses_this_one_refuses(
    form: Format, script: Script, left_out: set[int]
) -> None:
    body = json.loads(form.bodies(script)[-1])
    body[form.member] = [item for index, item in enumerate(body[form.member]) if index not in left_out]
    if refused(form, body):
        assert form.adapter.problems(json.dumps(body).encode()) != ()
