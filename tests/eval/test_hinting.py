"""The suite of hints on a part of itself, and what counts as right."""

from __future__ import annotations

import time

import msgspec

from unabridged.eval import cases, hinting
from unabridged.eval.cases import Frozen, Live, Said
from unabridged.eval.hinting import Told
from unabridged.eval.suite import Turn

TEXTS = {
    "s/a1": Turn(
        "s/a1", "assistant", "The kettle is blue because the red one leaks at the lid after a week."
    ),
    "s/a2": Turn("s/a2", "assistant", "Noted."),
    "s/a3": Turn("s/a3", "assistant", "The lid of the teapot is made of cork, which swells and then holds."),
}
LIVE = Live("A", "p", ())


def told(
    expect: str, outcome: str, quoted: tuple[str, ...] = (), *, tokens: int = 50, name: str = "m", **more: str
) -> Told:
    """Return a message that was told something."""
    said = Said(name, "the kettle", expect, "kind", **more)
    return Told(said, LIVE, outcome, "words", tokens, 0.001, "", frozenset(quoted), dated=True)


def suite_of(*messages: str) -> Frozen:
    """Return the suite with the live sessions that hold these messages, and no others."""
    suite = cases.load("hints", time.time())
    kept = tuple(
        msgspec.structs.replace(live, messages=tuple(said for said in live.messages if said.id in messages))
        for live in suite.live
        if any(said.id in messages for said in live.messages)
    )
    return msgspec.structs.replace(suite, live=kept)


def test_a_text_quotes_the_message_whose_runs_of_words_it_holds() -> None:
    hint = "From last week:\n> The kettle is blue because the red one leaks at the lid.\nNoted as data."
    assert hinting.quotations(hint, TEXTS) == {"s/a1"}
    assert hinting.quotations("You talked of a kettle and its lid.", TEXTS) == frozenset()
    assert hinting.quotations("", TEXTS) == frozenset()


def test_an_outcome_is_right_when_it_is_the_one_that_a_user_wants() -> None:
    assert told("excerpt", "excerpt", ("s/a1",), source="s/a1|s/a2").right
    assert not told("excerpt", "excerpt", ("s/a3",), source="s/a1").right
    assert not told("excerpt", "marker", source="s/a1").right
    assert told("either", "marker").right
    assert told("either", "nothing").right
    assert not told("either", "excerpt", ("s/a1",)).right
    assert not told("nothing", "marker").right
    assert told("any", "excerpt").right


def test_the_measures_count_each_outcome_by_itself() -> None:
    found = [
        told("excerpt", "excerpt", ("s/a1",), source="s/a1", name="m1"),
        told("excerpt", "nothing", source="s/a1", name="m2"),
        told("marker", "marker", source="s/a1", name="m3"),
        told("nothing", "excerpt", ("s/a3",), name="m4", tokens=170),
        told("nothing", "nothing", name="m5"),
        told("nothing", "excerpt", name="m6", after="m2"),  # its first was not answered: nothing is repeated
    ]
    report = hinting.report(suite_of(), found, {"m3": ["cork"]}, [True, False])
    assert report["judged"] == 5
    assert report["metrics"]["useful_disclosure"] == 50.0
    assert report["metrics"]["marker_recall"] == 100.0
    assert report["metrics"]["false_positive_rate"] == 50.0
    assert report["metrics"]["excerpts_right"] == 50.0
    assert report["metrics"]["markers_own_words"] == 0.0
    assert report["metrics"]["frozen"] == 50.0
    assert report["metrics"]["within_budget"] < 100.0
    assert report["categories"]["nothing: kind"] == {"n": 2, "accuracy": 50.0}


def test_a_marker_may_say_its_messages_words_and_those_of_every_marker() -> None:
    def marker(name: str, text: str) -> Told:
        return Told(Said(name, "the kettle leaks", "marker", "kind"), LIVE, "marker", text, 20, 0.001)

    found = [
        marker("m1", "Earlier talk about: kettle, leaks"),
        marker("m2", "Earlier talk about: kettle, cork"),
        marker("m3", "Earlier talk about: leaks, whatever"),
    ]
    assert hinting.leaks(found, TEXTS.values()) == {"m2": ["cork"]}


def test_live_sessions_are_told_hints_and_nothing_where_nothing_is_due() -> None:
    suite = suite_of("n001", "n006", "n007", "n106")
    report = hinting.run(suite, lambda _: None)
    assert (report["n"], sum(report["statuses"].values())) == (4, 4)
    assert report["metrics"]["false_positive_rate"] == 0.0
    assert report["metrics"]["within_budget"] == 100.0
    assert set(report["statuses"]) <= {"nothing", "marker", "excerpt"}
    assert set(report["milliseconds"]) == {"p50", "p95"}
