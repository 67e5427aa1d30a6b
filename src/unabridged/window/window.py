"""What is to be sent, as pieces of what came: provider-neutral, for an adapter to write.

A span is copied as it is, byte for byte. Only what an `Edited` names of an item is written anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

ALL = -1  # parts


class Span(msgspec.Struct, frozen=True, gc=False):
    """Items `start` to before `stop`, untouched."""

    start: int
    stop: int


class Text(msgspec.Struct, frozen=True, gc=False):
    """What stands in place of a part's text, or of a call's arguments. `name` recalls the whole."""

    part: int
    text: str
    name: str


class Edited(msgspec.Struct, frozen=True):
    """An item of which some parts' texts are replaced, or only the first `parts` parts stay."""

    index: int
    texts: tuple[Text, ...] = ()
    parts: int = ALL


class Added(msgspec.Struct, frozen=True, gc=False):
    """A user message of ours."""

    text: str


Piece: TypeAlias = Span | Edited | Added


def pieces(start: int, stop: int, texts: Mapping[int, Sequence[Text]]) -> list[Piece]:
    """Return items `start` to before `stop` with the texts of some replaced (by index)."""
    found, at = list[Piece](), start
    for index in sorted(texts):
        if start <= index < stop:
            if at < index:
                found.append(Span(at, index))
            found.append(Edited(index, tuple(texts[index])))
            at = index + 1
    if at < stop:
        found.append(Span(at, stop))
    return found


def untouched(window: Sequence[Piece], count: int) -> bool:
    """Tell whether a window is the whole of `count` items as they came."""
    return list(window) == ([Span(0, count)] if count else [])
