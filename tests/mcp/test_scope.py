"""An agent sees its own project, and more only where the user grants it."""

from __future__ import annotations

from pathlib import Path

from tests.daemon.living import Home
from tests.mcp.conftest import Enter


def test_an_agent_finds_its_own_project_and_others_only_when_it_asks(
    shared: Home, enter: Enter, tmp_path: Path
) -> None:
    here, there = enter(shared, tmp_path / "here"), enter(shared, tmp_path / "there")
    here.data("remember", text="The lathe is green.")
    there.data("remember", text="The lathe is blue.")
    assert [hit["snippet"] for hit in here.data("search", query="lathe")["hits"]] == ["The lathe is green."]
    assert len(here.data("search", query="lathe", scope="all")["hits"]) == 2
    assert len(here.data("grep", pattern="lathe")["hits"]) == 1
    assert len(here.data("sessions", host="note")["sessions"]) == 1
    assert len(here.data("sessions", host="note", scope="all")["sessions"]) >= 2


def test_a_folder_of_which_nothing_is_archived_is_simply_empty(
    shared: Home, enter: Enter, tmp_path: Path
) -> None:
    agent = enter(shared, tmp_path / "fresh")
    assert agent.data("sessions")["sessions"] == []
    assert agent.data("search", query="anything")["hits"] == []
    assert agent.data("grep", pattern="anything")["hits"] == []
    assert "missing" in agent.text("recall", target="wsymn0bc0g0ckw")


def test_what_the_user_does_not_grant_cannot_be_asked_for(home: Home, enter: Enter, tmp_path: Path) -> None:
    home.configure(disk={"free_bytes": 0}, read={"scope": "project"})
    here, there = enter(home, tmp_path / "here"), enter(home, tmp_path / "there")
    here.data("remember", text="The lathe is green.")
    there.data("remember", text="The lathe is blue.")
    (hit,) = there.data("search", query="lathe")["hits"]
    assert [item["snippet"] for item in here.data("search", query="lathe", scope="all")["hits"]] == [
        "The lathe is green."
    ]
    assert len(here.data("sessions", scope="all")["sessions"]) == 1
    passage = here.data("recall", target=hit["handle"])
    assert passage["status"] in ("missing", "out-of-scope")
    assert passage["text"] == ""
    refused = here.call("search", query="lathe", session=hit["handle"])
    assert refused["isError"] or not refused["structuredContent"]["hits"]


def test_a_host_that_names_its_roots_works_there(shared: Home, enter: Enter, tmp_path: Path) -> None:
    root = tmp_path / "a root"
    enter(shared, root).data("remember", text="The kiln is hot.")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert enter(shared, elsewhere, roots=[root, elsewhere.parent / "gone"]).data("search", query="kiln")[
        "hits"
    ]
    assert not enter(shared, elsewhere, roots=[]).data("search", query="kiln")["hits"]


def test_a_host_that_was_started_inside_a_root_stays_where_it_is(
    shared: Home, enter: Enter, tmp_path: Path
) -> None:
    inner = tmp_path / "outer" / "inner"
    enter(shared, inner).data("remember", text="The anvil is cold.")
    assert enter(shared, inner, roots=[tmp_path, inner.parent]).data("search", query="anvil")["hits"]
