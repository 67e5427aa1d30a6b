"""OpenAI Chat Completions, and the many servers that speak it: `POST /v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.schema.tokens import IMAGE_TOKENS, by_length
from unabridged.window.messages import Kind, Part, Role, call_part, result_part, text_part
from unabridged.window.providers import chat_check
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.reading import NONE, ROLES, Reader, Typed, always, length, said, sized
from unabridged.window.providers.splice import NotUnderstood, element_spans, encoded, member_spans, replaced
from unabridged.window.providers.writing import (
    archived_arguments,
    content_with_text,
    kept_parts,
    replaced_members,
    texts_of,
    with_text,
    written,
)
from unabridged.window.window import Added, Edited, Piece, Text

PROVIDER = "openai"
MEDIA = frozenset({"image_url", "input_audio", "file"})
RESULTS = (b'"tool"', b'"function"')


class _Function(msgspec.Struct, gc=False):
    name: str | None = ""
    arguments: str | None = ""


class _Custom(msgspec.Struct, gc=False):
    name: str | None = ""
    input: str | None = ""


class _Call(msgspec.Struct, gc=False):
    id: str | None = ""
    function: _Function | None = None
    custom: _Custom | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = ""


class _Message(msgspec.Struct, gc=False):
    role: str | None = ""
    content: str | list[_Block] | None = None
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None
    reasoning_content: msgspec.Raw = NONE
    reasoning: msgspec.Raw = NONE
    reasoning_details: msgspec.Raw = NONE


def _item(message: _Message, raw: bytes) -> Typed:
    role, content = ROLES.get(message.role or "", Role.OTHER), message.content
    if role is Role.TOOL:
        return role, [_result(message, raw)], said(raw, alone=False)
    if isinstance(content, list):
        parts = sized([_part(block) for block in content], raw)
        alone = len(parts) == 1 and parts[0].kind is Kind.TEXT
    else:
        parts, alone = ([text_part(content)] if content is not None else []), content is not None
    for call in message.tool_calls or ():
        parts.append(_call(call))
    if message.function_call is not None:
        given = message.function_call
        parts.append(call_part(given.name or "", given.arguments or "", ""))
    thought = (
        length(message.reasoning_content) + length(message.reasoning) + length(message.reasoning_details)
    )
    if thought:
        parts.append(Part(Kind.REASONING, by_length(thought)))
    return role, parts, said(raw, alone=alone)


def _result(message: _Message, raw: bytes) -> Part:
    call = message.tool_call_id or ""
    if isinstance(message.content, str):
        return Part(Kind.RESULT, by_length(len(message.content)), message.content, call, message.name or "")
    try:
        start, end = member_spans(raw)["content"]
        found, beside = texts_of(raw[start:end])
    except (NotUnderstood, KeyError):
        return Part(Kind.RESULT, by_length(len(raw)), "", call, message.name or "")
    return result_part(found, call, min(by_length(beside), IMAGE_TOKENS * (beside > 0)))


def _call(call: _Call) -> Part:
    name = call.id or ""
    if call.function is not None:
        return call_part(call.function.name or "", call.function.arguments or "", name)
    if call.custom is not None:
        return call_part(call.custom.name or "", call.custom.input or "", name)
    return call_part("", "", name)


def _part(block: _Block) -> Part:
    if block.type == "text":
        return text_part(block.text or "")
    return Part(Kind.MEDIA, IMAGE_TOKENS) if block.type in MEDIA else Part(Kind.OTHER, 0)


def _edited(raw: bytes, edit: Edited) -> bytes:
    if edit.parts >= 0:
        raw = kept_parts(raw, edit.parts)
    for given in edit.texts:
        raw = _with(raw, given)
    return raw


def _with(raw: bytes, given: Text) -> bytes:
    """Return a message with one part's text replaced: parts are its blocks, then its calls."""
    spans = member_spans(raw)
    start, end = spans.get("content", (0, 0))
    content = raw[start:end]
    if raw[slice(*spans["role"])] in RESULTS:
        return replaced(raw, [((start, end), content_with_text(content, given.text))])
    places = element_spans(content) if content[:1] == b"[" else []
    count = len(places) if places else int(content[:1] == b'"')
    if given.part >= count:
        return _with_arguments(raw, spans, given, given.part - count)
    if not places:
        return replaced(raw, [((start, end), encoded(given.text))])
    first, last = (start + at for at in places[given.part])
    return replaced(raw, [((first, last), with_text(raw[first:last], given.text))])


def _with_arguments(raw: bytes, spans: dict[str, tuple[int, int]], given: Text, at: int) -> bytes:
    arguments = encoded(archived_arguments(given).decode())
    if "tool_calls" not in spans:
        start, end = spans["function_call"]
        return replaced(raw, [((start, end), replaced_members(raw[start:end], [("arguments", arguments)]))])
    start, end = spans["tool_calls"]
    first, last = (start + place for place in element_spans(raw[start:end])[at])
    call = raw[first:last]
    inner = member_spans(call)
    name = "function" if "function" in inner else "custom"
    begin, stop = inner[name]
    values = [("arguments", arguments), ("input", encoded(given.text))]
    changed = replaced(call, [((begin, stop), replaced_members(call[begin:stop], values))])
    return replaced(raw, [((first, last), changed)])


def _added(piece: Added) -> bytes:
    return encoded({"role": "user", "content": piece.text})


_READER = Reader(
    PROVIDER, "messages", msgspec.json.Decoder(_Message), msgspec.json.Decoder(list[_Message]), _item
)


class Chat:
    """The adapter of OpenAI Chat Completions."""

    provider = PROVIDER

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        return _READER.read(body, always, known)

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window; this provider caches prefixes without being told."""
        del shown
        return written(request, window, _edited, _added)

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the provider would refuse; raise `NotUnderstood`."""
        return chat_check.problems(body)
