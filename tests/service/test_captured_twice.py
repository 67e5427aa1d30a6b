"""One conversation that passes now in one format and now in another: its host has our extension, or asks a gateway."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.service.desk import Desk
from tests.service.test_windows import TALK, begin, violations
from unabridged.archive import log
from unabridged.archive.resolve import Resolver
from unabridged.schema.records import EVENT, Event
from unabridged.service.live import CaptureRow

SAID = ("ok", "done", "ok", "what else?", "ok")  # the user's and the model's, by turns
CALL = "toolu_1"


def in_messages(at: int, text: str) -> dict[str, Any]:
    return {"role": ("user", "assistant")[at % 2], "content": [{"type": "text", "text": text}]}


def in_pi(at: int, text: str) -> dict[str, Any]:
    return {**in_messages(at, text), "timestamp": 1_790_000_000_000 + at}


def in_opencode(at: int, text: str) -> dict[str, Any]:
    name = f"msg_{at}"
    info = {"id": name, "role": ("user", "assistant")[at % 2], "sessionID": "s-1", "time": {"created": 1}}
    return {"info": info, "parts": [{"id": f"prt_{at}", "messageID": name, "type": "text", "text": text}]}


def in_chat(at: int, text: str) -> dict[str, Any]:
    return {"role": ("user", "assistant")[at % 2], "content": text}


FORMS = {"messages": in_messages, "pi": in_pi, "opencode": in_opencode, "chat": in_chat}


def send(desk: Desk, form: str, count: int) -> None:
    """What a request of that format brings which the archive has not: so many messages from the first one on."""
    keys = [f"{form.encode().hex()[:8]:0<8}{at:024x}" for at in range(count)]
    known = begin(desk, format=form, keys=keys).durable
    rows = [
        CaptureRow(key, json.dumps(FORMS[form](at, SAID[at])))
        for at, key in enumerate(keys)
        if key not in known
    ]
    desk.call("capture", conversation=TALK, rows=rows)


def events(desk: Desk) -> list[Event]:
    with desk.store.snapshot() as reader:
        return [event for project in log.projects(reader) for event in reader.scan(EVENT, (project.id,))]


def texts(desk: Desk) -> Counter[tuple[str, str]]:
    with desk.store.snapshot() as reader:
        resolver = Resolver(reader)
        return Counter((event.role, resolver.event_text(event)) for event in events(desk))


@pytest.mark.parametrize("beside", ["pi", "opencode", "chat"])
def test_what_passes_in_two_formats_by_turns_is_there_as_often_as_it_was_said(
    desk: Desk, beside: str
) -> None:
    for count, form in enumerate((beside, "messages", beside, "messages", beside), 1):
        send(desk, form, count)
    assert texts(desk) == {("user", "ok"): 3, ("assistant", "done"): 1, ("assistant", "what else?"): 1}
    assert violations(desk) == []


def test_calls_are_read_in_the_format_in_which_they_pass(desk: Desk) -> None:
    begin(desk, format="messages")
    use = {"type": "tool_use", "id": CALL, "name": "look", "input": {"at": 1}}
    called = {"role": "assistant", "content": [use]}
    desk.call("capture", conversation=TALK, rows=[CaptureRow("1" * 32, json.dumps(called))])
    begin(desk, format="pi")
    block = {"type": "toolCall", "id": CALL, "name": "look", "arguments": {"at": 1}}
    again = {"role": "assistant", "content": [block], "timestamp": 1}
    other = {"role": "assistant", "content": [{**block, "id": "toolu_2"}], "timestamp": 2}
    rows = [CaptureRow("2" * 32, json.dumps(again)), CaptureRow("3" * 32, json.dumps(other))]
    desk.call("capture", conversation=TALK, rows=rows)
    kinds = [(event.kind, event.call) for event in events(desk)]
    assert kinds == [("tool-call", CALL), ("tool-call", "toolu_2")]
    assert violations(desk) == []


def test_a_text_that_passed_first_is_cited_by_the_hosts_own_row_once_that_is_read(desk: Desk) -> None:
    begin(desk)
    passed = {"role": "user", "content": [{"type": "text", "text": "one"}]}
    desk.call("capture", conversation=TALK, rows=[CaptureRow("1" * 32, json.dumps(passed))])
    (before,) = desk.call("recall", target=f"toy:s-1:W{TALK[:12]}-{'1' * 32}").source_keys
    assert before == f"toy:s-1:W{TALK[:12]}-{'1' * 32}"
    desk.admit("s-1", [{"id": "row-1", "text": "one", "human": True}])
    for name in ("toy:s-1:row-1", before):
        assert desk.call("recall", target=name).source_keys == ["toy:s-1:row-1"]
    assert len(events(desk)) == 1
