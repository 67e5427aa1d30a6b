"""Offered tools in Chat Completions: what they look like, and how a history is filled up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from unabridged.gateway.offered import tools
from unabridged.gateway.offered.chat import Streamed
from unabridged.gateway.offered.chatmessages import SEPARATOR, Message, place_of
from unabridged.gateway.offered.chatwhole import Whole
from unabridged.gateway.offered.contract import ClientAnswer, ToolCall
from unabridged.gateway.offered.rounds import Round
from unabridged.window.providers.splice import (
    FAILURES,
    NotUnderstood,
    encoded,
    member_spans,
    members,
    replaced,
    with_member,
)

_message = msgspec.json.Decoder(Message)


class Chat:
    """The form."""

    tools = tools.CHAT

    def offers(self, body: bytes) -> bool:
        """Tell whether a request asks for one answer, in which calls and results have one place."""
        try:
            return bytes(members(body).get("n", b"1")) in (b"1", b"null")
        except NotUnderstood:
            return False

    def answer(self, seed: str, *, streamed: bool) -> ClientAnswer:
        """Return an empty answer."""
        return Streamed(seed) if streamed else Whole(seed)

    def result(self, asked: ToolCall, text: str, *, failed: bool) -> bytes:
        """Return a message; the text says itself that something failed."""
        del failed
        return encoded({"role": "tool", "tool_call_id": asked.id, "content": text})

    def between(self, results: Sequence[bytes]) -> list[bytes]:
        """Return the messages themselves."""
        return list(results)

    def filled(
        self, raws: Sequence[bytes], start: int, stop: int, rounds: Sequence[Round]
    ) -> Mapping[int, list[bytes]]:
        """Return the answer as messages: what was said before each call of ours, its results, the rest."""
        raw = raws[start]
        try:
            message = _message.decode(raw)
        except FAILURES:
            return {}
        text = message.content if isinstance(message.content, str) else ""
        if isinstance(message.content, list):
            return {}
        made, at = list[bytes](), 0
        for one in rounds:
            end = one.end or one.calls[0].place
            if place_of(one.seed, text[: end.skip]) != end or end.skip > len(text):
                break
            if one.end is None:
                made += _mixed(raw, message, text[at:], one) if stop < len(raws) else []
                return {start: made} if stop < len(raws) else _rest(start, made, raw, message, text, at)
            made.append(_hidden(text[at : end.skip].removeprefix(SEPARATOR if at else ""), one))
            made += one.results
            at = end.skip
        return _rest(start, made, raw, message, text, at)


def _rest(
    start: int, made: list[bytes], raw: bytes, message: Message, text: str, at: int
) -> Mapping[int, list[bytes]]:
    if not made:
        return {}
    rest = text[at:].removeprefix(SEPARATOR if at else "")
    if rest or message.tool_calls:
        made.append(with_member(raw, "content", encoded(rest or None)))
    return {start: made}


def _hidden(said: str, one: Round) -> bytes:
    """Return the message of an answer in which all calls were ours."""
    raw = encoded({"role": "assistant", "content": said or None})
    if one.beside:
        for name, value in members(one.beside).items():
            raw = with_member(raw, name, bytes(value))
    return with_member(raw, "tool_calls", b"[" + b",".join(call.raw for call in one.calls) + b"]")


def _mixed(raw: bytes, message: Message, text: str, one: Round) -> list[bytes]:
    """Return a message with calls of ours among the client's, and the results of ours behind it."""
    calls = [bytes(call) for call in message.tool_calls or ()]
    for call in reversed(one.calls):
        calls.insert(min(call.order, len(calls)), call.raw)
    spans = member_spans(raw)
    listed = b"[" + b",".join(calls) + b"]"
    changed = (
        replaced(raw, [(spans["tool_calls"], listed)])
        if "tool_calls" in spans
        else with_member(raw, "tool_calls", listed)
    )
    said = text.removeprefix(SEPARATOR)
    if said != text or said != message.content:
        changed = with_member(changed, "content", encoded(said or None))
    return [changed, *one.results]
