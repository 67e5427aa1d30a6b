"""Offered tools in OpenAI Responses, streamed: items of ours are held back, the others numbered without them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.gateway.offered import answer
from unabridged.gateway.offered.answer import FAILED
from unabridged.gateway.offered.contract import SAID, Heard, ToolCall
from unabridged.gateway.offered.responseitems import head_of, identity, is_ours, without_ours
from unabridged.gateway.offered.sse import Event, written
from unabridged.gateway.offered.tally import Piece, Pieces, is_object, usage_of
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import (
    FAILURES,
    NotUnderstood,
    encoded,
    member_spans,
    members,
    replaced,
    with_member,
)
from unabridged.window.providers.usage import Usage, usage

DONE = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
STARTS = frozenset({"response.created", "response.in_progress", "response.queued"})
CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call")


class _Event(msgspec.Struct):
    type: str | None = ""
    output_index: int | None = -1
    sequence_number: int | None = -1
    item: msgspec.Raw = NONE
    response: msgspec.Raw = NONE


_event = msgspec.json.Decoder(_Event)
# Events with the whole response, which repeats the tools of its request.
_WHOLE = re.compile(
    rb'"type"\s*:\s*"response\.(created|in_progress|queued|completed|incomplete|failed|cancelled)"'
)


class Items(Pieces):
    """The items of one answer to the client, of all answers of the provider."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        super().__init__(seed, piece)

    def told(self, response: bytes, ident: bytes) -> bytes:
        """Return the response that the client gets at the end: all its items, its first id, the usage as it is told."""
        response = with_member(without_ours(response), "output", b"[" + b",".join(self.shown) + b"]")
        if ident:
            response = with_member(response, "id", ident)
        spans = member_spans(response)
        if "usage" in spans and is_object(response[spans["usage"][0] : spans["usage"][1]]):
            raw = _usage_raw(response[slice(*spans["usage"])], self.last.usage, self.before)
            response = replaced(response, [(spans["usage"], raw)])
        return response


def piece(raw: bytes) -> Piece:
    """Return what an item is."""
    head = head_of(raw)
    if not is_ours(head):
        return Piece(identity(raw), theirs=head.type in CALLS)
    arguments = (head.arguments or "").encode("utf-8", "surrogatepass")
    return Piece(None, ToolCall(head.call_id or "", head.name or "", arguments))


