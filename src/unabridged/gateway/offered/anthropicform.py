"""Offered tools in Anthropic Messages: what they look like, and how a history is filled up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.gateway.offered import tools
from unabridged.gateway.offered.anthropic import Streamed
from unabridged.gateway.offered.anthropicblocks import identities
from unabridged.gateway.offered.anthropicwhole import Whole
from unabridged.gateway.offered.contract import ClientAnswer, ToolCall
from unabridged.gateway.offered.placing import Put, placed
from unabridged.gateway.offered.rounds import Round
from unabridged.window.providers.splice import (
    NotUnderstood,
    element_spans,
    encoded,
    member_spans,
    members,
    replaced,
    text,
)


class Anthropic:
    """The form."""

    tools = tools.ANTHROPIC

    def offers(self, body: bytes) -> bool:
        """Tell that a request holds all of its history."""
        return bool(body)

    def answer(self, seed: str, *, streamed: bool) -> ClientAnswer:
        """Return an empty answer."""
        return Streamed(seed) if streamed else Whole(seed)

    def result(self, asked: ToolCall, text: str, *, failed: bool) -> bytes:
        """Return a block."""
        block: dict[str, object] = {"type": "tool_result", "tool_use_id": asked.id, "content": text}
        return encoded({**block, "is_error": True} if failed else block)

    def between(self, results: Sequence[bytes]) -> list[bytes]:
        """Return the message that holds results."""
        return [_message("user", results)]

    def filled(
        self, raws: Sequence[bytes], start: int, stop: int, rounds: Sequence[Round]
    ) -> Mapping[int, list[bytes]]:
        """Return the messages with rounds put back."""
        blocks = [_blocks(raws[at]) for at in range(start, stop)]
        flat = [block for several in blocks for block in several]
        after = _next_user(raws, stop)
        puts = placed(rounds, identities(flat), mixed=after is not None)
        if not puts.at:
            return {}
        found = dict[int, list[bytes]]()
        border = 0
        for at, several in zip(range(start, stop), blocks, strict=True):
            # A border between two messages is the end of the first.
            begin = border if at == start else border + 1
            if any(place in puts.at for place in range(begin, border + len(several) + 1)):
                found[at] = _split(raws[at], several, border, begin, puts)
            border += len(several)
        if puts.after and after is not None:
            found[after] = [_with_results(raws[after], puts.after)]
        return found


def _split(raw: bytes, blocks: Sequence[bytes], border: int, begin: int, puts: Put) -> list[bytes]:
    """Return a message as messages: calls at their borders, results between. Its own borders start at `begin`."""
    made, content = list[bytes](), list[bytes]()
    for offset in range(len(blocks) + 1):
        if border + offset >= begin:
            for put in puts.at.get(border + offset, ()):
                if put.call:
                    content.append(put.call)
                else:
                    made += [_message("assistant", content), _message("user", put.results)]
                    content = []
        if offset < len(blocks):
            content.append(blocks[offset])
    if content:
        start, end = member_spans(raw)["content"]
        made.append(replaced(raw, [((start, end), b"[" + b",".join(content) + b"]")]))
    return made


def _message(role: str, blocks: Sequence[bytes]) -> bytes:
    return b'{"role":"' + role.encode() + b'","content":[' + b",".join(blocks) + b"]}"


def _blocks(raw: bytes) -> list[bytes]:
    """Return the blocks of a message; a text alone is one."""
    content = bytes(members(raw).get("content", b""))
    if content[:1] == b"[":
        return [content[begin:end] for begin, end in element_spans(content)]
    return [b'{"type":"text","text":' + content + b"}"] if content[:1] == b'"' else []


def _next_user(raws: Sequence[bytes], start: int) -> int | None:
    """Return the user's message behind an answer; system messages may stand between."""
    for at in range(start, len(raws)):
        role = _role(raws[at])
        if role != "system":
            return at if role == "user" else None
    return None


def _role(raw: bytes) -> str:
    try:
        return text(members(raw)["role"])
    except (KeyError, NotUnderstood):
        return ""


def _with_results(raw: bytes, results: Sequence[bytes]) -> bytes:
    content = [*results, *_blocks(raw)]
    return replaced(raw, [(member_spans(raw)["content"], b"[" + b",".join(content) + b"]")])
