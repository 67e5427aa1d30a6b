"""The window that was sent last, made again without a planner: what stands in for one that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from unabridged.window.messages import Item
from unabridged.window.providers.contract import Adapter, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.window import Added, Edited, Piece, Span

MOST_TEXT = (
    256 << 10
)  # characters of previews of one window that are remembered: there are many conversations


class Last(msgspec.Struct, frozen=True):
    """A window that was sent: its pieces, the keys of the items that it was of, where its cut was."""

    window: tuple[Piece, ...] = ()
    keys: tuple[str, ...] = ()
    cut: int = 0


def last(made: Sending, before: Last) -> Last:
    """Return what is to be remembered of a request that is sent; `before` where it has no window."""
    if made.plan is None or made.request is None:
        return before
    edited = (piece for piece in made.plan.window if isinstance(piece, Edited))
    if sum(len(text.text) for piece in edited for text in piece.texts) > MOST_TEXT:
        return Last()
    keys = made.request.conversation.keys
    return Last(made.plan.window, keys, made.plan.state.cut.index)


def again(adapter: Adapter, body: bytes, known: Known, sent: Last) -> Sending | None:
    """Return a request with the last window, and all that has come since as it is.

    None where that cannot be: nothing was sent, the history is another one by now, or a provider would refuse it.
    """
    try:
        request = adapter.read(body, known)
    except NotUnderstood:
        return None
    items = request.conversation.items
    same = _common(items, sent.keys)
    if not request.windowed or not same or same < sent.cut:
        return None
    found = adapter.write(request, _with(sent.window, same, len(items)), same)
    return None if new_problems(adapter, body, found) else Sending(found, request)


def _common(items: Sequence[Item], keys: Sequence[str]) -> int:
    """Return how many items at the beginning have these keys."""
    count = 0
    for item, key in zip(items, keys, strict=False):
        if item.key != key:
            break
        count += 1
    return count


def _with(window: Sequence[Piece], same: int, count: int) -> tuple[Piece, ...]:
    """Return the pieces of the first `same` items, and all from there to the end of `count` items."""
    found = list(_before(window, same))
    end = found[-1] if found else None
    if isinstance(end, Span) and end.stop == same:
        found[-1] = Span(end.start, count)
    elif same < count:
        found.append(Span(same, count))
    return tuple(found)


def _before(window: Sequence[Piece], same: int) -> Iterator[Piece]:
    for piece in window:
        if isinstance(piece, Span):
            if piece.start < same:
                yield Span(piece.start, min(piece.stop, same))
        elif isinstance(piece, Added) or piece.index < same:
            yield piece
