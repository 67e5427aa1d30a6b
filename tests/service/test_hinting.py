"""What is told beside a message, frozen: outcomes, budgets, rest, and the same bytes whatever happens later."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from tests.support.archiving import PROJECT, violations
from tests.support.hinting import DAY, HOUR, Hinting
from unabridged.archive import hints
from unabridged.archive.forget import plan_retire
from unabridged.errors import Conflict, DiskLow, IndexCorrupt, InvalidInput, LimitExceeded, OutOfScope
from unabridged.hosts.calls import is_own_text
from unabridged.retrieve.places import document_of
from unabridged.schema import tokens
from unabridged.schema.ids import session_id
from unabridged.schema.records import EVENT, HINT
from unabridged.schema.scope import Level
from unabridged.service.bounded import Bounded

ASKED = "Why did we choose polling for the flash driver?"
MATTER = "Let's extend the flash driver polling."
REPLAYED = ("outcome", "reason", "text", "tokens")


def same(one: Any, other: Any) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in REPLAYED)


def test_who_asks_for_history_gets_a_dated_quotation(hinting: Hinting) -> None:
    told = hinting.ask(ASKED)
    assert (told.outcome, told.reason) == ("excerpt", "asked")
    assert is_own_text(told.text)
    assert 'date="2026-09-' in told.text
    assert "| assistant: We chose polling for the flash driver because the erase interrupt" in told.text
    assert told.tokens == tokens.strict(told.text.encode()) <= 160
    assert told.left == 640 - told.tokens
    assert not violations(hinting.store.snapshot())


def test_a_matter_that_was_talked_of_gets_a_marker_of_its_own_words(hinting: Hinting) -> None:
    told = hinting.ask(MATTER)
    assert (told.outcome, told.reason) == ("marker", "recurring-matter")
    assert "flash driver polling" in told.text
    for archived in ("interrupt", "erase", "sleep", "chose"):
        assert archived not in told.text


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Is the flash driver polling right now?", "current-state"),
        ("What is a flash driver?", "general-knowledge"),
        ("Correction: the flash driver uses interrupts.", "correction"),
        ("Why did we choose Kafka for the event bus?", "weak-evidence"),
        ("Thanks!", "no-words"),
        ("", "no-words"),
    ],
)
def test_most_messages_get_nothing_and_a_reason(hinting: Hinting, message: str, reason: str) -> None:
    told = hinting.ask(message)
    assert (told.outcome, told.reason, told.text, told.tokens) == ("nothing", reason, "", 0)


def test_what_a_newer_decision_replaced_is_not_quoted(hinting: Hinting) -> None:
    hinting.talk(
        "later", "And the flash driver?", "We chose interrupts instead of polling for the flash driver."
    )
    hinting.index()
    told = hinting.ask(ASKED)
    assert (told.outcome, told.reason) == ("excerpt", "asked")
    assert "We chose interrupts instead of polling" in told.text
    assert "simpler to test" not in told.text


def test_two_sources_that_are_as_good_are_not_quoted(hinting: Hinting) -> None:
    hinting.talk("twin", "Which driver?", "We chose polling for the flash driver because the bus is slow.")
    hinting.index()
    told = hinting.ask(ASKED)
    assert (told.outcome, told.reason) == ("marker", "ambiguous")


def test_two_sources_that_say_the_same_are_no_contradiction(hinting: Hinting) -> None:
    hinting.talk(
        "twin", "Which driver?", "Polling for the flash driver, as the erase interrupt is lost in sleep."
    )
    hinting.index()
    assert "erase interrupt is lost" in hinting.ask(ASKED).text


def test_what_a_person_took_back_in_the_next_message_is_not_quoted(hinting: Hinting) -> None:
    hinting.talk(
        "valve",
        "How long shall the valve watchdog wait?",
        "We decided that the valve watchdog waits five seconds.",
        "No, that is wrong.",
        "I see.",
    )
    hinting.index()
    told = hinting.ask("What did we decide about the valve watchdog?")
    assert (told.outcome, told.reason) == ("marker", "conflict")


def test_what_a_person_put_in_its_place_is_quoted(hinting: Hinting) -> None:
    hinting.talk(
        "valve",
        "How long shall the valve watchdog wait?",
        "We decided that the valve watchdog waits five seconds.",
        "No, make it nine.",
        "Done.",
    )
    hinting.index()
    assert "user: No, make it nine." in hinting.ask("What did we decide about the valve watchdog?").text


def test_old_talk_is_not_told_of_and_a_note_is(hinting: Hinting) -> None:
    hinting.talk(
        "old", "Which hash?", "We chose xxhash for the sector table because it is quick.", age=31 * DAY
    )
    hinting.talk(
        "recent", "Which pin?", "We chose pin seven for the buzzer because it has PWM.", age=29 * DAY
    )
    hinting.note("We decided that the enclosure screws are torx.")
    hinting.index()
    stale = hinting.ask("Why did we choose xxhash for the sector table?")
    assert (stale.outcome, stale.reason) == ("nothing", "stale-source")
    assert hinting.ask("Why did we choose pin seven for the buzzer?").outcome == "excerpt"
    hinting.now = type(hinting.now)(hinting.now + 90 * DAY)
    assert hinting.ask("What did we decide about the enclosure screws?").outcome == "excerpt"


@pytest.mark.parametrize(("days", "outcome"), [(6, "excerpt"), (8, "nothing")])
def test_what_a_tool_printed_is_told_of_for_a_week(hinting: Hinting, days: int, outcome: str) -> None:
    rows = [
        {"id": "t0", "text": "Build it.", "human": True},
        {
            "id": "t1",
            "text": "link failed: E_SECTION_OVERLAP in sector.ld",
            "kind": "tool-result",
            "role": "tool",
        },
    ]
    hinting.add("tools", rows, age=days * DAY)
    hinting.index()
    assert hinting.ask("What was that E_SECTION_OVERLAP error last time?").outcome == outcome


def test_a_source_rests_for_a_day_in_a_session_and_its_forks(hinting: Hinting) -> None:
    hinting.add("new", [{"id": "n0", "text": "Hello", "human": True}], age=HOUR)
    hinting.add("fork", [{"id": "f0", "text": "Hello again", "human": True}], age=HOUR // 2, parent="new")
    assert hinting.ask(ASKED).outcome == "excerpt"
    again = "Remind me why we chose polling for the flash driver."
    assert hinting.ask(again).reason == "repeated-source"
    assert hinting.ask(again, "fork").reason == "repeated-source"
    assert hinting.ask(again, "unrelated").outcome == "excerpt"
    hinting.now = type(hinting.now)(hinting.now + 25 * HOUR)
    assert hinting.ask(again, key="a day later").outcome == "excerpt"


def test_what_is_visible_is_not_told_of(hinting: Hinting) -> None:
    assert hinting.ask(ASKED, "plan").reason == "already-visible"
    shown = ["toy:plan:plan-0", "toy:plan:plan-1"]
    assert hinting.ask(ASKED, key="given", visible=shown).reason == "already-visible"
    assert hinting.ask(ASKED, "plan", key="compacted", visible=[]).outcome == "excerpt"


def test_what_a_compaction_took_away_may_be_told_of(hinting: Hinting) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "c0", "text": "Which crystal?", "human": True},
        {"id": "c1", "text": "We chose the 16 MHz crystal because the radio needs it.", "role": "assistant"},
        {"id": "c2", "text": "", "kind": "compaction", "role": "system"},
        {"id": "c3", "text": "Go on.", "human": True},
    ]
    hinting.add("long", rows)
    hinting.index()
    assert hinting.ask("Why did we choose the 16 MHz crystal?", "long").outcome == "excerpt"


def test_the_budget_of_a_conversation_is_never_exceeded(hinting: Hinting) -> None:
    subjects = ["valve", "sensor", "motor", "heater", "pump", "relay", "fuse", "antenna"]
    for name in subjects:
        hinting.talk(
            name, f"And the {name} gasket?", f"We chose rubber for the {name} gasket because it seals well."
        )
    hinting.index()
    told = [hinting.ask(f"Why did we choose rubber for the {name} gasket?") for name in subjects]
    assert sum(one.tokens for one in told) <= 640
    assert told[-1].reason == "active-budget"
    hinting.limits = replace(hinting.limits, active_tokens=0)
    assert hinting.ask(ASKED).reason == "active-budget"


def test_only_messages_that_are_in_the_window_use_its_budget(hinting: Hinting) -> None:
    hinting.limits = replace(hinting.limits, active_tokens=160)
    assert hinting.ask(ASKED, key="first").outcome == "excerpt"
    hinting.talk("pump", "And the pump?", "We chose steel for the pump housing because it is cheap.")
    hinting.index()
    question = "Why did we choose steel for the pump housing?"
    assert hinting.ask(question, key="second", active=["first", "second"]).reason == "active-budget"
    assert hinting.ask(question, key="third", active=["third"]).outcome == "excerpt"


def test_a_decision_stays_whatever_is_added_or_indexed(hinting: Hinting) -> None:
    told, nothing = hinting.ask(ASKED), hinting.ask("Why did we choose Kafka for the event bus?")
    hinting.talk("twin", "Which driver?", "We chose polling for the flash driver because it is simpler.")
    hinting.talk("bus", "Which bus?", "We chose Kafka for the event bus because it keeps everything.")
    hinting.index()
    hinting.now = type(hinting.now)(hinting.now + 90 * DAY)
    again = hinting.ask(ASKED)
    assert again.replayed
    assert same(told, again)
    assert same(nothing, hinting.ask("Why did we choose Kafka for the event bus?"))
    hinting.finder = None
    assert same(told, hinting.ask(ASKED))


def test_a_fork_has_its_parents_bytes_for_the_messages_that_they_share(hinting: Hinting) -> None:
    hinting.add("new", [{"id": "n0", "text": "Hello", "human": True}], age=HOUR)
    told = hinting.ask(ASKED, key="m1")
    nothing = hinting.ask("Thanks!", key="m2")
    hinting.add("fork", [{"id": "f0", "text": "Hello again", "human": True}], age=HOUR // 2, parent="new")
    hinting.finder = None
    for key, message, first in (("m1", ASKED, told), ("m2", "Thanks!", nothing)):
        copy = hinting.ask(message, "fork", key=key)
        assert copy.replayed
        assert same(first, copy)
    # It is the fork's own now, so its budget and what rests in it count it.
    assert hinting.ask("Hm.", "fork", key="m3").left == 640 - told.tokens
    assert hinting.why(session="fork", limit=3).decisions[-1].copied
    assert not violations(hinting.store.snapshot())


def test_a_message_of_a_fork_with_another_text_is_decided_anew(hinting: Hinting) -> None:
    hinting.add("new", [{"id": "n0", "text": "Hello", "human": True}], age=HOUR)
    hinting.ask("Thanks!", key="m1")
    hinting.add("fork", [{"id": "f0", "text": "Hello again", "human": True}], age=HOUR // 2, parent="new")
    edited = hinting.ask(ASKED, "fork", key="m1")
    assert (edited.outcome, edited.replayed) == ("excerpt", False)


def test_one_key_is_one_message(hinting: Hinting) -> None:
    hinting.ask(ASKED, key="m1")
    with pytest.raises(Conflict):
        hinting.ask("Something else", key="m1")


def test_two_who_ask_at_once_get_one_decision(hinting: Hinting) -> None:
    barrier, told = threading.Barrier(4), list[Any]()

    def ask() -> None:
        barrier.wait()
        told.append(hinting.ask(ASKED, key="m1"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.text for one in told}) == 1
    assert sum(not one.replayed for one in told) == 1
    with hinting.store.snapshot() as reader:
        assert len(list(hints.every(reader, PROJECT))) == 1


def test_of_two_messages_at_once_one_may_tell_of_a_source(hinting: Hinting) -> None:
    barrier, told = threading.Barrier(2), list[Any]()

    def ask(key: str) -> None:
        barrier.wait()
        told.append(hinting.ask(ASKED, key=key))

    threads = [threading.Thread(target=ask, args=(key,)) for key in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.outcome for one in told) == ["excerpt", "nothing"]
    assert {one.reason for one in told} == {"asked", "repeated-source"}


def test_a_marker_does_not_keep_a_source_from_being_quoted(hinting: Hinting) -> None:
    assert hinting.ask(MATTER, key="m1").outcome == "marker"
    assert hinting.ask("Extend the flash driver polling now, please", key="m2").outcome == "nothing"
    told = hinting.ask(ASKED, key="m3")
    assert told.outcome == "excerpt"
    assert (
        hinting.ask("Remind me why we chose polling for the flash driver.", key="m4").reason
        == "repeated-source"
    )


def test_several_turns_of_one_conversation_are_one_source(hinting: Hinting) -> None:
    hinting.talk(
        "export",
        "The nightly export takes four hours. What are the options?",
        "Incremental, or streamed through a connector.",
        "How much work is the incremental nightly export?",
        "About two days.",
        "Which column shall the incremental nightly export go by?",
        "Decided: the nightly export becomes incremental by updated_at.",
    )
    hinting.index()
    told = hinting.ask("What did we decide about the nightly export?")
    assert told.outcome == "excerpt"
    assert "by updated_at" in told.text


def test_what_a_person_agreed_to_is_quoted_with_it(hinting: Hinting) -> None:
    hinting.talk(
        "webhook",
        "Which retry policy shall the invoice webhook have?",
        "I recommend a backoff of 30 seconds and eight tries for the invoice webhook.",
        "Good, but give up after six tries.",
        "Understood: a backoff of 30 seconds, six tries.",
    )
    hinting.index()
    told = hinting.ask("What did we decide about the invoice webhook?")
    assert told.outcome == "excerpt"
    assert "six tries" in told.text
    assert hinting.ask("Remind me of the backoff for the invoice webhook.").reason == "repeated-source"


def test_a_question_that_nobody_answered_is_no_source(hinting: Hinting) -> None:
    hinting.add("open", [{"id": "o0", "text": "When is the quarterly penetration test?", "human": True}])
    hinting.index()
    assert hinting.ask("What did we say about the quarterly penetration test?").reason == "weak-evidence"
    hinting.add("same", [{"id": "s0", "text": ASKED, "human": True}])
    hinting.index()
    assert "erase interrupt" in hinting.ask(ASKED).text


def test_an_answer_that_is_visible_is_not_told_from_elsewhere(hinting: Hinting) -> None:
    hinting.talk("live", "And the buzzer pin?", "We decided that the buzzer pin is seven.", age=HOUR)
    hinting.talk("before", "The buzzer pin?", "The buzzer pin was decided to be four once.", age=9 * DAY)
    hinting.index()
    assert hinting.ask("What did we decide about the buzzer pin?", "live").reason == "already-visible"


def test_who_asks_to_leave_history_alone_gets_none_of_it(hinting: Hinting) -> None:
    for message in (
        "Don't look at our history: how would you write a flash driver with polling?",
        "Ignore what we decided about the flash driver polling and start fresh.",
    ):
        assert hinting.ask(message).reason == "declined"


def test_a_word_that_the_archive_is_full_of_says_nothing_by_itself(hinting: Hinting) -> None:
    for number in range(30):
        hinting.talk(
            f"many-{number}", f"The gasket of pump {number}?", f"The gasket of pump {number} is rubber."
        )
    hinting.index()
    assert hinting.ask("Paint the gasket and the pump.").outcome == "nothing"


def test_a_hint_is_explained_by_the_hosts_own_name_of_a_new_session(hinting: Hinting) -> None:
    hinting.ask(ASKED, "not-yet", host="toy", key="m1")
    assert [item.key for item in hinting.why(session="not-yet").decisions] == ["m1"]


def erase(hinting: Hinting, native: str) -> None:
    """Leave the tombstone that an erasure leaves for the turn of an event."""
    with hinting.store.snapshot() as reader:
        event = next(item for item in reader.scan(EVENT, (PROJECT,)) if item.native == native)
        document = document_of(reader, event)
    assert document is not None
    hinting.store.commit(PROJECT, plan_retire(PROJECT, document.ordinal, "erased", hinting.now))


def test_erasure_empties_a_hint_and_the_break_of_the_cache_is_told(hinting: Hinting) -> None:
    hinting.add("new", [{"id": "n0", "text": "Hello", "human": True}], age=HOUR)
    told = hinting.ask(ASKED, key="m1")
    assert told.text
    erase(hinting, "plan-1")
    assert [item.invariant for item in violations(hinting.store.snapshot())] == ["hint-erased"]
    again = hinting.ask(ASKED, key="m1")
    assert (again.outcome, again.reason, again.text, again.cache_break) == ("nothing", "erased", "", True)
    assert not violations(hinting.store.snapshot())
    hinting.add("fork", [{"id": "f0", "text": "Hello again", "human": True}], age=HOUR // 2, parent="new")
    forked = hinting.ask(ASKED, "fork", key="m1")
    assert (forked.text, forked.cache_break) == ("", True)
    assert hinting.why(session="new", limit=1).decisions[0].emptied
    # An erasure that knows of the hint does the same by itself.
    with hinting.store.snapshot() as reader:
        held = list(hints.with_text(reader, PROJECT, lambda _: True))
    assert held == []


def test_a_hint_without_erased_text_stays_when_something_else_is_erased(hinting: Hinting) -> None:
    told = hinting.ask(ASKED, key="m1")
    erase(hinting, "other-1")
    assert same(told, hinting.ask(ASKED, key="m1"))


def test_a_text_is_emptied_by_an_erasure_that_looks_for_it(hinting: Hinting) -> None:
    hinting.ask(ASKED, key="m1")
    with hinting.store.snapshot() as reader:
        held = list(hints.with_text(reader, PROJECT, lambda hint: "deep sleep" in hint.text))
    assert hinting.store.commit(PROJECT, hints.plan_empty(held, hinting.now)) == 1
    assert hinting.store.commit(PROJECT, hints.plan_empty(held, hinting.now)) == 0
    with hinting.store.snapshot() as reader:
        assert all(b"deep sleep" not in HINT.encode(item) for item in hints.every(reader, PROJECT))


class Stuck:
    """An index that never answers, or that is broken."""

    def __init__(self, hinting: Hinting, error: Exception | None = None) -> None:
        self.release, self._error = threading.Event(), error
        self.positions = hinting.finder.positions if hinting.finder else {}

    def glanced(self, *_: Any) -> list[Any]:
        if self._error is not None:
            raise self._error
        self.release.wait(30)
        return []

    def frequencies(self, clauses: Any) -> tuple[list[int], int]:
        return [1 for _ in clauses], 100

    def spans(self, *_: Any) -> tuple[list[tuple[int, int]], list[str]]:
        return [], []


def test_an_index_that_is_missing_broken_or_slow_gives_nothing_and_that_is_kept(hinting: Hinting) -> None:
    working = hinting.finder
    hinting.finder = None
    assert hinting.ask(ASKED, key="missing").reason == "index-missing"
    hinting.finder = Stuck(hinting, IndexCorrupt())
    assert hinting.ask(ASKED, key="failed").reason == "index-failed"
    stuck = Stuck(hinting)
    hinting.finder, hinting.limits = stuck, replace(hinting.limits, patience=0.02)
    assert hinting.ask(ASKED, key="slow").reason == "index-slow"
    stuck.release.set()
    hinting.finder, hinting.limits = working, replace(hinting.limits, patience=30.0)
    for key in ("missing", "failed", "slow"):
        again = hinting.ask(ASKED, key=key)
        assert (again.outcome, again.replayed) == ("nothing", True)


def test_work_that_never_ends_does_not_hold_up_what_is_begun_after_it() -> None:
    bounded, stuck = Bounded(2), threading.Event()
    assert bounded.run(lambda: stuck.wait(30), 0.01) is None
    assert bounded.run(lambda: 7, 30) == 7
    assert bounded.run(lambda: stuck.wait(30), 0.01) is None
    assert bounded.run(lambda: 7, 0.01) is None
    stuck.set()
    assert bounded.run(lambda: 7, 30) == 7
    with pytest.raises(IndexCorrupt):
        bounded.run(lambda: (_ for _ in ()).throw(IndexCorrupt()), 30)


def test_hints_can_be_turned_off_and_asked_for_as_they_were(hinting: Hinting) -> None:
    assert hinting.ask(ASKED, key="m1", frozen=True).reason == "not-decided"
    told = hinting.ask(ASKED, key="m1")
    hinting.limits = replace(hinting.limits, enabled=False)
    assert hinting.ask(ASKED, key="m2").reason == "disabled"
    assert same(told, hinting.ask(ASKED, key="m1"))
    assert same(told, hinting.ask(ASKED, key="m1", frozen=True))


def test_what_cannot_be_kept_is_not_told(hinting: Hinting, monkeypatch: pytest.MonkeyPatch) -> None:
    def low() -> None:
        raise DiskLow(free=1, limit=2)

    monkeypatch.setattr(hinting.services.daemon, "admit", low)
    told = hinting.ask(ASKED)
    assert (told.outcome, told.reason, told.text) == ("nothing", "not-frozen", "")


def test_nothing_outside_the_scope_is_told_of(hinting: Hinting) -> None:
    told = hinting.call(
        "hint", granted=Level.SESSION, serves="other", message=ASKED, session="other", key="narrow"
    )
    assert told.outcome == "nothing"
    with pytest.raises(OutOfScope):
        hinting.call("hint", granted=Level.SESSION, serves="other", message=ASKED, session="plan")
    with pytest.raises(OutOfScope):
        hinting.call("why", granted=Level.SESSION, serves="other", session="plan")
    assert hinting.call("why", granted=Level.SESSION, serves="other").decisions[0].key == "narrow"


def test_a_request_that_makes_no_sense_is_refused(hinting: Hinting) -> None:
    for params in ({"session": " "}, {"scope": "galaxy"}):
        with pytest.raises(InvalidInput):
            hinting.ask(ASKED, **params)
    for params in ({"key": "k" * 600}, {"active": ["k"] * 3_000}, {"visible": ["k"] * 1_001}):
        with pytest.raises(LimitExceeded):
            hinting.ask(ASKED, **params)
    with pytest.raises(InvalidInput):
        hinting.why(limit=0)


def test_why_tells_reasons_scores_and_what_rests_and_no_archived_text(hinting: Hinting) -> None:
    told = hinting.ask(ASKED, key="m1")
    hinting.now = type(hinting.now)(hinting.now + 1)
    hinting.ask("Is it running?", key="m2")
    found = hinting.why(session="new")
    assert [(item.key, item.outcome, item.reason) for item in found.decisions] == [
        ("m2", "nothing", "current-state"),
        ("m1", "excerpt", "asked"),
    ]
    first = found.decisions[1]
    assert first.tokens == told.tokens
    assert first.considered[0]["share"] == 1.0
    assert "best" in first.considered[0]["marks"]
    assert first.rests[0]["until"] > first.time
    assert found.left == 640 - told.tokens
    assert found.limits["message_tokens"] == 160
    assert "polling" not in repr(found)
    assert "interrupt" not in repr(found)
    assert [item.key for item in hinting.why().decisions] == ["m2", "m1"]


def test_decisions_of_a_folder_that_nothing_is_archived_of_are_explained(hinting: Hinting) -> None:
    told = hinting.call("hint", folder="/nowhere/else", message=ASKED, session="s", scope="all", key="m1")
    assert told.outcome == "excerpt"
    assert [item.key for item in hinting.call("why", folder="/nowhere/else").decisions] == ["m1"]


def test_a_session_may_be_named_before_it_is_archived(hinting: Hinting) -> None:
    told = hinting.ask(ASKED, "not-yet", host="toy", key="m1")
    assert told.session == session_id("toy", "not-yet").hex()
    hinting.add("not-yet", [{"id": "n0", "text": "Hello", "human": True}], age=0)
    assert same(told, hinting.ask(ASKED, "not-yet", key="m1"))
    assert same(told, hinting.ask(ASKED, told.session, key="m1"))


def test_who_goes_on_where_work_ended_is_told_where_that_was(hinting: Hinting) -> None:
    hinting.talk(
        "last", "Please port the valve code.", "The valve code is ported. Next comes the pump.", age=HOUR
    )
    told = hinting.ask("Continue where we left off")
    assert (told.outcome, told.reason) == ("excerpt", "resumed")
    assert "Next comes the pump." in told.text
    hinting.talk("beside", "Please paint the door.", "The door is painted.", age=HOUR)
    assert hinting.ask("Continue where we left off", "newer").reason == "ambiguous"
    assert hinting.ask("Where were we?", "plan").reason in ("resumed", "ambiguous")


def test_a_hint_that_a_transcript_holds_is_no_evidence(hinting: Hinting) -> None:
    told = hinting.ask(ASKED)
    rows = [
        {"id": "e0", "text": "Hello", "human": True},
        {"id": "e1", "text": told.text, "kind": "tool-result", "role": "tool"},
    ]
    hinting.add("echo", rows, age=HOUR)
    hinting.index()
    again = hinting.ask(ASKED, "another")
    assert again.outcome == "excerpt"
