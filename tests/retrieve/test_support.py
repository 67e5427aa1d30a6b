"""What a message gains by its surroundings."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.support import AROUND, FADE, HELD, NEARER, REACH, Support, support
from unabridged.schema.ids import Digest, EventId, Micros, Ordinal, OriginId, ProjectId, SessionId
from unabridged.schema.records import Event

PROJECT = ProjectId(bytes(16))
WORTH = {0: 8.0, 1: 4.0, 2: 2.0}


def message(
    seq: int, role: str, score: float, held: Sequence[int] = (), session: int = 1, kind: str = "text"
) -> tuple[Candidate, Event]:
    event = Event(
        project=PROJECT,
        ordinal=Ordinal(100 * session + seq),
        id=EventId(bytes(16)),
        session=SessionId(session.to_bytes(16, "big")),
        seq=seq,
        host="toy",
        native=str(seq),
        kind=kind,
        role=role,
        flags=0,
        time=Micros(0),
        offset_minutes=0,
        tool="",
        call="",
        paths=[],
        parent="",
        digest=Digest(bytes(32)),
        rendering=1,
        ruleset=1,
        size=10,
        tokens=3,
        origin=OriginId(bytes(16)),
        generation=0,
        offset=0,
        length=10,
        pieces=[],
    )
    clauses = tuple((clause, WORTH[clause]) for clause in held)
    return Candidate(PROJECT, event.ordinal, 0, 10, score, clauses=clauses), event


def gained(*pairs: tuple[Candidate, Event]) -> list[Support]:
    found = support(pairs)
    return [found[bytes(PROJECT), event.ordinal] for _, event in pairs]


def test_what_a_message_holds_counts_beside_its_score() -> None:
    (one,) = gained(message(1, "user", 5.0, [0, 2]))
    assert one == Support(HELD * 10.0, 0.0)


def test_what_a_message_lacks_counts_once_where_it_stands_nearest() -> None:
    _, one, _, _ = gained(
        message(2, "user", 0.0, [1]),
        message(3, "user", 0.0, [0]),
        message(5, "user", 0.0, [1, 2]),
        message(6, "user", 0.0, [2]),
    )
    assert one.beside == AROUND * (FADE * 4.0 + FADE**2 * 2.0)


def test_what_stands_far_away_or_in_another_conversation_counts_nothing() -> None:
    one, _, _ = gained(
        message(1, "user", 1.0, [0]),
        message(2 + REACH, "user", 1.0, [1]),
        message(2, "assistant", 9.0, [2], session=2),
    )
    assert one.beside == 0.0


def test_an_answer_comes_nearer_to_its_question_and_does_not_pass_it() -> None:
    asked, answered = message(1, "user", 9.0), message(2, "assistant", 1.0)
    one, other = gained(asked, answered)
    assert one.beside == 0.0
    assert other.beside == NEARER * 8.0
    assert answered[0].total + sum(other) < asked[0].total + sum(one)


def test_what_one_speaker_says_twice_is_not_worth_more_for_that() -> None:
    one, other = gained(message(1, "assistant", 9.0, [0]), message(2, "assistant", 8.0, [0]))
    assert one.beside == other.beside == 0.0


def test_what_a_tool_printed_neither_gives_nor_gains() -> None:
    one, other = gained(message(1, "assistant", 9.0, [0]), message(2, "tool", 1.0, [1], kind="tool-result"))
    assert one.beside == other.beside == 0.0
