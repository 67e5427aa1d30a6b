"""A window put together: what is pinned, the table of contents, what is held, what stands behind the cut."""

from __future__ import annotations

from unabridged.window.gating import Gated
from unabridged.window.messages import Role
from unabridged.window.state import State
from unabridged.window.view import View
from unabridged.window.window import Added, Edited, Piece, Span, pieces


def assembled(view: View, state: State, found: Gated) -> tuple[Piece, ...]:
    """Return the pieces of a window in order.

    The table of contents is a user message behind what is pinned; it moves before a system message that would
    otherwise come before the first user message though it did not in the source.
    """
    cut, count = state.cut.index, len(view.items)
    if not cut:
        return tuple(pieces(0, count, found.texts))
    front, opened, listed = list[Piece](), False, not state.catalogue
    held = view.held_indexes(cut)
    first_user = view.shape.users[0] if view.shape.users else 0
    for pinned in view.shape.front:
        if pinned.index >= cut or pinned.index in held:
            continue
        item = view.items[pinned.index]
        if item.role is Role.SYSTEM and pinned.index > first_user and not (opened or listed):
            front.append(Added(state.catalogue))
            listed = True
        opened = opened or item.role is Role.USER
        whole = pinned.parts == len(item.parts)
        front.append(
            Span(pinned.index, pinned.index + 1) if whole else Edited(pinned.index, parts=pinned.parts)
        )
    if not listed:
        front.append(Added(state.catalogue))
    for start, stop in view.held(cut):
        front += pieces(start, stop, found.texts)
    return tuple(_joined([*front, *pieces(cut, count, found.texts)]))


def _joined(parts: list[Piece]) -> list[Piece]:
    """Return the pieces with neighbouring spans made one."""
    found = list[Piece]()
    for piece in parts:
        last = found[-1] if found else None
        if isinstance(piece, Span) and isinstance(last, Span) and last.stop == piece.start:
            found[-1] = Span(last.start, piece.stop)
        else:
            found.append(piece)
    return found
