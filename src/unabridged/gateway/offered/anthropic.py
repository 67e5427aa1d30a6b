"""Offered tools in Anthropic Messages, streamed: blocks of ours are held back, the others numbered without them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.anthropicblocks import Building, head_of, identity
from unabridged.gateway.offered.contract import SAID, Heard, ToolCall
from unabridged.gateway.offered.sse import Event, written
from unabridged.gateway.offered.tally import Piece, Pieces, is_object, usage_of
from unabridged.gateway.offered.tools import OURS
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import FAILURES, encoded, member_spans, replaced
from unabridged.window.providers.usage import Usage, usage

INDEX, TOOL_USE, CALLS = "index", "tool_use", "tool_use"
TURN_END = "end_turn"  # how an answer ends whose calls came to nothing


class _Event(msgspec.Struct):
    type: str | None = ""
    index: int | None = -1
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


class Streamed(answer.Streamed):
    """An answer as server-sent events."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._pieces = Pieces(seed, piece)
        super().__init__(self._pieces)
        self._shown = 0  # blocks that the client got
        self._open: Building | None = None  # the client's block that has not ended
        self._clear()

    def _clear(self) -> None:
        self._blocks = dict[int, Building]()
        self._prompt, self._usage = Usage(), Usage()
        self._stop = ""
        self._ours = self._theirs = 0
        self._broken = False

    @property
    def _hides(self) -> bool:
        return bool(self._ours or self._tally.rounds)

    def _got(self, event: Event) -> bytes:
        try:
            found = _event.decode(event.data)
        except FAILURES:
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
        except FAILURES:
            pass
        return b"" if self._tally.rounds else event.raw

    def _opened(self, found: _Event, event: Event) -> bytes:
        head = head_of(bytes(found.content_block))
        ours = head.type == TOOL_USE and head.name in OURS
        self._ours += ours
        index = found.index or 0
        # Without calls of ours the provider's own numbers stay, whatever they are.
        shown = self._shown if self._hides else index
        known = Building(bytes(found.content_block), shown, ours=ours)
        self._blocks[index] = known
        if ours:
            return b""
        self._theirs += head.type == TOOL_USE
        self._shown, self._open = shown + 1, known
        return _renumbered(event, found.index, shown)

    def _went_on(self, found: _Event, event: Event) -> bytes:
        known = self._blocks.get(found.index or 0)
        if known is None:
            return event.raw
        if found.type == "content_block_delta":
            known.add(bytes(found.delta))
        elif known is self._open:
            self._open = None
        return b"" if known.ours else _renumbered(event, found.index, known.shown)

    def _ending(self, found: _Event, event: Event) -> bytes:
        if found.type == "message_delta":
            try:
                self._stop = _ended.decode(found.delta).stop_reason or self._stop
            except FAILURES:
                pass
            self._usage = usage(bytes(found.usage)) or _Output.of(bytes(found.usage)) or self._usage
        if not self._hides:
            return event.raw
        self._held.append(event)
        return b""

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        raws = [one.raw() for one in blocks]
        complete = self._stop == CALLS and not self._broken and all(one.known for one in blocks)
        found = self._pieces.heard(raws, said, self._together(), complete=complete)
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
        found = list[bytes]()
        if self._tally.cut and self._held and not self._shown:
            found += _text_block(SAID, 0)
        found += [self._end(event) for event in self._held]
        self._held.clear()
        return b"".join(found) + self._events.rest()

    def _end(self, event: Event) -> bytes:
        spans = member_spans(event.data)
        if "usage" not in spans or "delta" not in spans:
            return event.raw
        used, delta = (event.data[slice(*spans[name])] for name in ("usage", "delta"))
        changes = list[tuple[tuple[int, int], bytes]]()
        if is_object(used):
            changes.append((spans["usage"], usage_told(used, self._tally.last.usage, self._tally.before)))
        if self._tally.cut and is_object(delta):
            changes.append((spans["delta"], _delta_raw(delta)))
        return written(event.name, replaced(event.data, changes))

    def _end_of_ours(self) -> Iterator[bytes]:
        theirs = self._theirs > 0 or self._pieces.has_theirs()
        if self._open is not None:
            if head_of(self._open.start).type == TOOL_USE:  # half a call is none
                yield self.failed(b"")
                return
            yield _event_of({"type": "content_block_stop", INDEX: self._open.shown})
        if not theirs:
            yield from _text_block(FAILED, self._shown)
        delta = {"stop_reason": CALLS if theirs else TURN_END, "stop_sequence": None}
        output = self._tally.written + self._usage.output
        yield _event_of({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}})
        yield _event_of({"type": "message_stop"})

    def failed(self, error: bytes) -> bytes:
        """Return an error event."""
        return written("error", error_of(error))


def piece(raw: bytes) -> Piece:
    """Return what a block is."""
    head = head_of(raw)
    if head.type != TOOL_USE or head.name not in OURS:
        return Piece(identity(raw), theirs=head.type == TOOL_USE)
    return Piece(None, ToolCall(head.id or "", head.name or "", bytes(head.input) or b"{}"))


def said(raws: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return blocks as the message of the assistant that they were."""
    return (b'{"role":"assistant","content":[' + b",".join(raws) + b"]}",)


def _text_block(text: str, index: int) -> Iterator[bytes]:
    begun, added = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    yield _event_of({"type": "content_block_start", INDEX: index, "content_block": begun})
    yield _event_of({"type": "content_block_delta", INDEX: index, "delta": added})
    yield _event_of({"type": "content_block_stop", INDEX: index})


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


def _renumbered(event: Event, index: int | None, shown: int) -> bytes:
    if index == shown:
        return event.raw
    spans = member_spans(event.data)
    if INDEX not in spans:
        return event.raw
    return written(event.name, replaced(event.data, [(spans[INDEX], b"%d" % shown)]))


def usage_told(raw: bytes, last: Usage, before: int) -> bytes:
    """Return the usage that the client is told: the prompt that it has now, and all that was written."""
    told: dict[str, object] = {
        "output_tokens": last.output + before,
        "input_tokens": last.input,
        "cache_creation_input_tokens": last.cache_write,
        "cache_read_input_tokens": last.cache_read,
    }
    return usage_of(raw, told)


def _delta_raw(raw: bytes) -> bytes:
    """Return how an answer ended whose calls of ours came to nothing: a call that the client does not have is none."""
    values: dict[str, object] = msgspec.json.decode(raw)
    if values.get("stop_reason") == CALLS:
        values["stop_reason"] = TURN_END
    return encoded(values)


class _Output(msgspec.Struct):
    """A usage of an end that counts only what was written."""

    output_tokens: int | None = 0

    @staticmethod
    def of(raw: bytes) -> Usage | None:
        try:
            return Usage(output=msgspec.json.decode(raw, type=_Output).output_tokens or 0)
        except FAILURES:
            return None
