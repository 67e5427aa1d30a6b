"""Pi and OpenCode with our own extension in them: long sessions in a small window, and what happens to them in between.

`UNABRIDGED_LONG_SESSIONS=FILE` has each of them go through the whole story, and writes what was measured to FILE, line
by line.
"""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home, until
from tests.support import shimmed
from tests.support.shimmed import beside
from tests.support.talks import OpenCodeTalk, PiTalk
from tests.support.windowed import Session, alone, recalled
from unabridged.daemon.client import Client

pytestmark = pytest.mark.real_client

LONG = os.environ.get("UNABRIDGED_LONG_SESSIONS", "")
WHOLE_STORY, SHORT_STORY = 200, 22  # steps
NAMES = ("pi", "opencode")
WINDOW = 40_000  # tokens
WINDOWS = {"opencode": 60_000}  # a host with a long front of its own gets a little more
SHORT_EPOCHS = {"rotation_turns": 6, "retain_turns": 2}
CACHED = 0.85  # share of the tokens that prompts have in common with those before them, read from the cache
CACHED_SHORT = 0.8  # with many epochs
PATIENT = 1.0  # seconds in which a host may be stopped from outside
# What is said of requests that passed while the daemon was away: nothing more was cut from them.
KILLED = frozenset({"archive-ill", "archive-slow", "daemon-unavailable", "unreachable"})
MADE_SHORT = ('"type":"compaction"', '"type": "compaction"')


def configured(home: Home, **settings: int) -> None:
    # What is told of earlier turns quotes them, and a model of a story answers the last one that it finds.
    home.configure(disk={"free_bytes": 0}, window=settings, hints={"enabled": False})


def check(session: Session, client: Client, steps: int, cached: float) -> dict[str, Any]:
    """What holds after every session; returns what was measured."""
    assert session.said == {number: session.story.expected(number) for number in range(steps)}
    assert session.provider.refusals == []
    assert not any(mark in session.host.kept() for mark in MADE_SHORT)
    figures = session.meter.summary()
    main = shimmed.windows(client)
    assert figures["largest"] <= max(window["hard"] for window in main)
    assert figures["read_of_possible"] >= cached
    assert shimmed.unresolved(session, client) == []
    assert shimmed.lost(session, client, steps) == []
    return {**figures, "rotations": sum(window["totals"]["rotations"] for window in main)}


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
@pytest.mark.parametrize("name", NAMES)
def test_a_host_goes_through_a_long_session_in_a_small_window(home: Home, tmp_path: Path, name: str) -> None:
    steps, window = WHOLE_STORY if LONG else SHORT_STORY, WINDOWS.get(name, WINDOW)
    configured(home, **({} if LONG else SHORT_EPOCHS))
    with home.connect() as client, beside(home, tmp_path / "with", name, steps, window) as session:
        session.go_on(0, steps)
        figures = check(session, client, steps, CACHED if LONG else CACHED_SHORT)
        assert figures["rotations"] >= 2
        (kept,) = shimmed.windows(client)
        assert kept["totals"]["faults"] == 0
    if LONG:
        without = alone(tmp_path / "without", name, steps)
        assert session.said == without.said
        line = {"name": f"{name} (extension)", "window": window, "with": figures}
        with Path(LONG).open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "without": without.meter.summary()}) + "\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_session_survives_restarts_of_everything_and_a_fork(home: Home, tmp_path: Path, name: str) -> None:
    configured(home, **SHORT_EPOCHS)
    with beside(home, tmp_path, name, SHORT_STORY, WINDOWS.get(name, WINDOW)) as session:
        session.go_on(0, 4)
        session.take_up()
        session.go_on(4, 9)
        assert kill_servers(session) == 1
        session.go_on(9, 11)
        session.kill_daemon()
        session.go_on(11, 13)
        timer = session.kill_daemon_soon(0.1)
        session.go_on(13, 15)
        timer.join()
        session.take_up(kill=True)
        session.go_on(15, 18)
        assert session.talk is not None
        first = session.talk.session
        session.take_up(fork=True)
        session.go_on(18, 20)
        with home.connect() as client:  # nobody sends it again: an extension tells of it while its host runs
            answer = {"pattern": "[answer 19]", "literal": True, "scope": "all"}
            until(lambda: client.call("grep", answer)["hits"], "the last answer of the fork is not archived")
        session.take_up(first)
        session.go_on(20, SHORT_STORY)
        session.talk.end()
        with home.connect() as client:
            figures = check(session, client, SHORT_STORY, CACHED_SHORT)
        assert figures["rotations"] >= 2


@pytest.mark.parametrize("name", NAMES)
def test_what_an_extension_saw_and_what_the_host_wrote_down_is_one_history(
    home: Home, tmp_path: Path, name: str
) -> None:
    forked, steps = 6, 8
    configured(home)
    with home.connect() as client, beside(home, tmp_path, name, steps, WINDOW) as session:
        session.go_on(0, forked)
        until(lambda: not once(session, client, forked), "not all that was said is in the archive once")
        session.take_up(fork=True)
        session.go_on(forked, steps)
        assert session.talk is not None
        session.talk.end()
        paths = [str(path) for path in session.host.transcripts()]
        client.call("import", {"paths": paths, "host": name}, timeout=60.0)
        assert once(session, client, steps) == []
        known = client.call("sessions", {"scope": "all"})["sessions"]
        assert len(known) == 2
        for one in known:
            assert one["cwd"] == str(session.host.project)


