"""What a window holds, by role and tool, adds up to what it was planned to be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.window.build import call, conversation, keys, result, said, turns, user
from tests.window.scripts import EVERYTHING, FORMATS, SCRIPTS, SMALL, Format, Script
from unabridged.window.epoch import plan
from unabridged.window.holdings import CATALOGUE, holdings
from unabridged.window.limits import Gates, Limits
from unabridged.window.state import State

LIMITS = Limits(rotation=2_000, hard=3_000, rotation_turns=8, retain_turns=2, gates=Gates(result=200))


def test_results_are_counted_under_their_tool_and_previews_as_they_stand() -> None:
    talk = conversation(
        user("look"),
        call("c1", tool="Read"),
        result("c1", "line\n" * 2_000),
        said("long"),
        user("and?"),
        fixed=50,
    )
    made = plan(talk, State(address="window:x"), LIMITS, keys(talk))
    found = holdings(talk, made, 1)
    by_kind = {(one.role, one.kind, one.tool): one for one in found.held}
    read = by_kind["tool", "result", "Read"]
    assert (read.parts, read.previews) == (1, 1)
    assert read.tokens < 200
    assert by_kind["", "outside", ""].tokens == 50
    assert ("assistant", "call", "Read") in by_kind
    (large,) = found.largest
    assert (large.name, large.whole) == (f"window:x:{talk.items[2].name()}", talk.items[2].parts[0].tokens)
    assert large.tokens == read.tokens


def test_the_table_of_contents_is_a_part_without_a_name() -> None:
    talk = conversation(*turns(9, 50), user("now"))
    made = plan(talk, State(), LIMITS, keys(talk))
    assert made.state.cut.index
    found = holdings(talk, made, 100)
    assert CATALOGUE in {one.kind for one in found.held}
    assert all(large.name for large in found.largest)
    assert len(found.largest) == sum(one.parts for one in found.held if one.role and one.kind != CATALOGUE)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@settings(max_examples=20, deadline=None)
@given(script=SCRIPTS)
def test_all_that_is_held_adds_up_to_the_window(form: Format, script: Script) -> None:
    state = State()
    for body in form.bodies(script):
        talk = form.adapter.read(body).conversation
        made = plan(talk, state, SMALL, EVERYTHING)
        found = holdings(talk, made, 5)
        assert abs(found.tokens - made.tokens) <= 0.1 * made.tokens + 60
        assert len(found.largest) <= 5
        state = made.state
