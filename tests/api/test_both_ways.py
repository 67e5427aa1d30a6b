"""An archive answers the same in this process and through its daemon."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.daemon.living import Home, until
from unabridged import Archive
from unabridged.errors import UnabridgedError

CLAUDE = "7f0d2c54-3a61-4b8e-9c1f-52d7e0a4b619"
QUESTIONS: dict[str, Callable[[Archive], Any]] = {
    "search": lambda archive: archive.search("why did the flash write fail", explain=True),
    "search of one role": lambda archive: archive.search("flash", roles=["user"], since="2026-01-01"),
    "search of no scope": lambda archive: archive.search("flash", scope="project"),
    "second page": lambda archive: archive.search(
        "flash", limit=2, cursor=archive.search("flash", limit=2).next
    ),
    "all pages": lambda archive: list(archive.search_all("flash", limit=2)),
    "grep": lambda archive: archive.grep("BMP390_[A-Z0-9]+", limit=3),
    "all of grep": lambda archive: list(archive.grep_all("the", literal=True, limit=2)),
    "recall": lambda archive: archive.recall(
        archive.search("flash").hits[0].handle, neighbors=1, envelope=True
    ),
    "all of recall": lambda archive: list(archive.recall_all(first_hit(archive), max_tokens=200)),
    "recall of nothing": lambda archive: archive.recall("claude-code:nothing:at-all"),
    "gather": lambda archive: archive.gather("which CRC was chosen and why", max_tokens=2_000),
    "traverse": lambda archive: archive.traverse(first_hit(archive), before=2, after=2),
    "all of traverse": lambda archive: list(archive.traverse_all(first_hit(archive), after=3)),
    "sessions": lambda archive: archive.sessions(),
    "all sessions": lambda archive: list(archive.sessions_all(limit=1)),
    "show": lambda archive: archive.show(CLAUDE, limit=3),
    "all of show": lambda archive: list(archive.show_all(CLAUDE, limit=7)),
    "original": lambda archive: archive.original(CLAUDE, offset=10, limit=100),
    "read original": lambda archive: b"".join(archive.read_original(CLAUDE)).decode(),
    "projects": lambda archive: archive.project(),
    "verify": lambda archive: msgspec.structs.replace(archive.verify(), seconds=0.0),
    "stats": lambda archive: (archive.stats().totals, archive.stats().projects),
    "import again": lambda archive: archive.import_(["/nowhere"], dry_run=True),
    "unknown role": lambda archive: archive.search("flash", roles=["nobody"]),
    "wrong type": lambda archive: archive.search(5),  # pyright: ignore[reportArgumentType]
    "one text for several": lambda archive: archive.search("flash", roles="user"),
    "no Unicode": lambda archive: archive.search("\ud800"),
    "a huge number": lambda archive: archive.search("flash", limit=1 << 70),
    "too many": lambda archive: archive.sessions(limit=1_000_000),
    "a bad pattern": lambda archive: archive.grep("("),
    "a foreign cursor": lambda archive: archive.search("flash", cursor="00ff"),
    "no such session": lambda archive: archive.show("nothing-like-it"),
    "no such project": lambda archive: archive.search("flash", project="0" * 32),
}


def first_hit(archive: Archive) -> str:
    return archive.search("why did the flash write fail").hits[0].document


def outcome(archive: Archive, ask: Callable[[Archive], Any]) -> Any:
    """Return an answer or error as plain values; a locator says when it was made, so it differs each time."""
    try:
        found = msgspec.to_builtins(ask(archive))
    except UnabridgedError as error:
        found = error.to_dict()
    return json.loads(re.sub(r"una1_[\w-]+", "LOCATOR", json.dumps(found)))


def test_answers_and_errors_are_equal(copied: Home) -> None:
    # What the first one recalls would win near-ties of the second one.
    copied.configure(search={"feedback": False}, disk={"free_bytes": 0})
    with Archive.open(copied.folder, in_process=True, project="/nowhere") as archive:
        until(lambda: archive.index().status["state"] == "current")
        mine = {name: outcome(archive, ask) for name, ask in QUESTIONS.items()}
    with Archive(copied.folder, project="/nowhere") as archive:
        copied.pids.add(copied.pid)
        until(lambda: archive.index().status["state"] == "current")
        theirs = {name: outcome(archive, ask) for name, ask in QUESTIONS.items()}
    assert [name for name in QUESTIONS if mine[name] != theirs[name]] == []
    assert mine["search"]["hits"]
    assert len(mine["all pages"]) > 2
    assert mine["unknown role"]["details"]["field"] == "roles"
    assert mine["no Unicode"]["code"] == "invalid-input"


@pytest.mark.parametrize("granted", ["project", "session"])
def test_the_scope_that_the_user_grants_holds_in_this_process_too(copied: Home, granted: str) -> None:
    copied.configure(read={"scope": granted}, disk={"free_bytes": 0})
    with Archive.open(copied.folder, in_process=True, project="/elsewhere", scope="all") as archive:
        assert archive.search("flash").hits == []
        assert archive.sessions().sessions == []
