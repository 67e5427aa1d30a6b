"""What stands in a conversation as null, in another form, or unknown keeps no conversation from its window."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.nullable import Path
from tests.window.scripts import EVERYTHING, FORMATS, SMALL, Call, Format, Script, Step, Turn
from unabridged.window.providers import checking
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, new_problems
from unabridged.window.providers.sending import sending
from unabridged.window.state import State

WORDS = "word " * 60
STEP = Step("said", "thought", (Call("look", {"at": "a"}, "seen"), Call("read", {"at": "b"}, "read")))
SCRIPT = Script(tuple(Turn(f"question {number} {WORDS}", (STEP, Step("done"))) for number in range(12)), "e")
# What is put into every place of a conversation: what some client's library writes for a member that is not set, and
# what no provider has by now.
STRANGE: tuple[Any, ...] = (None, {"type": "of-tomorrow", "of": [1]}, [None, 7], 7)
# Members that the providers let be null, by format, added where they are not there.
MAY_BE_NULL: dict[str, tuple[str, ...]] = {
    "anthropic": ("cache_control", "citations", "is_error", "caller"),
    "responses": ("id", "status", "phase", "created_by", "namespace", "annotations", "logprobs"),
    "chat": ("name", "refusal", "audio", "function_call", "annotations", "content"),
    "pi": (
        "details",
        "errorMessage",
        "textSignature",
        "toolName",
        "responseId",
        "content",
        "summary",
        "output",
    ),
    "opencode": ("error", "summary", "synthetic", "ignored", "metadata", "filename", "text", "mime"),
}


def body(form: Format) -> dict[str, Any]:
    return json.loads(form.bodies(SCRIPT)[-1])


def places(value: Any, at: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield (*at, name)
            yield from places(one, (*at, name))  # pyright: ignore[reportUnknownArgumentType]


def with_value(value: Any, path: Path, new: Any) -> Any:
    made = copy.deepcopy(value)
    held = made
    for name in path[:-1]:
        held = held[name]
    held[path[-1]] = new
    return made


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_what_is_strange_in_one_place_breaks_no_check_and_no_reading(form: Format) -> None:
    whole = body(form)
    for path in places(whole[form.member][:7]):
        for strange in STRANGE:
            made = json.dumps(with_value(whole, (form.member, *path), strange)).encode()
            form.adapter.problems(made)
            assert len(form.adapter.read(made).spans) == len(whole[form.member])


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_what_a_provider_lets_be_null_gets_the_same_window(form: Format) -> None:
    whole = body(form)
    objects = [(), *places(whole[form.member])]
    for name in MAY_BE_NULL[form.name]:
        made = copy.deepcopy(whole)
        for path in objects[1:]:
            held = made[form.member]
            for step in path:
                held = held[step]
            if isinstance(held, dict) and ("role" in held or "type" in held):
                held.setdefault(name, None)  # pyright: ignore[reportUnknownMemberType]
        sent = window(form, made)
        assert len(sent) == len(window(form, whole)), name


def window(form: Format, given: Any) -> list[Any]:
    made = sending(form.adapter, json.dumps(given).encode(), State(address="window:x"), SMALL, EVERYTHING)
    assert made.plan is not None
    assert not made.problems
    found = json.loads(made.body)[form.member]
    assert len(found) < len(given[form.member])
    return found


@pytest.mark.parametrize("name", ["id", "role", "status", "name", "arguments", "call_id", "type"])
def test_a_client_that_writes_all_members_of_every_item_gets_its_windows(name: str) -> None:
    (form,) = (form for form in FORMATS if form.name == "responses")
    whole = body(form)
    whole[form.member] = [{name: None, **item} for item in whole[form.member]]
    assert window(form, whole)


def test_a_system_prompt_and_tools_that_are_null_are_none() -> None:
    asked = [{"role": "user", "content": "go"}]
    assert ANTHROPIC.problems(json.dumps({"messages": asked, "system": None, "tools": None}).encode()) == ()


USER, SAID = {"role": "user", "content": "go"}, {"role": "assistant", "content": "so"}


def asking(call: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "t", "input": {}}]}


def calling(call: str) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": call}]}


BROKEN: tuple[tuple[Adapter, str, list[Any], list[Any]], ...] = (
    (ANTHROPIC, "messages", [USER, asking("a"), USER, SAID, USER], [USER, SAID, USER, asking("b"), USER]),
    (CHAT, "messages", [USER, calling("a"), USER], [USER, calling("b"), USER]),
    (
        RESPONSES,
        "input",
        [USER, {"type": "function_call", "call_id": "a"}],
        [USER, {"type": "function_call", "call_id": "b"}],
    ),
)


@pytest.mark.parametrize(("adapter", "member", "source", "sent"), BROKEN)
def test_a_call_that_an_edit_left_alone_is_told_though_another_one_was_alone_before(
    adapter: Adapter, member: str, source: list[Any], sent: list[Any]
) -> None:
    before, after = (json.dumps({member: items}).encode() for items in (source, sent))
    found = new_problems(adapter, before, after)
    assert [(problem.code, problem.what) for problem in found] == [(checking.UNPAIRED_CALL, "b")]
    assert new_problems(adapter, before, before + b" ") == ()


def test_a_strange_message_does_not_hide_what_an_edit_broke() -> None:
    strange = {"role": "user", "content": {"of": "tomorrow"}}
    before, after = (
        json.dumps({"messages": [*front, strange, SAID, USER]}).encode() for front in ([USER, SAID], [SAID])
    )
    assert [problem.code for problem in new_problems(ANTHROPIC, before, after)] == [checking.FIRST_ROLE]
