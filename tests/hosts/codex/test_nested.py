"""What a script did inside one call, as events note it."""

from __future__ import annotations

from typing import Any

from tests.hosts.codex.rollout import TURNS, Row, blocks, event, header, item, texts
from unabridged.hosts.contract import Block
from unabridged.schema.records import ECHO, ERROR

LONG = "a passage that is longer than what is kept as a literal, so that it is a reference"
SCRIPT: Row = {
    "type": "custom_tool_call",
    "name": "exec",
    "call_id": "c1",
    "input": "await tools.mcp__docs__find({})",
}


def one(happened: Row) -> Block:
    """The block that an event gives behind a script."""
    _, found = blocks([header(), item(SCRIPT), happened])
    return found


def mcp(call: str, result: Any, server: str = "docs") -> Row:
    invocation = {"server": server, "tool": "find", "arguments": {"q": "port"}}
    return event("mcp_tool_call_end", call_id=call, invocation=invocation, result=result)


def test_a_call_of_a_script_gives_its_result() -> None:
    found = one(mcp("exec-1", {"Ok": {"content": [{"type": "text", "text": LONG}]}}))
    assert texts([found]) == [f'mcp__docs__find {{"q":"port"}}\n{LONG}']
    assert (found.kind, found.tool, found.call, found.flags) == (
        "tool-result",
        "mcp__docs__find",
        "exec-1",
        0,
    )


def test_a_call_that_failed_says_so() -> None:
    assert one(mcp("exec-1", {"Err": "no server"})).flags == ERROR
    assert one(mcp("exec-1", {"Ok": {"content": [], "isError": True}})).flags == ERROR


def test_a_script_s_call_of_this_product_is_its_own() -> None:
    assert one(mcp("exec-1", {"Ok": {"content": []}}, "unabridged")).flags == ECHO


def test_a_call_that_has_items_of_its_own_is_not_read_twice() -> None:
    assert len(blocks([header(), item(SCRIPT), mcp("call_1", {"Ok": {"content": []}})])) == 1


def test_a_search_of_a_script_gives_its_results() -> None:
    found = one(
        event("web_search_end", call_id="exec-2", query="ports", results=[{"title": "Ports", "url": "u"}])
    )
    assert texts([found]) == ["web_search ports\ntitle: Ports\nurl: u"]


def test_a_finished_item_of_a_script_gives_its_output() -> None:
    command: Row = {
        "type": "CommandExecution",
        "id": "exec-3",
        "command": ["bash", "-lc", "ls"],
        "aggregated_output": "a\nb\n",
        "exit_code": 1,
    }
    found = one(event("item_completed", turn_id=TURNS[0], item=command))
    assert texts([found]) == ["$ ls\na\nb\n"]
    assert (found.flags, found.tool) == (ERROR, "exec_command")
    tool: Row = {
        "type": "McpToolCall",
        "id": "exec-4",
        "server": "docs",
        "tool": "find",
        "arguments": {},
        "result": {"content": [{"type": "text", "text": LONG}]},
    }
    assert texts([one(event("item_completed", item=tool))]) == [f"mcp__docs__find\n{LONG}"]


def test_finished_items_that_repeat_the_conversation_are_not_read() -> None:
    kinds: list[Row] = [
        {"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "exec-"}]},
        {"type": "CommandExecution", "id": "call_1", "aggregated_output": "x"},
        {"type": "Plan", "id": "exec-5", "text": "x"},
    ]
    assert len(blocks([header(), item(SCRIPT), *(event("item_completed", item=kind) for kind in kinds)])) == 1
