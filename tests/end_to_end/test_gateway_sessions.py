"""Real agents in long sessions behind a gateway, their model's window small: nothing breaks and nothing is lost.

`UNABRIDGED_LONG_SESSIONS=FILE` has every agent go through the whole story, with and without a gateway, and writes what
was measured to FILE, a line each.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home, until
from tests.support.windowed import (
    AGENTS,
    Session,
    addresses,
    alone,
    behind,
    compactions,
    lost,
    named,
    recalled,
)
from unabridged.daemon.client import Client

pytestmark = pytest.mark.real_client

LONG = os.environ.get("UNABRIDGED_LONG_SESSIONS", "")
WHOLE_STORY = 200  # steps
SHORT_STORY = 22
# With these, a short story has as many epochs as a long one.
SHORT_EPOCHS = {"rotation_turns": 6, "retain_turns": 2}
# Tokens: agents with a long front of their own get a little more.
WINDOWS = {"claude-code": 60_000, "codex": 60_000, "opencode": 60_000, "pi": 60_000}
WINDOW = 40_000
# Share of the tokens that prompts have in common with those before them, which the provider reads from its cache: all
# but what each new epoch costs.
CACHED = 0.85
CACHED_SHORT = 0.8  # with many epochs
# What the gateway says of requests that passed while the daemon was away: nothing more was cut from them.
KILLED = frozenset({"archive", "archive-ill", "archive-slow"})
# How hosts write down that they made their history short.
COMPACTED = re.compile(
    r'"compact_boundary"|"type":"compacted"|"type":"compaction"|"type":"context_compacted"'
)


def configured(home: Home, name: str, **settings: int) -> int:
    """Tell the settings how much the model takes; returns it."""
    window = WINDOWS.get(name, WINDOW)
    home.configure(disk={"free_bytes": 0}, window=settings, **{"window.models": {'"*/*"': window}})
    return window


def check(
    session: Session, steps: int, client: Client, cached: float, faults: AbstractSet[str] = frozenset()
) -> dict[str, Any]:
    """What holds after every session; returns what was measured. `faults`: what of ours may have failed meanwhile."""
    assert session.said == {number: session.story.expected(number) for number in range(steps)}
    assert session.provider.refusals == []
    assert set(session.recorder.statuses if session.recorder else ()) == {200}
    assert not COMPACTED.search(session.host.kept())
    assert compactions(session.own()[-5:]) == 0
    figures = session.meter.summary()
    windows = client.call("windows", {"scope": "all"})["windows"]
    main = [window for window in windows if not window["side"]]
    assert figures["largest"] <= max(window["hard"] for window in main)
    assert figures["read_of_possible"] >= cached
    markers = named(session.provider.requests)
    assert markers or addresses(session.provider.requests)
    assert [name for name in markers if recalled(client, name) is None] == []
    assert lost(session, client) == []
    totals: dict[str, int] = {}
    for window in main:
        for key, value in window["totals"].items():
            totals[key] = totals.get(key, 0) + value
    shown = [client.call("window.show", {"target": window["conversation"]})["requests"] for window in main]
    found = {request["fault"] for requests in shown for request in requests} - {""}
    assert found <= faults, (found, totals["faults"])
    return {**figures, "rotations": totals["rotations"], "whole": totals["whole"], "markers": len(markers)}


def once(session: Session, client: Client, steps: int) -> list[str]:
    """What of the prompts and answers is in the archive more than once, or not at all."""
    wrong = list[str]()
    for number in range(steps):
        for said in (f"[step {number}] Look", f"[answer {number}]"):
            hits = client.call("grep", {"pattern": said, "literal": True, "scope": "all"})["hits"]
            found = {hit["source_keys"][0] for hit in hits}
            if len(found) != 1:
                wrong.append(f"{said}: {sorted(found)}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", list(AGENTS) if LONG else ["claude-code"])
def test_an_agent_goes_through_two_hundred_requests_in_a_small_window(
    home: Home, tmp_path: Path, name: str
) -> None:
    window = configured(home, name)
    with home.connect() as client, behind(home, tmp_path / "with", name, WHOLE_STORY, window) as session:
        session.go_on(0, WHOLE_STORY)
        figures = check(session, WHOLE_STORY, client, CACHED)
    if LONG:
        without = alone(tmp_path / "without", name, WHOLE_STORY)
        assert session.said == without.said
        line = {"name": name, "window": window, "with": figures, "without": without.meter.summary()}
        with Path(LONG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode", "pi"])
def test_what_passed_and_what_the_host_wrote_down_is_one_history(
    home: Home, tmp_path: Path, name: str
) -> None:
    window, forked, steps = configured(home, name), 6, 8
    with home.connect() as client, behind(home, tmp_path, name, steps, window) as session:
        session.go_on(0, forked)
        session.take_up(fork=True)  # at once: its last answer may be on its way to the archive
        session.go_on(forked, steps)
        assert session.talk is not None
        session.talk.end()
        until(
            lambda: not once(session, client, steps), "what passed again in a fork is not what passed before"
        )
        paths = [str(path) for path in session.host.transcripts()]
        client.call("import", {"paths": paths, "host": name}, timeout=60.0)
        assert once(session, client, steps) == []
        known = client.call("sessions", {"scope": "all"})["sessions"]
        talked = [one for one in known if "side-" not in one["host_session"]]
        assert len(talked) == 2
        for one in talked:
            assert one["cwd"] == str(session.host.project)
            assert len(one["origins"]) == 2  # the wire, and the host's own file


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_a_session_survives_restarts_of_everything_and_a_fork(home: Home, tmp_path: Path, name: str) -> None:
    window = configured(home, name, **SHORT_EPOCHS)
    with behind(home, tmp_path, name, SHORT_STORY, window) as session:
        session.go_on(0, 4)
        session.take_up()
        session.go_on(4, 7)
        session.restart_gateway()
        session.go_on(7, 11)
        session.kill_daemon()
        session.go_on(11, 13)
        timer = session.kill_daemon_soon(0.1)
        session.go_on(13, 15)
        timer.join()
        session.take_up(kill=True)
        session.go_on(15, 18)
        if name != "aider":  # it has no forks
            assert session.talk is not None
            first = session.talk.session
            session.take_up(fork=True)
            session.go_on(18, 20)
            session.take_up(first)
        session.go_on(20, SHORT_STORY)
        if name == "aider":
            session.go_on(18, 20)
        # aider writes its history anew when it is started again, and reads another one out of that.
        cached = 0.0 if name == "aider" else CACHED_SHORT
        with home.connect() as client:
            figures = check(session, SHORT_STORY, client, cached, KILLED)
        assert figures["rotations"] >= 2
