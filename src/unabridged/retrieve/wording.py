"""What the best passages say of the question's words, beside holding them.

Passages that hold the same words can say opposite things with them. One that states a decision counts as decisions do;
one that gives a reason, a time or a change counts more where that is asked for. One that denies what is presumed counts
less, so does one that only asks with the question's words, or prints them; what answers one that asks counts as it did.
Only the first few are read. A passage passes another one by what this adds to its evidence, never one that holds a name
exactly where it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from unabridged.errors import UnabridgedError
from unabridged.index.making import weight_of
from unabridged.index.scoring import DECISION, WEIGHTS
from unabridged.retrieve.answering import answers
from unabridged.retrieve.context import Context
from unabridged.retrieve.neighbours import Key
from unabridged.retrieve.passing import passed
from unabridged.retrieve.questions import Question, folded, gives_reason
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.said import Place, is_said, place_of
from unabridged.retrieve.telling import told
from unabridged.schema.records import Event

LOOKED = 12  # best passages that are read
DENIED = 0.3  # of its evidence, that a passage loses which denies all of the question's words that it holds
ASKS = 0.4  # the same, of one that only asks with them
PRINTS = (
    0.4  # the same, of one in which a program prints them, for a question: by its words a log is looked up
)
ASKING = 0.5  # share of the words that stand in questions only, from which on a passage asks
ANSWERS = 0.97  # of the evidence of a passage that asks, that what answers it has
EXPLAINS = 0.85  # the same, where reasons are asked for and what a person reported is explained
REPLY = 4  # messages behind one that asks, in which the other speaker answers it


def worded(
    context: Context, query: str, ranked: Sequence[Ranked], replies: Mapping[Key, Key]
) -> list[Ranked]:
    """Return passages in the order that their wording gives the first; `replies`: what answers which at last."""
    look = _Look(context, query)
    head = [look.judged(item) for item in ranked[:LOOKED]]
    raised = look.answered(head, ranked, replies)
    order = passed([*(raised.pop(_key(item), item) for item in head), *raised.values()], _passes)
    there = {_key(item) for item in order}
    return [*order, *(item for item in ranked[LOOKED:] if _key(item) not in there)]


def _passes(item: Ranked, ahead: Ranked) -> bool:
    gains, others = (one.stages.get("wording", 0.0) for one in (item, ahead))
    if gains <= others or item.stages["exact"] < ahead.stages["exact"]:
        return False
    return item.evidence > ahead.evidence


class _Look:
    """The best passages of one question, read."""

    def __init__(self, context: Context, query: str) -> None:
        self._context = context
        self._asked = Question(query)
        self._asking = list[tuple[Ranked, float]]()  # passages that ask, with what their answers get

    def judged(self, item: Ranked) -> Ranked:
        """Return a passage with what its wording adds to its evidence, or takes from it."""
        if not item.stages["lexical"]:
            return item
        text = self._text(item)
        low, said, added = folded(text), is_said(item.event), 0.0
        if said:
            if any(one.sure for one in told(text, "decision")):
                added += item.stages["lexical"] * (WEIGHTS[DECISION] / WEIGHTS[weight_of(item.event)] - 1)
            added += self._asked.given(low) * item.evidence
            added -= DENIED * self._asked.denying.share(low) * item.evidence
        return _worded(item, added - self._lost(item, low, said=said))

    def _lost(self, item: Ranked, low: str, *, said: bool) -> float:
        """Return what a passage loses for asking or printing with the question's words; note that it asks."""
        asked, user = self._asked, item.event.role == "user"
        standing = asked.words.standing(low, tool=not said)
        lost = 0.0
        if asked.asks and not item.stages["exact"]:
            lost += PRINTS * standing.printed
        if not (asked.own and user):
            lost += ASKS * standing.asked
            if said and standing.asked >= ASKING:
                self._asking.append((item, ANSWERS * item.evidence))
            elif said and user and asked.reason and not gives_reason(low):
                self._asking.append((item, EXPLAINS * item.evidence))
        return lost * item.evidence

    def answered(
        self, head: Sequence[Ranked], ranked: Sequence[Ranked], replies: Mapping[Key, Key]
    ) -> dict[Key, Ranked]:
        """Return the passages that answer one of the first that asks, each with as much evidence as that has."""
        there = {_key(item): item for item in (*ranked[LOOKED:], *head)}
        places = {place_of(item.event): item for item in there.values() if is_said(item.event)}
        found = dict[Key, Ranked]()
        for asking, worth in self._asking:
            last = there.get(replies.get(_key(asking), _key(asking)))
            for reply in (_next(asking.event, places, 1), last, _next(asking.event, places, REPLY)):
                if reply is None or reply is asking or not answers(folded(self._text(reply))):
                    continue
                reply = found.get(_key(reply), reply)
                lacking = worth - reply.evidence
                if lacking > 0:
                    found[_key(reply)] = _worded(reply, reply.stages.get("wording", 0.0) + lacking)
                break
        return found

    def _text(self, item: Ranked) -> str:
        try:
            data = self._context.resolver.event_bytes(item.event)[item.start : item.end]
        except UnabridgedError:
            return ""
        return data.decode("utf-8", "ignore")


def _next(event: Event, places: Mapping[Place, Ranked], reach: int) -> Ranked | None:
    """Return the nearest passage behind a message, where the other speaker says it."""
    project, session, seq = place_of(event)
    for step in range(1, reach + 1):
        item = places.get((project, session, seq + step))
        if item is not None:
            return item if item.event.role != event.role else None
    return None


def _worded(item: Ranked, added: float) -> Ranked:
    return replace(item, stages={**item.stages, "wording": round(added, 4)}) if added else item


def _key(item: Ranked) -> Key:
    return item.event.project, item.event.ordinal
