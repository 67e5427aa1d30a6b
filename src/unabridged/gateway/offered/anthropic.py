"""Offered tools in Anthropic Messages, streamed: blocks of ours are held back, the others numbered without them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from unabridged.gateway.offered.anthropicblocks import Building, head_of, identity
from unabridged.gateway.offered.contract import SAID, Asked, Heard
from unabridged.gateway.offered.rounds import Chain, Placed
from unabridged.gateway.offered.sse import Event, Events, written
from unabridged.gateway.offered.tools import MARK, OURS
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import encoded, member_spans, replaced
from unabridged.window.providers.usage import Usage, usage

INDEX, TOOL_USE, CALLS = "index", "tool_use", "tool_use"
TURN_END = "end_turn"  # how an answer ends whose calls came to nothing


class _Event(msgspec.Struct):
    type: str = ""
    index: int = -1
    content_block: msgspec.Raw = NONE
    delta: msgspec.Raw = NONE
    usage: msgspec.Raw = NONE
    message: msgspec.Raw = NONE


class _Started(msgspec.Struct):
    usage: msgspec.Raw = NONE


class _Ended(msgspec.Struct):
    stop_reason: str | None = None


_event = msgspec.json.Decoder(_Event)
_started = msgspec.json.Decoder(_Started)
_ended = msgspec.json.Decoder(_Ended)


class Streamed:
    """An answer as server-sent events."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._events = Events(MARK)
        self._chain = Chain(seed)
        self._shown = 0  # blocks that the client got
        self._rounds = 0  # answers of the provider that are heard
        self._held = list[Event]()  # the end of the answer, where it is not known yet whether it is the last
        self._output = self._before = 0  # tokens written in all answers, in all before the last
        self._last = Heard()
        self._clear()

    def _clear(self) -> None:
        self._blocks = dict[int, Building]()
        self._prompt, self._usage = Usage(), Usage()
        self._stop = ""
        self._ours = self._theirs = 0
        self._broken = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes; return what the client gets."""
        return b"".join(self._got(event) for event in self._events.feed(data))

    def _got(self, event: Event) -> bytes:
        try:
            found = _event.decode(event.data)
        except msgspec.DecodeError:
            return event.raw
        if found.type == "message_start":
            return self._begun(found, event)
        if found.type == "content_block_start":
            return self._opened(found, event)
        if found.type in ("content_block_delta", "content_block_stop"):
            return self._went_on(found, event)
        if found.type in ("message_delta", "message_stop"):
            return self._ending(found, event)
        self._broken = self._broken or found.type == "error"
        return event.raw

    def _begun(self, found: _Event, event: Event) -> bytes:
        try:
            self._prompt = usage(bytes(_started.decode(found.message).usage)) or Usage()
        except msgspec.DecodeError:
            pass
        return b"" if self._rounds else event.raw

    def _opened(self, found: _Event, event: Event) -> bytes:
        head = head_of(bytes(found.content_block))
        ours = head.type == TOOL_USE and head.name in OURS
        self._ours += ours
        # Without calls of ours the provider's own numbers stay, whatever they are.
        shown = self._shown if self._ours or self._rounds else found.index
        known = Building(bytes(found.content_block), shown, ours=ours)
        self._blocks[found.index] = known
        self._theirs += head.type == TOOL_USE and not ours
        if ours:
            return b""
        self._shown = shown + 1
        return _renumbered(event, found.index, shown)

    def _went_on(self, found: _Event, event: Event) -> bytes:
        known = self._blocks.get(found.index)
        if known is None:
            return event.raw
        if found.type == "content_block_delta":
            known.add(bytes(found.delta))
        return b"" if known.ours else _renumbered(event, found.index, known.shown)

    def _ending(self, found: _Event, event: Event) -> bytes:
        if found.type == "message_delta":
            try:
                self._stop = _ended.decode(found.delta).stop_reason or self._stop
            except msgspec.DecodeError:
                pass
            self._usage = usage(bytes(found.usage)) or _Output.of(bytes(found.usage)) or self._usage
        if not self._ours and not self._rounds:
            return event.raw
        self._held.append(event)
        return b""

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        complete = self._stop == CALLS and not self._broken and all(one.known for one in blocks)
        calls, asked = list[Placed](), list[Asked]()
        raws = [one.raw() for one in blocks]
        for one, raw in zip(blocks, raws, strict=True):
            if not one.ours:
                self._chain.push(identity(raw))
                continue
            head = head_of(raw)
            calls.append(Placed(self._chain.place, raw))
            asked.append(Asked(head.id, head.name, one.arguments()))
        said = b'{"role":"assistant","content":[' + b",".join(raws) + b"]}"
        found = Heard(
            tuple(asked),
            tuple(calls),
            (said,),
            mixed=self._theirs > 0,
            complete=complete,
            end=self._chain.place,
            usage=self._together(),
        )
        self._last, self._before = found, self._output
        self._output += found.usage.output
        self._rounds += 1
        self._clear()
        return found

    def resume(self) -> None:
        """Go on with another answer of the provider: the last one's end is none."""
        self._held.clear()

    def _together(self) -> Usage:
        """Return the usage: what the end says, and of the prompt what the beginning said where the end is silent."""
        prompt = self._usage if self._usage.prompt else self._prompt
        return Usage(prompt.input, prompt.cache_read, prompt.cache_write, self._usage.output)

    def finish(self) -> bytes:
        """Return the end of the answer, where it was not passed on already."""
        cut = bool(self._last.asked) and not self._last.mixed
        found = list[bytes]()
        if cut and self._held and not self._shown:
            found += _text_block(SAID)
        found += [self._end(event, cut=cut) for event in self._held]
        self._held.clear()
        return b"".join(found) + self._events.rest()

    def _end(self, event: Event, *, cut: bool) -> bytes:
        spans = member_spans(event.data)
        if "usage" not in spans or "delta" not in spans:
            return event.raw
        usage, delta = (event.data[slice(*spans[name])] for name in ("usage", "delta"))
        changes = list[tuple[tuple[int, int], bytes]]()
        if is_object(usage):
            changes.append((spans["usage"], usage_told(usage, self._last.usage, self._before)))
        if cut and is_object(delta):
            changes.append((spans["delta"], _delta_raw(delta)))
        return written(event.name, replaced(event.data, changes))

    def failed(self, error: bytes) -> bytes:
        """Return an error event."""
        return written("error", error_of(error))


