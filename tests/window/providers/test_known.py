"""A request that goes on with one which was read before is read as if nothing had been."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.splice import NotUnderstood

MESSAGES = [
    '{"role":"user","content":"ok"}',  # said more than once: its key counts the times
    '{"role":"user","content":"ok"}',
    '{"role":"assistant","content":[{"type":"text","text":"so \\u00e9"}]}',
    '{"role":"user","content":[{"type":"text","text":"é","cache_control":{"type":"ephemeral"}}]}',
    '{"role":"user","content":[{"type":"text","text":"é"}]}',
    '{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}',
    "7",
    "77",
    '"a text"',
    "[1]",
]
HEADS = ['"model":"m"', '"model":"m","x":[{"messages":[1]}]', '"model":"n"', '"model":"m","messages":[]']
TAILS = ["", ',"stream":true', ',"messages":[]', ',"input":[3]', ',"previous_response_id":"r"']
SPACES = ["", " ", "\n"]
DAMAGES = [b"", b",", b"]", b"}", b'"', b"\xff", b" "]

Turn = tuple[str, list[str], str, str, int, bytes]
TURNS = st.lists(
    st.tuples(
        st.sampled_from(HEADS),
        st.lists(st.sampled_from(MESSAGES), max_size=3),
        st.sampled_from(TAILS),
        st.sampled_from(SPACES),
        st.integers(-4, 0),  # messages that the client leaves out of its history's end
        st.sampled_from(DAMAGES),
    ),
    min_size=2,
    max_size=8,
)


def read(adapter: Adapter, body: bytes, known: Known | None = None) -> Request | str:
    try:
        return adapter.read(body, known)
    except NotUnderstood:
        return "not understood"


@pytest.mark.parametrize(
    ("adapter", "member"), [(ANTHROPIC, "messages"), (CHAT, "messages"), (RESPONSES, "input")]
)
@settings(max_examples=300, deadline=None)
@given(turns=TURNS, places=st.randoms(use_true_random=False))
def test_what_goes_on_is_read_the_same(
    adapter: Adapter, member: str, turns: list[Turn], places: object
) -> None:
    known, few, said = Known(1 << 20), Known(300), list[str]()
    for head, more, tail, space, less, damage in turns:
        said = said[: len(said) + less] if less else said
        said += more
        listed = f"{space},{space}".join(said)
        body = f'{{{head},"{member}":{space}[{space}{listed}{space}]{tail}}}'.encode()
        if damage:
            at = places.randrange(len(body))  # type: ignore[attr-defined]
            body = body[:at] + damage + body[at + (damage == b'"') :]
        fresh = read(adapter, body)
        assert read(adapter, body, known) == fresh
        assert read(adapter, body, few) == fresh


def body(*said: str, system: str = "s") -> bytes:
    listed = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(said)
    ]
    return json.dumps({"system": system, "messages": listed, "stream": True}).encode()


def test_what_was_read_before_is_not_read_again() -> None:
    known = Known(1 << 20)
    first = ANTHROPIC.read(body("one", "two", "three"), known).conversation.items
    again = ANTHROPIC.read(body("one", "two", "three", "four"), known).conversation.items
    assert all(one is other for one, other in zip(first, again, strict=False))


def test_nor_where_something_else_changes_before_the_list() -> None:
    known = Known(1 << 20)
    first = ANTHROPIC.read(body("one", "two", "three"), known).conversation.items
    again = ANTHROPIC.read(body("one", "two", "three", "four", system="another"), known).conversation.items
    assert all(one is other for one, other in zip(first, again, strict=False))


def test_a_history_read_by_one_format_is_not_taken_for_another_format_s() -> None:
    known = Known(1 << 20)
    given = body("one", "two")
    ANTHROPIC.read(given, known)
    assert CHAT.read(given, known) == CHAT.read(given)


def test_a_conversation_is_held_once_and_the_oldest_go() -> None:
    texts = [str(number) * 50 for number in range(40)]
    longest = len(body(*texts))
    known = Known(2 * longest)
    for count in range(2, 40):
        ANTHROPIC.read(body(*texts[:count]), known)
    other = ANTHROPIC.read(body("another", "two"), known).conversation.items
    again = ANTHROPIC.read(body(*texts), known).conversation.items
    assert ANTHROPIC.read(body("another", "two"), known).conversation.items[0] is other[0]
    few = Known(longest)
    ANTHROPIC.read(body("another", "two"), few)
    ANTHROPIC.read(body(*texts), few)
    assert ANTHROPIC.read(body("another", "two"), few).conversation.items[0] is not other[0]
    assert len(again) == 40
