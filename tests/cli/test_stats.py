"""`una stats`: what requests through the gateway came to."""

from __future__ import annotations

from typing import Any

from tests.cli.double import Daemon, una

COUNTS: dict[str, Any] = {
    "requests": 12,
    "sent": 1_200_000,
    "whole": 4_800_000,
    "input": 100,
    "cache_read": 900,
    "cache_write": 0,
    "output": 50,
    "rotations": 2,
    "faults": 0,
}
PAID = {**COUNTS, "cost": 1.25, "input_cost": 1.0, "without": 4.0, "saved": 3.0}
UNPAID = {**COUNTS, "cost": None, "input_cost": None, "without": None, "saved": None}
SESSION = {
    "session": "3fa2b1c09d8e" * 2,
    "host": "pi",
    "host_session": "s",
    "model": "anthropic/m",
    "updated": "",
}
WINDOW = {
    "total": PAID,
    "models": [{"model": "anthropic/m", **PAID}, {"model": "openai/new", **UNPAID}],
    "sessions": [{**SESSION, **PAID}],
    "prices": "2026-11",
}
STATS = {"ok": True, "totals": {"events": 5}, "projects": [], "disk": {}, "window": WINDOW}


def test_stats_show_tokens_and_dollars_by_model_and_session() -> None:
    lines = una("stats", daemon=Daemon(stats=STATS)).out.splitlines()
    model = next(line for line in lines if line.startswith("anthropic/m"))
    assert model.split()[1:4] == ["12", "1,200,000", "4,800,000"]
    assert model.split()[4:] == ["90", "%", "2", "0", "1.25", "1.00", "4.00", "75", "%"]
    unpriced = next(line for line in lines if line.startswith("openai/new"))
    assert unpriced.split()[-4:] == ["–"] * 4
    assert any(line.startswith("3fa2b1c09d8e pi") for line in lines)
    assert any("2026-11" in line for line in lines)


def test_stats_of_a_session_show_its_requests_alone() -> None:
    daemon = Daemon(stats=STATS)
    done = una("stats", "--session", "3fa2b1c0", daemon=daemon)
    assert daemon.asked == [("stats", {"session": "3fa2b1c0"})]
    assert "events" not in done.out
    assert "anthropic/m" in done.out


def test_stats_of_a_session_that_no_gateway_saw_say_so() -> None:
    done = una("stats", "--session", "3fa2b1c0", daemon=Daemon(stats={**STATS, "window": {}}))
    assert "went through the gateway" in done.err
    assert done.out == ""


def test_stats_show_what_models_were_told_unasked() -> None:
    told = {"orientation": 2, "catalogue": 0, "marker": 0, "excerpt": 1, "tokens": 231, "sessions": 2}
    lines = una("stats", daemon=Daemon(stats={**STATS, "told": told})).out.splitlines()
    at = lines.index("told unasked")
    shown = dict(
        line.split(maxsplit=1) for line in lines[at + 1 : at + 7] if len(line.split(maxsplit=1)) == 2
    )
    assert (shown["orientation"], shown["excerpt"], shown["tokens"]) == ("2", "1", "231")
