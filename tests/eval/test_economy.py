"""`una eval economy`: real sessions become requests at their times, and each policy an amount."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from unabridged.daemon.prices import price_table
from unabridged.errors import InvalidInput, InvalidSetting, NotATranscript, PathNotFound
from unabridged.eval import economy, sessions
from unabridged.window.messages import Role

PRICES = price_table({})
SESSION = "11111111-2222-4333-8444-555555555555"


def written(path: Path, turns: int, result: str = "a line\n" * 400) -> Path:
    """Write a transcript of Claude Code: each turn a question, a call with its result, an answer; a minute apart."""
    rows, before = list[dict[str, Any]](), None

    def row(kind: str, content: Any, minute: float) -> None:
        nonlocal before
        name = f"00000000-0000-4000-8000-{len(rows):012d}"
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{len(rows)}", "model": "claude-opus-4-5"}
        rows.append(
            {
                "parentUuid": before,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/nowhere/p",
                "sessionId": SESSION,
                "version": "2.1.0",
                "type": kind,
                "message": message,
                "uuid": name,
                "timestamp": datetime.fromtimestamp(1_700_000_000 + 60 * minute, UTC).isoformat(),
            }
        )
        before = name

    for turn in range(turns):
        row("user", f"question {turn}", 3 * turn)
        call = {
            "type": "tool_use",
            "id": f"toolu_{turn}",
            "name": "Bash",
            "input": {"command": f"cat {turn}"},
        }
        row("assistant", [call], 3 * turn + 1)
        answer = {"type": "tool_result", "tool_use_id": f"toolu_{turn}", "content": f"{turn} {result}"}
        row("user", [answer], 3 * turn + 1.5)
        row("assistant", [{"type": "text", "text": f"answer {turn}"}], 3 * turn + 2)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def test_a_transcript_is_its_requests_at_their_times(tmp_path: Path) -> None:
    session = sessions.load(written(tmp_path / f"{SESSION}.jsonl", 3))
    assert session.model == "anthropic/claude-opus-4-5"
    assert [item.role for item in session.items[:4]] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert [call.items for call in session.calls] == [1, 3, 5, 7, 9, 11]
    assert [call.time - session.calls[0].time for call in session.calls[:3]] == [0.0, 60.0, 180.0]
    assert session.items[1].parts[0].call == session.items[2].parts[0].call == "toolu_0"


def test_every_policy_of_every_session_is_accounted_for(tmp_path: Path) -> None:
    paths = [str(written(tmp_path / f"{SESSION[:-1]}{number}.jsonl", 30 + number)) for number in range(2)]
    report = economy.run(paths, 0, PRICES, lambda text: None)
    assert report["n"] == 2
    for lifetime in ("5m", "1h"):
        for policy in ("none", "sliding", "compaction", "epoch"):
            rows = [session[lifetime][policy] for session in report["sessions"]]
            total = report["total"][lifetime][policy]
            assert total["requests"] == sum(row["requests"] for row in rows) == 122
            assert total["cost"] == pytest.approx(sum(row["cost"] for row in rows))
            assert total["sent"] == total["read"] + total["written"]
        assert report["total"][lifetime]["epoch"]["resets"] >= 2
        assert report["saved"][lifetime]["none"] > 0
    text = "\n".join(economy.lines(report))
    assert text.count("total") == 2
    assert json.loads(json.dumps(report)) == report


def test_a_smaller_window_is_the_same_for_every_policy(tmp_path: Path) -> None:
    path = str(written(tmp_path / f"{SESSION}.jsonl", 60))
    report = economy.run([path], 60_000, PRICES, lambda text: None)
    for policy in report["total"]["5m"].values():
        assert policy["largest"] <= 60_000
    assert report["total"]["5m"]["none"]["resets"] > 0


def test_another_price_table_changes_the_amounts_and_nothing_else(tmp_path: Path) -> None:
    path = str(written(tmp_path / f"{SESSION}.jsonl", 5))
    price = "input = 2.0\ncache_read = 2.0\ncache_write = 2.0\ncache_write_hour = 2.0\n"
    prices = tmp_path / "prices.toml"
    prices.write_text(f'date = "2026-01"\nsources = []\n[prices."*"]\n{price}')
    report = economy.run([path], 0, economy.table_of(str(prices)), lambda text: None)
    found = report["total"]["5m"]["none"]
    assert found["cost"] == pytest.approx(found["sent"] * 2.0 / 1e6)
    assert report["total"]["1h"]["none"]["cost"] == pytest.approx(found["cost"])
    prices.write_text("date = ")
    with pytest.raises(InvalidSetting):
        economy.run([path], 0, economy.table_of(str(prices)), lambda text: None)


def test_what_is_no_transcript_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        economy.run([], 0, PRICES, lambda text: None)
    with pytest.raises(PathNotFound):
        economy.run([str(tmp_path / "none")], 0, PRICES, lambda text: None)
    (tmp_path / "x.jsonl").write_text('{"a":1}\n')
    with pytest.raises(NotATranscript):
        economy.run([str(tmp_path / "x.jsonl")], 0, PRICES, lambda text: None)
