"""Offered tools in Chat Completions, streamed: calls of ours are held back, the others numbered without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.anthropic import error_of
from unabridged.gateway.offered.chatmessages import BESIDE, SEPARATOR, Said, place_of
from unabridged.gateway.offered.contract import SAID, Heard
from unabridged.gateway.offered.sse import Event, written
from unabridged.window.providers.splice import FAILURES, encoded
from unabridged.window.providers.usage import Usage, usage

DONE = b"[DONE]"
CALLS, STOP = "tool_calls", "stop"
FIRST = ("id", "created")  # members that all chunks of an answer have in common

Chunk = dict[str, Any]


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(msgspec.Struct):
    index: int | None = 0
    function: _Function | None = None


class _Delta(msgspec.Struct):
    tool_calls: list[_Call] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Shape(msgspec.Struct):
    """What a chunk must be like to be looked into."""

    choices: list[_Choice] | None = None


_chunk = msgspec.json.Decoder(Chunk)
_shape = msgspec.json.Decoder(_Shape)


class Streamed(answer.Streamed):
    """An answer as chunks."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._said = Said(seed)
        super().__init__(self._said)
        self._first: Chunk = {}
        self._text = list[str]()  # that the client has
        self._calls = 0  # of the client's, that it has
        self._clear()

    def _clear(self) -> None:
        self._numbers = dict[int, int]()
        self._held.clear()
        self._ended = ""
        self._broken = False

    @property
    def _hides(self) -> bool:
        return bool(self._said.asked or self._said.rounds)

    def _got(self, event: Event) -> bytes:
        if event.data.strip() == DONE:
            return self._at_end(event)
        try:
            _shape.decode(event.data)
            chunk = _chunk.decode(event.data)
        except FAILURES:
            return event.raw
        if chunk.get("error"):
            self._broken = True
            return event.raw
        delta, ended = _delta(chunk)
        self._first = self._first or {name: chunk[name] for name in FIRST if name in chunk}
        if isinstance(chunk.get("usage"), dict):
            self._said.usage = usage(encoded(chunk["usage"])) or self._said.usage
        if not chunk.get("choices"):
            return self._at_end(event)
        return self._passed(event, chunk, delta, ended)

    def _passed(self, event: Event, chunk: Chunk, delta: Chunk, ended: str) -> bytes:
        changed = self._renamed(chunk)
        changed |= self._without_ours(delta)
        changed |= self._joined(delta)
        said = any(delta.get(name) for name in ("content", "tool_calls", "refusal", *BESIDE))
        if self._said.rounds:
            changed |= delta.pop("role", None) is not None
        if ended:
            self._ended = ended
            if self._hides:
                # What ends the answer waits; what it says besides does not.
                chunk["choices"][0]["finish_reason"] = None
                shown = written(event.name, encoded(chunk)) if said and delta else b""
                rest: Chunk = {**chunk, "choices": [{**chunk["choices"][0]}]}
                rest["choices"][0].update(delta={}, finish_reason=ended)
                self._held.append(Event(event.raw, event.name, encoded(rest)))
                return shown
        if not changed:
            return event.raw
        return written(event.name, encoded(chunk)) if said or not self._said.rounds else b""

    def _renamed(self, chunk: Chunk) -> bool:
        if not self._said.rounds:
            return False
        chunk.update(self._first)
        return True

    def _without_ours(self, delta: Chunk) -> bool:
        """Take calls of ours out of a delta, and number the client's; tell whether anything changed."""
        calls = delta.get("tool_calls")
        if not calls:
            return False
        kept, changed = list[Chunk](), False
        for call in calls:
            index: int = call.get("index") or 0
            if self._said.call(index, call):
                changed = True
                continue
            if index not in self._numbers:
                # Without calls of ours the provider's own numbers stay, whatever they are.
                shown = self._calls if self._hides else index
                self._numbers[index] = shown
                self._calls = shown + 1
            if self._numbers[index] != index:
                call["index"], changed = self._numbers[index], True
            kept.append(call)
        if kept:
            delta["tool_calls"] = kept
        else:
            del delta["tool_calls"]
        return changed

    def _joined(self, delta: Chunk) -> bool:
        """Keep what is said; set it off from what was said before a call of ours. Tell whether the delta changed."""
        for name in BESIDE:
            self._said.add_beside(name, delta.get(name))
        text = delta.get("content")
        if not isinstance(text, str) or not text:
            return False
        apart = SEPARATOR if self._said.apart(shown=bool(self._text)) else ""
        delta["content"] = apart + text
        self._text.append(apart + text)
        self._said.add(text)
        return bool(apart)

    def _at_end(self, event: Event) -> bytes:
        if self._hides:
            self._held.append(event)
            return b""
        return event.raw

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        end = place_of(self._said.seed, "".join(self._text))
        return self._said.heard(end, complete=self._ended in (CALLS, STOP) and not self._broken)

    def resume(self) -> None:
        """Go on with another answer."""
        self._clear()

    def finish(self) -> bytes:
        """Return the end of the answer, where it was not passed on already."""
        cut, found = self._said.cut, list[bytes]()
        for event in self._held:
            if event.data.strip() == DONE:
                found.append(event.raw)
                continue
            chunk = _chunk.decode(event.data)
            chunk.update(self._first)
            if chunk.get("choices") and cut:
                choice = chunk["choices"][0]
                if choice.get("finish_reason") == CALLS:
                    choice["finish_reason"] = STOP
                if not self._text and not self._calls:
                    choice["delta"] = {"role": "assistant", "content": SAID}
            if isinstance(chunk.get("usage"), dict):
                chunk["usage"] = usage_told(chunk["usage"], self._said.last.usage, self._said.before)
            found.append(written(event.name, encoded(chunk)))
        self._held.clear()
        return b"".join(found) + self._events.rest()

    def _end_of_ours(self) -> Iterator[bytes]:
        if self._said.half():
            yield self.failed(b"")
            return
        apart = SEPARATOR if self._text else ""
        delta: Chunk = {} if self._calls else {"role": "assistant", "content": apart + FAILED}
        choice: Chunk = {"index": 0, "delta": delta, "finish_reason": CALLS if self._calls else STOP}
        chunk: Chunk = {**self._first, "object": "chat.completion.chunk", "choices": [choice]}
        yield written("", encoded(chunk))
        yield written("", DONE)

    def failed(self, error: bytes) -> bytes:
        """Return an error as a chunk."""
        return written("", error_of(error))


def _delta(chunk: Chunk) -> tuple[Chunk, str]:
    """Return what the first choice adds, and how it ended."""
    choices: list[Chunk] = chunk.get("choices") or []
    if not choices:
        return {}, ""
    choice = choices[0]
    delta: Chunk = choice.get("delta") or {}
    choice["delta"] = delta
    return delta, str(choice.get("finish_reason") or "")


def usage_told(values: Chunk, last: Usage, before: int) -> Chunk:
    """Return the usage that the client is told: the prompt that it has now, and all that was written."""
    output = last.output + before
    return {**values, "completion_tokens": output, "total_tokens": last.prompt + output}
