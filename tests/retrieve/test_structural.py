"""The latest of its kind: which one, when it is certain, and what it must never show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from tests.support.archiving import NOW, PROJECT
from unabridged.archive.forget import plan_retire
from unabridged.archive.resolve import Resolver
from unabridged.archive.sessions import list_sessions
from unabridged.errors import IndexCorrupt, InvalidInput
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.gather import Gather, gather
from unabridged.retrieve.places import document_of
from unabridged.retrieve.search import Search, Searched, search
from unabridged.retrieve.structural import MOST_TEXTS
from unabridged.schema.ids import SessionId, project_id
from unabridged.schema.scope import Level
from unabridged.store.open import open_store

START = 1_699_900_000_000_000
MINUTE = 60_000_000

FIRST: list[dict[str, Any]] = [
    {"id": "q1", "text": "How shall we wait for the flash?", "human": True},
    {"id": "a1", "text": "I'll look at the driver first.", "role": "assistant"},
    {"id": "t1", "text": "Read driver.c", "role": "assistant", "kind": "tool-call"},
    {"id": "t2", "text": "Decision: none, this is a tool's output?", "role": "tool", "kind": "tool-result"},
    {"id": "a2", "text": "We tried a retry counter, but it ran out. Poll the BSY flag.", "role": "assistant"},
    {
        "id": "q2",
        "text": "Agreed. Decision: poll BSY with a timeout of 50 ms. Which CRC do we have?",
        "human": True,
    },
    {"id": "a3", "text": "crc16_ccitt in crc.c.", "role": "assistant"},
    {"id": "q3", "text": "No, that's not what I asked: which CRC for the OTA image?", "human": True},
    {"id": "a4", "text": "For the OTA image it is crc32.", "role": "assistant"},
    {"id": "q4", "text": "Please write a test for it.", "human": True},
    {"id": "a5", "text": "Done, it passes.", "role": "assistant"},
]
SECOND: list[dict[str, Any]] = [
    {"id": "r1", "text": "Does the gateway keep its token?", "human": True},
    {"id": "s1", "text": "What does the log say?", "human": True, "kind": "file"},
    {"id": "b1", "text": "It does. We decided to keep the token in the key ring.", "role": "assistant"},
]


def timed(rows: list[dict[str, Any]], start: int) -> list[dict[str, Any]]:
    return [{**row, "time": start + at * MINUTE} for at, row in enumerate(rows)]


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    archive = Archive(open_store("memory:", create=True))
    archive.add("second-one", timed(SECOND, START + 60 * MINUTE))  # admitted first, said later
    archive.add("first-one", timed(FIRST, START))
    made = Engine(archive, tmp_path / "g1")
    made.index()
    yield made
    archive.store.close()


def session_named(engine: Engine, name: str) -> SessionId:
    with engine.archive.store.snapshot() as reader:
        return next(item.session for item in list_sessions(reader) if item.host_session == name)


def ask(engine: Engine, relation: str, query: str = "", *, session: str = "", **options: Any) -> Searched:
    filters = options.pop("filters", Filters())
    if session:
        filters = replace(filters, session=session_named(engine, session))
    context = options.pop("context", None) or engine.archive.context()
    request = Search(query, relation=f"latest-{relation}", filters=filters, **options)
    return search(context, engine.finder(), request)


def told(found: Searched) -> list[str]:
    return [hit.text for hit in found.hits]


def status(found: Searched) -> str:
    return str(found.account["relation"]["status"])


@pytest.mark.parametrize(
    ("relation", "native", "text"),
    [
        ("question", "q3", "No, that's not what I asked: which CRC for the OTA image?"),
        ("request", "q4", "Please write a test for it."),
        ("correction", "q3", "No, that's not what I asked: which CRC for the OTA image?"),
        ("answer", "a5", "Done, it passes."),
        ("decision", "q2", "Decision: poll BSY with a timeout of 50 ms."),
        ("failure", "a2", "We tried a retry counter, but it ran out."),
    ],
)
def test_the_latest_of_a_session_is_given_word_for_word(
    engine: Engine, relation: str, native: str, text: str
) -> None:
    found = ask(engine, relation, session="first-one")
    assert (status(found), found.status) == ("resolved", "ok")
    hit = found.hits[0]
    assert (hit.event.native, hit.text) == (native, text)
    whole = Resolver(engine.archive.store.snapshot()).event_bytes(hit.event)
    assert whole[hit.start : hit.end].decode() == text
    assert hit.match == ["structural", relation]


def test_of_a_project_the_latest_by_time_counts_whatever_was_admitted_first(engine: Engine) -> None:
    assert told(ask(engine, "question", limit=2)) == [
        "Does the gateway keep its token?",
        "No, that's not what I asked: which CRC for the OTA image?",
    ]
    assert told(ask(engine, "decision", limit=1)) == ["We decided to keep the token in the key ring."]


def test_a_topic_narrows_it_and_a_topic_that_nothing_has_finds_nothing(engine: Engine) -> None:
    found = ask(engine, "decision", "BSY timeout")
    assert (status(found), told(found)) == ("resolved", ["Decision: poll BSY with a timeout of 50 ms."])
    found = ask(engine, "decision", "xylophone")
    assert (status(found), found.status, found.hits) == ("not-found", "empty", [])
    assert found.account["relation"]["complete"] is True


def test_an_answer_is_found_by_what_was_asked(engine: Engine) -> None:
    assert told(ask(engine, "answer", "gateway token"))[0].startswith("It does.")
    assert told(ask(engine, "answer", "OTA image CRC")) == ["For the OTA image it is crc32."]


def test_what_is_said_before_a_tool_is_called_answers_nothing(engine: Engine) -> None:
    found = ask(engine, "answer", session="first-one", limit=20)
    assert [hit.event.native for hit in found.hits] == ["a5", "a4", "a3", "a2"]


def test_a_likely_one_that_is_later_makes_it_ambiguous(engine: Engine) -> None:
    engine.archive.add(
        "third-one", timed([{"id": "w", "text": "why not", "human": True}], START + 90 * MINUTE)
    )
    engine.index()
    found = ask(engine, "question", limit=2)
    assert status(found) == "ambiguous"
    assert [hit.band for hit in found.hits] == ["some", "high"]


def test_sessions_without_times_cannot_tell_which_was_the_latest(tmp_path: Path) -> None:
    archive = Archive(open_store("memory:", create=True))
    for name in ("one-session", "two-session"):
        archive.add(name, [{"id": name, "text": f"Is {name} it?", "human": True}])
    engine = Engine(archive, tmp_path / "g")
    engine.index()
    assert status(ask(engine, "question")) == "ambiguous"
    assert status(ask(engine, "question", session="one-session")) == "resolved"


def test_two_of_one_moment_are_uncertain_with_a_topic_too(engine: Engine) -> None:
    for name in ("one-office", "two-office"):
        row = {"id": name, "text": f"We decided on {name} for the budget.", "human": True, "time": START}
        engine.archive.add(name, [row])
    engine.index()
    found = ask(engine, "decision", "office budget")
    assert (status(found), len(found.hits)) == ("ambiguous", 2)


def test_pages_go_on_with_earlier_ones_and_leave_out_what_came_meanwhile(engine: Engine) -> None:
    first = ask(engine, "question", limit=1)
    assert first.next
    engine.archive.add(
        "late-one", timed([{"id": "n", "text": "Is it late?", "human": True}], START + 99 * MINUTE)
    )
    engine.index()
    second = ask(engine, "question", limit=1, cursor=first.next)
    assert told(second) == ["No, that's not what I asked: which CRC for the OTA image?"]
    rest = ask(engine, "question", limit=5, cursor=second.next)
    assert [hit.event.native for hit in rest.hits] == ["q2", "q1"]
    assert not rest.next


def test_what_was_admitted_a_moment_ago_is_the_latest(engine: Engine) -> None:
    outcome = engine.note("We decided to ship on Friday.")
    assert told(ask(engine, "decision", limit=1)) == ["We decided to keep the token in the key ring."]
    engine.tell(outcome)
    assert told(ask(engine, "decision", limit=1)) == ["We decided to ship on Friday."]


def test_far_back_it_is_found_by_telling_words_and_called_uncertain(engine: Engine) -> None:
    many = [
        {
            "id": f"n{at}",
            "text": f"Then we go on to part {at}.",
            "human": True,
            "time": START + (200 + at) * MINUTE,
        }
        for at in range(MOST_TEXTS + 10)
    ]
    engine.archive.add("many-words", many)
    engine.index()
    found = ask(engine, "decision", limit=1)
    assert (status(found), told(found)) == ("ambiguous", ["We decided to keep the token in the key ring."])
    assert found.account["relation"]["complete"] is False
    nothing = ask(engine, "decision", session="many-words")
    assert (status(nothing), nothing.hits) == ("not-found", [])


def test_what_is_retired_or_replaced_or_out_of_scope_is_never_it(engine: Engine) -> None:
    store = engine.archive.store
    old = engine.note("We decided on Monday.", subject_key="ship")
    engine.note("We decided on Tuesday.", subject_key="ship", supersedes=old.document_id.hex())
    engine.index()
    assert told(ask(engine, "decision", limit=9))[0] == "We decided on Tuesday."
    assert "We decided on Monday." not in told(ask(engine, "decision", limit=9))
    found = ask(engine, "question", limit=1).hits[0]
    with store.snapshot() as reader:
        document = document_of(reader, found.event)
    assert document is not None
    store.commit(PROJECT, plan_retire(PROJECT, document.ordinal, "a test", NOW))
    hidden = ask(engine, "question", limit=1)
    assert told(hidden) == ["No, that's not what I asked: which CRC for the OTA image?"]
    elsewhere = engine.archive.context(level=Level.PROJECT, project=project_id("/elsewhere"))
    beyond = ask(engine, "question", context=elsewhere)
    assert (status(beyond), beyond.hits, beyond.account["left_out"]) == ("not-found", [], {})
    narrow = engine.archive.context(level=Level.SESSION, session=session_named(engine, "first-one"))
    assert [hit.event.native for hit in ask(engine, "decision", context=narrow).hits] == ["q2"]


def test_filters_and_what_the_asker_sees_leave_out(engine: Engine) -> None:
    until = Filters(until=type(NOW)(START + 10 * MINUTE))
    assert told(ask(engine, "decision", filters=until)) == ["Decision: poll BSY with a timeout of 50 ms."]
    assert status(ask(engine, "decision", filters=Filters(roles=frozenset(("tool",))))) == "not-found"
    key = "toy:second-one:b1"
    seen = ask(engine, "decision", limit=1, filters=Filters(exclude=frozenset((key,))))
    assert told(seen) == ["Decision: poll BSY with a timeout of 50 ms."]
    assert seen.account["left_out"] == {"visible": 1}


def test_a_question_in_plain_words_puts_it_first_and_keeps_the_other_hits(engine: Engine) -> None:
    request = Search("What did we decide about the BSY timeout?", explain=True)
    found = search(engine.archive.context(), engine.finder(), request)
    assert found.hits[0].text == "Decision: poll BSY with a timeout of 50 ms."
    assert found.account["relation"]["how"] == "recognised"
    assert found.explain[0]["stages"] == {"structural": found.hits[0].score}
    plain = engine.natives("decide about BSY timeout")
    assert set(plain) <= {hit.event.native for hit in found.hits}
    assert len({hit.event.native for hit in found.hits}) == len(found.hits)
    whole = [hit.event.native for hit in found.hits]
    one = search(engine.archive.context(), engine.finder(), replace(request, limit=1))
    two = search(engine.archive.context(), engine.finder(), replace(request, limit=1, cursor=one.next))
    assert [hit.event.native for hit in (*one.hits, *two.hits)] == whole[:2]


def test_the_question_that_is_asked_just_now_is_not_the_last_one(engine: Engine) -> None:
    asking = "What was my last question?"
    rows = timed([{"id": "now", "text": asking, "human": True}], START + 80 * MINUTE)
    engine.archive.add("now-session", rows)
    engine.index()
    found = search(engine.archive.context(), engine.finder(), Search(asking))
    assert found.hits[0].text == "Does the gateway keep its token?"
    earlier = search(engine.archive.context(), engine.finder(), Search("what did I ask before that?"))
    assert earlier.account["relation"]["passed"] == 1


def test_a_packet_has_it_with_what_was_said_around_it(engine: Engine) -> None:
    asked = Search("BSY", 1, relation="latest-decision")
    packet = gather(engine.archive.context(), engine.finder(), Gather(asked, question=b"q"))
    assert [item.event.native for item in packet.evidence][:3] == ["a2", "q2", "a3"]
    assert packet.account["relation"]["status"] == "resolved"


def test_ones_own_cues_are_heeded(engine: Engine) -> None:
    engine.archive.add(
        "vierte", timed([{"id": "d", "text": "Beschlossen: Ringpuffer.", "human": True}], START)
    )
    engine.index()
    context = replace(engine.archive.context(), cues=("decision: beschlossen",))
    assert told(ask(engine, "decision", "Ringpuffer", context=context)) == ["Beschlossen: Ringpuffer."]
    assert ask(engine, "decision", "Ringpuffer").hits == []


def test_a_wrong_relation_is_refused_and_a_broken_index_is_no_absence(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="relation"):
        ask(engine, "mood")
    with pytest.raises(InvalidInput, match="relation"):
        ask(engine, "question", "a AND b", operators=True)
    finder = engine.finder()

    def broken(*_: object) -> list[object]:
        raise IndexCorrupt

    finder.newest = broken  # type: ignore[method-assign]
    failed = search(engine.archive.context(), finder, Search("", relation="latest-question"))
    assert (failed.status, failed.hits) == ("failed", [])
