"""OpenCode's own messages with their parts, as its plugins get them before each request (`messages.transform`).

A tool's part holds the call and its result; here they are two parts of one item, counted as `hosts/wire/hosted` counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from unabridged.hosts.wire.hosted import OVER, TOOL
from unabridged.schema.tokens import IMAGE_TOKENS, by_length
from unabridged.window.messages import Kind, Part, Role, call_part, result_part, text_part
from unabridged.window.providers import opencode_check
from unabridged.window.providers.contract import Problem, Request
from unabridged.window.providers.hosted import MESSAGES, bare, listed, named, told
from unabridged.window.providers.known import Known
from unabridged.window.providers.reading import NONE, ROLES, Reader, Typed, always
from unabridged.window.providers.splice import element_spans, encoded, member_spans, members, replaced
from unabridged.window.providers.writing import (
    archived_arguments,
    list_of,
    replaced_members,
    spliced,
    with_text,
)
from unabridged.window.window import ALL, Added, Edited, Piece, Text, untouched

PROVIDER = "opencode"
# Where a step or a snapshot of the files is: nothing that is said, and other in every copy.
MARKS = frozenset({"step-start", "step-finish", "snapshot", "patch"})
OWN_ID = "unabridged"


class _State(msgspec.Struct, gc=False):
    status: str | None = ""
    input: msgspec.Raw = NONE
    output: str | None = ""
    error: str | None = ""
    attachments: list[msgspec.Raw] | None = None


class _Part(msgspec.Struct, gc=False):
    type: str | None = ""
    text: str | None = ""
    ignored: bool | None = None
    tool: str | None = ""
    call: str | None = msgspec.field(default="", name="callID")
    state: _State | None = None
    mime: str | None = ""


class _Info(msgspec.Struct, gc=False):
    role: str | None = ""


class _Message(msgspec.Struct, gc=False):
    info: _Info
    parts: list[_Part]


def _item(message: _Message, raw: bytes) -> Typed:
    raws = listed(members(raw)["parts"])
    role = message.info.role or ""
    found, said = list[Part](), [role.encode()]
    for part, value in zip(message.parts, raws, strict=True):
        found += _read(part, value)
        if part.type not in MARKS:
            said.append(bare(value))
    return ROLES.get(role, Role.OTHER), found, b"\0".join(said)


def _read(part: _Part, raw: bytes) -> list[Part]:
    state = part.state
    if part.type == TOOL and state is not None:
        arguments = bytes(state.input).decode("utf-8", "replace") or "{}"
        name, number = part.tool or "", part.call or ""
        call = call_part(name, arguments, number)
        if state.status not in OVER:
            return [call]
        text = (state.output if state.status == "completed" else state.error) or ""
        result = result_part(text, number, IMAGE_TOKENS * len(state.attachments or ()))
        return [call, Part(result.kind, result.tokens, text, number, name)]
    if part.type == "text":
        return [Part(Kind.OTHER, 0) if part.ignored else text_part(part.text or "")]
    if part.type == "reasoning":
        return [Part(Kind.REASONING, by_length(len(raw)))]
    if part.type == "file":
        return [Part(Kind.MEDIA, 0 if (part.mime or "").startswith("text/") else IMAGE_TOKENS)]
    return [Part(Kind.OTHER, 0 if part.type in MARKS else by_length(len(raw)))]


def _edited(raw: bytes, edit: Edited) -> bytes:
    start, end = member_spans(raw)["parts"]
    spans = element_spans(raw[start:end])
    where = _places(raw[start:end], spans)
    if edit.parts != ALL:
        keep = len({index for index, _ in where[: edit.parts]})
        last = start + (spans[keep - 1][1] if keep else 1)
        raw = raw[:last] + b"]" + raw[end:]
    texts = dict[int, list[tuple[bool, Text]]]()
    for given in edit.texts:
        index, is_result = where[given.part]
        texts.setdefault(index, []).append((is_result, given))
    changes = list[tuple[tuple[int, int], bytes]]()
    for index, several in sorted(texts.items()):
        first, last = (start + at for at in spans[index])
        part = raw[first:last]
        for is_result, given in several:
            part = _with(part, given, is_result=is_result)
        changes.append(((first, last), part))
    return replaced(raw, changes)


def _places(parts: bytes, spans: Sequence[tuple[int, int]]) -> list[tuple[int, bool]]:
    found = list[tuple[int, bool]]()
    for index, (start, end) in enumerate(spans):
        found.append((index, False))
        try:
            part = _part.decode(parts[start:end])
        except msgspec.DecodeError:
            continue
        if part.type == TOOL and part.state is not None and part.state.status in OVER:
            found.append((index, True))
    return found


def _with(raw: bytes, given: Text, *, is_result: bool) -> bytes:
    spans = member_spans(raw)
    if "state" not in spans:
        return with_text(raw, given.text)
    start, end = spans["state"]
    state = raw[start:end]
    name = "output" if "output" in member_spans(state) else "error"
    value = (name, encoded(given.text)) if is_result else ("input", archived_arguments(given))
    return replaced(raw, [((start, end), replaced_members(state, [value]))])


def _added(request: Request) -> Any:
    """Return what writes a message of ours: it says of itself what the first message of the user's says."""
    like = b"{}"
    for item, (start, end) in zip(request.conversation.items, request.spans, strict=False):
        if item.role is Role.USER:
            like = bytes(members(request.body[start:end])["info"])
            break
    info = named(like, "id", encoded(f"msg_{OWN_ID}"))
    session = bytes(members(like).get("sessionID", b'""'))

    def added(piece: Added) -> bytes:
        part = encoded({"type": "text", "text": piece.text, "synthetic": True})
        for name, value in (
            ("messageID", encoded(f"msg_{OWN_ID}")),
            ("sessionID", session),
            ("id", encoded(f"prt_{OWN_ID}")),
        ):
            part = named(part, name, value)
        return b'{"info":' + info + b',"parts":[' + part + b"]}"

    return added


_part = msgspec.json.Decoder(_Part)
_READER = Reader(
    PROVIDER, MESSAGES, msgspec.json.Decoder(_Message), msgspec.json.Decoder(list[_Message]), _item
)


class OpenCode:
    """The adapter of OpenCode's messages."""

    provider = PROVIDER

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        return told(_READER.read(body, always, known))

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window; the host places cache marks itself."""
        del shown
        if not request.windowed or untouched(window, len(request.spans)):
            return request.body
        return spliced(request, list_of(request, window, _edited, _added(request)))

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the host could not send to any provider; raise `NotUnderstood`."""
        return opencode_check.problems(body)