def _text_block(text: str) -> Iterator[bytes]:
    yield _event_of(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    )
    yield _event_of(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    )
    yield _event_of({"type": "content_block_stop", "index": 0})


def _event_of(value: dict[str, object]) -> bytes:
    return written(str(value["type"]), encoded(value))


def error_of(body: bytes) -> bytes:
    """Return a provider's error as one line of JSON in the format's own form."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or "error" not in found:
        found = {"type": "error", "error": {"type": "api_error", "message": "the provider broke off"}}
    return encoded(found)  # pyright: ignore[reportUnknownArgumentType]


def _renumbered(event: Event, index: int, shown: int) -> bytes:
    if index == shown:
        return event.raw
    spans = member_spans(event.data)
    return written(event.name, replaced(event.data, [(spans[INDEX], b"%d" % shown)]))


def is_object(raw: bytes) -> bool:
    """Tell whether a member's value is an object: some providers write `null` for what they do not count."""
    return raw[:1] == b"{"


def usage_told(raw: bytes, last: Usage, before: int) -> bytes:
    """Return the usage that the client is told: the prompt that it has now, and all that was written."""
    values: dict[str, object] = msgspec.json.decode(raw)
    values["output_tokens"] = last.output + before
    values["input_tokens"] = last.input
    values["cache_creation_input_tokens"] = last.cache_write
    values["cache_read_input_tokens"] = last.cache_read
    return encoded(values)


def _delta_raw(raw: bytes) -> bytes:
    """Return how an answer ended whose calls of ours came to nothing: a call that the client does not have is none."""
    values: dict[str, object] = msgspec.json.decode(raw)
    if values.get("stop_reason") == CALLS:
        values["stop_reason"] = TURN_END
    return encoded(values)


class _Output(msgspec.Struct):
    """A usage of an end that counts only what was written."""

    output_tokens: int = 0

    @staticmethod
    def of(raw: bytes) -> Usage | None:
        try:
            return Usage(output=msgspec.json.decode(raw, type=_Output).output_tokens)
        except msgspec.DecodeError:
            return None
