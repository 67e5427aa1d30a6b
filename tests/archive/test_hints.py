"""Frozen hints in a store: one decision a message, budgets in any order, the same bytes after a restart."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unabridged.archive import hints
from unabridged.archive.hints import EXCERPT, MARKER, NOTHING, Allowance, Frozen, Place
from unabridged.errors import Conflict
from unabridged.schema.ids import Micros, SessionId, project_id, session_id
from unabridged.schema.records import Hint
from unabridged.store.contract import Store
from unabridged.store.open import open_store

PROJECT = project_id("/nowhere/hints")
SESSIONS = [session_id("toy", name) for name in ("parent", "child", "grandchild")]
NOW = Micros(1_790_000_000_000_000)
HOUR = 3_600_000_000
ACTIVE = 640


def decision(
    session: SessionId, name: str, spent: int, *, outcome: str = EXCERPT, source: bytes = b"", at: int = NOW
) -> Hint:
    text = "x" * spent if outcome != NOTHING else ""
    return Hint(
        PROJECT,
        session,
        hints.key_of(name),
        name,
        hints.message_digest(name),
        outcome,
        "asked",
        text,
        session if text else b"",
        spent if text else 0,
        160,
        Micros(at),
        rest=[source] if source else [],
    )


def places(depth: int) -> list[Place]:
    """Return a session of the lineage with what it goes on from."""
    return [(PROJECT, session) for session in reversed(SESSIONS[: depth + 1])]


def freeze(store: Store, depth: int, hint: Hint, active: int = ACTIVE, rest: int = 24 * HOUR) -> Frozen:
    frozen: Frozen = store.commit(PROJECT, hints.plan_freeze(hint, places(depth), Allowance(active, rest)))
    return frozen


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2), st.integers(0, 9), st.integers(1, 160), st.sampled_from([EXCERPT, MARKER])
        ),
        max_size=24,
    )
)
def test_no_order_of_decisions_spends_more_than_the_budget_or_changes_one(
    asked: list[tuple[int, int, int, str]],
) -> None:
    store = open_store("memory:")
    seen = dict[tuple[int, int], Hint]()
    try:
        for depth, message, spent, outcome in asked:
            wanted = decision(SESSIONS[depth], f"m{message}", spent, outcome=outcome)
            with store.snapshot() as reader:
                inherited = (
                    hints.find(reader, places(depth)[1:], wanted.key, wanted.message) if depth else None
                )
            frozen = freeze(store, depth, wanted)
            if (depth, message) not in seen and inherited is not None:
                assert (frozen.hint.text, frozen.hint.outcome) == (inherited.text, inherited.outcome)
            assert frozen.hint == seen.setdefault((depth, message), frozen.hint)
            if frozen.replayed or not frozen.hint.text:
                continue  # what a fork takes over is counted, and not refused
            with store.snapshot() as reader:
                assert hints.active_tokens(reader, places(depth), Allowance(ACTIVE, 0)) <= ACTIVE
    finally:
        store.close()


def test_what_a_parent_was_told_after_a_fork_does_not_use_the_forks_budget() -> None:
    store = open_store("memory:")
    freeze(store, 0, decision(SESSIONS[0], "before", 90, at=NOW))
    freeze(store, 0, decision(SESSIONS[0], "after", 70, at=NOW + 2))
    with store.snapshot() as reader:
        assert hints.active_tokens(reader, places(1), Allowance(ACTIVE, 0)) == 160
        assert hints.active_tokens(reader, places(1), Allowance(ACTIVE, 0, forked=Micros(NOW + 1))) == 90
    store.close()


def test_a_source_that_was_quoted_rests_and_one_that_was_marked_may_be_quoted() -> None:
    store = open_store("memory:")
    source = b"s" * 12
    assert freeze(store, 0, decision(SESSIONS[0], "m1", 40, outcome=MARKER, source=source)).hint.text
    assert freeze(store, 0, decision(SESSIONS[0], "m2", 40, outcome=MARKER, source=source)).hint.reason == (
        "repeated-source"
    )
    assert freeze(store, 1, decision(SESSIONS[1], "m3", 90, source=source)).hint.outcome == EXCERPT
    assert freeze(store, 1, decision(SESSIONS[1], "m4", 90, source=source)).hint.reason == "repeated-source"
    later = decision(SESSIONS[1], "m5", 90, source=source, at=NOW + 25 * HOUR)
    assert freeze(store, 1, later).hint.outcome == EXCERPT
    store.close()


def test_a_decision_survives_a_restart_byte_for_byte(tmp_path: Path) -> None:
    place = str(tmp_path / "store")
    store = open_store(place, create=True)
    told = freeze(store, 0, decision(SESSIONS[0], "m1", 90)).hint
    nothing = freeze(store, 0, decision(SESSIONS[0], "m2", 0, outcome=NOTHING)).hint
    store.close()
    store = open_store(place)
    for first in (told, nothing):
        again = freeze(store, 0, msgspec.structs.replace(first, outcome=EXCERPT, text="other", tokens=2))
        assert (again.hint, again.replayed) == (first, True)
    with pytest.raises(Conflict):
        freeze(store, 0, msgspec.structs.replace(told, message=hints.message_digest("another")))
    store.close()


def test_decisions_are_listed_newest_first() -> None:
    store = open_store("memory:")
    for number in range(5):
        freeze(store, 0, decision(SESSIONS[0], f"m{number}", 0, outcome=NOTHING, at=NOW + number))
    freeze(store, 1, decision(SESSIONS[1], "other", 0, outcome=NOTHING, at=NOW + 9))
    with store.snapshot() as reader:
        assert [hint.native for hint in hints.latest(reader, PROJECT, 3)] == ["other", "m4", "m3"]
        assert [hint.native for hint in hints.latest(reader, PROJECT, 2, SESSIONS[0])] == ["m4", "m3"]
        assert len(list(hints.every(reader, PROJECT))) == 6
    store.close()
