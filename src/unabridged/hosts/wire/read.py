"""Lines of a conversation on the wire as blocks."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from unabridged.hosts.blocks import Part, first_text
from unabridged.hosts.contract import EMPTY, Block, Line, Piece, Problem, Ref
from unabridged.hosts.lines import NOT_AN_OBJECT
from unabridged.hosts.times import HostTime, from_iso
from unabridged.hosts.wire import hosted
from unabridged.hosts.wire.authors import is_scripted, reminder_at, text_flags
from unabridged.hosts.wire.items import Facts, decoded, facts_of
from unabridged.hosts.wire.parts import parts_of
from unabridged.schema.records import ECHO, HUMAN, META, SIDE, SUMMARY
from unabridged.schema.windows import ADDRESS_DIGITS

OPEN_CALLS = 256  # calls that wait for their results; of more the oldest are forgotten
NATIVE = "W"  # begins the native ids of what passed on the wire
NOT_AN_ITEM = Problem("not-an-item", "the line is no item of a conversation")


class State(msgspec.Struct, array_like=True):
    """Calls without a result so far: what the tool is called, and whether it is one of ours; whose turn it is."""

    calls: dict[str, tuple[str, bool]] = {}
    scripted: bool = False  # the last text of the user was the host's own, and so is the answer
    reminder: bytes = b""  # of the system prompt's end, which the host also puts behind its newest message


class Reader:
    """Reads one conversation; see `hosts.contract.LineReader`."""

    def __init__(self, host: str, conversation: bytes, form: str, side: bool, state: bytes) -> None:
        """Go on from `state`, or start with b""."""
        self._host = host
        self._conversation = conversation.hex()
        self._form = form
        self._side = side
        self._state = msgspec.msgpack.decode(state, type=State) if state else State({})

    def state(self) -> bytes:
        """Return what a new reader needs to go on."""
        known = self._state.calls or self._state.scripted or self._state.reminder
        return msgspec.msgpack.encode(self._state) if known else b""

    def read(self, line: bytes, number: int) -> Line:  # noqa: ARG002 - the contract's names
        """Read one item."""
        facts = facts_of(line)
        if facts is None or not facts.item:
            return Line(problem=NOT_AN_ITEM)
        item = decoded(facts.data)
        if item is None:
            return Line(problem=NOT_AN_OBJECT)
        found, count = parts_of(facts.format or self._form, item, facts.place or (0, "raw"))
        if not found:
            return EMPTY
        model: Any = item.get("model")
        time = from_iso(facts.time)
        return Line(
            tuple(
                self._block(
                    facts, at if count > 1 else -1, part, time, model if isinstance(model, str) else ""
                )
                for at, part in found
            )
        )

    def _block(self, facts: Facts, at: int, part: Part, time: HostTime, model: str) -> Block:
        name, part = native_of(self._conversation, facts.item, at), self._without_reminder(part)
        own = (facts.format or self._form) in hosted.FORMATS  # the host itself says who wrote a text
        tool, more = self._seen_of_host(part) if own else self._seen(part)
        flags = part.flags | more | (SIDE if self._side else 0)
        kind = (
            "compaction"
            if not own and flags & SUMMARY and part.kind == "text" and part.role == "system"
            else part.kind
        )
        written = part.role == "assistant"
        return Block(
            native=name,
            identity=f"wire:{self._conversation}:{facts.item}#{max(at, 0)}",
            kind=kind,
            role=part.role,
            pieces=part.pieces if facts.place is not None else _literal(part.pieces),
            flags=flags,
            time=time.micros,
            offset_minutes=time.offset_minutes,
            tool=tool,
            call=part.call,
            paths=part.paths,
            media=part.media if facts.place is not None else (),
            message=facts.message if written else "",
            model=model if written else "",
        )

    def _without_reminder(self, part: Part) -> Part:
        """Return a prompt without the reminder behind it, which stands word for word in the system prompt, too.

        It is gone in the next request: the prompt would be there twice. A window's name gives the text as it passed.
        """
        text = first_text(part) if part.kind == "text" and part.role in ("system", "user") else ""
        begin = reminder_at(self._host, text) if text else -1
        if begin < 0:
            return part
        mark = hashlib.blake2b(text[begin:].strip().encode("utf-8", "replace"), digest_size=16).digest()
        said = text[:begin].rstrip("\n")
        if part.role == "system":
            self._state.reminder = mark
        elif said and mark == self._state.reminder:
            return msgspec.structs.replace(part, pieces=(said,))
        return part

    def _seen_of_host(self, part: Part) -> tuple[str, int]:
        """Return the same for a part whose flags the host's own words give."""
        if part.kind not in ("tool-call", "tool-result"):
            return part.tool, 0
        tool, flags = self._seen(part)
        return part.tool or tool, flags

    def _seen(self, part: Part) -> tuple[str, int]:
        """Return a part's tool and further flags; calls are remembered until their results come."""
        calls = self._state.calls
        if part.kind == "tool-call":
            if part.call:
                calls[part.call] = (part.tool, bool(part.flags & ECHO))
                while len(calls) > OPEN_CALLS:
                    del calls[next(iter(calls))]
            return part.tool, 0
        if part.kind == "tool-result":
            tool, own = calls.pop(part.call, ("", False))
            return tool, ECHO if own else 0
        if part.kind in ("image", "file"):
            return "", HUMAN if part.role == "user" and not self._side else 0
        if part.kind != "text":
            return "", META if part.kind == "other" else 0
        return "", self._text_flags(first_text(part), part.role)

    def _text_flags(self, text: str, role: str) -> int:
        if role == "assistant" and self._state.scripted:
            self._state.scripted = False
            return META
        self._state.scripted = role == "user" and is_scripted(self._host, text)
        return META if self._state.scripted else text_flags(text, role, side=self._side)


def native_of(conversation: str, key: str, at: int) -> str:
    """Return the native id of an item, or of one part of it, in a source key."""
    name = f"{NATIVE}{conversation[:ADDRESS_DIGITS]}-{key}"
    return name if at < 0 else f"{name}#{at}"


def _literal(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return pieces without references: their item stands in its line as one string."""
    return ("".join([piece.text if isinstance(piece, Ref) else piece for piece in pieces]),) if pieces else ()
