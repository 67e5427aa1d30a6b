"""When an epoch ends, and where the next one begins."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from unabridged.window.catalogue import READ_TEXTS, entry, joined, masked, render
from unabridged.window.gating import Archive, Gated
from unabridged.window.limits import CATALOGUE_TOKENS
from unabridged.window.messages import Role, keys_digest
from unabridged.window.notices import Code, Notice
from unabridged.window.state import Cut, Mark, State, mark
from unabridged.window.terms import READ
from unabridged.window.view import View

# A rotation that leaves the window above its limit still has to free a tenth of it: each one costs the prompt cache.
WORTHWHILE = 0.1
# Dollars for a token that a provider's cache has, and for one that is written to it, to those for one without a cache:
# Anthropic's price list of November 2026 for five minutes; other providers' writing is cheaper.
READ_PRICE, WRITE_PRICE = 0.1, 1.25
# Share of the limit of tokens to which an epoch is kept at most: about what the hard limit is to it by default, where a
# person has set the one and not the other.
KEPT = 1.25
# Share of what a new epoch costs from which the present one has cost too much. The least cost is at 1; it is flat
# there, a sixteenth more at a half, and so the limit of turns holds wherever that is not plainly a waste.
EARLY = 0.5
# Characters of texts that one rotation looks at for words, in all; of each text, at least.
READ_ALL, READ_LEAST = 16_000, 100


class Turned(msgspec.Struct, frozen=True):
    """The state behind a rotation, or the one before it where there was none; what would have to be durable for one.

    `why` there was one.
    """

    state: State
    archive: tuple[Archive, ...] = ()
    notices: tuple[Notice, ...] = ()
    why: str = ""


def rotated(view: View, state: State, found: Gated) -> Turned:
    """Return the state of the epoch that these items are in. `found` is what stands of them under the present one."""
    limits = view.limits
    tokens, users = view.tokens(state, found), view.users(state.cut.index)
    if not (state.forced or tokens >= limits.rotation or users >= limits.rotation_turns):
        return Turned(state)
    asked, state = state.forced, msgspec.structs.replace(state, forced=False)
    candidates = _candidates(view, state)
    waiting = _waiting(view, state, candidates[-1]) if candidates else ()
    sound = [start for start in candidates if not waiting or start <= waiting[0].index]
    must = asked or users >= limits.rotation_turns
    chosen, size = _chosen(view, state, sound, tokens, must=must) if sound else (None, 0)
    if chosen is not None:
        first = chosen.cut.index == candidates[0]
        opened = _opened(view, chosen, state.cut.index)
        size += state.calibration.scaled(view.catalogue(opened) - CATALOGUE_TOKENS)
        said = "" if asked else _better_kept(view, state, opened, tokens, size)
        if said:
            return Turned(state, notices=(Notice(Code.EPOCH_KEPT, said),))
        return Turned(opened, () if first else waiting, why=_why(view, tokens, users, asked=asked))
    if waiting:
        said = f"{len(waiting):,} messages are not archived yet and stay"
        return Turned(state, waiting, (Notice(Code.NOT_ARCHIVED, said),))
    if asked:
        said = "there is nothing to rotate: the newest request is all there is"
        return Turned(state, notices=(Notice(Code.NOTHING_TO_ROTATE, said),))
    return Turned(state)


def _why(view: View, tokens: int, users: int, *, asked: bool) -> str:
    if asked:
        return "it was asked for"
    limits = view.limits
    if tokens >= limits.rotation:
        return f"about {tokens:,}/{limits.rotation:,} tokens"
    return f"{users}/{limits.rotation_turns} turns"


def _candidates(view: View, state: State) -> list[int]:
    """Return where the next epoch may begin, the one that keeps most first: behind the first group of the window, not
    behind the newest request, with at most the turns that are to be kept."""
    shape, cut = view.shape, state.cut.index
    first = next((index for index in shape.users if index >= cut), len(view.items))
    most = max(view.limits.retain_turns, view.users(shape.newest))
    return [start for start in shape.cuts if first < start <= shape.newest and view.users(start) <= most]


def _waiting(view: View, state: State, stop: int) -> tuple[Archive, ...]:
    """Return the items from the cut to before `stop` that are neither durable nor kept at the front nor erased."""
    pinned = {one.index: one.parts for one in view.shape.front}
    found = list[Archive]()
    for index in range(state.cut.index, stop):
        item = view.items[index]
        if item.key in view.durable or item.key in view.erased or pinned.get(index, -1) == len(item.parts):
            continue
        found.append(Archive("message", item.key, state.full_name(item.name()), index))
    return tuple(found)


def _chosen(
    view: View, state: State, candidates: list[int], tokens: int, *, must: bool
) -> tuple[State | None, int]:
    """Return the state that keeps most and fits; the one that keeps least where none does and it helps.

    With it the tokens of its window, a table of contents as long as it may be among them.
    """
    reserve = state.calibration.scaled(CATALOGUE_TOKENS)
    found, size = None, 0
    for start in candidates:
        found = _begun(view, state, start)
        size = view.tokens(found, view.gated(found)) + reserve
        if size <= view.limits.refill:
            return found, size
    worth = tokens - size >= view.limits.rotation * WORTHWHILE
    return (found, size) if must or worth else (None, 0)


def _better_kept(view: View, state: State, new: State, tokens: int, size: int) -> str:
    """Return why an epoch goes on though it is at its limit, "" where a new one is better.

    Where one turn more would end the new epoch as well, each turn would cost the whole prompt cache: then the present
    one goes on to the hard limit; where a turn would take the new one there, too, to the ceiling.

    Before the limit of tokens the best time is when what the epoch cost more than a new one would have, since it began,
    is what a new one costs (the economic order quantity, F. W. Harris 1913: holding costs as much as ordering).
    """
    limits, users = view.limits, view.users(state.cut.index)
    turn = (tokens - state.calibration.scaled(view.beside(state.cut.index))) // max(1, users)
    hard = min(limits.hard, int(limits.rotation * KEPT))
    if tokens >= (hard if size + turn < hard else max(hard, limits.ceiling)):
        return ""
    if tokens >= limits.rotation:
        if size + turn < limits.rotation:
            return ""
        return (
            f"the epoch is kept: a new one would begin with about {size:,}/{limits.rotation:,} tokens, "
            "and end with the next turn"
        )
    if not limits.thrifty:
        return ""
    requests = _requests(view, state.cut.index) * (users - state.retained) / max(1, users)
    written = size - state.calibration.scaled(view.beside(new.cut.index))
    if (tokens - size) / 2 * requests * READ_PRICE >= written * (WRITE_PRICE - READ_PRICE) * EARLY:
        return ""
    return (
        f"the epoch is kept: at {users}/{limits.rotation_turns} turns a new one would cost more than it saves"
    )


def _requests(view: View, cut: int) -> int:
    """Return about how many requests were answered behind a cut: runs of what the model said."""
    roles = [Role.USER, *(item.role for item in view.items[cut:])]
    return sum(role is Role.ASSISTANT and before is not Role.ASSISTANT for before, role in pairwise(roles))


def _begun(view: View, state: State, start: int) -> State:
    """Return the state of an epoch that begins at an item, without its table of contents."""
    items, limits = view.items, view.limits
    return msgspec.structs.replace(
        state,
        epoch=state.epoch + 1,
        cut=Cut(start, items[start].key, keys_digest(items[:start])),
        shown=Mark(),
        regated=mark(items, view.shape.fresh) if view.shape.fresh > start else Mark(),
        regate=limits.gates.pressure,
        squeezed=False,
        inline=(),
        replaced=(),
        retained=view.users(start),
        wanted=min(limits.retain_turns, view.users(state.cut.index)),
        users=len(view.shape.users),
        catalogue="",
        gates=limits.gates,
    )


def _listed(view: View, first: int, last: int) -> bool:
    """Tell whether a range of items is left out: not held, and more than what is pinned."""
    whole = {one.index for one in view.shape.front if one.parts == len(view.items[one.index].parts)}
    return any(index not in whole for index in range(first, last)) and not any(
        view.items[index].key in view.erased for index in range(first, last)
    )


def _opened(view: View, state: State, before: int) -> State:
    """Return the state with the table of contents of what lies before its cut, also what was cut just now."""
    groups = [
        view.items[first:last]
        for first, last in view.removed(before, state.cut.index)
        if _listed(view, first, last)
    ]
    read = max(READ_LEAST, min(READ, READ_ALL // max(1, len(groups) * READ_TEXTS)))
    entries = joined(state.entries, (masked(entry(group, read), view.redact) for group in groups))
    return msgspec.structs.replace(state, entries=entries, catalogue=render(entries, state.address))
