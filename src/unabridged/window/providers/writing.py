"""A window written in a provider's format: spans copied, edited items spliced."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.window.providers.contract import Request
from unabridged.window.providers.splice import (
    element_spans,
    elements,
    encoded,
    member_spans,
    members,
    replaced,
    text,
    with_member,
)
from unabridged.window.window import ALL, Added, Edited, Piece, Span, Text, untouched

EditOne = Callable[[bytes, Edited], bytes]
AddOne = Callable[[Added], bytes]


def written(request: Request, window: Sequence[Piece], edit: EditOne, add: AddOne) -> bytes:
    """Return the body with its list replaced by a window; the same bytes where nothing is left out."""
    if not request.windowed or untouched(window, len(request.spans)):
        return request.body
    return spliced(request, list_of(request, window, edit, add))


def spliced(request: Request, values: Sequence[bytes]) -> bytes:
    """Return the body with the values as its list."""
    start, end = request.array
    return b"".join((request.body[:start], b"[", b",".join(values), b"]", request.body[end:]))


def list_of(request: Request, window: Sequence[Piece], edit: EditOne, add: AddOne) -> list[bytes]:
    """Return the bytes of each piece; a span's are those of all its items, with what separated them."""
    body, spans, found = request.body, request.spans, list[bytes]()
    for piece in window:
        if isinstance(piece, Span):
            found.append(body[spans[piece.start][0] : spans[piece.stop - 1][1]])
        elif isinstance(piece, Edited):
            start, end = spans[piece.index]
            found.append(edit(body[start:end], piece))
        else:
            found.append(add(piece))
    return found


def kept_parts(raw: bytes, count: int) -> bytes:
    """Return a message with the first `count` blocks of its content."""
    if count == ALL:
        return raw
    start, end = member_spans(raw)["content"]
    if raw[start : start + 1] != b"[":
        return raw
    places = element_spans(raw[start:end])
    if count >= len(places):
        return raw
    last = start + places[count - 1][1] if count else start + 1
    return raw[:last] + b"]" + raw[end:]


def with_text(raw: bytes, said: str) -> bytes:
    """Return a block with another text."""
    return with_member(raw, "text", encoded(said))


def content_with_text(content: bytes, said: str) -> bytes:
    """Return a result's content with a text in place of all its texts; what is no text stays, in its order."""
    if content[:1] != b"[":
        return encoded(said)
    kept, put = list[bytes](), False
    for block in elements(content):
        raw = bytes(block)
        known = members(raw) if raw[:1] == b"{" else {}
        if "text" not in known:
            kept.append(raw)
        elif not put:
            kept.append(with_text(raw, said))
            put = True
    return b"[" + b",".join(kept) + b"]"


def archived_arguments(given: Text) -> bytes:
    """Return the object that stands for a call's arguments."""
    return encoded({"archived": given.name, "preview": given.text})


def texts_of(content: msgspec.Raw | bytes) -> tuple[str, int]:
    """Return a result's texts joined by line breaks, and the bytes of what is no text in it."""
    if bytes(memoryview(content)[:1]) == b'"':
        return text(content), 0
    found, beside = list[str](), 0
    for block in elements(content):
        known = members(block) if bytes(memoryview(block)[:1]) == b"{" else {}
        if "text" in known:
            found.append(text(known["text"]))
        else:
            beside += len(memoryview(block))
    return "\n".join(found), beside


def replaced_members(raw: bytes, values: Sequence[tuple[str, bytes]]) -> bytes:
    """Return an object with some members' values replaced."""
    spans = member_spans(raw)
    return replaced(raw, [(spans[name], value) for name, value in values if name in spans])
