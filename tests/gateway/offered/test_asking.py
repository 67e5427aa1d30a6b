"""The archive asked by a model: what is asked of the daemon, and what the model reads."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from unabridged.errors import DaemonUnavailable
from unabridged.gateway.offered import asking
from unabridged.gateway.offered.contract import ToolCall
from unabridged.gateway.offered.toolloop import ToolResult

HIT = {
    "handle": "h1",
    "time": "2026-11-30T10:00:00Z",
    "kind": "text",
    "band": "strong",
    "host": "pi",
    "session": "s" * 32,
    "snippet": "the port is 80",
    "document": "d1",
}
HITS = {"status": "resolved", "hits": [HIT], "next": ""}


class Daemon:
    """Answers with what it is given, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls = list[tuple[str, dict[str, Any]]]()

    async def __call__(self, op: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((op, dict(params)))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def told(daemon: Daemon, name: str, arguments: bytes, most: int = 9_000) -> ToolResult:
    clock = iter(range(10))
    return asyncio.run(asking.ask(ToolCall("c1", name, arguments), most, daemon, lambda: next(clock)))


def test_a_search_is_the_operation_and_its_answer_is_quoted_and_marked_as_ours() -> None:
    daemon = Daemon(HITS)
    found = told(daemon, "unabridged_search", b'{"query":"port","limit":"3"}')
    assert daemon.calls == [("search", {"query": "port", "limit": 3, "scope": "project"})]
    assert found.text.startswith('<unabridged tool="unabridged_search"')
    assert "the port is 80" in found.text
    assert found.documents == ("d1",)
    assert not found.failed
    assert found.seconds == 1


@pytest.mark.parametrize(
    ("arguments", "most", "expected"),
    [
        (b'{"query":"q"}', 9_000, 4_000),
        (b'{"query":"q","max_tokens":20000}', 9_000, 8_000),
        (b'{"query":"q"}', 300, 300),
    ],
)
def test_a_result_has_no_more_tokens_than_are_left(arguments: bytes, most: int, expected: int) -> None:
    daemon = Daemon({"status": "resolved", "evidence": [], "truncated": False, "next": ""})
    told(daemon, "unabridged_gather", arguments, most)
    assert daemon.calls[0][1]["max_tokens"] == expected


@pytest.mark.parametrize(
    "arguments", [b"[]", b"{", b"\xff", b'"x"', b'{"quary":"x"}', b"{}", b'{"query":"x","limit":999}']
)
def test_arguments_that_are_none_are_told_so(arguments: bytes) -> None:
    daemon = Daemon(HITS)
    found = told(daemon, "unabridged_search", arguments)
    assert found.failed
    assert found.text
    assert daemon.calls == []


def test_a_daemon_that_is_gone_is_an_answer() -> None:
    found = told(Daemon(DaemonUnavailable()), "unabridged_search", b'{"query":"q"}')
    assert found.failed
    assert found.text.startswith("daemon-unavailable")


def test_a_daemon_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SECONDS", 0.01)

    class Slow(Daemon):
        async def __call__(self, op: str, params: Mapping[str, Any]) -> dict[str, Any]:
            await asyncio.sleep(60)
            return {}

    found = told(Slow({}), "unabridged_search", b'{"query":"q"}')
    assert found.failed
    assert found.text.startswith("deadline-exceeded")
