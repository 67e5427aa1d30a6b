"""Which messages answer the best ones: what an agent says last before the person speaks again, after all of its work.

The next message is often no more than what the agent means to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unabridged.index.status import is_indexed
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.neighbours import WINDOW_BYTES, Key, Pair
from unabridged.retrieve.said import is_said
from unabridged.retrieve.turning import answers_to
from unabridged.schema.records import Event

Replies = dict[Key, Key]  # a message and what answers it

TURNS = 6  # best messages of people, whose turns are looked through
STEPS = 60  # of each


def with_replies(
    context: Context, pairs: Sequence[Pair], allows: Callable[[Event], bool]
) -> tuple[Sequence[Pair], Replies]:
    """Return candidates with what answers the best of them at last, and which of them that answers."""
    best = sorted(pairs, key=lambda pair: (-pair[0].total, pair[1].project, pair[1].ordinal))
    asked = [event for one, event in best if one.total and event.role == "user" and is_said(event)]
    known, added, replies = {_key(event) for _, event in pairs}, list[Pair](), Replies()
    for event in asked[:TURNS]:
        reply = next(reversed(answers_to(context, event, STEPS)), None)
        if reply is None or not is_said(reply):
            continue
        if _key(reply) not in known:
            if reply.size > WINDOW_BYTES or not is_indexed(reply) or not allows(reply):
                continue
            known.add(_key(reply))
            added.append((Candidate(reply.project, reply.ordinal, 0, reply.size, 0.0), reply))
        replies[_key(event)] = _key(reply)
    return [*pairs, *added], replies


def _key(event: Event) -> Key:
    return event.project, event.ordinal
