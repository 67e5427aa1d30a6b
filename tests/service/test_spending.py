"""What requests through the gateway came to, as `stats` tells it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.service.desk import Desk
from unabridged.errors import LimitExceeded
from unabridged.schema.scope import Level
from unabridged.service.live import CaptureRow, SentRequest
from unabridged.window.prices import Price, Table

PRICE = Price(input=10.0, cache_read=1.0, cache_write=10.0, cache_write_hour=20.0, output=100.0)
M = 1_000_000


def priced(desk: Desk) -> None:
    """Give one model a price."""
    desk.services = dataclasses.replace(desk.services, prices=Table("2026-11", (), {"anthropic/m": PRICE}))


def talk(
    desk: Desk,
    number: int,
    *sent: SentRequest,
    session: str = "s-1",
    cwd: str = "/nowhere/toy",
    side: bool = False,
) -> None:
    name = f"{number:032x}"
    desk.call("window.open", conversation=name, host="toy", host_session=session, cwd=cwd, side=side)
    row = CaptureRow(f"{number:032x}", '{"role":"user","content":"hello"}')
    desk.call("capture", conversation=name, rows=[row])
    for request in sent:
        desk.call("window.save", conversation=name, request=request)


def sent(
    tokens: int, whole: int, read: int, written: int, model: str = "anthropic/m", **more: Any
) -> SentRequest:
    return SentRequest(
        model=model, sent=tokens, whole=whole, cache_read=read, cache_write=written, output=1_000, **more
    )


def test_without_a_gateway_there_is_nothing_to_tell(desk: Desk) -> None:
    assert desk.call("stats").window == {}


def test_tokens_and_dollars_add_up_by_model_and_by_session(desk: Desk) -> None:
    priced(desk)
    talk(desk, 1, sent(M, M, 0, M), sent(M, 2 * M, M // 2, M // 2, rotated=True, epoch=1))
    talk(desk, 2, sent(M, M, 0, M), session="s-2")
    window = desk.call("stats").window
    total, row = window["total"], window["models"][0]
    assert {name: total[name] for name in ("requests", "sent", "whole", "rotations")} == {
        "requests": 3,
        "sent": 3 * M,
        "whole": 4 * M,
        "rotations": 1,
    }
    assert row["model"] == "anthropic/m"
    # Paid: 2.5 M written at 10, 0.5 M read at 1; without: 3 M written, 1 M read (the first request's).
    assert row["input_cost"] == pytest.approx(25.5)
    assert row["without"] == pytest.approx(31.0)
    assert row["saved"] == pytest.approx(5.5)
    assert row["cost"] == pytest.approx(25.5 + 0.3)
    assert sorted(one["host_session"] for one in window["sessions"]) == ["s-1", "s-2"]
    assert sum(one["cost"] for one in window["sessions"]) == pytest.approx(total["cost"])
    assert window["prices"] == "2026-11"


def test_what_is_sent_beside_the_conversation_saves_nothing(desk: Desk) -> None:
    priced(desk)
    talk(desk, 1, sent(M, M, 0, M), sent(100, 100, 0, 100, side="title"), sent(M, 2 * M, M, 0))
    row = desk.call("stats").window["models"][0]
    assert row["without"] == pytest.approx((2 * M + 100) * 10 / M + 1, rel=1e-3)


def test_a_session_can_be_asked_for_alone(desk: Desk) -> None:
    priced(desk)
    talk(desk, 1, sent(M, M, 0, M), sent(M, M, M, 0))
    talk(desk, 2, sent(M, M, 0, M), session="s-2")
    window = desk.call("stats", session="s-2").window
    assert [one["host_session"] for one in window["sessions"]] == ["s-2"]
    assert window["total"]["requests"] == 1
    assert desk.call("stats", session="s-1").window["total"]["requests"] == 2


def test_a_model_without_a_price_is_counted_and_not_priced(desk: Desk) -> None:
    priced(desk)
    talk(desk, 1, sent(M, M, 0, M), sent(M, M, 0, M, model="openai/other"))
    window = desk.call("stats").window
    assert [one["cost"] is None for one in window["models"]] == [False, True]
    assert window["total"]["cost"] is None
    assert window["total"]["requests"] == 2


def test_another_project_s_requests_are_nobody_s_to_see(desk: Desk) -> None:
    priced(desk)
    talk(desk, 1, sent(M, M, 0, M))
    talk(desk, 2, sent(M, M, 0, M), session="s-2", cwd="/nowhere/other")
    window = desk.call("stats", granted=Level.PROJECT, folder="/nowhere/other").window
    assert [one["host_session"] for one in window["sessions"]] == ["s-2"]
    assert window["total"]["requests"] == 1


def test_sessions_are_as_many_as_asked_for(desk: Desk) -> None:
    for number in range(5):
        talk(desk, number + 1, sent(M, M, 0, M), session=f"s-{number}")
    assert len(desk.call("stats", limit=2).window["sessions"]) == 2
    with pytest.raises(LimitExceeded):
        desk.call("stats", limit=0)
