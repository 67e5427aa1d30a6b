"""The window that was sent last, made again without a planner: what stands in for one that fails."""

from __future__ import annotations

import msgspec

from unabridged.window.messages import Item
from unabridged.window.providers.contract import Adapter, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.state import keys_digest
from unabridged.window.window import Edited, Piece, Span

MOST_TEXT = (
    256 << 10
)  # characters of previews of one window that are remembered: there are many conversations


class Last(msgspec.Struct, frozen=True):
    """A window that was sent: its pieces, of how many items it was, and the digest of their keys."""

    window: tuple[Piece, ...] = ()
    count: int = 0
    keys: bytes = b""


def last(made: Sending, before: Last) -> Last:
    """Return what is to be remembered of a request that is sent; `before` where it has no window."""
    if made.plan is None or made.request is None:
        return before
    edited = (piece for piece in made.plan.window if isinstance(piece, Edited))
    if sum(len(text.text) for piece in edited for text in piece.texts) > MOST_TEXT:
        return Last()
    items = made.request.conversation.items
    return Last(made.plan.window, len(items), keys_digest(items))


def again(adapter: Adapter, body: bytes, known: Known, sent: Last) -> Sending | None:
    """Return a request with the last window, and all that has come since as it is.

    None where that cannot be: nothing was sent, its items are not those of this request any more, or a provider would
    refuse it.
    """
    try:
        request = adapter.read(body, known)
    except NotUnderstood:
        return None
    items = request.conversation.items
    if not request.windowed or not sent.count or not _begins(items, sent):
        return None
    found = adapter.write(request, _with(sent, len(items)), sent.count)
    return None if new_problems(adapter, body, found) else Sending(found, request)


def _begins(items: tuple[Item, ...], sent: Last) -> bool:
    return sent.count <= len(items) and keys_digest(items[: sent.count]) == sent.keys


def _with(sent: Last, count: int) -> tuple[Piece, ...]:
    """Return the pieces, and a span to the end of `count` items; neighbouring spans are one."""
    pieces, end = sent.window, sent.window[-1]
    if count == sent.count:
        return pieces
    if isinstance(end, Span) and end.stop == sent.count:
        return (*pieces[:-1], Span(end.start, count))
    return (*pieces, Span(sent.count, count))
