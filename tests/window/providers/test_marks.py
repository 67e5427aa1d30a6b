"""Cache marks: where the stable prefix of a window ends, and never more than the provider takes."""

from __future__ import annotations

import json
from typing import Any

from tests.window.scripts import EVERYTHING, FORMATS, SMALL, Call, Script, Step, Turn
from unabridged.window.epoch import plan
from unabridged.window.providers.adapters import ANTHROPIC
from unabridged.window.state import State

FORMAT = FORMATS[0]
MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def marks(value: Any) -> list[Any]:
    """Return the cache marks in order."""
    if isinstance(value, dict):
        own = [value["cache_control"]] if "cache_control" in value else []
        return own + [mark for item in value.values() for mark in marks(item)]
    return [mark for item in value for mark in marks(item)] if isinstance(value, list) else []


def talk(count: int) -> Script:
    return Script(tuple(Turn(f"question {number}", (Step(f"answer {number}"),)) for number in range(count)))


def test_the_table_of_contents_is_marked_where_the_client_marks() -> None:
    body = FORMAT.bodies(talk(9), marked=True)[-1]
    request = ANTHROPIC.read(body)
    made = plan(request.conversation, State(), SMALL, EVERYTHING)
    sent = json.loads(ANTHROPIC.write(request, made.window))
    assert made.rotated
    assert marks(sent["messages"][0]) == [{"type": "ephemeral"}]
    assert len(marks(sent)) == 3


def test_a_client_that_marks_nothing_gets_no_mark() -> None:
    request = ANTHROPIC.read(FORMAT.bodies(talk(9))[-1])
    made = plan(request.conversation, State(), SMALL, EVERYTHING)
    assert marks(json.loads(ANTHROPIC.write(request, made.window))) == []


def test_a_mark_lives_as_long_as_the_clients_own() -> None:
    body = FORMAT.bodies(talk(9), marked=True)[-1].replace(
        b'{"type":"ephemeral"}', b'{"type":"ephemeral","ttl":"1h"}'
    )
    request = ANTHROPIC.read(body)
    made = plan(request.conversation, State(), SMALL, EVERYTHING)
    assert marks(json.loads(ANTHROPIC.write(request, made.window))) == [MARK["cache_control"]] * 3


def test_no_window_has_more_marks_than_the_provider_takes() -> None:
    outer = json.loads(FORMAT.bodies(talk(9), marked=True)[-1])
    outer["tools"] = [{"name": "t", "input_schema": {}, "cache_control": {"type": "ephemeral"}}]
    outer["messages"][-3]["content"][0]["cache_control"] = {"type": "ephemeral"}
    body = json.dumps(outer).encode()
    request = ANTHROPIC.read(body)
    made = plan(request.conversation, State(), SMALL, EVERYTHING)
    assert made.rotated
    sent = ANTHROPIC.write(request, made.window)
    assert len(marks(json.loads(sent))) == 4
    assert ANTHROPIC.problems(sent) == ()


def test_the_end_of_the_last_request_is_marked_where_it_is_out_of_reach() -> None:
    calls = tuple(Call("Read", {"path": str(number)}, f"result {number}") for number in range(12))
    script = Script((*talk(9).turns, Turn("read them", (Step("", "", calls),))))
    bodies = FORMAT.bodies(script, marked=True)
    first = ANTHROPIC.read(bodies[-2])
    made = plan(first.conversation, State(), SMALL, EVERYTHING)
    second = ANTHROPIC.read(bodies[-1])
    later = plan(second.conversation, made.state, SMALL, EVERYTHING)
    sent = json.loads(ANTHROPIC.write(second, later.window, made.state.shown.count))
    last = next(message for message in sent["messages"] if message["content"][0].get("text") == "read them")
    assert marks(last) == [{"type": "ephemeral"}]
    near = json.loads(ANTHROPIC.write(second, later.window, len(second.spans)))
    assert len(marks(near)) == len(marks(sent)) - 1


def test_an_item_is_the_same_wherever_its_mark_stands() -> None:
    plain = {"role": "user", "content": "hello"}
    block = {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    marked = {"role": "user", "content": [{"type": "text", "text": "hello", **MARK}]}
    more = {"role": "system", "output_config": {"effort": "low"}, "content": "rules"}
    more_marked = {**more, "content": [{"type": "text", "text": "rules", **MARK}]}
    cited = {"role": "user", "content": [{"type": "text", "text": "hello", "citations": []}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]}
    result_marked = {"role": "user", "content": [{**result["content"][0], **MARK}]}

    def key(message: Any) -> str:
        return ANTHROPIC.read(json.dumps({"messages": [message]}).encode()).conversation.items[0].key

    assert key(plain) == key(block) == key(marked)
    assert key(more) == key(more_marked)
    assert key(result) == key(result_marked)
    assert len({key(plain), key(more), key(cited), key(result)}) == 4
    assert key(plain) != key({"role": "assistant", "content": "hello"})
