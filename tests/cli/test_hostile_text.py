"""Archived text never steers a terminal, and reaches a pipe unchanged, whatever verb shows it."""

from __future__ import annotations

import re

import pytest

from tests.cli.double import EVENTS, FOUND, HIT, HOSTILE, IMPORTED, PASSAGE, SESSION, Daemon, una

OURS = re.compile(r"\x1b\[\d*m|\r\x1b\[K")
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)

HIT_OF = {**HIT, "snippet": HOSTILE, "title": HOSTILE, "tool": HOSTILE, "host": HOSTILE}
SESSION_OF = {**SESSION, "title": HOSTILE, "cwd": HOSTILE, "origins": [HOSTILE]}
PROBLEM = {"path": "/srv/" + HOSTILE, "line": 3, "code": "not-json", "message": "not JSON"}
FACTS = {"path": HOSTILE, "nested": {"name": HOSTILE}}
WINDOW = {
    "session": HOSTILE,
    "host": HOSTILE,
    "model": HOSTILE,
    "address": HOSTILE,
    "conversation": HOSTILE,
    "fault": HOSTILE,
    "notices": [[HOSTILE, HOSTILE]],
    "updated": HOSTILE,
    "forced": True,
    "epoch": 1,
    "tokens": 1,
    "rotation": 2,
    "users": 3,
    "totals": {"sent": 1, "whole": 2, "input": 1, "cache_read": 1, "cache_write": 0},
}
SENT = {
    "number": 1,
    "time": HOSTILE,
    "epoch": 1,
    "sent": 1,
    "whole": 2,
    "cut": 0,
    "omissions": 0,
    "side": HOSTILE,
    "input": 1,
    "cache_read": 1,
    "cache_write": 0,
    "fault": HOSTILE,
    "notices": [[HOSTILE, HOSTILE]],
}
LARGE = {"name": HOSTILE, "role": HOSTILE, "kind": HOSTILE, "tool": HOSTILE, "tokens": 1, "whole": 2}
HELD = {"role": HOSTILE, "kind": HOSTILE, "tool": HOSTILE, "parts": 1, "previews": 1, "tokens": 1}
LEFT_OUT = {"name": HOSTILE, "what": "turns", "turns": 1, "tokens": 1}
DAEMON = {
    "windows": {"windows": [WINDOW], "days": []},
    "window__show": {"window": WINDOW, "requests": [SENT], "epochs": [], "omissions": [LEFT_OUT]},
    "window__rotate": {"conversations": [HOSTILE]},
    "window__explain": {
        "window": WINDOW,
        "exact": True,
        "tokens": 1,
        "held": [HELD],
        "largest": [LARGE],
        "catalogue": {"entries": 0, "turns": 0, "tokens": 0},
        "omissions": [],
    },
    "search": {
        **FOUND,
        "hits": [HIT_OF],
        "account": {"failed": {"x": HOSTILE}},
        "status": "failed",
        "next": HOSTILE,
    },
    "grep": {**FOUND, "hits": [HIT_OF], "explain": [{"stage": HOSTILE}]},
    "recall": {**PASSAGE, "text": HOSTILE, "source_keys": [HOSTILE], "document": HOSTILE, "next": HOSTILE},
    "show": {
        "session": SESSION_OF,
        "events": [{**EVENTS[0], "text": HOSTILE, "tool": HOSTILE}],
        "next": HOSTILE,
    },
    "sessions": {"sessions": [SESSION_OF], "next": ""},
    "import": {**IMPORTED, "problems": [PROBLEM]},
    "status": {
        "ok": True,
        "version": "1",
        "store": {"engine": HOSTILE},
        "index": {"state": HOSTILE},
        "daemon": {"home": HOSTILE},
        "hosts": [{"host": HOSTILE, "roots": [{"path": HOSTILE, "exists": True}]}],
        "problems": [{"message": HOSTILE, "hint": HOSTILE}],
    },
    "stats": {"ok": True, "totals": FACTS, "projects": [FACTS], "disk": {}, "operations": []},
    "verify": {"ok": False, "checked": {}, "violations": [{"what": HOSTILE}], "seconds": 0.1},
    "doctor": {"ok": False, "checks": [{"check": "paths", "ok": False, "detail": HOSTILE}]},
    "project": {"projects": [{"roots": [HOSTILE]}]},
}
VERBS = [
    ("search", "x"),
    ("grep", "x"),
    ("recall", "x"),
    ("show", "x"),
    ("sessions",),
    ("import",),
    ("status",),
    ("stats",),
    ("verify",),
    ("doctor",),
    ("project", "list"),
    ("window", "status"),
    ("window", "statusline", "x"),
    ("window", "why", "x"),
    ("window", "explain", "x"),
    ("window", "rotate", "x"),
]


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_terminal_is_never_steered(words: tuple[str, ...]) -> None:
    done = una(*words, daemon=Daemon(**DAEMON), terminal=True)
    shown = OURS.sub("", done.out + done.err)
    assert "x1b" in shown
    assert FORBIDDEN.findall(shown) == []


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_terminal_is_not_steered_by_json_either(words: tuple[str, ...]) -> None:
    done = una(*words, "--json", daemon=Daemon(**DAEMON), terminal=True)
    assert done.out.isascii()
    assert FORBIDDEN.findall(done.out) == []


def test_errors_quote_text_visibly() -> None:
    done = una("search", f"--{HOSTILE}", terminal=True)
    assert done.status == 2
    assert FORBIDDEN.findall(OURS.sub("", done.err)) == []


def test_a_pipe_gets_the_exact_bytes_of_a_passage() -> None:
    done = una("recall", "x", daemon=Daemon(recall={**PASSAGE, "text": HOSTILE}))
    assert done.bytes == HOSTILE.encode()


def test_a_pipe_gets_the_exact_text_of_events() -> None:
    shown = {"session": SESSION, "events": [{**EVENTS[0], "text": HOSTILE}], "next": ""}
    assert HOSTILE.encode() in una("show", "x", daemon=Daemon(show=shown)).bytes


def test_json_in_a_pipe_gives_the_exact_text_back() -> None:
    done = una("recall", "x", "--json", daemon=Daemon(recall={**PASSAGE, "text": HOSTILE}))
    assert done.json["text"] == HOSTILE


def test_a_lone_surrogate_in_an_answer_still_makes_valid_json() -> None:
    done = una("recall", "x", "--json", daemon=Daemon(recall={**PASSAGE, "text": "a\ud800b"}))
    assert done.json["text"] == "a\ud800b"