def said(raws: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return items as they are said again."""
    return tuple(raws)


def _usage_raw(raw: bytes, last: Usage, before: int) -> bytes:
    """Return the usage that the client is told: the prompt that it has now, and all that was written."""
    output = last.output + before
    return usage_of(raw, {"output_tokens": output, "total_tokens": last.prompt + output})


class Streamed(answer.Streamed):
    """An answer as server-sent events."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._items = Items(seed)
        super().__init__(self._items)
        self._next = 0  # number of the client's next item
        self._open = set[int]()  # numbers of the client's items that have not ended
        self._given = list[bytes]()  # the client's items that have
        self._sequence = 0  # of the next event
        self._begin = b""  # the first response, as it was when it began
        self._ident = b""  # its id
        self._clear()

    def _clear(self) -> None:
        self._numbers = dict[int, int]()  # the provider's number of an item → the client's
        self._hidden = set[int]()
        self._done = dict[int, bytes]()
        self._response = b""
        self._complete = self._broken = False

    @property
    def _hides(self) -> bool:
        return bool(self._hidden or self._items.rounds)

    def _as_it_is(self, event: Event) -> bytes:
        given = super()._as_it_is(event)
        self._sequence += bool(event.data)
        return given

    def _calls_us(self, event: Event) -> bool:
        return super()._calls_us(event) and _WHOLE.search(event.raw) is None

    def _got(self, event: Event) -> bytes:
        try:
            found = _event.decode(event.data)
        except FAILURES:
            return event.raw
        if found.type in STARTS:
            return self._begun(found, event)
        if found.type in DONE:
            return self._ended(found, event)
        self._broken = self._broken or found.type == "error"
        index = found.output_index
        if index is None or index < 0:
            return self._numbered(event, found)
        if found.type == "response.output_item.added":
            self._added(found, index)
        if found.type == "response.output_item.done":
            if index not in self._numbers and index not in self._hidden:
                self._added(found, index)
            self._done[index] = bytes(found.item)
        if index in self._hidden:
            return b""
        number = self._numbers.get(index)
        given = self._numbered(event, found, number)
        if found.type == "response.output_item.added" and number is not None:
            self._open.add(number)
        if found.type == "response.output_item.done" and number is not None:
            self._open.discard(number)
            self._given.append(bytes(found.item))
        return given

    def _added(self, found: _Event, index: int) -> None:
        if is_ours(head_of(bytes(found.item))):
            self._hidden.add(index)
            return
        # Without calls of ours the provider's own numbers stay, whatever they are.
        shown = self._next if self._hides else index
        self._numbers[index] = shown
        self._next = shown + 1

    def _begun(self, found: _Event, event: Event) -> bytes:
        if self._items.rounds:
            return b""
        response = self._begin = bytes(found.response)
        try:
            self._ident = bytes(members(response)["id"])
        except (NotUnderstood, KeyError):
            pass
        shown, changed = without_ours(response), event.data
        if shown != response:
            changed = replaced(event.data, [(member_spans(event.data)["response"], shown)])
        return self._numbered(Event(event.raw, event.name, changed), found, same=shown == response)

    def _ended(self, found: _Event, event: Event) -> bytes:
        self._response = bytes(found.response)
        self._complete = found.type == "response.completed" and not self._broken
        self._held.append(event)
        return b""

    def _numbered(self, event: Event, found: _Event, index: int | None = None, *, same: bool = True) -> bytes:
        """Return an event with its numbers as the client counts; its own bytes where they are the same."""
        if not self._touched:  # the provider's own count
            self._sequence = (found.sequence_number or 0) + 1
            return event.raw if same else written(event.name, event.data)
        sequence, self._sequence = self._sequence, self._sequence + 1
        changes = list[tuple[tuple[int, int], bytes]]()
        spans = member_spans(event.data)
        if "sequence_number" in spans and found.sequence_number != sequence:
            changes.append((spans["sequence_number"], b"%d" % sequence))
        if index is not None and index != found.output_index:
            changes.append((spans["output_index"], b"%d" % index))
        if same and not changes:
            return event.raw
        return written(event.name, replaced(event.data, changes))

    def heard(self) -> Heard:
        """Return what this answer of the provider came to."""
        used = Usage()
        try:
            used = usage(bytes(members(self._response)["usage"])) or used
        except (NotUnderstood, KeyError):
            pass
        raws = [self._done[index] for index in sorted(self._done)]
        found = self._items.heard(raws, said, used, complete=self._complete)
        self._clear()
        return found

    def resume(self) -> None:
        """Go on with another answer."""
        self._held.clear()

    def finish(self) -> bytes:
        """Return the end of the answer."""
        found = list[bytes]()
        if self._held and self._items.cut and not self._items.shown:
            found += self._text(SAID)
        found += [self._end(event) for event in self._held]
        self._held.clear()
        return b"".join((*found, self._events.rest()))

    def _end(self, event: Event) -> bytes:
        try:
            parsed = _event.decode(event.data)
            response = bytes(parsed.response)
            told = response
            if not self._items.own:
                told = self._items.told(response, self._ident)
            elif without_ours(response) != response:
                told = without_ours(response)
            changed = replaced(event.data, [(member_spans(event.data)["response"], told)])
        except (*FAILURES, NotUnderstood, KeyError):
            return event.raw
        return self._numbered(Event(event.raw, event.name, changed), parsed, same=changed == event.data)

    def _end_of_ours(self) -> Iterator[bytes]:
        if self._open:  # half an item is none
            yield self.failed(b"")
            return
        self._items.shown[:] = self._given
        if not self._items.has_theirs():
            yield from self._text(FAILED)
        response = with_member(self._items.told(self._begin or b"{}", self._ident), "status", b'"completed"')
        value = {"type": "response.completed", "sequence_number": self._sequence}
        yield written("response.completed", with_member(encoded(value), "response", response))

    def _text(self, text: str) -> Iterator[bytes]:
        item, index = message(text), len(self._items.shown)
        self._items.shown.append(item)
        for kind in ("response.output_item.added", "response.output_item.done"):
            value: dict[str, object] = {
                "type": kind,
                "sequence_number": self._sequence,
                "output_index": index,
            }
            self._sequence += 1
            yield written(kind, with_member(encoded(value), "item", item))

    def failed(self, error: bytes) -> bytes:
        """Return the event of a response that failed."""
        response: dict[str, object] = {
            "object": "response",
            "status": "failed",
            "error": {"code": "server_error", "message": message_of(error)},
            "output": [],
        }
        raw = with_member(encoded(response), "id", self._ident or b'""')
        value = {"type": "response.failed", "sequence_number": self._sequence}
        return written("response.failed", with_member(encoded(value), "response", raw))


def message(text: str) -> bytes:
    """Return a message of the assistant."""
    content: list[dict[str, object]] = [{"type": "output_text", "text": text, "annotations": list[object]()}]
    item = {"type": "message", "id": "msg_unabridged", "role": "assistant", "status": "completed"}
    return with_member(encoded(item), "content", encoded(content))


def message_of(body: bytes) -> str:
    """Return what a provider's error says."""
    try:
        found = json.loads(body)
        return str(found["error"]["message"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return "the provider broke off"
