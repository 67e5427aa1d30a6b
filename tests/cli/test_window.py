"""Windows are shown as they are, told why, rotated; a status line is quick and never fails its host."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.double import Daemon, Outcome, una
from unabridged.errors import DaemonUnavailable, NotFound

ROW: dict[str, Any] = {
    "conversation": "3fa2b1c09d8e4f5a3fa2b1c09d8e4f5a",
    "address": "window:3fa2b1c09d8e",
    "session": "5e55104e00000000",
    "host": "claude-code",
    "host_session": "7f0d2c54",
    "project": "1" * 32,
    "cwd": "/work",
    "format": "messages",
    "model": "anthropic/claude-opus-5-5",
    "side": False,
    "epoch": 2,
    "tokens": 87_400,
    "whole": 240_000,
    "rotation": 130_000,
    "hard": 160_000,
    "window": 200_000,
    "users": 12,
    "turns": 20,
    "requests": 90,
    "totals": {
        "sent": 4_000_000,
        "whole": 10_000_000,
        "input": 100_000,
        "cache_read": 3_600_000,
        "cache_write": 300_000,
        "output": 50_000,
        "rotations": 2,
        "faults": 0,
    },
    "items": 300,
    "forced": False,
    "fault": "",
    "notices": [["rotated", "a new epoch: 20/20 turns"], ["near-limit", "near limit: 17/20 turns"]],
    "created": "2026-11-30T10:00:00.000Z",
    "updated": "2026-11-30T11:00:00.000Z",
}
REQUEST: dict[str, Any] = {
    "number": 90,
    "time": "2026-11-30T11:00:00.000Z",
    "model": "anthropic/claude-opus-5-5",
    "epoch": 2,
    "rotated": True,
    "sent": 87_400,
    "whole": 240_000,
    "input": 10,
    "cache_read": 90,
    "cache_write": 0,
    "output": 7,
    "cut": 210,
    "omissions": 4,
    "rotation": 130_000,
    "hard": 160_000,
    "window": 200_000,
    "side": "",
    "fault": "",
    "notices": [["rotated", "a new epoch: 20/20 turns"]],
}
SHOWN: dict[str, Any] = {
    "window": ROW,
    "requests": [{**REQUEST, "number": 89, "notices": [], "fault": "archive", "side": "title"}, REQUEST],
    "epochs": [],
    "omissions": [
        {"name": "window:3fa2b1c09d8e:1a2b", "what": "turns", "turns": 3, "tokens": 9_000, "last": ""},
        {"name": "window:3fa2b1c09d8e:9f9f#1", "what": "text"},
    ],
}


def window(*words: str, **answers: Any) -> Outcome:
    return una("window", *words, daemon=Daemon(**{"windows": {"windows": [ROW], "days": []}, **answers}))


def test_the_windows_of_this_folder_are_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    done = window("status")
    assert done.asked == [("windows", {"limit": 20, "project": str(tmp_path)})]
    head, row = done.out.splitlines()
    assert head.split()[:6] == ["session", "host", "model", "tokens", "epoch", "turns"]
    for cell in ("5e55104e", "87k/130k", "12/20", "90 %", "60 %", "2026-11-30 11:00", "near-limit"):
        assert cell in row
    assert "near limit: 17/20 turns" in done.err
    assert "a new epoch" not in done.err
    assert window("--all").asked == [("windows", {"limit": 20})]
    assert window("status", "7f0d2c54", "-n", "1").asked == [("windows", {"limit": 1, "session": "7f0d2c54"})]


def test_a_window_that_nothing_was_reported_of_shows_no_share() -> None:
    totals = {**ROW["totals"], "cache_read": 0, "cache_write": 0, "input": 0, "whole": 0}
    fresh = {**ROW, "totals": totals, "notices": [], "tokens": 950, "rotation": 1_500}
    done = window("status", "--all", windows={"windows": [fresh], "days": []})
    assert "950/1.5k" in done.out
    assert done.out.splitlines()[1].split()[6:8] == ["-", "-"]
    assert done.out.rstrip().endswith("ok")
    faulty = {**fresh, "fault": "archive", "forced": True}
    assert "fault archive, will rotate" in window(windows={"windows": [faulty], "days": []}).out


def test_where_there_is_no_window_it_is_said() -> None:
    done = window("status", windows={"windows": [], "days": []})
    assert (done.status, done.out) == (0, "")
    assert "una run claude" in done.err
    assert window("status", "--json", windows={"windows": [], "days": []}).json == []
    assert window("rotate", windows={"windows": [], "days": []}).status == NotFound.exit_code


def test_a_folder_that_nothing_is_archived_of_has_no_window_and_one_that_was_named_is_an_error() -> None:
    unknown = NotFound("nothing of that project is archived")
    assert window("status", windows=unknown).status == 0
    assert window("status", "--project", "p", windows=unknown).status == NotFound.exit_code
    assert "nothing passed through a window" in window("why", windows=unknown).err


def test_json_is_the_operations_own_answer() -> None:
    assert window("status", "--json").json == [ROW]
    assert window("why", "x", "--json", window__show=SHOWN).json == SHOWN


def test_the_last_requests_say_what_was_left_out_and_why() -> None:
    done = window("why", "-n", "2", window__show=SHOWN)
    assert done.asked[1] == ("window.show", {"target": ROW["conversation"], "limit": 2})
    lines = done.out.splitlines()
    assert lines[0].startswith("window:3fa2b1c09d8e  anthropic/claude-opus-5-5")
    assert "fault archive; passed on: title" in lines[2]
    assert "a new epoch: 20/20 turns" in lines[3]
    assert "210" in lines[3]
    assert "3 turns of about 9,000 tokens, 1 text shortened" in done.err
    assert "una recall window:3fa2b1c09d8e:1a2b" in done.err


def test_a_session_is_told_to_rotate() -> None:
    done = window("rotate", "7f0d", window__rotate={"conversations": [ROW["conversation"]]})
    assert done.asked == [("window.rotate", {"target": "7f0d"})]
    assert done.out == "3fa2b1c09d8e begins a new epoch with one of its next requests\n"


class Host(io.TextIOWrapper):
    """Standard input as a host gives it."""


def statusline(monkeypatch: pytest.MonkeyPatch, said: str, *words: str, **answers: Any) -> Outcome:
    monkeypatch.setattr(sys, "stdin", Host(io.BytesIO(said.encode())))
    return window("statusline", *words, **answers)


def test_a_status_line_finds_its_session_in_the_hosts_json(monkeypatch: pytest.MonkeyPatch) -> None:
    done = statusline(monkeypatch, json.dumps({"session_id": "7f0d2c54", "cwd": "/elsewhere"}))
    assert done.asked == [("windows", {"limit": 1, "session": "7f0d2c54"})]
    assert done.out == "una · epoch 2 · 12/20 turns · 87k/130k tokens · cached 90 % · near limit\n"
    done = statusline(monkeypatch, json.dumps({"cwd": "/elsewhere"}))
    assert done.asked == [("windows", {"limit": 1, "project": "/elsewhere"})]
    assert statusline(monkeypatch, "", "named").asked == [("windows", {"limit": 1, "session": "named"})]


@pytest.mark.parametrize("said", ["", "no json", "[1]", "\udcff", "{" * 10_000])
def test_a_status_line_goes_on_with_the_folder_where_a_host_says_nothing(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", Host(io.BytesIO(said.encode("utf-8", "surrogateescape"))))
    assert window("statusline").asked == [("windows", {"limit": 1, "project": str(Path.cwd())})]


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"windows": [], "days": []}, "una: no window"),
        (NotFound("no such session"), "una: no window"),
        (DaemonUnavailable("it does not run"), "una: no daemon"),
    ],
)
def test_a_status_line_never_fails_its_host(monkeypatch: pytest.MonkeyPatch, answer: Any, line: str) -> None:
    done = statusline(monkeypatch, "{}", windows=answer)
    assert (done.status, done.out) == (0, f"{line}\n")


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"session": {"events": 34}}, "una · 34 events archived"),
        ({"session": {"events": 1}}, "una · 1 event archived"),
        (NotFound("no such session"), "una · nothing archived yet"),
    ],
)
@pytest.mark.parametrize("windows", [{"windows": [], "days": []}, NotFound("no such session")])
def test_a_status_line_without_a_window_tells_what_is_archived(
    monkeypatch: pytest.MonkeyPatch, windows: Any, answer: Any, line: str
) -> None:
    done = statusline(monkeypatch, '{"session_id": "7f0d2c54"}', windows=windows, show=answer)
    assert (done.status, done.out) == (0, f"{line}\n")
    assert done.asked[-1] == ("show", {"target": "7f0d2c54", "limit": 1})


def settings(home: Path, *words: str, **environ: str) -> Outcome:
    return una("window", "settings", *words, environ={"UNABRIDGED_HOME": str(home), **environ})


def test_settings_say_what_holds_for_a_model_and_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[window]\nrotation_turns = 30\ninput_cap = 100_000\n[window.profiles."anthropic/*"]\nretain_turns = 3\n'
    )
    done = settings(
        tmp_path, "anthropic/claude-opus-4-5", "--reserve", "32000", UNABRIDGED_WINDOW_INPUT_CAP="1000000"
    )
    path = str(tmp_path / "config.toml")
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in done.out.splitlines()[1:]}
    assert rows["window.rotation_turns"] == ["30", path]
    assert rows["window.retain_turns"] == ["3", f"{path} (anthropic/*)"]
    assert rows["window.input_cap"] == ["100000", path]
    assert rows["window.hard_ratio"] == ["0.8", "default"]
    assert "A request to anthropic/claude-opus-4-5 takes 200,000 tokens (built in (*claude-*))" in done.err
    assert "32,000 of them kept for the answer" in done.err
    assert "An epoch ends at 65,000 tokens or 30 turns and keeps 3; 80,000 tokens are not passed." in done.err


def test_settings_are_given_as_json_with_the_limits_that_follow(tmp_path: Path) -> None:
    found = settings(tmp_path, "openai/gpt-5", "--json").json
    assert found["context_window"] == {"tokens": 400_000, "origin": "built in (*gpt-5*)"}
    assert (found["policy"], found["limits"]["rotation"], found["limits"]["enabled"]) == (
        "epoch",
        130_000,
        True,
    )
    assert found["settings"][0] == {
        "name": "window.enabled",
        "value": True,
        "origin": "default",
        "pattern": "",
    }
    (tmp_path / "config.toml").write_text("[window]\nenabled = false\n")
    off = settings(tmp_path, "openai/x")
    assert "It gets no window" in off.err
    assert "is not known" in off.err


def test_what_a_window_holds_is_drawn_by_role_and_tool() -> None:
    held = [
        {"role": "tool", "kind": "result", "tool": "Read", "parts": 12, "previews": 2, "tokens": 30_000},
        {"role": "", "kind": "frames", "tool": "", "parts": 1, "previews": 0, "tokens": 10_000},
    ]
    name = "window:3fa2b1c09d8e:1a2b3c4d5e6f7081#1"
    large = {"name": name, "role": "tool", "kind": "result", "tool": "Read", "tokens": 900, "whole": 4_500}
    explained = {
        "window": ROW,
        "exact": False,
        "tokens": 40_000,
        "held": held,
        "largest": [large],
        "catalogue": {"entries": 3, "turns": 8, "tokens": 9_000},
        "omissions": [],
    }
    done = window("explain", "7f0d", window__explain=explained)
    assert done.asked == [("window.explain", {"target": "7f0d", "limit": 10})]
    assert "2 previews of 12" in done.out
    assert "75 %" in done.out
    assert f"{name}  tool result  Read" in done.out
    assert "900 of 4,500" in done.out
    assert "3 entries for 8 turns of about 9,000 tokens" in done.err
    assert "Roughly" in done.err
