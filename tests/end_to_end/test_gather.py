"""Evidence for a question, and the conversation around a place, from a real daemon over real transcripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from unabridged.daemon.client import Client
from unabridged.errors import InvalidCursor, InvalidInput, LimitExceeded, OutOfScope, UnabridgedError
from unabridged.schema import tokens

OTHER = "22222222-2222-4333-8444-555555555555"
HEAD = 96  # tokens that a piece costs beside its text


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("gather")
    made = Home(folder / "h")
    made.configure(disk={"free_bytes": 0}, read={"scope": "project"})
    here, there = str(folder / "here"), str(folder / "there")
    Path(here).mkdir()
    Path(there).mkdir()
    paths = [
        transcript(folder / "a.jsonl", SESSION, 12, folder=here, words="zirconium", filler=40),
        transcript(folder / "b.jsonl", OTHER, 3, folder=there, words="zirconium"),
    ]
    with made.connect(project=here) as client:
        client.call("import", {"paths": [str(path) for path in paths], "host": "claude-code"}, timeout=60.0)
    made.here, made.there = here, there  # type: ignore[attr-defined]
    yield made
    made.end()


@pytest.fixture
def client(home: Home) -> Iterator[Client]:
    with home.connect(project=home.here) as made:  # type: ignore[attr-defined]
        yield made


def all_pages(client: Client, **asked: Any) -> list[dict[str, Any]]:
    found = [client.call("gather", asked)]
    while found[-1]["next"]:
        found.append(client.call("gather", {**asked, "cursor": found[-1]["next"]}))
        assert len(found) < 200
    return found


def test_a_packet_holds_exact_bytes_in_order_within_its_budget(client: Client) -> None:
    asked = {"query": "zirconium3", "limit": 2, "max_tokens": 1_500}
    packet, repeated = client.call("gather", asked), client.call("gather", asked)
    told = ("handle", "text", "distance", "score")  # a locator says when it was made
    assert [[item[name] for name in told] for item in packet["evidence"]] == [
        [item[name] for name in told] for item in repeated["evidence"]
    ]
    assert packet["next"] == repeated["next"]
    assert packet["status"] == "ok"
    times = [item["time"] for item in packet["evidence"]]
    assert times == sorted(times)
    assert sum(tokens.strict(item["text"].encode()) + HEAD for item in packet["evidence"]) <= 1_500
    assert {item["host_session"] for item in packet["evidence"]} == {SESSION}  # of this project alone
    assert any("zirconium3" in item["text"] and item["distance"] == 0 for item in packet["evidence"])
    for item in packet["evidence"]:
        for name in (item["locator"], item["handle"]):
            again = client.call("recall", {"target": name, "max_tokens": 100_000})
            assert again["text"] == item["text"]
            assert again["bytes"] == item["bytes"]
            assert again["document"] == item["document"]
        assert item["source_keys"][0].startswith(f"claude-code:{SESSION}:")


def test_the_pages_of_a_question_give_everything_once(client: Client) -> None:
    seen: set[tuple[str, int]] = set()
    events: set[str] = set()
    for packet in all_pages(client, query="zirconium", limit=3, max_tokens=400, max_evidence=4):
        for item in packet["evidence"]:
            assert item["text"]
            start, end = item["bytes"]
            places = {(item["document"], at) for at in range(start, end)}
            assert not places & seen
            seen |= places
            events.add(item["event"])
        if packet["truncated"]:
            assert packet["next"]
    assert len(events) == 24


def test_a_conversation_is_walked_to_both_ends(client: Client) -> None:
    key = next(
        item["source_keys"][0]
        for item in client.call("gather", {"query": '"user says zirconium6"'})["evidence"]
        if "user says zirconium6" in item["text"]
    )
    page = client.call("traverse", {"target": key, "before": 4, "after": 4})
    found = [item["text"] for item in page["steps"]]
    assert page["host_session"] == SESSION
    later, earlier = page["next"], page["before"]
    while later:
        more = client.call("traverse", {"target": key, "after": 4, "cursor": later})
        found += [item["text"] for item in more["steps"]]
        later = more["next"]
    while earlier:
        more = client.call("traverse", {"target": key, "before": 4, "cursor": earlier})
        found = [item["text"] for item in more["steps"]] + found
        earlier = more["before"]
    assert len(found) == 24
    assert [text.split()[2] for text in found] == [f"zirconium{at // 2}" for at in range(24)]


def test_nothing_of_another_project_can_be_reached(home: Home, client: Client) -> None:
    with home.connect(project=home.there) as other:  # type: ignore[attr-defined]
        foreign = other.call("gather", {"query": "zirconium1"})["evidence"][0]
    assert foreign["host_session"] == OTHER
    for asked in ({"query": "zirconium1", "scope": "all"}, {"query": "zirconium1"}):
        packet = client.call("gather", asked)
        assert all(item["host_session"] == SESSION for item in packet["evidence"])
    for name in (foreign["locator"], foreign["handle"], foreign["event"], foreign["source_keys"][0]):
        page = client.call("traverse", {"target": name})
        assert (page["steps"], page["next"], page["before"]) == ([], "", "")
        assert page["status"] in ("missing", "out-of-scope")
    with pytest.raises(OutOfScope):
        client.call("gather", {"query": "x", "project": home.there})  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("operation", "asked", "kind"),
    [
        ("gather", {"query": "x", "max_tokens": -1}, InvalidInput),
        ("gather", {"query": "x", "max_tokens": 1_000_000}, LimitExceeded),
        ("gather", {"query": "x", "intent": "mood"}, InvalidInput),
        ("gather", {"query": "x", "cursor": "nonsense"}, InvalidCursor),
        ("gather", {"query": "x" * 300_000}, LimitExceeded),
        ("gather", {"query": "x", "expansion": ["y"] * 17}, LimitExceeded),
        ("search", {"query": "x", "expansion": ["y" * 201]}, LimitExceeded),
        ("search", {"query": "x", "working_set": ["y"] * 17}, LimitExceeded),
        ("search", {"query": "x", "session_context": "y" * 16_385}, LimitExceeded),
        ("search", {"query": "x AND z", "operators": True, "expansion": ["y"]}, InvalidInput),
        ("gather", {"query": "x", "nothing": 1}, UnabridgedError),
        ("gather", {}, UnabridgedError),
        ("traverse", {"target": "no such thing"}, InvalidInput),
        ("traverse", {"target": "a:b:c", "before": -1}, InvalidInput),
        ("traverse", {"target": "a:b:c", "after": 1_000}, LimitExceeded),
    ],
)
def test_a_bad_request_is_an_error_of_its_kind(
    client: Client, operation: str, asked: dict[str, Any], kind: type[UnabridgedError]
) -> None:
    with pytest.raises(kind):
        client.call(operation, asked)


def test_a_cursor_of_another_question_place_or_scope_is_refused(client: Client) -> None:
    cursor = client.call("gather", {"query": "zirconium", "max_tokens": 300})["next"]
    assert client.call("gather", {"query": "zirconium", "max_tokens": 500, "cursor": cursor})["evidence"]
    for asked in (
        {"query": "zirconium1"},
        {"query": "zirconium", "intent": "state"},
        {"query": "zirconium", "filters": {"roles": ["user"]}},
    ):
        with pytest.raises(InvalidCursor):
            client.call("gather", {**asked, "cursor": cursor})


def test_what_an_asker_has_in_hand_is_taken_by_search_and_gather(client: Client) -> None:
    hits = client.call("search", {"query": "zirconium", "limit": 20})["hits"]
    hand = hits[1]["handle"]
    asked = {"query": "zirconium", "working_set": [hand, "src/no such file.c"], "session_context": "lorem"}
    again = client.call("search", {**asked, "limit": 20})["hits"]
    assert {hit["event"]: hit["score"] for hit in again} == {hit["event"]: hit["score"] for hit in hits}
    (favoured,) = [hit for hit in again if hit["handle"] == hand]
    assert "working-set" in favoured["match"]
    widened = client.call("gather", {"query": "xylophone", "expansion": ["zirconium4"], "limit": 1})
    assert any("zirconium4" in item["text"] and item["expanded"] for item in widened["evidence"])
