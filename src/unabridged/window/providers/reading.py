"""A request's list taken apart: its items typed, their bytes in place, their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Generic, TypeVar

import msgspec

from unabridged.hosts.surrogates import whole_pairs
from unabridged.schema.tokens import by_length
from unabridged.window.messages import (
    FRAME_TOKENS,
    Conversation,
    Item,
    Keys,
    Kind,
    Part,
    Role,
    content_key,
)
from unabridged.window.providers.contract import Request
from unabridged.window.providers.known import Known, Past
from unabridged.window.providers.splice import (
    FAILURES,
    Members,
    NotUnderstood,
    Span,
    elements,
    member_spans,
    members,
    placed_array,
    placed_elements,
    placed_member,
    replaced,
    text,
    without_member,
)

T = TypeVar("T")

NONE = msgspec.Raw(b"")  # a member that is not there
CACHE_MARK = "cache_control"
_CACHE_MARK = b'"cache_control"'

Typed = tuple[Role, list[Part], bytes]  # role, parts, what the content's digest is over
Parts = tuple[
    str, Span, list[Span], list[msgspec.Raw]
]  # model, where the list stands, its elements in it, their bytes
# Members that are looked at, or may be long: others are found by a scan.
BESIDE = (
    "model",
    "system",
    "instructions",
    "tools",
    "functions",
    "metadata",
    "previous_response_id",
    "conversation",
)


class Reader(Generic[T]):
    """Reads one provider's requests: where the list is, what an item's type is, what an item says."""

    def __init__(
        self,
        provider: str,
        name: str,
        one: msgspec.json.Decoder[T],
        many: msgspec.json.Decoder[list[T]],
        adapt: Callable[[T, bytes], Typed],
    ) -> None:
        """Read the member `name` with decoders for one item and for all; `adapt` gets an item with its bytes."""
        self.provider = provider
        self.name = name
        self._place = f"{provider}/{name}"
        self._adapt = adapt
        self._item, self._list = one, many
        fields = [(field, msgspec.Raw, NONE) for field in BESIDE if field != name]
        self._outer = msgspec.json.Decoder(
            msgspec.defstruct("Outer", [(name, list[msgspec.Raw]), *fields], gc=False)
        )

    def read(self, body: bytes, windowed: Callable[[Members], bool], known: Known | None) -> Request:
        """Return a request taken apart; raise `NotUnderstood`."""
        again = None if known is None else self._again(body, windowed, known)
        if again is not None:
            return again
        quick = self._quick(body, windowed)
        if quick is not None:
            return self._request(body, quick, known)
        outer = members(body)
        model = f"{self.provider}/{_model(outer)}"
        value = outer.get(self.name)
        if value is None or bytes(memoryview(value)[:1]) != b"[" or not windowed(outer):
            _check_text(body)
            return Request(body, Conversation(model, (), by_length(len(body))), windowed=False)
        array, raws = placed_member(body, outer, self.name), elements(value)
        return self._request(body, (model, array, placed_elements(body, array, raws), raws), known)

    def _quick(self, body: bytes, windowed: Callable[[Members], bool]) -> Parts | None:
        """Return the parts of a request as most are, in one pass over its bytes; None for one of another form."""
        try:
            outer = self._outer.decode(body)
            raws: list[msgspec.Raw] = getattr(outer, self.name)
            known: Members = {
                field: value
                for field in BESIDE
                if field != self.name and length(value := getattr(outer, field))
            }
            if not windowed({**known, self.name: NONE}):
                return None
            return f"{self.provider}/{_model(known)}", *placed_array(body, known, self.name, raws), raws
        except (*FAILURES, NotUnderstood):
            return None

    def _again(self, body: bytes, windowed: Callable[[Members], bool], known: Known) -> Request | None:
        """Return a request that goes on with one which was read before; None for any other.

        What both begin with is left out, up to the last item that both have: what is left is the same JSON otherwise.
        """
        found = known.nearest(self._place, body)
        if found is None:
            return None
        past, count = found
        first = past.spans[count - 1][0]
        short, less = body[: past.array + 1] + body[first:], first - past.array - 1
        parts = self._quick(short, windowed)
        if parts is None:
            return None
        model, (start, end), places, raws = parts
        _check_text(short)
        items = (*past.items[:count], *self._new([bytes(raw) for raw in raws[1:]], past, count))
        spans = (*past.spans[:count], *[(begin + less, stop + less) for begin, stop in places[1:]])
        found = Conversation(model, items, by_length(len(short) - (end - start)))
        known.put(Past(self._place, body, start, spans, items, found.keys))
        return Request(body, found, (start, end + less), spans)

    def _request(self, body: bytes, parts: Parts, known: Known | None) -> Request:
        model, array, spans, raws = parts
        _check_text(body[: array[0]])
        _check_text(body[array[1] :])
        items = self._items(body[array[0] : array[1]], raws, known)
        fixed = by_length(len(body) - (array[1] - array[0]))
        said = Conversation(model, items, fixed)
        if known is not None and items:
            known.put(Past(self._place, body, array[0], tuple(spans), items, said.keys))
        return Request(body, said, array, tuple(spans))

    def _items(self, value: bytes, raws: Sequence[msgspec.Raw], known: Known | None) -> tuple[Item, ...]:
        if known is not None:
            given = [bytes(raw) for raw in raws]
            found = known.alike(self._place, given)
            if found is not None:
                past, count = found
                return (*past.items[:count], *self._new(given[count:], past, count))
        return tuple(map(Keys().keyed, self._all(value, raws)))

    def _new(self, raws: Sequence[bytes], past: Past, count: int) -> list[Item]:
        """Return items that come behind so many of a request that was read before, with their keys."""
        found = [self._adapted(self._one(raw), raw) for raw in raws]
        return list(map(Keys.behind(past.keys[:count], found).keyed, found))

    def _all(self, value: bytes, raws: Sequence[msgspec.Raw]) -> list[Item]:
        try:
            typed: Sequence[T | None] = self._list.decode(value)
        except FAILURES:
            typed = [self._one(bytes(raw)) for raw in raws]
        return [self._adapted(one, bytes(raw)) for one, raw in zip(typed, raws, strict=True)]

    def _one(self, raw: bytes) -> T | None:
        """Return an item decoded, None for one that is not of the form that it should have."""
        try:
            return self._item.decode(raw)
        except FAILURES:
            pass
        try:
            return self._item.decode(whole_pairs(raw))
        except FAILURES:
            return None

    def _adapted(self, typed: T | None, raw: bytes) -> Item:
        _check_text(raw)
        if typed is None:
            part = Part(Kind.OTHER, by_length(len(raw)))
            return Item(_role(raw), (part,), content_key(sha256(raw).digest()), FRAME_TOKENS + part.tokens)
        role, parts, said = self._adapt(typed, raw)
        tokens = FRAME_TOKENS
        for part in parts:
            tokens += part.tokens
        return Item(role, tuple(parts), content_key(sha256(said).digest()), tokens)


def _check_text(body: bytes) -> None:
    """Raise `NotUnderstood` for bytes that are no UTF-8: values are cut out undecoded, and would hide it."""
    if body.isascii():
        return
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise NotUnderstood("not UTF-8") from error


def always(outer: Members) -> bool:
    """Tell that a list is the whole conversation."""
    return bool(outer)


def _model(outer: Members) -> str:
    try:
        return text(outer["model"]) if "model" in outer else ""
    except NotUnderstood:
        return ""


def _role(raw: bytes) -> Role:
    """Return whose an item is that has not the form it should have: a message of the user's stays one."""
    try:
        return ROLES.get(text(members(raw)["role"]), Role.OTHER)
    except (NotUnderstood, KeyError):
        return Role.OTHER


ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def unmarked(raw: bytes) -> bytes:
    """Return an item's bytes without its cache marks: they move from request to request and say nothing."""
    if _CACHE_MARK not in raw:
        return raw
    raw = without_member(raw, CACHE_MARK)
    spans = member_spans(raw)
    content = spans.get("content")
    if content is None or raw[content[0] : content[0] + 1] != b"[":
        return raw
    blocks = elements(raw[content[0] : content[1]])
    places = placed_elements(raw, content, blocks)
    changes = [
        (place, unmarked(bytes(block)))
        for place, block in zip(places, blocks, strict=True)
        if bytes(memoryview(block)[:1]) == b"{"
    ]
    return replaced(raw, changes)


