"""Where a conversation may be cut, and what of it never is.

A group starts at a user message and runs to the next one. A message with tool results is the tool's: it belongs to the
calls before it. A cut stands at the start of a group, never between a call and its result, and never behind the
start of the newest request.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.window.messages import Item, Kind, Role

# What hosts put before a conversation in user messages of their own: instructions of the repository, the environment.
PINS = (
    "<system-reminder>",
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<skills_instructions>",
)
# User messages at the head; a host that compacted says its environment again behind the summary.
PINNED_WITHIN = 3


class Pinned(msgspec.Struct, frozen=True, gc=False):
    """An item that stays when it lies before a cut, or as many of its leading parts."""

    index: int
    parts: int


class Groups(msgspec.Struct, frozen=True):
    """The shape of a conversation, all as indexes of items in order.

    `users` start groups (what is wholly pinned is no user message); `cuts` are those of them where a cut is sound;
    `newest` is where the newest request starts (the number of items where there is none); `fresh` is behind the last
    thing that the assistant said: what stands there, the model has not seen yet.
    """

    users: tuple[int, ...]
    cuts: tuple[int, ...]
    newest: int
    fresh: int
    front: tuple[Pinned, ...]


def groups(items: Sequence[Item], pins: Sequence[str] = PINS, start: int = 0) -> Groups:
    """Return where a conversation may be cut from `start` on.

    `pins` are beginnings of texts that a host wants kept at the front.
    """
    roles = [item.role for item in items]
    asking = [index for index, role in enumerate(roles) if role is Role.USER]
    other = [index for index, role in enumerate(roles) if role is Role.OTHER] if Role.OTHER in roles else []
    front = _front(items, tuple(pins), [index for index in other if _is_state(items[index])])
    whole = {pinned.index for pinned in front if pinned.parts == len(items[pinned.index].parts)}
    users = [index for index in asking if index not in whole]
    crossing = _crossing(items, start)
    cuts = [index for index in users if index >= start and not (crossing and _within(crossing, index))]
    fresh = len(items)
    while fresh and items[fresh - 1].role is not Role.ASSISTANT:
        fresh -= 1
    if fresh and any(part.kind is Kind.RESULT for part in items[fresh - 1].parts):
        fresh -= 1  # a host that keeps results beside their calls: the model has not seen them yet
    return Groups(tuple(users), tuple(cuts), _newest(items, users), fresh, front)


def _newest(items: Sequence[Item], users: Sequence[int]) -> int:
    """Return the first of the user messages that stand together at the end: a prompt and what a host adds to it."""
    if not users:
        return len(items)
    at = len(users) - 1
    while at and all(item.role is Role.SYSTEM for item in items[users[at - 1] + 1 : users[at]]):
        at -= 1
    return users[at]


def _crossing(items: Sequence[Item], start: int) -> list[tuple[int, int]]:
    """Return (call, result) of each pair that a user message stands between; a cut there would part them."""
    calls = dict[str, int]()
    found, last_user = list[tuple[int, int]](), -1
    for index in range(start, len(items)):
        item = items[index]
        role = item.role
        if role is Role.USER:
            last_user = index
        elif role is Role.ASSISTANT or role is Role.TOOL:
            for part in item.parts:
                if part.kind is Kind.CALL:
                    calls[part.call] = index
                elif part.kind is Kind.RESULT and calls.get(part.call, index) < last_user:
                    found.append((calls[part.call], index))
    return found


def _within(pairs: Sequence[tuple[int, int]], index: int) -> bool:
    return any(call < index <= result for call, result in pairs)


def _front(items: Sequence[Item], pins: tuple[str, ...], states: Sequence[int]) -> tuple[Pinned, ...]:
    """Return the leading system items, the first environment that a user message carries, the system items with it.

    What is a provider's opaque memory of what came before stays wherever it stands.
    """
    found, asked, leading, done = list[Pinned](), 0, True, False
    for index, item in enumerate(items):
        if item.role is Role.SYSTEM:
            if leading and item.parts:
                found.append(Pinned(index, len(item.parts)))
        elif item.role is Role.USER:
            asked += 1
            if asked > PINNED_WITHIN:
                break
            count = 0 if done else _pinned_parts(item, pins)
            leading = count > 0 or (leading and asked == 1)
            if count:
                found.append(Pinned(index, count))
                done = count < len(item.parts)
        else:
            leading = False
    found += [Pinned(index, 1) for index in states]
    return tuple(sorted(found, key=lambda pinned: pinned.index))


def _is_state(item: Item) -> bool:
    return len(item.parts) == 1 and item.parts[0].kind is Kind.STATE


def _pinned_parts(item: Item, pins: tuple[str, ...]) -> int:
    count = 0
    for part in item.parts:
        if part.kind is not Kind.TEXT or not part.text.lstrip().startswith(pins):
            break
        count += 1
    return count
