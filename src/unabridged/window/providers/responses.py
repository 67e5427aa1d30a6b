"""OpenAI Responses: `POST /v1/responses`. Each call, output and reasoning step is an item of its own."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.schema.tokens import IMAGE_TOKENS, by_length
from unabridged.window.messages import Kind, Part, Role, call_part, result_part, text_part
from unabridged.window.providers import responses_check
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.reading import NONE, ROLES, Reader, Typed, length, said, sized
from unabridged.window.providers.splice import (
    Members,
    NotUnderstood,
    element_spans,
    encoded,
    member_spans,
    replaced,
)
from unabridged.window.providers.writing import (
    archived_arguments,
    content_with_text,
    kept_parts,
    replaced_members,
    texts_of,
    with_text,
    written,
)
from unabridged.window.window import Added, Edited, Piece

PROVIDER = "openai"
TEXTS = frozenset({"input_text", "output_text", "text"})
MEDIA = frozenset({"input_image", "input_file", "input_audio"})
STATE = frozenset({"compaction", "compaction_summary", "context_compaction"})
REASONING = "reasoning"
# Members in which calls keep what they were given, the first that an item has.
ARGUMENTS = ("arguments", "input", "action", "operation")
OUTPUT = "_output"  # ends the type of a result


class _Block(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = ""


class _Item(msgspec.Struct, gc=False):
    type: str | None = ""
    role: str | None = ""
    content: str | list[_Block] | None = None
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None
    input: str | None = None
    output: msgspec.Raw = NONE


def _item(item: _Item, raw: bytes) -> Typed:
    kind = item.type or ""
    if item.role and kind in ("", "message"):
        role = ROLES.get(item.role, Role.OTHER)
        if isinstance(item.content, list):
            parts = sized([_part(block) for block in item.content], raw)
            return role, parts, said(raw, alone=len(parts) == 1 and parts[0].kind is Kind.TEXT)
        return role, [text_part(item.content or "")], said(raw, alone=item.content is not None)
    if kind == REASONING:
        return Role.ASSISTANT, [Part(Kind.REASONING, by_length(len(raw)))], raw
    if kind in STATE:
        return Role.OTHER, [Part(Kind.STATE, by_length(len(raw)))], raw
    if item.call_id:
        return _of_call(item, raw)
    role = Role.ASSISTANT if kind.endswith("_call") else Role.OTHER
    return role, [Part(Kind.OTHER, by_length(len(raw)), name=kind)], raw


def _of_call(item: _Item, raw: bytes) -> Typed:
    call, kind = item.call_id or "", item.type or ""
    if kind.endswith(OUTPUT):
        return Role.TOOL, [_result(item, call)], raw
    name = "__".join(part for part in (item.namespace, item.name) if part) or kind
    given = item.arguments if isinstance(item.arguments, str) else item.input
    if isinstance(given, str):
        return Role.ASSISTANT, [call_part(name, given, call)], raw
    return Role.ASSISTANT, [Part(Kind.CALL, by_length(len(raw)), "", call, name)], raw


def _result(item: _Item, call: str) -> Part:
    if not length(item.output):
        return result_part("", call)
    try:
        found, beside = texts_of(item.output)
    except NotUnderstood:
        return Part(Kind.RESULT, min(by_length(len(memoryview(item.output))), IMAGE_TOKENS), "", call)
    return result_part(found, call, min(by_length(beside), IMAGE_TOKENS * (beside > 0)))


def _part(block: _Block) -> Part:
    if block.type in TEXTS:
        return text_part(block.text or "")
    return Part(Kind.MEDIA, IMAGE_TOKENS) if block.type in MEDIA else Part(Kind.OTHER, 0)


def _edited(raw: bytes, edit: Edited) -> bytes:
    if edit.parts >= 0:
        raw = kept_parts(raw, edit.parts)
    if not edit.texts:
        return raw
    spans, first = member_spans(raw), edit.texts[0]
    if "output" in spans:
        start, end = spans["output"]
        return replaced_members(raw, [("output", content_with_text(raw[start:end], first.text))])
    if "arguments" in spans:
        return replaced_members(raw, [("arguments", encoded(archived_arguments(first).decode()))])
    if "input" in spans:
        return replaced_members(raw, [("input", encoded(first.text))])
    start, end = spans["content"]
    if raw[start : start + 1] == b'"':
        return replaced(raw, [((start, end), encoded(first.text))])
    places = element_spans(raw[start:end])
    changes = list[tuple[tuple[int, int], bytes]]()
    for given in edit.texts:
        begin, last = (start + at for at in places[given.part])
        changes.append(((begin, last), with_text(raw[begin:last], given.text)))
    return replaced(raw, changes)


def _added(piece: Added) -> bytes:
    content = [{"type": "input_text", "text": piece.text}]
    return encoded({"type": "message", "role": "user", "content": content})


def _windowed(outer: Members) -> bool:
    """Tell whether the list is the whole conversation: the provider has the rest where a request builds on another."""
    return all(
        bytes(outer.get(name, b"null")) == b"null" for name in ("previous_response_id", "conversation")
    )


_READER = Reader(PROVIDER, "input", msgspec.json.Decoder(_Item), msgspec.json.Decoder(list[_Item]), _item)


class Responses:
    """The adapter of OpenAI Responses."""

    provider = PROVIDER

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        return _READER.read(body, _windowed, known)

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window; this provider caches prefixes without being told."""
        del shown
        return written(request, window, _edited, _added)

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the provider would refuse; raise `NotUnderstood`."""
        return responses_check.problems(body)
