"""Pi's own messages, as its extensions get them before each request (`context`)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.schema.tokens import IMAGE_TOKENS, by_length
from unabridged.window.messages import Kind, Part, Role, call_part, result_part, text_part
from unabridged.window.providers import pi_check
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.hosted import MESSAGES, told
from unabridged.window.providers.known import Known
from unabridged.window.providers.reading import NONE, Reader, Typed, always, length, sized
from unabridged.window.providers.splice import element_spans, encoded, member_spans, members, replaced
from unabridged.window.providers.writing import (
    archived_arguments,
    content_with_text,
    kept_parts,
    replaced_members,
    with_text,
    written,
)
from unabridged.window.window import Added, Edited, Piece, Text

PROVIDER = "pi"
RESULT, COMMANDS = "toolResult", frozenset({"bashExecution", "pythonExecution"})
ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    RESULT: Role.TOOL,
    "system": Role.SYSTEM,
    # What extensions and the host itself put in: it belongs to the prompt before it, and begins none.
    "custom": Role.SYSTEM,
    "hookMessage": Role.SYSTEM,
    "compactionSummary": Role.SYSTEM,
    "branchSummary": Role.SYSTEM,
    **dict.fromkeys(COMMANDS, Role.USER),
}
# What tells one message from another; the rest are figures and the host's own notes. A message that the host writes
# down in an entry of another form has that entry's time when it is read again, and so says none here.
SAYS = (
    "role",
    "content",
    "toolCallId",
    "toolName",
    "isError",
    "customType",
    "summary",
    "command",
    "code",
    "output",
)
TIMED = frozenset(("user", "assistant", RESULT))


class _Block(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = ""
    id: str | None = ""
    name: str | None = ""
    arguments: msgspec.Raw = NONE
    thinking: msgspec.Raw = NONE
    signature: msgspec.Raw = msgspec.field(default=NONE, name="thinkingSignature")


class _Message(msgspec.Struct, gc=False, rename="camel"):
    role: str | None = ""
    content: str | list[_Block] | None = None
    tool_call_id: str | None = ""
    tool_name: str | None = ""
    summary: str | None = None
    command: str | None = None
    code: str | None = None
    output: str | None = None


def _item(message: _Message, raw: bytes) -> Typed:
    role = ROLES.get(message.role or "", Role.OTHER)
    said = _said(message.role or "", raw)
    if message.role == RESULT:
        return role, [_result(message)], said
    if message.role in COMMANDS:
        command, output = message.command or message.code or "", message.output or ""
        return role, [Part(Kind.TEXT, by_length(len(command) + len(output)), output)], said
    if message.summary is not None:
        return role, [text_part(message.summary)], said
    if message.content is None:
        return role, [], said
    if isinstance(message.content, str):
        return role, [text_part(message.content)], said
    return role, sized([_part(block) for block in message.content], raw), said


def _said(role: str, raw: bytes) -> bytes:
    found = members(raw)
    names = (*SAYS, "timestamp") if role in TIMED else SAYS
    return b"\0".join(bytes(found.get(name, b"")) for name in names)


def _result(message: _Message) -> Part:
    content, call = message.content or "", message.tool_call_id or ""
    if isinstance(content, str):
        part = result_part(content, call)
    else:
        texts = [block.text for block in content if block.text is not None and block.type == "text"]
        part = result_part("\n".join(texts), call, IMAGE_TOKENS * (len(content) - len(texts)))
    return Part(part.kind, part.tokens, part.text, part.call, message.tool_name or "")


def _part(block: _Block) -> Part:
    if block.type == "text":
        return text_part(block.text or "")
    if block.type == "toolCall":
        arguments = bytes(block.arguments).decode("utf-8", "replace") or "{}"
        return call_part(block.name or "", arguments, block.id or "")
    if block.type == "thinking":
        return Part(Kind.REASONING, by_length(length(block.thinking) + length(block.signature)))
    return Part(Kind.MEDIA, IMAGE_TOKENS) if block.type == "image" else Part(Kind.OTHER, 0)


def _edited(raw: bytes, edit: Edited) -> bytes:
    if edit.parts >= 0:
        raw = kept_parts(raw, edit.parts)
    if not edit.texts:
        return raw
    spans, first = member_spans(raw), edit.texts[0]
    if "toolCallId" in spans:
        start, end = spans["content"]
        return replaced_members(raw, [("content", content_with_text(raw[start:end], first.text))])
    for name in ("output", "summary"):
        if name in spans:
            return replaced_members(raw, [(name, encoded(first.text))])
    start, end = spans["content"]
    if raw[start : start + 1] == b'"':
        return replaced(raw, [((start, end), encoded(first.text))])
    places = element_spans(raw[start:end])
    changes = list[tuple[tuple[int, int], bytes]]()
    for given in edit.texts:
        begin, last = (start + at for at in places[given.part])
        changes.append(((begin, last), _block(raw[begin:last], given)))
    return replaced(raw, changes)


def _block(raw: bytes, given: Text) -> bytes:
    if "arguments" in member_spans(raw):
        return replaced_members(raw, [("arguments", archived_arguments(given))])
    return with_text(raw, given.text)


def _added(piece: Added) -> bytes:
    return encoded({"role": "user", "content": [{"type": "text", "text": piece.text}], "timestamp": 0})


_READER = Reader(
    PROVIDER, MESSAGES, msgspec.json.Decoder(_Message), msgspec.json.Decoder(list[_Message]), _item
)


class Pi:
    """The adapter of Pi's messages."""

    provider = PROVIDER

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        return told(_READER.read(body, always, known))

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window; the host places cache marks itself."""
        del shown
        return written(request, window, _edited, _added)

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what no provider would take, however the host writes it; raise `NotUnderstood`."""
        return pi_check.problems(body)
