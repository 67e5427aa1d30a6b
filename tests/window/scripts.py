"""Conversations as scripts, written in each provider's format, and requests as a client makes them of one."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from unabridged.window.limits import Gates, Limits
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, OPENCODE, PI, RESPONSES
from unabridged.window.providers.contract import Adapter

MARK = {"cache_control": {"type": "ephemeral"}}


class Everything(Container[str]):
    """Holds every key."""

    def __contains__(self, key: object) -> bool:
        return True


EVERYTHING = Everything()

# A window that a few short messages fill.
SMALL = Limits(
    window=2_000,
    rotation=1_300,
    hard=1_600,
    rotation_turns=6,
    retain_turns=2,
    gates=Gates(result=120, pressure=60, budget=390, argument=120, input=300, exempt=("*unabridged*",)),
)


@dataclass(frozen=True)
class Call:
    """A tool call with its result."""

    name: str
    arguments: dict[str, Any]
    result: str


@dataclass(frozen=True)
class Step:
    """One answer of the model: reasoning, text, calls (their results follow)."""

    text: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Turn:
    """What a user asked and the steps of the answer."""

    asked: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Script:
    """A conversation, and what a host pins before it."""

    turns: tuple[Turn, ...]
    environment: str = ""
    rules: str = "You are an agent."
    spaced: bool = False  # JSON with spaces
    tools: list[Any] = field(default_factory=list)


# --- each provider's format -----------------------------------------------------------------------------------------


def anthropic(script: Script) -> list[list[Any]]:
    """Return the messages of each request that a client makes, the history before each answer."""
    messages, requests, number = list[Any](), list[list[Any]](), 0
    for place, turn in enumerate(script.turns):
        blocks = [{"type": "text", "text": turn.asked}]
        if not place and script.environment:
            blocks.insert(
                0, {"type": "text", "text": f"<system-reminder>{script.environment}</system-reminder>"}
            )
        messages.append({"role": "user", "content": blocks})
        for step in turn.steps:
            requests.append(list(messages))
            content = list[Any]()
            if step.thought:
                content.append({"type": "thinking", "thinking": step.thought, "signature": "c2ln"})
            if step.text:
                content.append({"type": "text", "text": step.text})
            results = list[Any]()
            for call in step.calls:
                number += 1
                name = f"toolu_{number}"
                content.append({"type": "tool_use", "id": name, "name": call.name, "input": call.arguments})
                results.append({"type": "tool_result", "tool_use_id": name, "content": call.result})
            if content:
                messages.append({"role": "assistant", "content": content})
            if results:
                messages.append({"role": "user", "content": results})
    requests.append(list(messages))
    return requests


def responses(script: Script) -> list[list[Any]]:
    """Return the input of each request."""
    items, requests, number = list[Any](), list[list[Any]](), 0
    items.append(
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": script.rules}]}
    )
    if script.environment:
        text = f"<environment_context>{script.environment}</environment_context>"
        items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
    for turn in script.turns:
        items.append({"role": "user", "content": [{"type": "input_text", "text": turn.asked}]})
        for step in turn.steps:
            requests.append(list(items))
            if step.thought:
                items.append(
                    {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": step.thought}
                )
            if step.text or step.thought:
                content = [{"type": "output_text", "text": step.text or "so", "annotations": []}]
                items.append({"type": "message", "role": "assistant", "content": content})
            names = list[str]()
            for call in step.calls:
                number += 1
                names.append(f"call_{number}")
                arguments = json.dumps(call.arguments)
                items.append(
                    {"type": "function_call", "call_id": names[-1], "name": call.name, "arguments": arguments}
                )
            for name, call in zip(names, step.calls, strict=True):
                items.append({"type": "function_call_output", "call_id": name, "output": call.result})
    requests.append(list(items))
    return requests


def chat(script: Script) -> list[list[Any]]:
    """Return the messages of each request."""
    messages, requests, number = list[Any](), list[list[Any]](), 0
    messages.append({"role": "system", "content": script.rules})
    if script.environment:
        text = f"<environment_context>{script.environment}</environment_context>"
        messages.append({"role": "user", "content": text})
    for turn in script.turns:
        messages.append({"role": "user", "content": turn.asked})
        for step in turn.steps:
            requests.append(list(messages))
            calls, results = list[Any](), list[Any]()
            for call in step.calls:
                number += 1
                function = {"name": call.name, "arguments": json.dumps(call.arguments)}
                calls.append({"id": f"call_{number}", "type": "function", "function": function})
                results.append({"role": "tool", "tool_call_id": f"call_{number}", "content": call.result})
            if not (step.text or calls):
                continue
            said: dict[str, Any] = {"role": "assistant", "content": step.text}
            if step.thought:
                said["reasoning_content"] = step.thought
            if calls:
                said["tool_calls"] = calls
            messages += [said, *results]
    requests.append(list(messages))
    return requests


def pi(script: Script) -> list[list[Any]]:
    """Return the messages of each request, as Pi gives them to its extensions."""
    messages, requests, number = list[Any](), list[list[Any]](), 0

    def say(role: str, **rest: Any) -> None:
        messages.append({"role": role, **rest, "timestamp": 1_700_000_000_000 + len(messages)})

    for place, turn in enumerate(script.turns):
        say("user", content=[{"type": "text", "text": turn.asked}])
        if not place and script.environment:
            say("custom", customType="note", content=script.environment, display=False)
        for step in turn.steps:
            requests.append(list(messages))
            content = list[Any]()
            if step.thought:
                content.append({"type": "thinking", "thinking": step.thought, "thinkingSignature": "c2ln"})
            if step.text:
                content.append({"type": "text", "text": step.text})
            calls = list[tuple[str, Call]]()
            for call in step.calls:
                number += 1
                calls.append((f"toolu_{number}", call))
                block = {"id": f"toolu_{number}", "name": call.name, "arguments": call.arguments}
                content.append({"type": "toolCall", **block})
            if content:
                say("assistant", content=content, api="x", usage={"input": number}, stopReason="stop")
            for name, call in calls:
                result = [{"type": "text", "text": call.result}]
                say("toolResult", toolCallId=name, toolName=call.name, content=result, isError=False)
    requests.append(list(messages))
    return requests


def opencode(script: Script) -> list[list[Any]]:
    """Return the messages of each request, as OpenCode gives them to its plugins."""
    messages, requests, number = list[Any](), list[list[Any]](), 0

    def say(role: str, parts: list[Any], **rest: Any) -> None:
        name = f"msg_{len(messages):04}"
        ids = [
            {**part, "id": f"prt_{len(messages):04}{at}", "messageID": name} for at, part in enumerate(parts)
        ]
        info = {"role": role, "time": {"created": len(messages)}, **rest, "id": name, "sessionID": "ses_1"}
        messages.append({"info": info, "parts": ids})

    for place, turn in enumerate(script.turns):
        parts: list[Any] = [{"type": "text", "text": turn.asked}]
        if not place and script.environment:
            text = f"<system-reminder>{script.environment}</system-reminder>"
            parts.insert(0, {"type": "text", "text": text, "synthetic": True})
        say("user", parts, model={"providerID": "p", "modelID": "m"})
        for step in turn.steps:
            requests.append(list(messages))
            parts = [{"type": "step-start", "snapshot": "5f"}]
            if step.thought:
                parts.append({"type": "reasoning", "text": step.thought, "time": {"start": 1, "end": 2}})
            if step.text:
                parts.append({"type": "text", "text": step.text, "time": {"start": 2, "end": 3}})
            for call in step.calls:
                number += 1
                state = {"status": "completed", "input": call.arguments, "output": call.result, "title": "t"}
                state["metadata"] = {"exit": 0}
                parts.append({"type": "tool", "tool": call.name, "callID": f"call_{number}", "state": state})
            say("assistant", [*parts, {"type": "step-finish", "reason": "stop", "cost": 0}], modelID="m")
    requests.append(list(messages))
    return requests


@dataclass(frozen=True)
class Format:
    """One provider: its adapter, the member that holds the list, and how a script is written."""

    name: str
    adapter: Adapter
    member: str
    write: Any

    def bodies(self, script: Script, marked: bool = False) -> list[bytes]:
        """Return the bodies of the requests that a client makes; `marked`: with cache marks at system and end."""
        return [self.body(items, script, marked) for items in self.write(script)]

    def body(self, items: list[Any], script: Script, marked: bool = False) -> bytes:
        outer: dict[str, Any] = {"model": "some-model", "stream": True}
        if self.name == "anthropic":
            outer["system"] = [{"type": "text", "text": script.rules, **(MARK if marked else {})}]
            items = [*items[:-1], with_mark(items[-1])] if marked else items
        outer |= {self.member: items, "tools": script.tools, "temperature": 1.0}
        separators = (", ", ": ") if script.spaced else (",", ":")
        return json.dumps(outer, separators=separators, ensure_ascii=script.spaced).encode(
            "utf-8", "surrogatepass"
        )

    def items(self, body: bytes) -> list[Any]:
        """Return the list of a body."""
        return json.loads(body)[self.member]


def with_mark(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not content or content[-1]["type"] == "thinking":
        return message
    return {**message, "content": [*content[:-1], {**content[-1], **MARK}]}


FORMATS = (
    Format("anthropic", ANTHROPIC, "messages", anthropic),
    Format("responses", RESPONSES, "input", responses),
    Format("chat", CHAT, "messages", chat),
    Format("pi", PI, "messages", pi),
    Format("opencode", OPENCODE, "messages", opencode),
)

# --- made scripts ---------------------------------------------------------------------------------------------------

WORDS = (
    "alpha",
    "src/main.py",
    "`retry_limit`",
    "数据库",
    "naïve",
    '"quoted"',
    "back\\slash",
    "line\nbreak",
    "🙂",
    "x",
)


def texts(most: int) -> st.SearchStrategy[str]:
    """Texts of a few characters, or of many."""
    short = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
    long = st.tuples(st.sampled_from(WORDS), st.integers(1, most)).map(lambda made: f"{made[0]} " * made[1])
    return st.one_of(short, short, long)


CALLS = st.builds(
    Call,
    st.sampled_from(["Bash", "Read", "mcp__unabridged__recall"]),
    st.dictionaries(st.sampled_from(["command", "path"]), texts(150), max_size=2),
    st.one_of(texts(200), st.just("the same output as before, " * 20), st.just("")),
)
STEPS = st.builds(Step, texts(40), st.sampled_from(["", "a thought"]), st.lists(CALLS, max_size=3).map(tuple))
TURNS = st.builds(Turn, texts(120), st.lists(STEPS, max_size=3).map(tuple))
SCRIPTS = st.builds(
    Script,
    st.lists(TURNS, min_size=1, max_size=9).map(tuple),
    st.sampled_from(["", "cwd /srv, branch main"]),
    spaced=st.booleans(),
)
