"""A daemon that is killed while items of a conversation come loses none that it called durable, and doubles none."""

from __future__ import annotations

import json
import os
import random
import signal
from typing import Any

import pytest

from tests.daemon.living import Home
from unabridged.daemon.client import Client
from unabridged.daemon.starting import await_end

# It starts daemons, again and again.
pytestmark = pytest.mark.slow

TALK = "0f" * 16
LONG = 300_000  # characters of an item that a worker reads
KILLS = 4


def item(number: int, text: str) -> dict[str, Any]:
    role = "user" if number % 2 else "assistant"
    content = [{"type": "text", "text": text}]
    return {"key": f"{number:016x}" * 2, "raw": json.dumps({"role": role, "content": content})}


def begin(client: Client) -> None:
    asked = {"conversation": TALK, "host": "api", "host_session": "s", "cwd": "/nowhere/talk"}
    client.call("window.open", {**asked, "format": "messages"})


def test_nothing_acknowledged_is_lost_by_kills_and_nothing_is_there_twice(home: Home) -> None:
    rng = random.Random(4)
    items = [
        item(number, f"text {number} " + "x" * (LONG if number % 7 == 0 else 20)) for number in range(1, 41)
    ]
    durable = set[str]()
    client = home.connect()
    begin(client)
    at = 0
    for _ in range(KILLS):
        for _ in range(rng.randint(1, 6)):
            rows = items[max(0, at - 2) : at + rng.randint(1, 4)]
            durable |= set(
                client.call("capture", {"conversation": TALK, "rows": rows}, timeout=60)["durable"]
            )
            at = min(len(items), at + len(rows))
        os.kill(home.pid, signal.SIGKILL)
        assert await_end(home.layout, 30)
        client = home.connect()
        begin(client)
        known = client.call("window.open", {"conversation": TALK, "keys": [row["key"] for row in items]})
        assert durable <= set(known["durable"])
    answer = client.call("capture", {"conversation": TALK, "rows": items}, timeout=60)
    assert answer["durable"] == [row["key"] for row in items]
    assert client.call("windows")["windows"][0]["items"] == len(items)
    verified = client.call("verify", timeout=60)
    assert verified["ok"], verified["violations"]
    session = client.call("sessions")["sessions"][0]
    assert session["events"] == len(items)
    for number in (3, 7):
        shown = client.call("recall", {"target": f"window:{TALK[:12]}:{number:016x}", "max_tokens": 100})
        assert shown["text"].startswith(f"text {number} ")


def test_a_long_item_in_slices_is_kept_and_does_not_hold_up_others(home: Home) -> None:
    client = home.connect()
    begin(client)
    row = item(1, "word " * 400_000)
    half = len(row["raw"]) // 2
    parts = (row["raw"][:half], row["raw"][half:])
    for part, raw in enumerate(parts):
        slice_ = {"key": row["key"], "raw": raw, "part": part, "more": part == 0}
        answer = client.call("capture", {"conversation": TALK, "rows": [slice_]}, timeout=60)
    assert answer["durable"] == [row["key"]]
    assert client.call("sessions")["sessions"][0]["events"] == 1
    assert client.call("verify", timeout=60)["ok"]
