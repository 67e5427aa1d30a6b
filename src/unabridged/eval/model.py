"""A language model behind an address that speaks the chat completions of OpenAI or the messages of Anthropic.

Used only when a person names an address: the questions of a suite and the instructions of the tools go there.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from unabridged.errors import InvalidInput, ModelUnavailable
from unabridged.models.address import LOOPBACK, connect_to

MAX_ANSWER = 4 << 20  # bytes
MAX_TOKENS = 1_024  # of one answer
PROTOCOLS = ("openai", "anthropic")
HINT = "Check --endpoint, --protocol, --model and --key-env."
ANTHROPIC_VERSION = "2023-06-01"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """What a model may call. `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model made."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """What a model said, and what its calls gave, in their order."""

    text: str
    calls: tuple[Call, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation so far: `before` is what the model said earlier, "" for nothing."""

    system: str
    tools: Sequence[Tool]
    question: str
    before: str = ""
    steps: tuple[Step, ...] = ()


class Model(Protocol):
    """Whoever answers."""

    def answer(self, talk: Talk) -> Step:
        """Return what is said next; raise `ModelUnavailable`."""
        ...


class RemoteModel:
    """A model at an address. `timeout` (seconds) is of each wait for the other end."""

    def __init__(self, endpoint: str, model: str, protocol: str, key: str, timeout: float) -> None:
        """Check the address; raise `InvalidInput` for one that cannot be asked."""
        if protocol not in PROTOCOLS:
            raise InvalidInput("there is no protocol of that name", field="protocol", known=list(PROTOCOLS))
        self._openai = protocol == "openai"
        self._place = _checked(endpoint, "/chat/completions" if self._openai else "/messages", key)
        self._model, self._key, self._timeout = model, key, timeout

    def answer(self, talk: Talk) -> Step:
        """Ask for the next step."""
        body = _to_openai(talk) if self._openai else _to_anthropic(talk)
        data = self._post(
            json.dumps({"model": self._model, "max_tokens": MAX_TOKENS, "temperature": 0, **body})
        )
        try:
            found: Json = json.loads(data)
            return _from_openai(found) if self._openai else _from_anthropic(found)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise ModelUnavailable(
                "the answer has another form", hint=HINT, why=type(error).__name__
            ) from error

    def _post(self, body: str) -> bytes:
        place = self._place
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._openai and self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        if not self._openai:
            headers |= {"anthropic-version": ANTHROPIC_VERSION} | (
                {"x-api-key": self._key} if self._key else {}
            )
        connection = connect_to(place, self._timeout)
        try:
            connection.request("POST", place.path, body.encode(), headers)
            answer = connection.getresponse()
            data = answer.read(MAX_ANSWER + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ModelUnavailable(
                "the address cannot be asked", hint=HINT, why=type(error).__name__
            ) from error
        finally:
            connection.close()
        if answer.status != http.client.OK:
            raise ModelUnavailable("the address answers with an error", hint=HINT, status=answer.status)
        if len(data) > MAX_ANSWER:
            raise ModelUnavailable("the answer is too large", hint=HINT, limit=MAX_ANSWER)
        return data


def _checked(endpoint: str, path: str, key: str) -> SplitResult:
    try:
        place = urlsplit(endpoint)
        usable = place.scheme in ("http", "https") and place.hostname and (place.port or 1) > 0
    except ValueError:
        usable, place = False, urlsplit("")
    if not usable or place.username or place.query:
        raise InvalidInput("an endpoint is an address with http or https", field="endpoint")
    if key and place.scheme == "http" and place.hostname not in LOOPBACK:
        raise InvalidInput("a key is sent over https only", field="endpoint")
    base = place.path.rstrip("/")
    return place._replace(path=base if base.endswith(path) else base + path)


def _to_openai(talk: Talk) -> Json:
    messages: list[Json] = [{"role": "system", "content": talk.system}]
    if talk.before:
        messages.append({"role": "assistant", "content": talk.before})
    messages.append({"role": "user", "content": talk.question})
    for step in talk.steps:
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in step.calls
        ]
        messages.append({"role": "assistant", "content": step.text or None, "tool_calls": calls})
        given = zip(step.calls, step.results, strict=True)
        messages += [{"role": "tool", "tool_call_id": call.id, "content": result} for call, result in given]
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)},
        }
        for tool in talk.tools
    ]
    return {"messages": messages, "tools": tools}


def _from_openai(found: Json) -> Step:
    message: Json = found["choices"][0]["message"]
    calls = tuple(
        Call(str(call["id"]), str(call["function"]["name"]), _arguments(call["function"].get("arguments")))
        for call in message.get("tool_calls") or ()
    )
    return Step(str(message.get("content") or ""), calls)


def _to_anthropic(talk: Talk) -> Json:
    messages: list[Json] = []
    if talk.before:
        messages += [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": talk.before}]
    messages.append({"role": "user", "content": talk.question})
    for step in talk.steps:
        blocks: list[Json] = [{"type": "text", "text": step.text}] if step.text else []
        blocks += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
            for call in step.calls
        ]
        messages.append({"role": "assistant", "content": blocks})
        given = zip(step.calls, step.results, strict=True)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": result} for call, result in given
        ]
        messages.append({"role": "user", "content": results})
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
        for tool in talk.tools
    ]
    return {"system": talk.system, "messages": messages, "tools": tools}


def _from_anthropic(found: Json) -> Step:
    blocks: list[Json] = found["content"]
    text = "".join(str(block["text"]) for block in blocks if block["type"] == "text")
    calls = tuple(
        Call(str(block["id"]), str(block["name"]), dict(block["input"]))
        for block in blocks
        if block["type"] == "tool_use"
    )
    return Step(text, calls)


def _arguments(text: Any) -> Mapping[str, Any]:
    """Return a call's arguments; a model that writes no JSON called with none."""
    try:
        found: Json | list[Any] = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