@pytest.mark.parametrize("name", NAMES)
def test_a_daemon_that_hangs_delays_one_request_and_no_other(home: Home, tmp_path: Path, name: str) -> None:
    configured(home, **SHORT_EPOCHS)
    with home.connect(), beside(home, tmp_path, name, 12, WINDOW) as session:
        session.go_on(0, 9)
        os.kill(home.pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            session.go_on(9, 12)
            lasted = time.monotonic() - began
        finally:
            os.kill(home.pid, signal.SIGCONT)
        assert session.said == {number: session.story.expected(number) for number in range(12)}
        assert session.provider.refusals == []
        assert lasted < 60  # three prompts, of which one waits two seconds; the rest is the machine's


@pytest.mark.parametrize("name", NAMES)
def test_a_host_whose_extension_finds_nothing_works_as_without_it(
    home: Home, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shimmed, "COMMAND", ["/nowhere/una"])
    with beside(home, tmp_path, name, 4, WINDOW) as session:
        session.go_on(0, 4)
        assert session.said == {number: session.story.expected(number) for number in range(4)}
        assert session.provider.refusals == []


def test_a_compaction_that_is_asked_for_in_pi_keeps_everything(home: Home, tmp_path: Path) -> None:
    configured(home, **SHORT_EPOCHS)
    with home.connect() as client, beside(home, tmp_path, "pi", 14, WINDOW) as session:
        session.go_on(0, 12)
        asked = len(session.provider.requests)
        assert isinstance(session.talk, PiTalk)
        done = session.talk.ask({"type": "compact"})
        assert done["success"], done
        assert len(session.provider.requests) == asked  # no model was asked for a summary
        assert done["data"]["summary"].startswith("[Earlier in this conversation:")
        session.go_on(12, 14)
        assert session.said == {number: session.story.expected(number) for number in range(14)}
        assert session.provider.refusals == []
        assert shimmed.lost(session, client, 14) == []


def test_a_compaction_that_is_asked_for_in_opencode_is_of_the_window_and_keeps_everything(
    home: Home, tmp_path: Path
) -> None:
    configured(home, **SHORT_EPOCHS)
    with home.connect() as client, beside(home, tmp_path, "opencode", 11, WINDOW) as session:
        session.go_on(0, 9)
        asked = len(session.provider.requests)
        assert isinstance(session.talk, OpenCodeTalk)
        session.talk.compact()
        summary = session.provider.requests[asked].text()
        assert "[Earlier in this conversation:" in summary
        assert len(summary) < WINDOW
        session.go_on(9, 11)
        assert session.said == {number: session.story.expected(number) for number in range(11)}
        assert session.provider.refusals == []
        assert shimmed.lost(session, client, 11) == []


def test_each_folder_of_an_opencode_server_has_its_extension(home: Home, tmp_path: Path) -> None:
    configured(home)
    other = tmp_path / "another"
    other.mkdir()
    with home.connect() as client, beside(home, tmp_path, "opencode", 8, WINDOW) as session:
        session.go_on(0, 1)
        assert isinstance(session.talk, OpenCodeTalk)
        session.talk.say_in(other, session.story.prompts[7])
        places = {str(session.host.project), str(other)}
        until(
            lambda: {window["cwd"] for window in shimmed.windows(client)} == places, "not both have a window"
        )


def test_a_branch_of_pis_tree_keeps_what_both_ways_said(home: Home, tmp_path: Path) -> None:
    configured(home, **SHORT_EPOCHS)
    with home.connect() as client, beside(home, tmp_path, "pi", 16, WINDOW) as session:
        session.go_on(0, 10)
        assert isinstance(session.talk, PiTalk)
        rows = session.talk.ask({"type": "get_entries"})["data"]["entries"]
        asked = [row["id"] for row in rows if row["type"] == "message" and row["message"]["role"] == "user"]
        assert session.talk.ask({"type": "prompt", "message": f"/back {asked[7]}"})["success"]
        session.go_on(10, 16)
        assert session.said == {number: session.story.expected(number) for number in range(16)}
        assert session.provider.refusals == []
        assert shimmed.lost(session, client, 16) == []


@pytest.mark.parametrize("name", NAMES)
def test_behind_a_gateway_the_extension_stands_back(home: Home, tmp_path: Path, name: str) -> None:
    configured(home)
    with home.connect() as client, beside(home, tmp_path, name, 2, WINDOW) as session:
        session.host._client.env["UNABRIDGED_GATEWAY"] = "http://127.0.0.1:9/x"  # type: ignore[attr-defined]
        session.go_on(0, 2)
        assert shimmed.windows(client) == []


def kill_servers(session: Session) -> int:
    """Kill what makes windows for the host; returns how many there were."""
    return shimmed.kill_servers(session.talk.pid)  # type: ignore[union-attr]


def test_recalled_text_is_that_of_the_host(home: Home, tmp_path: Path) -> None:
    configured(home)
    with home.connect() as client, beside(home, tmp_path, "pi", 6, WINDOW) as session:
        session.go_on(0, 6)
        (window,) = shimmed.windows(client)
        found = shimmed.texts(session.host)
        (long,) = [name for name, text in found.items() if len(text) > 20_000]
        assert recalled(client, f"{window['address']}:{long}") == found[long]
