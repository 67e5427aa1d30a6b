"""What a client sees of an answer in which the model asked the archive, and what the provider sees of it later."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateway.offered.provider import PROVIDERS, Block
from tests.gateway.offered.talk import Talk
from unabridged.gateway.offered import toolloop
from unabridged.gateway.offered.toolloop import MOST_CALLS, MOST_ROUNDS, REFUSED, REFUSED_ROUNDS, BrokenOff

FORMS = sorted(PROVIDERS)
SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
GATHER: Block = ("call", "unabridged_gather", '{"query":"why"}')
READ: Block = ("call", "read", '{"path":"a"}')
both = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
forms = pytest.mark.parametrize("form", FORMS)


def text(said: str) -> Block:
    return ("text", said)


def think(said: str) -> Block:
    return ("think", said)


def talk(form: str, **more: Any) -> Talk:
    made = Talk(PROVIDERS[form](), **more)
    made.says("What port?")
    return made


@forms
@both
def test_an_answer_without_our_tools_passes_byte_for_byte(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    provider = PROVIDERS[form]()
    answer = [think("hm"), text("It is 80."), READ]
    expected = (provider.stream if streamed else provider.whole)(answer, prompt=1_000)
    one.answer(answer)
    if form == "responses":  # which repeats the tools of the request
        assert b"unabridged_" not in one.raw
        assert one.provider.shown(one.provider.seen(one.raw, streamed=streamed))[1:] == [
            ("text", "It is 80."),
            ("call", "read"),
        ]
    else:
        assert one.raw == expected
    assert one.kept == {}


@forms
@both
def test_a_client_sees_nothing_of_a_search_and_one_whole_answer(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([text("Let me look."), SEARCH], [text("It is 80."), READ])
    assert one.provider.shown(seen) == [("text", "Let me look."), ("text", "It is 80."), ("call", "read")]
    assert b"unabridged_" not in one.raw
    assert b"found" not in one.raw
    assert seen["stop"] == one.provider.calls_stop
    assert [asked.arguments for asked in one.asked] == [b'{"query":"the port"}'] or json.loads(
        one.asked[0].arguments
    ) == {"query": "the port"}
    assert all(reply.closed for reply in one.replies)


@forms
@both
def test_the_client_is_told_the_prompt_that_it_has_now_and_all_that_was_written(
    form: str, streamed: bool
) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([SEARCH], [GATHER], [text("Done.")])
    assert one.provider.prompt_of(seen["usage"]) == 3_000  # a sum would make hosts compact
    assert one.provider.output_of(seen["usage"]) == 30
    assert one.turn is not None
    assert [used.prompt for used in one.turn.spent] == [1_000, 2_000, 3_000]


@forms
@both
def test_what_was_asked_stands_in_the_history_that_the_provider_gets(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([text("Let me look."), SEARCH], [text("And why."), GATHER], [text("It is 80."), READ])
    one.history += one.provider.results(seen)
    later = one.send()
    expected = [
        ("user", "What port?"),
        ("assistant", "Let me look."),
        ("assistant", "call unabridged_search"),
        ("user", "result found 1"),
        ("assistant", "And why."),
        ("assistant", "call unabridged_gather"),
        ("user", "result found 2"),
        ("assistant", "It is 80."),
        ("assistant", "call read"),
        ("user", "result read it"),
    ]
    assert one.provider.told(later) == expected
    # What was sent while it was asked is the beginning of what is sent later.
    assert one.provider.told(one.sent[1]) == expected[:4]
    assert one.provider.told(one.sent[2]) == expected[:7]


@forms
@both
def test_the_history_is_the_same_after_a_restart_and_at_each_later_request(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([SEARCH], [text("Wait."), SEARCH], [text("It is 80."), READ])
    one.history += one.provider.results(seen)
    first = one.send()
    one.restart()
    assert one.send() == first
    one.answer([text("So it is.")])
    one.says("And then?")
    later = one.send()
    name = one.provider.name
    before, after = (json.loads(body)[name] for body in (first, later))
    assert json.dumps(after[: len(before)]) == json.dumps(before)


@forms
@both
def test_calls_of_both_in_one_answer_go_to_whom_they_belong(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([text("Both."), SEARCH, READ, GATHER])
    assert one.provider.shown(seen) == [("text", "Both."), ("call", "read")]
    assert seen["stop"] == one.provider.calls_stop
    assert len(one.sent) == 1
    one.history += one.provider.results(seen)
    told = one.provider.told(one.send())
    assert told[:5] == [
        ("user", "What port?"),
        ("assistant", "Both."),
        ("assistant", "call unabridged_search"),
        ("assistant", "call read"),
        ("assistant", "call unabridged_gather"),
    ]
    assert sorted(told[5:]) == [("user", f"result {said}") for said in ("found 1", "found 2", "read it")]


@forms
def test_an_answer_that_was_broken_off_keeps_what_stood_before(form: str) -> None:
    one = talk(form)
    one.answer([text("Let me look."), SEARCH], [text("It is 80, and more.")])
    cut = json.dumps(one.history[-1] if form != "responses" else one.history).replace(
        "It is 80, and more.", "It is"
    )
    one.history = [one.history[0], json.loads(cut)] if form != "responses" else json.loads(cut)
    one.says("Go on.")
    assert one.provider.told(one.send()) == [
        ("user", "What port?"),
        ("assistant", "Let me look."),
        ("assistant", "call unabridged_search"),
        ("user", "result found 1"),
        ("assistant", "It is"),
        ("user", "Go on."),
    ]


@forms
def test_a_history_that_is_another_one_gets_nothing_put_in(form: str) -> None:
    one = talk(form)
    one.answer([text("Let me look."), SEARCH], [text("It is 80.")])
    one.history = [one.history[0]]
    other = PROVIDERS[form]()
    one.history += other.seen(other.stream([text("I do not know.")]), streamed=True)["history"]
    one.says("Go on.")
    assert [said for _, said in one.provider.told(one.send())] == ["What port?", "I do not know.", "Go on."]


@forms
def test_an_answer_that_is_asked_for_again_forgets_the_first_one(form: str) -> None:
    one = talk(form)
    one.answer([SEARCH], [text("It is 80.")])
    one.history = [one.history[0]]
    one.answer([text("It is 81.")])
    one.says("Sure?")
    assert [said for _, said in one.provider.told(one.send())] == ["What port?", "It is 81.", "Sure?"]


@forms
def test_a_client_that_drops_reasoning_gets_its_history_filled_all_the_same(form: str) -> None:
    one = talk(form)
    answers = [think("one"), SEARCH], [think("two"), text("Hm."), GATHER], [think("three"), text("It is 80.")]
    one.answer(*answers)
    one.says("Thanks.")
    words = [said for _, said in one.provider.told(one.send()) if said not in ("one", "two", "three")]
    one.history = [one.history[0], *one.provider.without_reasoning(one.history[1:-1]), one.history[-1]]
    assert [said for _, said in one.provider.told(one.send())] == words
    assert words == [
        "What port?",
        "call unabridged_search",
        "result found 1",
        "Hm.",
        "call unabridged_gather",
        "result found 2",
        "It is 80.",
        "Thanks.",
    ]


@pytest.mark.parametrize("form", ["anthropic", "responses"])
def test_reasoning_stands_where_it_stood(form: str) -> None:
    one = talk(form)
    one.answer([think("one"), SEARCH], [think("two"), GATHER], [think("three"), text("It is 80.")])
    one.says("Thanks.")
    assert [said for _, said in one.provider.told(one.send())] == [
        "What port?",
        "one",
        "call unabridged_search",
        "result found 1",
        "two",
        "call unabridged_gather",
        "result found 2",
        "three",
        "It is 80.",
        "Thanks.",
    ]


@forms
@both
def test_a_model_that_only_asks_is_told_so_and_then_ended(form: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer(*([SEARCH] for _ in range(MOST_ROUNDS + REFUSED_ROUNDS + 1)))
    assert len(one.asked) == MOST_ROUNDS
    assert REFUSED in one.sent[-1].decode()
    assert seen["stop"] == one.provider.ends
    shown = one.provider.shown(seen)
    assert [kind for kind, _ in shown] == ["text"]
    assert "too often" in shown[0][1]


@forms
def test_a_model_that_asks_much_at_once_is_answered_up_to_a_limit(form: str) -> None:
    one = talk(form)
    one.answer([SEARCH] * (MOST_CALLS + 3), [text("Well.")])
    assert len(one.asked) == MOST_CALLS
    assert one.sent[-1].decode().count(REFUSED) == 3


@forms
def test_a_provider_that_refuses_in_between_is_heard_by_the_client(form: str) -> None:
    one = talk(form)
    seen = one.answer([text("Let me look."), SEARCH], one.provider.error)
    assert "too busy" in json.dumps(seen["error"])
    # The client sends its request again: nothing of the first answer is left in it.
    one.answer([text("It is 80.")])
    one.says("Thanks.")
    assert [said for _, said in one.provider.told(one.send())] == ["What port?", "It is 80.", "Thanks."]


@forms
def test_an_answer_in_one_piece_ends_unfinished_when_the_provider_refuses_in_between(form: str) -> None:
    one = talk(form, streamed=False)
    with pytest.raises(BrokenOff):
        one.answer([SEARCH], one.provider.error)


@pytest.mark.parametrize(
    ("form", "stop"), [("anthropic", "max_tokens"), ("responses", "x"), ("chat", "length")]
)
@both
def test_a_call_that_was_cut_off_comes_to_nothing(form: str, stop: str, streamed: bool) -> None:
    one = talk(form, streamed=streamed)
    seen = one.answer([text("Let me"), SEARCH], stop=stop)
    assert one.provider.shown(seen) == [("text", "Let me")]
    assert seen["stop"] == ("incomplete" if form == "responses" else stop)
    assert one.asked == []


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(FORMS),
    st.integers(1, 400),
    st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=5),
)
def test_however_a_stream_is_cut_into_pieces_the_client_gets_the_same(
    form: str, size: int, shape: list[int]
) -> None:
    blocks = {0: [text("a b"), SEARCH], 1: [SEARCH, GATHER], 2: [think("t"), text("c"), SEARCH], 3: [SEARCH]}
    answers = [*(blocks[one] for one in shape), [think("z"), text("The end."), READ]]
    whole, pieces = talk(form), talk(form, size=size)
    whole.answer(*answers)
    pieces.answer(*answers)
    assert pieces.raw == whole.raw
    assert pieces.history == whole.history
    assert b"unabridged_" not in whole.raw


@forms
@both
def test_an_answer_that_is_too_long_to_be_held_passes_as_it_came(
    form: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolloop, "MOST_BYTES", 300)
    one, provider = talk(form, streamed=streamed, size=100), PROVIDERS[form]()
    answer = [text("a long answer " * 30)]
    one.answer(answer)
    if form != "responses" or not streamed:
        assert one.raw == (provider.stream if streamed else provider.whole)(answer, prompt=1_000)
    assert one.turn is not None
    assert one.turn.fault == toolloop.TOO_LONG