class _PlainText(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: str
    text: str
    cache_control: msgspec.Raw = NONE


class _Plain(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    role: str
    content: str | list[_PlainText]
    type: str = ""


_plain = msgspec.json.Decoder(_Plain)


def said(raw: bytes, *, alone: bool) -> bytes:
    """Return what the digest of a message is over: its bytes without cache marks.

    With `alone` its content is one text. Clients write that as a list with a mark and as a text without one, and it
    is the same message.
    """
    if not alone:
        return unmarked(raw)
    try:
        plain = _plain.decode(raw)
    except FAILURES:
        return _said_with_more(raw)
    content = plain.content if isinstance(plain.content, str) else plain.content[0].text
    return b"\0".join((plain.role.encode(), content.encode()))


def _said_with_more(raw: bytes) -> bytes:
    """Return the same for a message that has more than a role and a text."""
    rest = members(unmarked(raw))
    content = rest.pop("content", msgspec.Raw(b""))
    role = bytes(rest.pop("role", msgspec.Raw(b"")))
    if bytes(memoryview(content)[:1]) == b"[":
        block = members(elements(content)[0])
        if set(block) == {"type", "text"}:
            content = block["text"]
    more = (name.encode("utf-8", "surrogatepass") + bytes(value) for name, value in rest.items())
    return b"\0".join((role, bytes(content), *more))


def length(value: msgspec.Raw) -> int:
    """Return the bytes of an undecoded value, 0 where there is none."""
    return len(memoryview(value))


def sized(parts: list[Part], raw: bytes) -> list[Part]:
    """Return the parts of a message with those of unknown kind sized by their bytes."""
    for part in parts:
        if part.kind is Kind.OTHER:
            break
    else:
        return parts
    try:
        sizes = [len(memoryview(block)) for block in elements(members(raw)["content"])]
    except (NotUnderstood, KeyError):
        return parts
    return [
        Part(Kind.OTHER, by_length(sizes[at])) if part.kind is Kind.OTHER and at < len(sizes) else part
        for at, part in enumerate(parts)
    ]
