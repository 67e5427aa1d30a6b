"""Where a client's cache marks go in a window: at the end of what stays the same.

A provider of this format reads its cache at a mark, and up to twenty blocks before one. The client marks the end of its
history, which is still there; what a window adds is a mark behind the table of contents, where the epoch begins, and
one where the last request ended when that is further back than the provider looks. A client that marks nothing wants
nothing cached, and gets no mark.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.window.messages import Item, Kind
from unabridged.window.providers.contract import Request
from unabridged.window.providers.reading import CACHE_MARK
from unabridged.window.providers.splice import element_spans, member_spans, replaced, with_member
from unabridged.window.window import Added, Piece, Span

MARKS_MOST = 4  # that the provider takes in one request
LOOKBACK = 20  # blocks before a mark in which the provider finds what it has cached
_MARK = b'"cache_control"'
MARKABLE = frozenset({Kind.TEXT, Kind.CALL, Kind.RESULT, Kind.MEDIA})


def placed(request: Request, window: Sequence[Piece], values: Sequence[bytes], shown: int) -> list[bytes]:
    """Return the written pieces with marks added as far as there may be more."""
    found = list(values)
    mark = _last_mark(found)
    start, end = request.array
    outside = request.body[:start].count(_MARK) + request.body[end:].count(_MARK)
    left = MARKS_MOST - outside - sum(value.count(_MARK) for value in found)
    if mark is None:
        return found
    far = _far(request.conversation.items, shown)
    for at, piece in enumerate(window):
        if far and left > 0 and isinstance(piece, Span) and piece.start < shown <= piece.stop:
            place = request.spans[shown - 1]
            base = request.spans[piece.start][0]
            marked = _marked(request.body[place[0] : place[1]], mark)
            found[at] = replaced(found[at], [((place[0] - base, place[1] - base), marked)])
            left -= 1
    for at, piece in enumerate(window):
        if left > 0 and isinstance(piece, Added):
            found[at] = _marked(found[at], mark)
            left -= 1
    return found


def _far(items: Sequence[Item], shown: int) -> bool:
    """Tell whether the last request ended further back than the provider looks, at a block that can be marked."""
    if not 0 < shown < len(items) or not items[shown - 1].parts:
        return False
    if items[shown - 1].parts[-1].kind not in MARKABLE:
        return False
    return sum(len(item.parts) for item in items[shown:]) >= LOOKBACK


def _last_mark(values: Sequence[bytes]) -> bytes | None:
    """Return the value of the client's last mark among its messages: a later mark must not live longer than ours."""
    for value in reversed(values):
        at = value.rfind(_MARK)
        if at >= 0:
            start = value.find(b"{", at)
            end = value.find(b"}", start)
            return value[start : end + 1] if 0 <= start < end else None
    return None


def _marked(raw: bytes, mark: bytes) -> bytes:
    """Return a message with a mark at its last block; a text alone becomes a block, as clients do."""
    if _MARK in raw:
        return raw
    start, end = member_spans(raw)["content"]
    content = raw[start:end]
    if content[:1] == b'"':
        block = b'{"type":"text","text":' + content + b',"cache_control":' + mark + b"}"
        return replaced(raw, [((start, end), b"[" + block + b"]")])
    places = element_spans(content)
    if not places:
        return raw
    first, last = places[-1]
    block = with_member(content[first:last], CACHE_MARK, mark)
    return replaced(raw, [((start + first, start + last), block)])


__all__ = ["LOOKBACK", "MARKS_MOST", "placed"]
