"""Anthropic Messages: `POST /v1/messages` and `/v1/messages/count_tokens`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.schema.tokens import IMAGE_TOKENS, by_length
from unabridged.window.messages import Kind, Part, Role, call_part, result_part, text_part
from unabridged.window.providers import anthropic_check, marks
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.reading import (
    NONE,
    ROLES,
    Reader,
    Typed,
    always,
    length,
    said,
    sized,
    unmarked,
)
from unabridged.window.providers.splice import element_spans, encoded, member_spans, replaced
from unabridged.window.providers.writing import (
    archived_arguments,
    content_with_text,
    kept_parts,
    list_of,
    replaced_members,
    spliced,
    with_text,
)
from unabridged.window.window import Added, Edited, Piece, Text, untouched

PROVIDER = "anthropic"
MEDIA = frozenset({"image", "document", "container_upload"})
REASONING = frozenset({"thinking", "redacted_thinking"})


class _Inner(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = None


class _Block(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = ""
    id: str | None = ""
    name: str | None = ""
    tool_use_id: str | None = ""
    thinking: msgspec.Raw = NONE
    signature: msgspec.Raw = NONE
    data: msgspec.Raw = NONE
    input: msgspec.Raw = NONE
    content: str | list[_Inner] | dict[str, msgspec.Raw] | None = ""


class _Message(msgspec.Struct, gc=False):
    role: str | None = ""
    content: str | list[_Block] | None = None


def _item(message: _Message, raw: bytes) -> Typed:
    role, content = ROLES.get(message.role or "", Role.OTHER), message.content
    if content is None:
        return role, [], unmarked(raw)
    if isinstance(content, str):
        return role, [text_part(content)], said(raw, alone=True)
    parts = sized([_part(block) for block in content], raw)
    if role is Role.USER:
        for part in parts:
            if part.kind is Kind.RESULT:
                return Role.TOOL, parts, unmarked(raw)
    return role, parts, said(raw, alone=len(content) == 1 and content[0].type == "text")


def _part(block: _Block) -> Part:
    kind = block.type
    if kind == "text":
        return text_part(block.text or "")
    if kind == "tool_use":
        arguments = bytes(block.input).decode("utf-8", "replace") or "{}"
        return call_part(block.name or "", arguments, block.id or "")
    if kind == "tool_result":
        return _result(block)
    if kind in REASONING:
        size = length(block.thinking) + length(block.signature) + length(block.data)
        return Part(Kind.REASONING, by_length(size))
    if kind in MEDIA:
        return Part(Kind.MEDIA, IMAGE_TOKENS)
    return Part(Kind.OTHER, 0)


def _result(block: _Block) -> Part:
    content, call = block.content or "", block.tool_use_id or ""
    if isinstance(content, str):
        return result_part(content, call)
    if isinstance(content, dict):
        return Part(Kind.RESULT, by_length(sum(length(value) for value in content.values())), "", call)
    texts = [inner.text for inner in content if inner.text is not None]
    return result_part("\n".join(texts), call, IMAGE_TOKENS * (len(content) - len(texts)))


def _edited(raw: bytes, edit: Edited) -> bytes:
    raw = kept_parts(raw, edit.parts)
    if not edit.texts:
        return raw
    start, end = member_spans(raw)["content"]
    if raw[start : start + 1] == b'"':
        return replaced(raw, [((start, end), encoded(edit.texts[0].text))])
    places = element_spans(raw[start:end])
    changes = list[tuple[tuple[int, int], bytes]]()
    for given in edit.texts:
        first, last = places[given.part]
        changes.append(((start + first, start + last), _block(raw[start + first : start + last], given)))
    return replaced(raw, changes)


def _block(raw: bytes, given: Text) -> bytes:
    spans = member_spans(raw)
    if "content" in spans:
        start, end = spans["content"]
        return replaced_members(raw, [("content", content_with_text(raw[start:end], given.text))])
    if "input" in spans:
        return replaced_members(raw, [("input", archived_arguments(given))])
    return with_text(raw, given.text)


def _added(piece: Added) -> bytes:
    return encoded({"role": "user", "content": [{"type": "text", "text": piece.text}]})


_READER = Reader(
    PROVIDER, "messages", msgspec.json.Decoder(_Message), msgspec.json.Decoder(list[_Message]), _item
)


class Anthropic:
    """The adapter of Anthropic Messages."""

    provider = PROVIDER

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        return _READER.read(body, always, known)

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window, and the cache marks where the stable prefix ends."""
        if not request.windowed or untouched(window, len(request.spans)):
            return request.body
        values = list_of(request, window, _edited, _added)
        return spliced(request, marks.placed(request, window, values, shown))

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the provider would refuse; raise `NotUnderstood`."""
        return anthropic_check.problems(body)
