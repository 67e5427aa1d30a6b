"""An adapter that also offers tools: a request gets them, and what was said with them stands in its history again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.gateway.offered.anthropicform import Anthropic
from unabridged.gateway.offered.chatform import Chat
from unabridged.gateway.offered.contract import Form
from unabridged.gateway.offered.responsesform import Responses
from unabridged.gateway.offered.rounds import Rounds
from unabridged.gateway.offered.tools import has_ours
from unabridged.schema.tokens import by_length
from unabridged.window.messages import Conversation, Item, Role
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, Problem, Request, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.providers.sidecalls import Aside, aside
from unabridged.window.providers.splice import (
    NotUnderstood,
    element_spans,
    elements,
    members,
    placed_member,
    replaced,
)
from unabridged.window.window import Added, Edited, Piece

LISTS = ("messages", "input")
TOOLS = "tools"
# Items at the front of which a host may say what tools there are, beside those that it lists.
FRONT = 8
SPOKEN = frozenset({Role.ASSISTANT, Role.OTHER})


def form_of(adapter: Adapter) -> Form | None:
    """Return the form of an adapter's format."""
    forms: tuple[tuple[Adapter, Form], ...] = (
        (ANTHROPIC, Anthropic()),
        (RESPONSES, Responses()),
        (CHAT, Chat()),
    )
    return next((form for known, form in forms if known is adapter), None)


class Offering:
    """One request with tools of ours: an adapter around its format's own."""

    def __init__(self, adapter: Adapter, form: Form, rounds: Rounds) -> None:
        """`rounds` are those of the conversation so far."""
        self._adapter = adapter
        self._rounds = rounds
        self.form = form
        self.offered = False
        self.seed = ""

    @property
    def provider(self) -> str:
        """The provider of the format."""
        return self._adapter.provider

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart, as `taken` does."""
        return self.taken(self._adapter.read(body, known))

    def taken(self, request: Request) -> Request:
        """Return a request that was read, its items as large as they will be with what is put back behind them."""
        items = request.conversation.items
        self.offered = bool(items) and request.windowed and self._wanted(request)
        if not self.offered:
            return request
        self.seed = items[-1].key
        fixed = request.conversation.fixed + by_length(len(self.form.tools))
        sized = Conversation(request.conversation.model, tuple(self._sized(items)), fixed)
        return msgspec.structs.replace(request, conversation=sized)

    def _wanted(self, request: Request) -> bool:
        """Tell whether tools are offered: the client has some, none of them ours, and this is no side call."""
        body, (start, end) = request.body, request.array
        outside = body[:start] + body[end:]
        if b'"tools"' not in outside or has_ours(outside):
            return False
        front = zip(request.conversation.items[:FRONT], request.spans, strict=False)
        if any(item.role is Role.SYSTEM and has_ours(body[first:last]) for item, (first, last) in front):
            return False
        if aside(request.conversation) is not Aside.NONE or not self.form.offers(body):
            return False
        return bytes(members(body).get(TOOLS, b"")).strip()[:1] == b"[" and bool(_listed(body))

    def _sized(self, items: Sequence[Item]) -> Iterator[Item]:
        for at, item in enumerate(items):
            seed = items[at - 1].key if at else ""
            if seed in self._rounds and item.role in SPOKEN:
                more = by_length(sum(one.size for one in self._rounds.of(seed)))
                item = msgspec.structs.replace(item, tokens=item.tokens + more)
            yield item

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with a window, with what was said with our tools in it, and with the tools."""
        sent = self._adapter.write(request, window, shown)
        if not self.offered:
            return sent
        filled = self._filled(request, window, sent)
        # What cannot be put back so that the provider takes it is left out.
        return with_tools(sent if new_problems(self._adapter, sent, filled) else filled, self.form.tools)

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the provider would refuse."""
        return self._adapter.problems(body)

    def _filled(self, request: Request, window: Sequence[Piece], sent: bytes) -> bytes:
        items = request.conversation.items
        answers = [at for at in range(1, len(items)) if self._answers(items, at)]
        if not answers:
            return sent
        array = _array(sent)
        raws = [
            sent[array[0] + first : array[0] + last] for first, last in element_spans(sent[slice(*array)])
        ]
        where = {index: at for at, index in enumerate(_indexes(window)) if index is not None}
        changed = dict[int, list[bytes]]()
        for first in answers:
            stop = first + 1
            while stop < len(items) and items[stop].role in SPOKEN:
                stop += 1
            at = [where.get(index, -1) for index in range(first, stop)]
            if -1 not in at:
                changed.update(
                    self.form.filled(raws, at[0], at[-1] + 1, self._rounds.of(items[first - 1].key))
                )
        if not changed:
            return sent
        listed = [raw for at, one in enumerate(raws) for raw in changed.get(at, [one])]
        return replaced(sent, [(array, b"[" + b",".join(listed) + b"]")])

    def _answers(self, items: Sequence[Item], at: int) -> bool:
        return (
            items[at - 1].key in self._rounds
            and items[at].role in SPOKEN
            and items[at - 1].role not in SPOKEN
        )


def _indexes(window: Sequence[Piece]) -> Iterator[int | None]:
    """Yield, for each element of a window's list, the item that it is."""
    for piece in window:
        if isinstance(piece, Added):
            yield None
        elif isinstance(piece, Edited):
            yield piece.index
        else:
            yield from range(piece.start, piece.stop)


def _array(body: bytes) -> tuple[int, int]:
    outer = members(body)
    return placed_member(body, outer, next(name for name in LISTS if name in outer))


def _listed(body: bytes) -> list[msgspec.Raw]:
    try:
        return elements(members(body)[TOOLS])
    except (NotUnderstood, KeyError):
        return []


def with_tools(body: bytes, tools: bytes) -> bytes:
    """Return a request with tools behind its own."""
    _, end = placed_member(body, members(body), TOOLS)
    return body[: end - 1].rstrip(b" \t\r\n") + b"," + tools + body[end - 1 :]


def appended(body: bytes, added: Sequence[bytes]) -> bytes:
    """Return a request with elements behind its list's own."""
    _, end = _array(body)
    return body[: end - 1].rstrip(b" \t\r\n") + b"," + b",".join(added) + body[end - 1 :]
