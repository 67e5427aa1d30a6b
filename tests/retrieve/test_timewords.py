"""Which words of a question name which time, in the zone of who asks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.retrieve.timewords import Spoken, spoken, without
from unabridged.schema.ids import Micros

HERE = timezone(timedelta(hours=2))
NOW = datetime(2026, 5, 14, 9, 30, tzinfo=HERE)  # a Thursday


def named(query: str, now: datetime = NOW, zone: tzinfo = HERE) -> list[Spoken]:
    return spoken(query, Micros(int(now.timestamp()) * 1_000_000), zone)


def shown(micros: int) -> str:
    return datetime.fromtimestamp(micros / 1_000_000, HERE).strftime("%m-%d %H") if micros else ""


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ("what failed yesterday?", "05-13 00", "05-14 00"),
        ("what failed today", "05-14 00", "05-15 00"),
        ("the day before yesterday", "05-12 00", "05-13 00"),
        ("errors of last night", "05-13 18", "05-14 06"),
        ("what did we do this morning", "05-14 00", "05-14 12"),
        ("last Tuesday's talk", "05-12 00", "05-13 00"),
        ("what broke last Thursday", "05-07 00", "05-08 00"),
        ("what did I ask on Monday", "05-11 00", "05-12 00"),
        ("last week", "05-04 00", "05-11 00"),
        ("this week", "05-11 00", "05-18 00"),
        ("last weekend", "05-09 00", "05-11 00"),
        ("last month", "04-01 00", "05-01 00"),
        ("in March", "03-01 00", "04-01 00"),
        ("in the last 3 days", "05-11 09", "05-14 09"),
        ("over the past two weeks", "04-30 09", "05-14 09"),
        ("3 days ago", "05-11 00", "05-12 00"),
        ("two weeks ago", "04-26 00", "05-04 00"),
        ("a month ago", "04-01 00", "05-01 00"),
        ("on 7 May", "05-07 00", "05-08 00"),
        ("on the 7th of May, 2026", "05-07 00", "05-08 00"),
        ("May 7th", "05-07 00", "05-08 00"),
        ("2026-05-07", "05-07 00", "05-08 00"),
        ("since Monday", "05-11 00", ""),
        ("since 2026-05-07", "05-07 00", ""),
        ("after 7 May", "05-08 00", ""),
        ("before May 7", "", "05-07 00"),
        ("until yesterday", "", "05-14 00"),
        ("between 3 May and 10 May", "05-03 00", "05-11 00"),
        ("from Monday to Wednesday", "05-11 00", "05-14 00"),
    ],
)
def test_a_time_is_named_by_its_words(query: str, since: str, until: str) -> None:
    (found,) = named(query)
    assert (shown(found.since), shown(found.until)) == (since, until)
    assert query[found.start : found.end] == found.text


def test_a_year_is_heeded_and_a_date_without_one_is_the_last_that_has_come() -> None:
    years = {
        query: datetime.fromtimestamp(named(query)[0].since / 1e6, HERE).year
        for query in (
            "on 7 May 2023",
            "May 7, 2023",
            "in June 2023",
            "in 2023",
            "in June",
            "on 20 May",
            "last December",
        )
    }
    assert list(years.values()) == [2023, 2023, 2023, 2023, 2025, 2025, 2025]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "march in order, it may fail",
        "the last 20 hits",
        "retry in 5 minutes",
        "report-2026-05-07.md",
        "v2026.05.07",
        "31 June",
        "the Monday script",
        "port 2023",
        "may I ask the second question",
        "sunday",
        "9999999999 years ago",
    ],
)
def test_what_is_not_certain_to_be_a_time_is_none(query: str) -> None:
    assert named(query) == []


def test_times_stand_in_the_order_of_their_words_and_can_be_taken_out() -> None:
    query = "what changed last week, and what in March?"
    found = named(query)
    assert [item.text for item in found] == ["last week", "in March"]
    assert without(query, found) == "what changed , and what ?"


def test_a_day_begins_where_the_asker_is() -> None:
    late = datetime(2026, 5, 14, 23, 30, tzinfo=UTC)
    (here,), (there,) = named("today", late, UTC), named("today", late, timezone(timedelta(hours=2)))
    assert there.since - here.since == 22 * 3_600 * 1_000_000


@given(st.text(alphabet="0123456789 -/.,adeghiklmnorstuvwy", max_size=60), st.integers(0, 4_000_000_000))
def test_any_text_at_any_time_is_read_without_a_fault(query: str, seconds: int) -> None:
    for item in spoken(query, Micros(seconds * 1_000_000), UTC):
        assert 0 <= item.start < item.end <= len(query)
        assert not (item.since and item.until) or item.since <= item.until
