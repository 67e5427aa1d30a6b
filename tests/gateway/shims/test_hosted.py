"""Windows of a host's own messages: archived first, then cut; whatever fails, the host has something to send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.gateway.memory import Memory
from tests.window.scripts import Call, Script, Step, Turn, opencode, pi
from unabridged.errors import DaemonUnavailable, DiskLow
from unabridged.gateway.filing import Filing
from unabridged.gateway.identity import OTHER, Who
from unabridged.gateway.journal import Journal
from unabridged.gateway.shims.asked import Asked, Planned
from unabridged.gateway.shims.hosted import BEHIND_GATEWAY, Hosted
from unabridged.gateway.shims.windows import HostWindows
from unabridged.window.limits import Gates, Limits
from unabridged.window.providers.adapters import ADAPTERS

SMALL = Limits(window=4_000, rotation=1_000, hard=2_000, retain_turns=1, gates=Gates(result=200))
WORDS = "word " * 60
STEP = Step("I look.", "a thought", (Call("read", {"path": "x"}, "seen " * 30),))
SCRIPT = Script(tuple(Turn(f"question {number} {WORDS}", (STEP, Step("done"))) for number in range(14)))
HOSTS = {"pi": pi, "opencode": opencode}
GATEWAY = "http://127.0.0.1:40123/abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE/v1"

Check = Callable[[Hosted, Memory], Awaitable[None]]


def run(folder: Path, check: Check) -> None:
    async def work() -> None:
        memory = Memory()
        filing = Filing(memory, Journal(str(folder)), "/work", (0.2, 0.2))
        hosted = Hosted(HostWindows(filing, lambda *_: (SMALL, ""), Who(OTHER)), {})
        await check(hosted, memory)
        memory.gate.set()
        await filing.end(5)

    asyncio.run(work())


def requests(host: str) -> list[list[Any]]:
    return HOSTS[host](SCRIPT)


def asked(host: str, messages: list[Any], **rest: Any) -> Asked:
    raw = msgspec.Raw(json.dumps(messages, separators=(",", ":")).encode())
    return Asked(1, "plan", host, "s-1", "/work", "local/m", messages=raw, **rest)


def sent(messages: list[Any], planned: Planned) -> list[Any]:
    """What the host sends."""
    if planned.messages is None:
        return messages
    return [messages[one] if isinstance(one, int) else json.loads(bytes(one)) for one in planned.messages]


def archived(memory: Memory) -> list[Any]:
    (items,) = memory.items.values()
    return [json.loads(raw) for raw in items.values()]


@pytest.mark.parametrize("host", HOSTS)
def test_what_leaves_a_request_is_archived_before_and_a_prefix_only_grows(tmp_path: Path, host: str) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        before, cuts = list[Any](), 0
        for messages in requests(host):
            planned = await hosted.plan(asked(host, messages))
            assert planned.fault == ""
            now = sent(messages, planned)
            kept = archived(memory) if planned.messages is not None else []
            assert all(message in kept for message in messages if message not in now)
            if now[: len(before)] != before:
                cuts += 1
            before = now
            body = json.dumps({"messages": now}).encode()
            assert ADAPTERS[host].problems(body) == ()
        assert 1 <= cuts <= 6
        assert len(before) < len(messages)

    run(tmp_path, check)


@pytest.mark.parametrize("host", HOSTS)
def test_where_the_archive_is_away_the_last_cut_is_made_again_and_nothing_more(
    tmp_path: Path, host: str
) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        history = requests(host)
        for messages in history[:-6]:
            planned = await hosted.plan(asked(host, messages))
        cut = sent(history[-7], planned)
        assert len(cut) < len(history[-7])
        memory.fault = DaemonUnavailable()
        for messages in history[-6:]:
            planned = await hosted.plan(asked(host, messages))
            now = sent(messages, planned)
            assert now[: len(cut)] == cut
            assert now[len(cut) :] == messages[len(history[-7]) :]
        assert planned.fault != ""

    run(tmp_path, check)


@pytest.mark.parametrize("host", HOSTS)
def test_an_archive_that_never_answers_is_waited_for_once(tmp_path: Path, host: str) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        history = requests(host)
        memory.gate.clear()
        first = await hosted.plan(asked(host, history[-2]))
        assert (sent(history[-2], first), first.fault) == (history[-2], "archive-slow")
        second = await hosted.plan(asked(host, history[-1]))
        assert (sent(history[-1], second), second.fault) == (history[-1], "archive-ill")

    run(tmp_path, check)


@pytest.mark.parametrize("host", HOSTS)
def test_a_compaction_gets_the_catalogue_once_all_is_durable(tmp_path: Path, host: str) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        history = requests(host)
        await hosted.plan(asked(host, history[-1]))
        made = await hosted.compact(asked(host, history[-1], reason="manual"))
        assert made.text.startswith("[Earlier in this conversation: 14 turns")
        assert not made.cancel
        assert all(message in archived(memory) for message in history[-1])

    run(tmp_path, check)


@pytest.mark.parametrize(
    ("reason", "cancelled"), [("manual", True), ("threshold", True), ("overflow", False)]
)
def test_what_is_not_durable_is_not_compacted_unless_the_provider_has_refused_it(
    tmp_path: Path, reason: str, cancelled: bool
) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        memory.fault = DiskLow()
        made = await hosted.compact(asked("pi", requests("pi")[-1], reason=reason))
        assert made.text == ""
        assert made.cancel is cancelled
        assert made.fault == "disk-low"

    run(tmp_path, check)


def test_a_compaction_of_a_host_that_sends_nothing_along_is_of_its_last_request(tmp_path: Path) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        del memory
        nothing = Asked(1, "compact", "opencode", "s-1", "/work", "local/m")
        assert (await hosted.compact(nothing)).text == ""
        await hosted.plan(asked("opencode", requests("opencode")[-1]))
        assert "14 turns" in (await hosted.compact(nothing)).text

    run(tmp_path, check)


def test_beside_a_compaction_the_last_cut_is_made_and_nothing_is_remembered(tmp_path: Path) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        del memory
        messages = requests("opencode")[-1]
        whole = await hosted.plan(asked("opencode", messages))
        aside = await hosted.plan(asked("opencode", messages[:-2], aside=True))
        assert len(sent(messages[:-2], aside)) < len(messages) - 2
        again = await hosted.plan(asked("opencode", messages))
        assert sent(messages, again) == sent(messages, whole)

    run(tmp_path, check)


def test_behind_a_gateway_nothing_is_planned(tmp_path: Path) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        planned = await hosted.plan(asked("pi", requests("pi")[-1], url=GATEWAY))
        assert (planned.messages, planned.notice) == (None, BEHIND_GATEWAY)
        assert memory.items == {}

    run(tmp_path, check)


@pytest.mark.parametrize(
    ("host", "usage"),
    [
        ("pi", {"input": 10, "output": 3, "cacheRead": 200, "cacheWrite": 30, "totalTokens": 243}),
        ("opencode", {"input": 10, "output": 3, "reasoning": 0, "cache": {"read": 200, "write": 30}}),
    ],
)
def test_what_a_host_reports_is_counted_and_what_it_has_of_the_answer_archived(
    tmp_path: Path, host: str, usage: dict[str, Any]
) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        history = requests(host)
        before, after = history[0], history[1]
        await hosted.plan(asked(host, before))
        told = asked(host, after[len(before) :])
        hosted.answered(msgspec.structs.replace(told, usage=msgspec.Raw(json.dumps(usage).encode())))
        for _ in range(200):
            await asyncio.sleep(0.01)
            if memory.requests and len(archived(memory)) == len(after):
                break
        assert archived(memory) == after
        ((_, account),) = memory.requests
        assert (account.input, account.cache_read, account.cache_write, account.output) == (10, 200, 30, 3)
        captures = memory.captures
        await hosted.plan(asked(host, after))
        assert memory.captures == captures  # the host's next request says nothing new

    run(tmp_path, check)


def test_what_a_host_sends_beside_its_messages_is_learnt_from_the_first_report(tmp_path: Path) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        del memory
        history = requests("opencode")
        spent = msgspec.Raw(b'{"input":1500,"output":1}')
        before = await hosted.plan(asked("opencode", history[0]))
        hosted.answered(Asked(2, "answered", "opencode", "s-1", usage=spent))
        after = await hosted.plan(asked("opencode", history[0]))
        assert before.status == "una 0k/1k"
        assert after.status == "una 2k/1k"
        assert 1_200 < hosted.fixed["local/m"] < 1_500

    run(tmp_path, check)


def test_a_notice_is_told_once(tmp_path: Path) -> None:
    async def check(hosted: Hosted, memory: Memory) -> None:
        del memory
        told = [(await hosted.plan(asked("pi", messages))).notice for messages in requests("pi")]
        assert any(told)
        assert all(not (one and one == other) for one, other in pairwise(told))

    run(tmp_path, check)
