"""Offered tools in OpenAI Responses, streamed: items of ours are held back, the others numbered without them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from unabridged.gateway.offered.contract import SAID, Asked, Heard
from unabridged.gateway.offered.responseitems import Head, head_of, identity, without_ours
from unabridged.gateway.offered.rounds import Chain, Placed
from unabridged.gateway.offered.sse import Event, Events, written
from unabridged.gateway.offered.tools import MARK, OURS
from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import (
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
    type: str = ""
    output_index: int = -1
    sequence_number: int = -1
    item: msgspec.Raw = NONE
    response: msgspec.Raw = NONE


_event = msgspec.json.Decoder(_Event)


class Items:
    """The items of one answer to the client, of all answers of the provider."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._chain = Chain(seed)
        self.shown = list[bytes]()
        self.last = Heard()
        self._output = self._before = 0
        self.rounds = 0

    def heard(self, raws: list[bytes], told: Usage, *, complete: bool) -> Heard:
        """Take the items of one answer of the provider; return what it came to."""
        calls, asked, mixed = list[Placed](), list[Asked](), False
        for raw in raws:
            head = head_of(raw)
            if not is_ours(head):
                mixed = mixed or head.type in CALLS
                self._chain.push(identity(raw))
                self.shown.append(raw)
                continue
            calls.append(Placed(self._chain.place, raw))
            asked.append(Asked(head.call_id, head.name, head.arguments.encode("utf-8", "surrogatepass")))
        self._before = self._output
        self._output += told.output
        self.rounds += 1
        self.last = Heard(
            tuple(asked), tuple(calls), tuple(raws), mixed, complete, self._chain.place, usage=told
        )
        return self.last

    def told(self, response: bytes, ident: bytes) -> bytes:
        """Return the response that the client gets at the end: all its items, its first id, the usage as it is told."""
        response = with_member(without_ours(response), "output", b"[" + b",".join(self.shown) + b"]")
        if ident:
            response = with_member(response, "id", ident)
        spans = member_spans(response)
        if "usage" in spans and response[spans["usage"][0] : spans["usage"][0] + 1] == b"{":
            raw = _usage_raw(response[slice(*spans["usage"])], self.last.usage, self._before)
            response = replaced(response, [(spans["usage"], raw)])
        return response


def is_ours(head: Head) -> bool:
    """Tell whether an item is a call of one of our tools."""
    return head.type == "function_call" and head.name in OURS and not head.namespace


def _usage_raw(raw: bytes, last: Usage, before: int) -> bytes:
    """Return the usage that the client is told: the prompt that it has now, and all that was written."""
    values: dict[str, object] = msgspec.json.decode(raw)
    values["output_tokens"] = last.output + before
    values["total_tokens"] = last.prompt + last.output + before
    return encoded(values)


class Streamed:
    """An answer as server-sent events."""

    def __init__(self, seed: str) -> None:
        """Begin the answer to the item with the key `seed`."""
        self._events = Events(MARK)
        self._items = Items(seed)
        self._next = 0  # number of the client's next item
        self._sequence = 0  # of the next event
        self._ident = b""  # of the first response
        self._held: Event | None = None
        self._clear()

    def _clear(self) -> None:
        self._numbers = dict[int, int]()  # the provider's number of an item → the client's
        self._hidden = set[int]()
        self._done = dict[int, bytes]()
        self._response = b""
        self._complete = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes; return what the client gets."""
        return b"".join(self._got(event) for event in self._events.feed(data))

    def _got(self, event: Event) -> bytes:
        try:
            found = _event.decode(event.data)
        except msgspec.DecodeError:
            return event.raw
        if found.type in STARTS:
            return self._begun(found, event)
        if found.type in DONE:
            return self._ended(found, event)
        if found.output_index < 0:
            return self._numbered(event, found)
        if found.type == "response.output_item.added":
            self._added(found)
        if found.type == "response.output_item.done":
            if found.output_index not in self._numbers and found.output_index not in self._hidden:
                self._added(found)
            self._done[found.output_index] = bytes(found.item)
        if found.output_index in self._hidden:
            return b""
        return self._numbered(event, found, self._numbers.get(found.output_index))

    def _added(self, found: _Event) -> None:
        if is_ours(head_of(bytes(found.item))):
            self._hidden.add(found.output_index)
            return
        # Without calls of ours the provider's own numbers stay, whatever they are.
        shown = self._next if self._hidden or self._items.rounds else found.output_index
        self._numbers[found.output_index] = shown
        self._next = shown + 1

    def _begun(self, found: _Event, event: Event) -> bytes:
        if self._items.rounds:
            return b""
        response = bytes(found.response)
        try:
            self._ident = bytes(members(response)["id"])
        except (NotUnderstood, KeyError):
            pass
        spans = member_spans(event.data)
        shown = without_ours(response)
        changed = replaced(event.data, [(spans["response"], shown)]) if shown != response else event.data
        return self._numbered(Event(event.raw, event.name, changed), found, same=shown == response)

    def _ended(self, found: _Event, event: Event) -> bytes:
        self._response = bytes(found.response)
        self._complete = found.type == "response.completed"
        self._held = event
        return b""

    def _numbered(self, event: Event, found: _Event, index: int | None = None, *, same: bool = True) -> bytes:
        """Return an event with its numbers as the client counts; its own bytes where they are the same."""
        if not self._items.rounds and not self._hidden:  # the provider's own count
            self._sequence = found.sequence_number + 1
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
        told = Usage()
        try:
            told = usage(bytes(members(self._response)["usage"])) or told
        except (NotUnderstood, KeyError):
            pass
        raws = [self._done[index] for index in sorted(self._done)]
        found = self._items.heard(raws, told, complete=self._complete)
        self._clear()
        return found

    def resume(self) -> None:
        """Go on with another answer."""
        self._held = None

    def finish(self) -> bytes:
        """Return the end of the answer."""
        event, self._held = self._held, None
        if event is None:
            return self._events.rest()
        cut = bool(self._items.last.asked) and not self._items.last.mixed
        found = list[bytes]()
        if cut and not self._items.shown:
            found += self._text(SAID)
        try:
            parsed = _event.decode(event.data)
            response = bytes(parsed.response)
            told = response
            if self._items.rounds > 1 or self._items.last.asked or without_ours(response) != response:
                told = self._items.told(response, self._ident)
            changed = replaced(event.data, [(member_spans(event.data)["response"], told)])
        except (NotUnderstood, KeyError, msgspec.DecodeError):
            return b"".join((*found, event.raw, self._events.rest()))
        found.append(
            self._numbered(Event(event.raw, event.name, changed), parsed, same=changed == event.data)
        )
        return b"".join((*found, self._events.rest()))

    def _text(self, text: str) -> Iterator[bytes]:
        item = message(text)
        self._items.shown.append(item)
        for kind in ("response.output_item.added", "response.output_item.done"):
            value: dict[str, object] = {"type": kind, "sequence_number": self._sequence, "output_index": 0}
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
