"""What a caller to whom less than all is granted must not learn of the rest."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.service.desk import Desk
from tests.service.test_handlers import ROOT, exchange
from tests.support.archiving import PROJECT
from tests.support.hinting import DAY, Hinting
from unabridged.archive.forget import plan_retire
from unabridged.errors import AmbiguousName, OutOfScope, SessionNotFound
from unabridged.schema.ids import Micros, project_id
from unabridged.schema.records import DOCUMENT
from unabridged.schema.scope import Level
from unabridged.service.requests import Filters

AWAY: dict[str, Any] = {"granted": Level.PROJECT, "folder": "/elsewhere"}
HERE: dict[str, Any] = {"granted": Level.PROJECT, "folder": ROOT}
BEYOND = "The parrot's cage key hangs behind the boiler."
ASKED = "Where did we say the parrot's cage key hangs?"


def asked_for(operation: str, session: str) -> dict[str, Any]:
    if operation in ("search", "grep", "gather"):
        words = {"pattern": "e"} if operation == "grep" else {"query": "question"}
        return {**words, "filters": Filters(session=session)}
    return {"show": {"target": session}, "original": {"session": session}}[operation]


@pytest.mark.parametrize("operation", ["show", "original", "search", "grep", "gather"])
def test_the_beginning_of_an_id_finds_no_session_of_another_project(desk: Desk, operation: str) -> None:
    for name in ("mineralogy", "mineralogist"):
        desk.admit(name, exchange(1))
    with pytest.raises(AmbiguousName):
        desk.call(operation, **HERE, **asked_for(operation, "mineralo"))
    for prefix in ("mineralo", "mineralogy"[:9], "granitic"):
        with pytest.raises(SessionNotFound) as caught:
            desk.call(operation, **AWAY, **asked_for(operation, prefix))
        assert not isinstance(caught.value, AmbiguousName)
        assert "candidates" not in caught.value.details
    with pytest.raises(OutOfScope):
        desk.call(operation, **AWAY, **asked_for(operation, "mineralogy"))


def test_stats_status_and_projects_tell_of_what_may_be_seen_alone(desk: Desk) -> None:
    desk.admit("mine", exchange(2))
    assert desk.call("stats", **HERE).totals["events"] == desk.call("stats").totals["events"] == 4
    assert desk.call("stats", **AWAY).projects == []
    assert desk.call("stats", **AWAY).totals["events"] == 0
    assert desk.call("status", **AWAY).store["events"] == 0
    assert desk.call("status", **HERE).store["events"] == 4
    assert desk.call("project", **AWAY).projects == []
    assert [row["project"] for row in desk.call("project", **HERE).projects] == [PROJECT.hex()]
    with pytest.raises(OutOfScope):
        desk.call("project", action="show", path=ROOT, **AWAY)
    assert desk.call("project", action="show", path=ROOT, **HERE).projects


def test_a_projects_id_that_there_is_and_one_that_there_is_not_are_refused_alike(desk: Desk) -> None:
    desk.admit("mine", exchange(1))
    asked: dict[str, dict[str, Any]] = {"search": {"query": "question"}, "sessions": {}, "why": {}}
    for operation, more in asked.items():
        said: set[str] = set()
        for name in (PROJECT.hex(), project_id("/nobody/was/here").hex()):
            with pytest.raises(OutOfScope) as caught:
                desk.call(operation, **{**AWAY, **more, "project": name})
            said.add(str(caught.value))
        assert len(said) == 1


def test_an_erased_document_is_not_shown_with_its_session_or_by_its_name(desk: Desk) -> None:
    desk.admit("mine", exchange(2))
    first, *_ = desk.call("show", target="mine").events
    document = desk.call("recall", target=first["event"]).document
    with desk.store.snapshot() as reader:
        kept = next(item for item in reader.scan(DOCUMENT, (PROJECT,)) if item.id.hex() == document)
    desk.store.commit(PROJECT, plan_retire(PROJECT, kept.ordinal, "erased", Micros(1)))
    for target in ("mine", document, first["event"]):
        shown = desk.call("show", target=target).events
        assert all(text not in json.dumps(shown) for text in ("question 0", "answer 0"))
        assert {"erased"} == {event["status"] for event in shown if event["event"] == first["event"]}
    assert [event["text"] for event in desk.call("show", target="mine").events] == [
        *("", ""),
        *("question 1", "answer 1"),
    ]


def test_a_search_in_one_session_counts_nothing_of_the_others(hinting: Hinting) -> None:
    for number in range(12):
        hinting.talk(f"parrot-{number}", f"Where is the parrot, number {number}?", "In its cage.")
    hinting.index()
    one = hinting.call("search", query="parrot cage", granted=Level.SESSION, serves="parrot-3")
    assert {hit.host_session for hit in one.hits} == {"parrot-3"}
    assert one.account["considered"] == len(one.hits) == 2
    filters = Filters(session="parrot-4")
    with pytest.raises(OutOfScope):
        hinting.call("search", query="parrot", filters=filters, granted=Level.SESSION, serves="parrot-3")
    alone = hinting.call("search", query="parrot cage", granted=Level.SESSION, serves="plan")
    assert (alone.hits, alone.account["considered"]) == ([], 0)


def test_a_hint_that_was_decided_for_who_sees_more_is_not_told_to_who_sees_less(hinting: Hinting) -> None:
    hinting.talk("live", "Good morning.", "Good morning to you.", age=DAY)
    hinting.talk("cellar", "Where does the parrot's cage key hang?", BEYOND, age=2 * DAY)
    hinting.index()
    wide = hinting.ask(ASKED, "live", key="m1")
    assert "boiler" in wide.text
    for more in ({}, {"frozen": True}):
        narrow: dict[str, Any] = {"granted": Level.SESSION, "serves": "live", **more}
        told = hinting.ask(ASKED, "live", key="m1", **narrow)
        assert (told.outcome, told.reason, told.text) == ("nothing", "out-of-scope", "")
    assert msgspec.structs.replace(wide, replayed=True) == hinting.ask(ASKED, "live", key="m1")


def test_a_marker_that_was_decided_for_who_sees_more_is_not_told_to_who_sees_less(hinting: Hinting) -> None:
    message = "The flash driver polling needs a rewrite."
    wide = hinting.ask(message, key="m2", scope="all")
    assert wide.outcome == "marker"
    assert 'scope="all"' in wide.text
    narrow = hinting.ask(message, key="m2", granted=Level.PROJECT)
    assert (narrow.outcome, narrow.text) == ("nothing", "")
    assert hinting.ask(message, key="m2").text == wide.text
    own = hinting.ask(message, "fresh", key="m3", granted=Level.PROJECT)
    assert own.outcome == "marker"
    assert hinting.ask(message, "fresh", key="m3", granted=Level.PROJECT).text == own.text
