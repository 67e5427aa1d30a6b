"""A packet of evidence: what is in it, in which order, within which budget, and how it goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from tests.support.archiving import NOW, PROJECT
from unabridged.archive.forget import plan_retire
from unabridged.archive.resolve import Resolver
from unabridged.errors import IndexCorrupt, InvalidCursor, InvalidInput, LimitExceeded
from unabridged.retrieve.asked import Search
from unabridged.retrieve.evidence import HEAD_TOKENS, WINDOW
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.gather import Gather, Gathered, gather
from unabridged.retrieve.places import document_of
from unabridged.retrieve.recall import Recall, recall
from unabridged.retrieve.search import locate
from unabridged.schema import tokens
from unabridged.schema.ids import SessionId
from unabridged.schema.records import DOCUMENT, EVENT
from unabridged.schema.scope import Level

DAY = 86_400_000_000
START = 1_690_000_000_000_000

PLAN: list[dict[str, Any]] = [
    {"id": "p1", "text": "How shall the gateway wait for the flash?", "human": True, "time": START},
    {
        "id": "p2",
        "text": "By polling flash_wait() with a retry counter.",
        "role": "assistant",
        "time": START + 1,
    },
    {
        "id": "p3",
        "text": "Bash\ncommand: make flash",
        "role": "assistant",
        "kind": "tool-call",
        "time": START + 2,
    },
    {"id": "p4", "text": "ok: 14 passed", "role": "tool", "kind": "tool-result", "time": START + 3},
    {"id": "p5", "text": "It builds and passes.", "role": "assistant", "time": START + 4},
    {"id": "p6", "text": "Thanks. Now the release notes.", "human": True, "time": START + 5},
    {"id": "p7", "text": "I wrote them.", "role": "assistant", "time": START + 6},
]
LATER: list[dict[str, Any]] = [
    {"id": "r1", "text": "Review of the drivers, please.", "human": True, "time": START + 9 * DAY},
    {
        "id": "r2",
        "text": "We no longer poll flash_wait(); the interrupt tells when the flash is ready.",
        "role": "assistant",
        "time": START + 9 * DAY + 1,
    },
]


@pytest.fixture
def engine(archive: Archive, tmp_path: Path) -> Engine:
    archive.add("late", LATER)  # admitted before what was said before it
    archive.add("plan", PLAN)
    made = Engine(archive, tmp_path / "g1")
    made.index()
    return made


def ask(engine: Engine, query: str, **options: Any) -> Gathered:
    names = ("limit", "filters", "operators", "expansion")
    search = Search(query, **{"limit": 5, **{name: options.pop(name) for name in names if name in options}})
    context = options.pop("context", None) or engine.archive.context()
    return gather(context, engine.finder(), Gather(search, question=query.encode(), **options))


def natives(packet: Gathered) -> list[str]:
    return [item.event.native for item in packet.evidence]


def pages(engine: Engine, query: str, **options: Any) -> list[Gathered]:
    found, cursor = list[Gathered](), ""
    for _ in range(200):
        found.append(ask(engine, query, cursor=cursor, **options))
        cursor = found[-1].next
        if not cursor:
            return found
    raise AssertionError("it never ends")


def test_a_packet_has_the_hits_and_what_was_said_around_them_in_the_order_of_time(engine: Engine) -> None:
    packet = ask(engine, "flash_wait", limit=2)
    # Of the first hit: one message before, three behind; tools have no voice in it.
    assert natives(packet) == ["p1", "p2", "p5", "p6", "p7", "r1", "r2"]
    assert packet.status == "ok"
    assert not packet.truncated
    assert [item.piece.distance for item in packet.evidence] == [-1, 0, 1, 2, 3, -1, 0]
    assert packet.account["hits"] == 2


def test_the_intent_says_how_much_around_a_hit_belongs_to_it(engine: Engine) -> None:
    query = "polling with a retry counter"
    assert natives(ask(engine, query, limit=1, intent="state")) == ["p2"]
    assert natives(ask(engine, query, limit=1, intent="auto")) == ["p1", "p2", "p5", "p6", "p7"]
    assert natives(ask(engine, query, limit=1, intent="workflow")) == [f"p{at}" for at in range(1, 8)]
    assert natives(ask(engine, query, limit=1, before=0, after=1)) == ["p2", "p5"]
    with pytest.raises(InvalidInput, match="intent"):
        ask(engine, query, intent="mood")


def test_every_text_is_what_the_archive_has_at_that_place(engine: Engine) -> None:
    packet = ask(engine, "line 600 of a long answer", max_tokens=300)
    assert packet.truncated
    context = engine.archive.context()
    for item in packet.evidence:
        whole = Resolver(engine.archive.store.snapshot()).event_bytes(item.event)
        assert item.text.encode() == whole[item.start : item.end]
        document = document_of(context.reader, item.event)
        for name in locate(context, item.event, document, item.start, item.end):
            again = recall(context, Recall(name, max_tokens=100_000))
            assert (again.status, again.text) == ("resolved", item.text)


def test_a_cut_text_keeps_the_place_that_was_asked_for(engine: Engine) -> None:
    packet = ask(engine, "line 600 of a long answer", limit=1, intent="state", max_tokens=200)
    (item,) = packet.evidence
    assert "line 600 of" in item.text
    assert item.cut > 0


@pytest.mark.parametrize("budget", [150, 200, 400, 1_000, 6_000])
@pytest.mark.parametrize("query", ["flash", "long answer line 5", "migrate database", "数据"])
def test_the_budget_holds_whatever_is_asked(engine: Engine, query: str, budget: int) -> None:
    for packet in pages(engine, query, max_tokens=budget, intent="workflow"):
        spent = sum(tokens.strict(item.text.encode()) + HEAD_TOKENS for item in packet.evidence)
        assert spent <= budget
        assert spent <= packet.account["tokens"] <= budget


def test_pages_together_give_everything_once_and_end(engine: Engine) -> None:
    for budget in (150, 400, 3_000):
        seen = dict[tuple[str, int], str]()
        texts = set[str]()
        for packet in pages(
            engine, "flash gateway database line", max_tokens=budget, max_evidence=3, limit=2
        ):
            assert packet.evidence
            assert packet.truncated <= bool(packet.next)
            for item in packet.evidence:
                assert item.text not in texts or len(item.text) < 10, (
                    "what is left over of two cuts may be equal"
                )
                texts.add(item.text)
                for at in range(item.start, item.end):
                    assert (item.event.native, at) not in seen
                    seen[item.event.native, at] = item.text
        whole = {native for native, _ in seen}
        assert {"p1", "p2", "p5", "p6", "r1", "r2", "q1", "a1"} <= whole
        assert sum(native == "p2" for native, _ in seen) == len(PLAN[1]["text"])


def test_a_continuation_keeps_to_what_the_first_packet_saw(engine: Engine) -> None:
    first = ask(engine, "flash_wait", limit=1, max_evidence=1)
    assert first.next
    engine.archive.add("new", [{"id": "n1", "text": "flash_wait flash_wait flash_wait", "human": True}])
    engine.index()
    assert "n1" in natives(ask(engine, "flash_wait", limit=5))
    cursor, rest = first.next, list[str]()
    while cursor:
        packet = ask(engine, "flash_wait", limit=1, max_evidence=1, cursor=cursor)
        rest += natives(packet)
        cursor = packet.next
    assert "n1" not in rest
    assert {"p2", "r2"} <= {*rest, *natives(first)}


def test_a_cursor_of_another_question_is_refused(engine: Engine) -> None:
    cursor = ask(engine, "flash_wait", limit=1, max_evidence=1).next
    with pytest.raises(InvalidCursor, match="another question"):
        ask(engine, "gardens", cursor=cursor)
    for wrong in ("x", "g1_", "g1_AAAA", cursor[:-2], cursor + "AA", "g1_" + "A" * 20_000, "é"):
        with pytest.raises(InvalidCursor):
            ask(engine, "flash_wait", cursor=wrong)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"max_tokens": -1}, InvalidInput),
        ({"max_tokens": 0}, InvalidInput),
        ({"max_tokens": 149}, InvalidInput),
        ({"max_tokens": 100_001}, LimitExceeded),
        ({"limit": 0}, InvalidInput),
        ({"limit": 11}, InvalidInput),
        ({"max_evidence": 0}, InvalidInput),
        ({"max_evidence": 25}, InvalidInput),
        ({"before": -1}, InvalidInput),
        ({"after": 17}, LimitExceeded),
    ],
)
def test_a_bad_number_is_refused(engine: Engine, options: dict[str, Any], kind: type[InvalidInput]) -> None:
    with pytest.raises(kind):
        ask(engine, "flash", **options)


def test_what_takes_something_back_is_told_with_its_own_words(engine: Engine) -> None:
    packet = ask(engine, "flash_wait", limit=3)
    (found,) = packet.conflicts
    earlier, later = packet.evidence[found.earlier], packet.evidence[found.later]
    assert (earlier.event.native, later.event.native) == ("p2", "r2")
    assert (found.by, found.shared, found.cue) == ("symbol", "flash_wait()", "no longer")
    assert later.text[found.start : found.end] == found.cue


def test_nothing_outside_the_scope_the_time_or_the_live_window_is_given(engine: Engine) -> None:
    hit = engine.search("retry counter").hits[0].event
    narrow = engine.archive.context(Level.SESSION, PROJECT, SessionId(hit.session))
    assert natives(ask(engine, "flash_wait", context=narrow)) == ["p1", "p2", "p3", "p5", "p6", "p7"]
    early = Filters(until=type(NOW)(START + 5))
    assert natives(ask(engine, "flash_wait", filters=early)) == ["p1", "p2", "p3", "p5"]
    visible = Filters(exclude=frozenset({"toy:plan:p1", "toy:late:r2"}))
    packet = ask(engine, "flash_wait", filters=visible)
    assert "p1" not in natives(packet)
    assert "r2" not in natives(packet)
    assert packet.account["left_out"]["visible"] >= 2


def test_what_was_retired_is_neither_hit_nor_neighbour(engine: Engine) -> None:
    store = engine.archive.store
    with store.snapshot() as reader:
        events = {event.native: event for event in reader.scan(EVENT, (PROJECT,), limit=1_000)}
        turn = next(
            document
            for document in reader.scan(DOCUMENT, (PROJECT,), limit=1_000)
            if events["p6"].ordinal in document.members
        )
    store.commit(PROJECT, plan_retire(PROJECT, turn.ordinal, "retired", NOW))
    packet = ask(engine, "polling with a retry counter", limit=1, after=8)
    assert natives(packet) == ["p1", "p2", "p5"]
    assert packet.account["left_out"]["retired"] == 2
    assert ask(engine, "release notes").status in ("ok", "empty", "index-behind")
    assert "p6" not in natives(ask(engine, "release notes", limit=10))


def test_a_note_that_was_replaced_is_not_evidence(engine: Engine) -> None:
    first = engine.note("The kiln fires at 900 degrees.", subject_key="kiln")
    engine.note("The kiln fires at 950 degrees.", subject_key="kiln", supersedes=first.document_id.hex())
    engine.index()
    assert [item.text for item in ask(engine, "kiln fires").evidence] == ["The kiln fires at 950 degrees."]


def test_a_message_beside_its_correction_is_told(engine: Engine) -> None:
    engine.archive.add("kiln", [{"id": "k0", "text": "The kiln fires at 900 degrees.", "role": "assistant"}])
    engine.index()
    (wrong,) = [item.event for item in ask(engine, "kiln fires").evidence]
    engine.note("The kiln fires at 950 degrees.", corrects=int(wrong.ordinal))
    engine.index()
    packet = ask(engine, "kiln fires")
    at = {item.event.ordinal: number for number, item in enumerate(packet.evidence)}
    (told,) = packet.conflicts
    assert (told.by, told.earlier) == ("correction", at[wrong.ordinal])
    assert packet.evidence[told.later].text == "The kiln fires at 950 degrees."


def test_a_repeated_text_is_given_once(engine: Engine) -> None:
    rows = [
        {"id": "t0", "text": "zebra crossing plan", "human": True, "time": START},
        {"id": "t1", "text": "go on", "human": True, "time": START + 1},
        {"id": "t2", "text": "zebra painted", "role": "assistant", "time": START + 2},
        {"id": "t3", "text": "go on", "human": True, "time": START + 3},
    ]
    engine.archive.add("zebra", rows)
    engine.index()
    packet = ask(engine, "zebra")
    assert [item.text for item in packet.evidence].count("go on") == 1
    assert packet.account["left_out"]["repeated"] >= 1


def test_an_empty_question_and_one_without_an_answer_are_empty_packets(engine: Engine) -> None:
    for query in ("", "?!", "xylophone"):
        packet = ask(engine, query)
        assert (packet.status, packet.evidence, packet.next, packet.truncated) == ("empty", [], "", False)


def test_a_packet_says_that_the_index_is_behind(engine: Engine) -> None:
    engine.archive.add("new", [{"id": "n1", "text": "more flash", "human": True}])
    assert ask(engine, "flash").status == "index-behind"
    finder = engine.finder()

    def broken(*_: object) -> list[object]:
        raise IndexCorrupt

    finder.candidates = broken  # type: ignore[method-assign]
    failed = gather(engine.archive.context(), finder, Gather(Search("flash", 5)))
    assert (failed.status, failed.evidence, failed.next) == ("failed", [], "")


WORDS = ["flash", "gateway", "line", "answer", "migrate", "数据", "gardens", "p5"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(["flash", "gateway", "line", "answer", "migrate", "数据", "gardens", "p5"]),
        min_size=1,
        max_size=4,
    ),
    st.integers(150, 2_000),
    st.integers(1, 6),
    st.integers(1, 10),
    st.sampled_from(["auto", "state", "workflow"]),
)
def test_any_packet_keeps_its_promises(
    engine: Engine, words: list[str], budget: int, most: int, limit: int, intent: str
) -> None:
    options = {"max_tokens": budget, "max_evidence": most, "limit": limit, "intent": intent}
    packet = ask(engine, " ".join(words), **options)
    again = ask(engine, " ".join(words), **options)
    assert [(item.start, item.end, item.text) for item in packet.evidence] == [
        (item.start, item.end, item.text) for item in again.evidence
    ]
    assert packet.next == again.next
    assert len(packet.evidence) <= most
    assert sum(item.tokens + HEAD_TOKENS for item in packet.evidence) <= budget
    reader = Resolver(engine.archive.store.snapshot())
    last = dict[bytes, tuple[int, int]]()
    for item in packet.evidence:
        assert item.text.encode() == reader.event_bytes(item.event)[item.start : item.end]
        assert 0 < len(item.text.encode()) <= WINDOW + 400
        key = (item.event.seq, item.start)
        assert key > last.get(item.event.session, (0, 0))
        last[item.event.session] = key
    if packet.truncated:
        assert packet.next
    assert json.dumps(packet.account)
