"""A request read in one pass is read as it is in two."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.window.providers import reading
from unabridged.window.providers.adapters import ANTHROPIC
from unabridged.window.providers.splice import NotUnderstood

MESSAGES = [
    '{"role":"user","content":"hello"}',
    '{"role":"assistant","content":[{"type":"text","text":"so \\u00e9 \\ud83d\\ude42"}]}',
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"q","content":"{\\"messages\\":[1]}"}]}',
    '{"role":"assistant","content":[{"type":"tool_use","id":"q","name":"n","input":{"messages":[{"a":[]}]}}]}',
    '{"role":"user","content":"half \\ud800"}',
    "[]",
    "null",
]
OTHERS = [
    ("model", '"m"'),
    ("model", "7"),
    ("system", '"you are, [agent] {x}"'),
    ("system", '[{"type":"text","text":"messages"}]'),
    ("tools", '[{"name":"a","input_schema":{"messages":[]}}]'),
    ("max_tokens", "1.5e3"),
    ("x", '{"messages":[1,2],"y":"]}"}'),
    ("stream", "true"),
    ("messages_count", "[3]"),
]
SPACES = ["", " ", "\n\t"]


def both(body: bytes, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """What the reading gives with the quick way and without it; the error's name where it raises."""

    def read() -> Any:
        try:
            return ANTHROPIC.read(body)
        except NotUnderstood:
            return "not understood"

    quick = read()
    with monkeypatch.context() as patch:
        patch.setattr(reading.Reader, "_quick", lambda *_: None)
        return quick, read()


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_request_of_any_layout_is_read_the_same_both_ways(data: Any) -> None:
    space = st.sampled_from(SPACES)
    parts = list(data.draw(st.lists(st.sampled_from(OTHERS), max_size=6)))
    lists = data.draw(st.sampled_from([1, 1, 1, 0, 2]))
    for _ in range(lists):
        listed = data.draw(st.lists(st.sampled_from(MESSAGES), max_size=5))
        joined = (
            f"[{data.draw(space)}"
            + f"{data.draw(space)},{data.draw(space)}".join(listed)
            + f"{data.draw(space)}]"
        )
        parts.insert(data.draw(st.integers(0, len(parts))), ("messages", joined))
    members = [
        f'{data.draw(space)}"{name}"{data.draw(space)}:{data.draw(space)}{value}' for name, value in parts
    ]
    body = ("{" + f"{data.draw(space)},".join(members) + f"{data.draw(space)}}}").encode()
    with pytest.MonkeyPatch.context() as monkeypatch:
        quick, slow = both(body, monkeypatch)
    assert quick == slow


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"messages":[}',
        b'{"messages":[1],',
        b'{"messages":"text"}',
        b'{"messages":{}}',
        b'{"messages":null}',
        b'{"messages":[]} x',
        b'\xef\xbb\xbf{"messages":[]}',
        b'{"messages":[{"role":"user","content":"\xff"}]}',
        b'{"system":"\xff","messages":[]}',
        b'{"messages":[' + b"[" * 3_000 + b"]" * 3_000 + b"]}",
        b'{"mess\\u0061ges":[{"role":"user","content":"x"}]}',
    ],
)
def test_what_is_no_request_is_refused_both_ways(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    quick, slow = both(body, monkeypatch)
    assert quick == slow


def test_most_requests_are_read_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": []}).encode()

    def never(*_: Any) -> Any:
        raise AssertionError("read twice")

    monkeypatch.setattr(reading, "elements", never)
    assert len(ANTHROPIC.read(body).spans) == 1
