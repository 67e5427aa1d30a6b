"""The epoch window: what of a conversation is sent, decided from the conversation, the state and the limits alone.

Between rotations what is sent only grows at its end, so that a provider's prompt cache holds. A rotation cuts once, at
a user message, keeps the last turns, decides anew about the results in them, and writes what was left out into a table
of contents. Nothing is left out that is not durable: with nothing durable, `plan` makes the last cut again and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import msgspec

from unabridged.window.anchor import anchored
from unabridged.window.assembly import assembled
from unabridged.window.calibration import guessed
from unabridged.window.catalogue import as_they_are
from unabridged.window.gating import Archive, Gated, Omission
from unabridged.window.groups import PINS, groups
from unabridged.window.limits import Limits
from unabridged.window.messages import Conversation
from unabridged.window.notices import Code, Notice, emergency, fullness
from unabridged.window.rotation import rotated
from unabridged.window.squeeze import squeezed
from unabridged.window.state import State, mark
from unabridged.window.view import View
from unabridged.window.window import Piece, Span

NOTHING: frozenset[str] = frozenset()


class Plan(msgspec.Struct, frozen=True):
    """What is to be sent and remembered.

    `tokens` is the estimate for the window, as the provider would count it by what it reported so far; `estimate` is
    the same without that, for `calibration.observed`. `archive` names what must be durable before more can be left
    out: who can, makes it so and plans again from the state before. `rotated`: the prompt's beginning is a new one.
    `users`: user messages behind the cut. `why`: what made a new epoch begin, "" where none did.
    """

    window: tuple[Piece, ...]
    state: State
    archive: tuple[Archive, ...]
    notices: tuple[Notice, ...]
    omissions: tuple[Omission, ...]
    tokens: int
    estimate: int
    rotated: bool = False
    users: int = 0
    why: str = ""


def plan(
    conversation: Conversation,
    state: State,
    limits: Limits,
    durable: Container[str] = NOTHING,
    erased: Container[str] = NOTHING,
    pins: Sequence[str] = PINS,
    redact: Callable[[str], str] = as_they_are,
) -> Plan:
    """Return the window of a conversation.

    `durable` holds the keys of items that the archive has acknowledged, `erased` of those whose text a person had
    erased: what a host still sends of them passes through whole. `pins` begin texts that a host wants at the front.
    `redact` masks what the archive would mask, in the words of the table of contents, which the state remembers.
    """
    if not limits.enabled:
        whole = (Span(0, len(conversation.items)),) if conversation.items else ()
        tokens = conversation.tokens
        return Plan(whole, state, (), (), (), state.calibration.scaled(tokens), tokens)
    place = anchored(conversation.items, state, durable.__contains__)
    shape = groups(conversation.items, pins, place.state.cut.index)
    view = View(conversation, limits, shape, durable, erased, redact)
    state, told = place.state, list[Notice]()
    if not state.calibration.reports:
        state = msgspec.structs.replace(state, calibration=guessed(conversation.items))
    if place.changed:
        told.append(
            Notice(Code.HISTORY_CHANGED, "the history before the last cut is another one: a new epoch begins")
        )
    begun, found, why = state.epoch, view.gated(state), "the history changed" if place.changed else ""
    turned = rotated(view, state, found)
    if turned.state.epoch != state.epoch:
        found, why = view.gated(turned.state), turned.why
    state, archive = turned.state, turned.archive
    told += turned.notices
    pressed = squeezed(view, state, found)
    if pressed.epoch != state.epoch:
        said = f"one request alone is about {view.tokens(state, found):,}/{limits.hard:,} tokens"
        state, found, why = pressed, view.gated(pressed), why or said
    tokens = view.tokens(state, found)
    told += _told(view, state, found, tokens, kept=any(one.code is Code.EPOCH_KEPT for one in told))
    return Plan(
        assembled(view, state, found),
        _shown(view, state, found),
        (*archive, *found.wanted),
        tuple(told),
        found.omissions,
        tokens,
        view.beside(state.cut.index) + view.catalogue(state) + found.tokens,
        rotated=place.changed or state.epoch != begun,
        users=view.users(state.cut.index),
        why=why,
    )


def _shown(view: View, state: State, found: Gated) -> State:
    """Return the state after a provider has seen what was decided."""
    return msgspec.structs.replace(
        state,
        shown=mark(view.items, len(view.items)),
        inline=found.inline,
        replaced=found.replaced,
        gates=view.gates(state),
        forced=False,
    )


def _told(view: View, state: State, found: Gated, tokens: int, *, kept: bool) -> list[Notice]:
    users = view.users(state.cut.index)
    told = fullness(tokens, users, view.limits)
    told += emergency(state, len(view.shape.users))
    if tokens >= view.limits.hard and not kept:
        said = "history checkpoint needed: the newest request and what must stay with it are too long for the window"
        told.append(Notice(Code.CHECKPOINT_NEEDED, said))
    waiting = [one for one in found.wanted if one.what == "message" and one.index >= view.shape.newest]
    if waiting:
        said = "the newest message is too long and not archived: it is sent whole"
        told.append(Notice(Code.INPUT_NOT_ARCHIVED, said))
    return told
