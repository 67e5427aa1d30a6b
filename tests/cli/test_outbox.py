"""What hooks left behind, as a shell shows it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.double import HOSTILE, Daemon, una
from unabridged.cli.status import outbox

ENTRY: dict[str, Any] = {
    "id": "18ec-1",
    "state": "quarantined",
    "code": "path-not-found",
    "message": "its transcript is gone",
    "attempts": 5,
    "host": "claude-code",
    "event": "Stop",
    "session": "7f0d2c54-3a61",
    "transcript": "/t.jsonl",
    "time": 1_790_000_000,
}
ANSWER = {"ok": False, "outbox": {"waiting": 3, "quarantined": 1}, "entries": [ENTRY], "changed": 0}


def test_entries_are_listed_as_a_table_and_as_json() -> None:
    done = una("outbox", daemon=Daemon(outbox=ANSWER))
    assert done.asked == [("outbox", {"action": "list"})]
    assert done.out.splitlines()[0] == "outbox: 3 events waiting, 1 in quarantine"
    assert "path-not-found" in done.out
    assert una("outbox", "--json", daemon=Daemon(outbox=ANSWER)).json == ANSWER
    assert una("outbox", "list", "--jsonl", daemon=Daemon(outbox=ANSWER)).lines == [ENTRY]


def test_entries_are_replayed_and_dropped_by_their_ids() -> None:
    answer = {**ANSWER, "changed": 2}
    done = una("outbox", "replay", "a", "b", daemon=Daemon(outbox=answer))
    assert done.asked == [("outbox", {"action": "replay", "ids": ["a", "b"]})]
    assert done.out == "outbox: 2 events to be tried again\n"
    assert una("outbox", "replay", daemon=Daemon(outbox=answer)).asked[0][1]["ids"] == []
    assert una("outbox", "drop", "a", "b", daemon=Daemon(outbox=answer)).out == "outbox: 2 events dropped\n"
    assert una("outbox", "drop", daemon=Daemon(outbox=answer)).status == 2


def test_what_an_entry_says_reaches_no_terminal_raw() -> None:
    answer = {**ANSWER, "entries": [{**ENTRY, "session": HOSTILE, "event": HOSTILE}]}
    done = una("outbox", daemon=Daemon(outbox=answer), terminal=True)
    assert "\x1b]0" not in done.out
    assert "\u202e" not in done.out


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "empty"),
        ({"waiting": 1}, "1 event waiting"),
        ({"quarantined": 2}, "empty, 2 in quarantine"),
        ({"hooks": {"open": True}}, "empty, hooks hold back"),
    ],
)
def test_the_outbox_is_told_in_one_line(facts: dict[str, Any], line: str) -> None:
    assert outbox(facts) == line


def test_an_entry_is_one_row_whatever_it_says() -> None:
    answer = {**ANSWER, "entries": [{**ENTRY, "session": "a\nb  forged row"}]}
    rows = una("outbox", daemon=Daemon(outbox=answer), terminal=True).out.splitlines()
    assert len(rows) == 3
