"""The window that was sent last, small enough to be kept with the state: what stands in for a planner that fails.

Nothing that the client sends again is kept: of a preview the length of its beginning and of its end, and the words of
ours between them. The items are told by a digest of their keys, but for the last few, which a client may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from unabridged.window.messages import Item, keys_digest
from unabridged.window.window import ALL, Added, Edited, Piece, Span, Text, untouched

TAIL = 16  # items at the end of which each has its key kept
# Characters of ours that are kept of one window: about 3,500 previews. Texts beyond that are made again whole.
MOST_TEXT = 512 << 10
ADDED = -1  # in place of an item: the table of contents, which the state has


class Left(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What stood in place of a part's text: so many of its first characters, words of ours, so many of its last."""

    part: int
    head: int
    middle: str
    tail: int

    def of(self, text: str) -> str:
        """Return it for the part's text."""
        return text[: self.head] + self.middle + (text[-self.tail :] if self.tail else "")


class Stood(msgspec.Struct, frozen=True, array_like=True):
    """Items `start` to before `stop`; a single one may have fewer `parts`, or other texts in some."""

    start: int
    stop: int
    parts: int = ALL
    left: tuple[Left, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether it is one item that was not sent as it came."""
        return self.parts != ALL or bool(self.left)


class Sent(msgspec.Struct, frozen=True, array_like=True):
    """A window of `count` items: its pieces, the digest of the keys before the last ones, those keys, its cut."""

    pieces: tuple[Stood, ...]
    count: int
    before: bytes
    tail: tuple[str, ...]
    cut: int


def sent(window: Sequence[Piece], items: Sequence[Item], cut: int, last: Sent | None) -> Sent | None:
    """Return what is kept of a window of these items, None where all was sent as it came.

    `last` is what was kept before: most of a window is as it was.
    """
    if untouched(window, len(items)):
        return None
    known = {(one.start, left.part): left for one in (last.pieces if last else ()) for left in one.left}
    pieces, room = list[Stood](), MOST_TEXT
    for piece in window:
        if isinstance(piece, Added):
            pieces.append(Stood(ADDED, ADDED))
        elif isinstance(piece, Span):
            pieces.append(Stood(piece.start, piece.stop))
        else:
            left = tuple(_left(piece, items[piece.index], known))
            room -= sum(len(one.middle) for one in left)
            pieces.append(Stood(piece.index, piece.index + 1, piece.parts, left if room >= 0 else ()))
    edge = max(0, len(items) - TAIL)
    return Sent(
        tuple(pieces), len(items), _digest(items[:edge]), tuple(item.key for item in items[edge:]), cut
    )


def _left(piece: Edited, item: Item, known: dict[tuple[int, int], Left]) -> Iterator[Left]:
    for text in piece.texts:
        whole = item.parts[text.part].text
        before = known.get((piece.index, text.part))
        yield before if before is not None and before.of(whole) == text.text else _taken(text, whole)


def _taken(text: Text, whole: str) -> Left:
    said = text.text
    head = _common(said, whole)
    rest = min(len(said), len(whole)) - head
    tail = _common(said[::-1][:rest], whole[::-1][:rest])
    return Left(text.part, head, said[head : len(said) - tail], tail)


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _digest(items: Sequence[Item]) -> bytes:
    return keys_digest(items) if items else b""


def again(
    kept: Sent, items: Sequence[Item], catalogue: str, full_name: Callable[[str], str]
) -> tuple[tuple[Piece, ...], int]:
    """Return the same window of the items as they are now, all that has come since as it is, and how many it shares.

    Nothing, and 0, where the history is another one by now, or ends before the cut. `catalogue` and `full_name` are
    those of the state that it was kept with.
    """
    edge = kept.count - len(kept.tail)
    if len(items) < edge or _digest(items[:edge]) != kept.before:
        return (), 0
    same = edge
    for item, key in zip(items[edge:], kept.tail, strict=False):
        if item.key != key:
            break
        same += 1
    if not same or same < kept.cut:
        return (), 0
    found = list(_pieces(kept, items, same, catalogue, full_name))
    end = found[-1] if found else None
    if isinstance(end, Span) and end.stop == same:
        found[-1] = Span(end.start, len(items))
    elif same < len(items):
        found.append(Span(same, len(items)))
    return tuple(found), same


def _pieces(
    kept: Sent, items: Sequence[Item], same: int, catalogue: str, full_name: Callable[[str], str]
) -> Iterator[Piece]:
    """Yield the pieces of the first `same` items."""
    for one in kept.pieces:
        if one.start == ADDED:
            yield Added(catalogue)
        elif one.start >= same:
            continue
        elif one.edited:
            item = items[one.start]
            texts = [
                Text(left.part, left.of(item.parts[left.part].text), full_name(item.name(left.part)))
                for left in one.left
            ]
            yield Edited(one.start, tuple(texts), one.parts)
        else:
            yield Span(one.start, min(one.stop, same))
