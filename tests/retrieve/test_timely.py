"""What a named time does to the order of hits, and what it never does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from unabridged.retrieve import timely
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.search import Search, Searched, search
from unabridged.schema.ids import Micros
from unabridged.store.open import open_store

DAY = 86_400_000_000
NOW = 1_778_750_000_000_000  # 2026-05-14 09:13 UTC, a Thursday

TALKS: dict[str, tuple[int, list[str]]] = {
    "march-talk": (-60, ["The bench ran out of memory while the cache was warming."]),
    "may-talk": (-2, ["The bench ran out of memory while the cache was cold."]),
    "old-talk": (-400, ["The bench ran out of memory while the cache was full."]),
    "winner": (
        -300,
        ["retry_budget of the flash driver is 3: retry_budget is in flash.c, retry_budget again"],
    ),
    "moved": (-100, ["The migration to RocksDB is done, and verified."]),
}


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    archive = Archive(open_store("memory:", create=True))
    for name, (days, texts) in TALKS.items():
        rows = [
            {"id": f"{name}-{at}", "text": text, "human": True, "time": NOW + days * DAY + at * 60_000_000}
            for at, text in enumerate(texts)
        ]
        archive.add(name, rows)
    made = Engine(archive, tmp_path / "g1")
    made.index()
    yield made
    archive.store.close()


def ask(engine: Engine, query: str, **options: Any) -> Searched:
    return search(engine.archive.context(now=NOW), engine.finder(), Search(query, **options))


def first(found: Searched) -> str:
    return found.hits[0].event.native.rsplit("-", 1)[0]


def test_what_was_said_at_the_named_time_comes_first_of_equals(engine: Engine) -> None:
    assert first(ask(engine, "the bench ran out of memory in March")) == "march-talk"
    assert first(ask(engine, "the bench ran out of memory two days ago")) == "may-talk"
    found = ask(engine, "the bench ran out of memory last year", explain=True)
    assert first(found) == "old-talk"
    assert found.account["times"] == [
        {"text": "last year", "since": "2025-01-01T00:00:00.000Z", "until": "2026-01-01T00:00:00.000Z"}
    ]
    assert found.explain[0]["stages"]["favour"] == timely.THEN
    assert "time" in found.hits[0].match


def test_nothing_is_left_out_for_its_time(engine: Engine) -> None:
    plain = {hit.event.native for hit in ask(engine, "the bench ran out of memory").hits}
    assert plain <= {hit.event.native for hit in ask(engine, "the bench ran out of memory in March").hits}


def test_a_clear_winner_stays_one_whenever_it_was_said(engine: Engine) -> None:
    assert first(ask(engine, "what is retry_budget in flash.c of the flash driver since Monday")) == "winner"


def test_filters_narrow_where_a_named_time_only_favours(engine: Engine) -> None:
    found = ask(engine, "the bench in March", filters=Filters(since=Micros(NOW - 10 * DAY)))
    assert [hit.event.native for hit in found.hits] == ["may-talk-0"]


def test_an_occasion_that_is_named_is_a_time_where_there_is_one(engine: Engine) -> None:
    found = ask(engine, "when did the bench run out of memory before the migration to RocksDB?")
    (told,) = found.account["times"]
    assert told["text"] == "before the migration to RocksDB"
    assert told["until"].startswith("2026-02-03")
    none = ask(engine, "bench memory after the xylophone arrived")
    assert none.account["times"] == [{"text": "after the xylophone arrived", "status": "not-found"}]
    many = ask(engine, "what came after the bench ran out of memory")
    assert many.account["times"][0]["status"] == "ambiguous"


def test_a_question_for_nothing_but_a_time_is_answered_by_what_people_said_then(engine: Engine) -> None:
    rows = [
        {
            "id": f"day-{at}",
            "text": text,
            "human": human,
            "role": role,
            "time": NOW - 9 * DAY + at * 60_000_000,
        }
        for at, (text, human, role) in enumerate(
            [
                ("Look at the charger.", True, "user"),
                ("It is warm.", False, "assistant"),
                ("Then write it down.", True, "user"),
            ]
        )
    ]
    engine.archive.add("that-day", rows)
    engine.archive.add(
        "later-day", [{"id": "l", "text": "The fan?", "human": True, "time": NOW - 9 * DAY + DAY // 4}]
    )
    engine.index()
    found = ask(engine, "What did we do on 5 May?", explain=True)
    assert [hit.event.native for hit in found.hits][:3] == ["l", "day-0", "day-2"]
    assert found.hits[0].match == ["time"]
    assert found.hits[0].snippet == "The fan?"
    assert found.explain[0]["stages"] == {"time": 0.0}
    paged = ask(engine, "What did we do on 5 May?", limit=1)
    second = ask(engine, "What did we do on 5 May?", limit=1, cursor=paged.next)
    assert [hit.event.native for hit in (*paged.hits, *second.hits)] == ["l", "day-0"]
    elsewhere = ask(engine, "What did we do on 5 May?", filters=Filters(roles=frozenset(("tool",))))
    assert elsewhere.hits == []


def test_the_latest_of_a_time_is_not_that_of_another(engine: Engine) -> None:
    for name, days in (("monday-talk", -3), ("april-talk", -20)):
        text = f"We decided to keep the {name} plan."
        engine.archive.add(name, [{"id": name, "text": text, "human": True, "time": NOW + days * DAY}])
    engine.index()
    assert (
        ask(engine, "what did we decide in April?").hits[0].text == "We decided to keep the april-talk plan."
    )
    assert ask(engine, "what did we decide?").hits[0].text == "We decided to keep the monday-talk plan."
    asked = ask(engine, "last week", relation="latest-decision")
    assert (asked.hits, asked.account["relation"]["status"]) == ([], "not-found")


def test_an_expression_names_no_time(engine: Engine) -> None:
    assert "times" not in ask(engine, "bench AND memory AND yesterday", operators=True).account


def test_pages_are_cut_from_one_order(engine: Engine) -> None:
    query = "the bench ran out of memory in March"
    whole = [hit.event.native for hit in ask(engine, query).hits]
    cursor, paged = "", list[str]()
    for _ in whole:
        page = ask(engine, query, limit=1, cursor=cursor)
        paged += [hit.event.native for hit in page.hits]
        cursor = page.next
    assert paged == whole


def test_a_favour_follows_how_a_time_is_said() -> None:
    day = timely.Spoken(0, 1, Micros(10 * DAY), Micros(11 * DAY))
    favours = [timely.favour((day,), Micros(at * DAY // 2)) for at in (0, 19, 20, 21, 22, 24)]
    assert favours == [1.0, 1.0, timely.THEN, timely.THEN, 1 + (timely.THEN - 1) * timely.LATER, 1.0]
    since, before = replace(day, until=timely.ALWAYS), replace(day, since=timely.ALWAYS)
    assert [timely.favour((since,), Micros(at * DAY)) for at in (9, 10, 99)] == [
        1.0,
        timely.OPEN,
        timely.OPEN,
    ]
    assert [timely.favour((before,), Micros(at * DAY)) for at in (9, 11, 99)] == [timely.OPEN, 1.0, 1.0]
    assert timely.favour((day,), Micros(0)) == 1.0  # of a host that tells no time
