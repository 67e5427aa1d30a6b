"""Blocks of Anthropic Messages: built from a stream as they are sent again, and told apart in a history."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.window.providers.reading import NONE
from unabridged.window.providers.splice import FAILURES, encoded, with_member

REASONING = frozenset({"thinking", "redacted_thinking"})
TEXT = "text"
# The members that deltas of a kind add up to, and the member of the delta that holds the addition.
ADDED = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("input", "partial_json"),
}
CITATION = "citations_delta"


class _Delta(msgspec.Struct):
    type: str | None = ""
    text: str | None = ""
    thinking: str | None = ""
    signature: str | None = ""
    partial_json: str | None = ""
    citation: msgspec.Raw = NONE


class Head(msgspec.Struct):
    """What a block is."""

    type: str | None = ""
    id: str | None = ""
    tool_use_id: str | None = ""
    name: str | None = ""
    text: str | None = ""
    input: msgspec.Raw = NONE


_delta = msgspec.json.Decoder(_Delta)
_block = msgspec.json.Decoder(Head)


class Building:
    """A block that is being streamed. `known` is False once something came that is not understood."""

    def __init__(self, start: bytes, shown: int, *, ours: bool) -> None:
        """Begin with the block of the start; `shown` is its number at the client."""
        self.shown = shown
        self.ours = ours
        self.known = True
        self.start = start
        self._added = dict[str, list[str]]()
        self._citations = list[bytes]()

    def add(self, raw: bytes) -> None:
        """Add a delta."""
        try:
            delta = _delta.decode(raw)
        except FAILURES:
            self.known = False
            return
        if delta.type == CITATION:
            self._citations.append(bytes(delta.citation))
        elif delta.type in ADDED:
            member, field = ADDED[delta.type]
            self._added.setdefault(member, []).append(getattr(delta, field) or "")
        else:
            self.known = False

    def arguments(self) -> bytes:
        """Return the arguments of a call, an empty object where none came."""
        return "".join(self._added.get("input", ())).encode("utf-8", "surrogatepass") or b"{}"

    def raw(self) -> bytes:
        """Return the whole block."""
        raw = self.start
        for member, pieces in self._added.items():
            value = self.arguments() if member == "input" else encoded("".join(pieces))
            if member == "input" and not is_json(value):
                self.known = False
                value = b"{}"
            raw = with_member(raw, member, value)
        if self._citations:
            raw = with_member(raw, "citations", b"[" + b",".join(self._citations) + b"]")
        return raw


def is_json(data: bytes) -> bool:
    """Tell whether bytes are a JSON value."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except FAILURES:
        return False
    return True


def head_of(raw: bytes) -> Head:
    """Return what a block is; an empty one where it is none."""
    try:
        return _block.decode(raw)
    except FAILURES:
        return Head()


def identity(raw: bytes) -> bytes | None:
    """Return what tells a block from others whoever wrote it down: None for reasoning, nothing for an empty text."""
    block = head_of(raw)
    if not block.type:
        return raw
    if block.type in REASONING:
        return None
    if block.type == TEXT:
        said = (block.text or "").strip()
        return b"text\0" + said.encode("utf-8", "surrogatepass") if said else b""
    return f"{block.type}\0{block.id or block.tool_use_id or ''}".encode("utf-8", "surrogatepass")


def identities(raws: Sequence[bytes]) -> list[bytes | None]:
    """Return the identities of blocks."""
    return [identity(raw) for raw in raws]
