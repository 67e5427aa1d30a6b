"""Something of ours fails in the middle of an answer: the client gets the rest of it, or a sound end; it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.gateway.offered.provider import PROVIDERS, Block
from tests.gateway.offered.talk import Talk
from unabridged.gateway.offered import toolloop
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.toolloop import BrokenOff

FORMS = sorted(PROVIDERS)
SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
READ: Block = ("call", "read", '{"path":"a"}')
SAID: Block = ("text", "It is 80.")
LOOK: Block = ("text", "Let me look.")
both = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
forms = pytest.mark.parametrize("form", FORMS)
STEPS = ("feed", "heard", "finish", "ask", "keep", "result", "failed")


class Fault(Exception):
    """Of ours, whatever it is."""


def broken(*_: object, **__: object) -> Any:
    raise Fault("what was said")


def failing(method: Callable[..., Any], number: int) -> Callable[..., Any]:
    """The same, but that its call of this number raises."""
    left = [number]

    def called(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        return broken() if left[0] < 0 else method(*given, **named)

    return called


class Breaking(Talk):
    """A conversation in which a step of ours raises from its call of some number on."""

    step, number = "", 0

    def made(self, turn: Any) -> Any:
        part = turn._answer
        if self.step == "feed":
            name = "_got" if self.streamed else "feed"
            setattr(part, name, failing(getattr(part, name), self.number))
        elif self.step in ("heard", "finish", "failed"):
            setattr(part, self.step, failing(getattr(part, self.step), self.number))
        elif self.step in ("ask", "keep"):
            setattr(turn, f"_{self.step}", failing(getattr(turn, f"_{self.step}"), self.number))
        elif self.step == "result":
            turn._form = Resultless(turn._form)
        return turn


class Resultless:
    def __init__(self, form: Any) -> None:
        self._form = form

    def __getattr__(self, name: str) -> Any:
        return broken if name == "result" else getattr(self._form, name)


def talk(form: str, step: str, number: int, *, streamed: bool, size: int = 1 << 20) -> Breaking:
    made = Breaking(PROVIDERS[form](), streamed=streamed, size=size)
    made.step, made.number = step, number
    made.says("What port?")
    return made


def whole(form: str, answer: list[Block], *, streamed: bool) -> bytes:
    provider = PROVIDERS[form]()
    return (provider.stream if streamed else provider.whole)(answer, prompt=1_000)


@forms
@both
@pytest.mark.parametrize("step", ["feed", "heard", "finish"])
@pytest.mark.parametrize("size", [1 << 20, 37])
def test_an_answer_without_calls_of_ours_is_the_providers_own_to_its_last_byte(
    form: str, streamed: bool, step: str, size: int
) -> None:
    answer: list[Block] = [("think", "hm"), LOOK, READ]
    if step == "feed" and not streamed:
        pytest.skip("what is not streamed is only held")
    for number in range(12) if step == "feed" and streamed else (0,):
        one = talk(form, step, number, streamed=streamed, size=size)
        one.answer(answer)
        assert one.turn is not None
        if number and not one.turn.errors:  # there are not so many events
            break
        if form != "responses":
            assert one.raw == whole(form, answer, streamed=streamed)
        seen = one.provider.seen(one.raw.replace(b"unabridged_", b"x_"), streamed=streamed)
        assert [kind for kind, _ in one.provider.shown(seen)] == ["think", "text", "call"]
        assert one.turn.fault == toolloop.INTERNAL
        assert [type(error) for error in one.turn.errors] == [Fault]


@forms
@both
@pytest.mark.parametrize("step", ["heard", "finish", "result"])
def test_an_answer_out_of_which_a_call_was_taken_ends_as_its_format_has_it(
    form: str, streamed: bool, step: str
) -> None:
    one = talk(form, step, 0, streamed=streamed)
    answers = [[LOOK, SEARCH]] if step != "finish" else [[LOOK, SEARCH], [SAID]]
    seen = one.answer(*answers)
    assert b"unabridged_" not in one.raw
    assert seen["stop"] == one.provider.ends
    assert seen.get("ended", True)
    shown = one.provider.shown(seen)
    assert shown[0] == LOOK[:2]
    assert shown[-1] == ("text", FAILED)
    one.says("Go on.")
    assert one.provider.told(one.send())[-1] == ("user", "Go on.")


@forms
def test_wherever_reading_fails_the_client_gets_a_sound_answer(form: str) -> None:
    answers: list[list[Block]] = [[LOOK, SEARCH], [("think", "so"), SAID, SEARCH, READ]]
    ends = set[str]()
    for number in range(40):
        one = talk(form, "feed", number, streamed=True)
        seen = one.answer(*answers)
        assert b'"name":"unabridged_' not in one.raw.replace(b'"type":"function","name":', b"")
        if "error" in seen:
            ends.add("error")
            continue
        assert seen["ended"]
        shown = one.provider.shown(seen)
        ends.add(seen["stop"])
        assert (shown[-1][0] == "call") is (seen["stop"] == one.provider.calls_stop) or form == "responses"
    assert one.provider.ends in ends


@forms
@both
def test_a_provider_that_goes_on_after_calls_of_the_clients_own_has_them_answered(
    form: str, streamed: bool
) -> None:
    one = talk(form, "result", 0, streamed=streamed)
    seen = one.answer([LOOK, SEARCH, READ])
    assert one.provider.shown(seen) == [LOOK[:2], ("call", "read")]
    assert seen["stop"] == one.provider.calls_stop
    assert b"unabridged_" not in one.raw


@forms
@both
@pytest.mark.parametrize("step", ["ask", "keep"])
def test_an_archive_that_raises_is_an_answer_to_the_model(form: str, streamed: bool, step: str) -> None:
    one = talk(form, step, 0, streamed=streamed)
    seen = one.answer([LOOK, SEARCH], [SAID, READ])
    assert one.provider.shown(seen) == [LOOK[:2], SAID[:2], ("call", "read")]
    assert (toolloop.UNASKED in one.sent[1].decode()) is (step == "ask")
    assert one.turn is not None
    assert one.turn.fault == toolloop.INTERNAL


@forms
@both
def test_an_error_that_cannot_be_told_ends_the_answer_unfinished(form: str, streamed: bool) -> None:
    one = talk(form, "failed", 0, streamed=streamed)
    with pytest.raises(BrokenOff):
        one.answer([SEARCH], one.provider.error)


@forms
@both
def test_a_provider_that_cannot_be_asked_again_is_one_that_refused(form: str, streamed: bool) -> None:
    one = talk(form, "", 0, streamed=streamed)
    one.unreached = Fault()
    if not streamed:
        with pytest.raises(BrokenOff):
            one.answer([LOOK, SEARCH], [SAID])
        return
    seen = one.answer([LOOK, SEARCH], [SAID])
    assert "the provider broke off" in json.dumps(seen["error"])
