"""A request keeps its bytes: as it is where nothing is cut, and all but what is cut where something is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window.scripts import EVERYTHING, FORMATS, SCRIPTS, SMALL, Format, Script
from unabridged.window.epoch import plan
from unabridged.window.limits import Limits
from unabridged.window.providers import splice
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES, adapter_for
from unabridged.window.providers.known import Known
from unabridged.window.state import State
from unabridged.window.window import ALL, Added, Edited, Span, Text

# A folder with what real clients sent, one JSON object with `path` and `body` a line, in `<client>/requests*.jsonl`.
SAMPLES = os.environ.get("UNABRIDGED_TEST_REQUESTS", "")

ODD = (
    b'{ "model" : "m", "n": 1.50E+3, "big": 12345678901234567890123,\n "messages" :[ '
    b'{"role": "user","content":"a\\u00e9\\/\\ud83d\\ude42 \\ud800 z" , "extra": {"x":1,"x":2}} ,\n'
    b'{"content":[{"type":"text","text":"so"},{"type":"future_block","payload":[1.0,-0,1e5]}],"role":"assistant"},'
    b'{"role":"user","content":[{"type":"tool_result_v9","id":"q"},{"type":"text","text":"next","x":null}]}\t]'
    b',"stream":true,"n":2, "messages_count": 3 } \n'
)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@settings(max_examples=30, deadline=None)
@given(script=SCRIPTS, indent=st.sampled_from([None, 1]))
def test_a_request_without_a_cut_is_the_same_bytes(form: Format, script: Script, indent: int | None) -> None:
    for body in form.bodies(script):
        if indent:
            body = json.dumps(json.loads(body), indent=indent).encode()
        request = form.adapter.read(body)
        window = plan(request.conversation, State(), Limits()).window
        assert form.adapter.write(request, window) == body
        items = json.loads(body)[form.member]
        assert [json.loads(body[start:end]) for start, end in request.spans] == items


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@settings(max_examples=30, deadline=None)
@given(script=SCRIPTS)
def test_what_was_read_before_is_read_the_same(form: Format, script: Script) -> None:
    known, few = Known(1 << 20), Known(500)
    for body in form.bodies(script, marked=True):
        fresh = form.adapter.read(body)
        assert form.adapter.read(body, known) == fresh
        assert form.adapter.read(body, few) == fresh


def test_number_forms_key_order_keys_given_twice_and_escapes_remain() -> None:
    request = ANTHROPIC.read(ODD)
    assert len(request.spans) == 3
    assert ANTHROPIC.write(request, (Span(0, 3),)) == ODD
    sent = ANTHROPIC.write(request, (Added("what came before"), Span(1, 3)))
    start, end = request.spans[1][0], request.spans[2][1]
    assert sent == (
        ODD[: request.array[0]]
        + b'[{"role":"user","content":[{"type":"text","text":"what came before"}]},'
        + ODD[start:end]
        + b"]"
        + ODD[request.array[1] :]
    )


def test_an_edit_leaves_every_other_byte_of_its_message() -> None:
    edit = Edited(1, (Text(0, 'now "this"', "n"),))
    request = ANTHROPIC.read(ODD)
    sent = ANTHROPIC.write(request, (Span(0, 1), edit, Span(2, 3)))
    start, end = request.spans[1]
    changed = ODD[start:end].replace(b'"text":"so"', b'"text":"now \\"this\\""')
    assert changed in sent
    assert ODD[request.spans[2][0] : request.spans[2][1]] in sent


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b'{"model":"m","messages":[{"role":"user","content":null},{"role":"user"},7,"x",[]]}', ANTHROPIC),
        (b'{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]},{"role":3}]}', ANTHROPIC),
        (
            b'{"input":[{"type":"item_reference","id":"r"},{"type":"compaction","encrypted_content":"e"},{}]}',
            RESPONSES,
        ),
        (b'{"input":[{"type":"computer_call_output","call_id":"c","output":{"type":"x"}},null]}', RESPONSES),
        (
            b'{"messages":[{"role":"function","name":"f","content":"r"},{"role":"assistant","tool_calls":[{}]}]}',
            CHAT,
        ),
        (b'{"messages":[]}', CHAT),
    ],
)
def test_what_has_not_the_form_that_it_should_have_is_passed_on(body: bytes, form: Any) -> None:
    request = form.read(body)
    made = plan(request.conversation, State(), SMALL, EVERYTHING)
    assert form.write(request, made.window) == body


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"messages":[}',
        b'{"a":NaN}',
        b"\xff\xfe",
        b'{"messages":[],"a":"\xff"}',
        b'{"a":1}{"b":2}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_request_is_told_apart(body: bytes) -> None:
    for form in FORMATS:
        with pytest.raises(splice.NotUnderstood):
            form.adapter.read(body)


@pytest.mark.parametrize(
    "outer",
    [
        {"input": "hello"},
        {"input": [], "previous_response_id": "resp_1"},
        {"input": [], "conversation": {"id": "c"}},
    ],
)
def test_a_list_that_is_not_the_whole_conversation_is_passed_on(outer: dict[str, Any]) -> None:
    body = json.dumps({"model": "m", **outer}).encode()
    request = RESPONSES.read(body)
    assert not request.windowed
    assert RESPONSES.write(request, ()) == body


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(value=st.dictionaries(st.text(max_size=3), JSON, max_size=5), indent=st.sampled_from([None, 0, 2]))
def test_the_place_of_every_value_is_found(value: dict[str, Any], indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode()
    spans = splice.member_spans(data)
    assert {name: json.loads(data[start:end]) for name, (start, end) in spans.items()} == value
    for name, (start, end) in spans.items():
        assert splice.placed_member(data, splice.members(data), name) == (start, end)
        if isinstance(value[name], list):
            places = splice.placed_elements(data, (start, end), splice.elements(data[start:end]))
            assert [json.loads(data[first:last]) for first, last in places] == value[name]
            inner = splice.element_spans(data[start:end])
            assert [(start + first, start + last) for first, last in inner] == places
        rest = json.loads(splice.without_member(data, name))
        assert rest == {key: item for key, item in value.items() if key != name}
        assert json.loads(splice.with_member(data, name, b"[1]")) == {**value, name: [1]}


def test_a_key_given_twice_is_the_last_one() -> None:
    data = b'{"a":1,"b":[1],"a":12,"b":[2] ,"c":"{"}'
    assert [data[slice(*span)] for span in splice.member_spans(data).values()] == [b"12", b"[2]", b'"{"']
    assert splice.placed_member(data, splice.members(data), "b") == (26, 29)
    assert splice.without_member(data, "a") == b'{"b":[1],"b":[2] ,"c":"{"}'
    assert splice.without_member(b'{"a":1}', "a") == b"{}"
    assert splice.without_member(b'{"b":2, "a":1 }', "a") == b'{"b":2 }'


def test_half_of_a_surrogate_pair_is_read_and_kept() -> None:
    raw = b'{"text":"x\\ud800y","more":["\\udc00"]}'
    assert splice.text(splice.members(raw)["text"]) == "x\ud800y"
    assert splice.elements(b'["\\ud800",1]')[1] == splice.elements(b"[1]")[0]
    assert json.loads(splice.encoded("x\ud800y")) == "x\ud800y"
    body = (
        b'{"messages":[{"role":"user","content":"\\ud800"},{"role":"assistant","content":"\\ud83d\\ude42"}]}'
    )
    first, second = CHAT.read(body).conversation.items
    assert first.parts[0].text == "\ufffd"
    assert second.parts[0].text == "🙂"
    (named,) = ANTHROPIC.read(b'{"messages":[{"role":"user","\\udc00":1,"content":"x"}]}').conversation.items
    assert named.parts[0].text == "x"


def test_an_argument_and_an_output_of_each_format_are_replaced_in_form() -> None:
    given = Text(0, "short", "name")
    call = b'{"type":"function_call","call_id":"c","arguments":"{\\"a\\":1}","name":"f"}'
    free = b'{"type":"custom_tool_call","call_id":"c","input":"free","name":"f"}'
    output = (
        b'{"type":"function_call_output","call_id":"c",'
        b'"output":[{"type":"input_text","text":"a"},{"type":"input_image"}]}'
    )
    body = b'{"input":[' + b",".join((call, free, output)) + b"]}"
    request = RESPONSES.read(body)
    sent = RESPONSES.write(request, tuple(Edited(index, (given,)) for index in range(3)))
    first, second, third = json.loads(sent)["input"]
    assert json.loads(first["arguments"]) == {"archived": "name", "preview": "short"}
    assert second["input"] == "short"
    assert third["output"] == [{"type": "input_text", "text": "short"}, {"type": "input_image"}]
    calls = [{"id": "c", "function": {"arguments": "{}"}}]
    body = json.dumps({"messages": [{"role": "assistant", "content": "t", "tool_calls": calls}]}).encode()
    sent = CHAT.write(CHAT.read(body), (Edited(0, (Text(0, "T", "n"), Text(1, "A", "n"))),))
    (message,) = json.loads(sent)["messages"]
    assert message["content"] == "T"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"])["preview"] == "A"


def test_the_first_blocks_of_a_message_are_kept_as_they_are() -> None:
    request = ANTHROPIC.read(ODD)
    sent = ANTHROPIC.write(request, (Edited(1, parts=1), Edited(2, parts=ALL)))
    first, second = json.loads(sent)["messages"]
    assert first["content"] == [{"type": "text", "text": "so"}]
    assert len(second["content"]) == 2


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/messages?beta=true", ANTHROPIC),
        ("/t0ken/v1/messages/count_tokens", ANTHROPIC),
        ("/v1/responses", RESPONSES),
        ("/chat/completions/", CHAT),
        ("/v1/responses/compact", None),
        ("/v1/models", None),
    ],
)
def test_a_path_names_its_format(path: str, found: Any) -> None:
    assert adapter_for(path) is found


@pytest.mark.skipif(not SAMPLES, reason="UNABRIDGED_TEST_REQUESTS names no folder of real requests")
def test_the_requests_of_real_clients_are_kept_and_taken() -> None:
    seen = 0
    for path in sorted(Path(SAMPLES).glob("*/requests*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            adapter = adapter_for(row["path"])
            if adapter is None or not isinstance(row["body"], dict):
                continue
            for body in (json.dumps(row["body"]).encode(), json.dumps(row["body"], indent=1).encode()):
                request = adapter.read(body)
                assert adapter.write(request, plan(request.conversation, State(), Limits()).window) == body
                assert adapter.problems(body) == ()
                tight = Limits(2_000, 300, 400, rotation_turns=2, retain_turns=1)
                made = plan(request.conversation, State(), tight, EVERYTHING)
                assert adapter.problems(adapter.write(request, made.window)) == ()
            seen += 1
    assert seen
