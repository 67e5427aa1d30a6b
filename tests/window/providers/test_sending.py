"""A request on its way: the window where all is well, and what goes instead where it is not."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.window.scripts import EVERYTHING, FORMATS, SMALL, Script, Step, Turn
from unabridged.window.providers.adapters import ANTHROPIC, RESPONSES
from unabridged.window.providers.anthropic import Anthropic
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import sending
from unabridged.window.state import State
from unabridged.window.window import Added, Piece

NEW = State(address="gateway:s")


class Broken(Anthropic):
    """An adapter with a fault: what it writes of a window with a table of contents holds no messages."""

    def __init__(self, only: str) -> None:
        self.only = only

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        texts = [piece.text for piece in window if isinstance(piece, Added)]
        if any(self.only in text for text in texts):
            return b'{"messages":[]}'
        return super().write(request, window, shown)


def bodies(turns: int) -> list[bytes]:
    made = tuple(
        Turn(f"question {number} {'word ' * 40}", (Step(f"answer {number}"),)) for number in range(turns)
    )
    return FORMATS[0].bodies(Script(made))


def test_a_window_is_sent_once_it_is_planned_and_checked() -> None:
    body = bodies(12)[-1]
    found = sending(ANTHROPIC, body, NEW, SMALL, EVERYTHING, known=Known(1 << 20))
    assert found.plan is not None
    assert found.plan.rotated
    assert found.problems == ()
    assert len(found.body) < len(body)
    assert ANTHROPIC.problems(found.body) == ()


def test_a_window_that_would_be_refused_is_never_sent() -> None:
    body = bodies(12)[-1]
    found = sending(Broken("turns"), body, NEW, SMALL, EVERYTHING)
    assert found.body == body
    assert found.plan is not None
    assert not found.plan.rotated
    assert [problem.code for problem in found.problems] == ["no-messages"]


def test_where_a_new_cut_fails_the_last_one_is_made_again() -> None:
    history, state = bodies(40), NEW
    cuts = list[bytes]()
    for body in history:
        before = state
        found = sending(ANTHROPIC, body, state, SMALL, EVERYTHING)
        assert found.plan is not None
        state = found.plan.state
        if found.plan.rotated:
            cuts.append(body)
            if len(cuts) == 2:
                break
    turns = found.plan.state.catalogue.partition(" turns")[0].rpartition(" ")[2]
    again = sending(Broken(f" {turns} turns"), cuts[1], before, SMALL, EVERYTHING)
    assert again.problems != ()
    assert again.plan is not None
    assert again.plan.state.cut == before.cut
    assert before.catalogue in json.loads(again.body)["messages"][0]["content"][0]["text"]


def test_where_no_cut_can_be_made_the_request_goes_as_it_came() -> None:
    class Useless(Anthropic):
        def problems(self, body: bytes) -> tuple[Problem, ...]:
            return (Problem("refused", "all"),) if len(body) != len(bodies(12)[-1]) else ()

    state = sending(ANTHROPIC, bodies(12)[-1], NEW, SMALL, EVERYTHING).plan.state  # type: ignore[union-attr]
    found = sending(Useless(), bodies(12)[-1], state, SMALL, EVERYTHING)
    assert found.body == bodies(12)[-1]
    assert found.plan is None
    assert found.problems == (Problem("refused", "all"),)


def test_what_is_no_request_is_passed_on() -> None:
    assert not sending(ANTHROPIC, b"\x00", NEW, SMALL).understood
    passed = sending(RESPONSES, b'{"input":"hello"}', NEW, SMALL)
    assert passed.understood
    assert passed.plan is None
    assert passed.body == b'{"input":"hello"}'
