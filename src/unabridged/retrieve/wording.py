"""What the best passages say of the question's words, beside holding them.

Passages that hold the same words can say opposite things with them. One that states a decision counts as decisions do;
to a question for reasons, one that gives a reason counts more. One that denies what a question presumes counts less, so
does one that only asks with the question's words, or prints them; what answers one that asks counts nearly as much.
Only the first few are read. A passage passes another one by what this adds to its evidence, never one that holds a name
exactly where it does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import re2

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.inflections import inflections
from unabridged.index.analysis.letters import sound
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.index.making import weight_of
from unabridged.index.scoring import DECISION, WEIGHTS
from unabridged.retrieve.answering import Words, answers
from unabridged.retrieve.asked import Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.passing import passed
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.said import Place, is_said, place_of
from unabridged.retrieve.telling import told
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import Event

LOOKED = 12  # best passages that are read
REASON = 0.12  # of its evidence, that a passage which gives a reason gets where one is asked for
DENIED = 0.3  # of its evidence, that a passage loses which denies all of the question's words that it holds
ASKS = 0.4  # the same, of one that only asks with them
PRINTS = 0.4  # the same, of one in which a program prints them
ASKING = 0.5  # share of the words that stand in questions only, from which on a passage asks
ANSWERS = 0.97  # of the evidence of a passage that asks, that what answers it has
EXPLAINS = 0.85  # the same, where reasons are asked for and what a person reported is explained
REPLY = 4  # messages behind one that asks, in which the other speaker answers it
PROSE = 2  # words of a question, below which somebody looks up a word
QUESTION_MOST = 400  # characters; a longer query is a paste, and only its beginning is taken as a question
NEAR = 3  # words behind a denying one, that it may speak of

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_WHY = re.compile(
    r"^\W*(?:why|how come)\b|\b(?:reasons?|rationale|motivation|justification) (?:for|why|behind|that|to)\b"
    r"|\bwhat (?:makes?|made|keeps?|kept|causes?|caused|prevents?|prevented|explains?|decides?|determines?)\b"
)
# So that what is asked for did happen.
_PRESUMING = re.compile(r"\W*(?:which|what|who|whose|when|where|how)\b")
_OPEN = re.compile(r"\b(?:should|shall|must|may|might|can|could|would|allowed|want|whether)\b")
_ASKS = re.compile(
    r"\W*(?:why|how|what|which|who|whose|where|when|whether|is|are|was|were|do|does|did|can|could|should|has|have|had)\b"
    r"|.*\?\s*$",
    re.DOTALL,
)
_OWN = re.compile(r"\b(?:i|my|mine|me|myself)\b")  # of what the asker said: he may have asked it, too
_BECAUSE = re.compile(
    r"\b(?:because|so that|due to|in order to|therefore|thanks to|the reason|which is why|otherwise|as a result)\b"
)
_DENIES = re2.compile(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|hardly)\b"
    r"|\b(?:is|are|was|were|do|does|did|wo|would|ca|could|should|has|have|had)n't\b"
)
_FOLLOWING = re.compile(rf"(?:[^\w.,;:!?()\n]+\w+){{1,{NEAR}}}")

_Key = tuple[ProjectId, Ordinal]


class _Asked:
    """The question as passages are compared with it."""

    def __init__(self, query: str) -> None:
        low = _folded(sound(query[:QUESTION_MOST]))
        self.reason = _WHY.search(low) is not None
        words = [word for word in dict.fromkeys(_WORD.findall(low)) if word not in STOPWORDS]
        inflected = {word: (word, *inflections(word)) for word in words}
        # To "should we use it?" a denial is an answer, and who asks for what is not finds it in one.
        presuming = _PRESUMING.match(low) and not _OPEN.search(low) and _DENIES.search(low) is None
        known = inflected.items() if presuming else ()
        self._forms = {form: word for word, forms in known for form in forms}
        self.words = Words(inflected if len(words) >= PROSE else {})
        self.own = _OWN.search(low) is not None

    def denied(self, low: str) -> float:
        """Return the share of the question's words in a text that stand behind a denying word only."""
        forms, behind = self._forms, Counter[str]()
        for end in _denials(low) if forms else ():
            if (following := _FOLLOWING.match(low, end)) is not None:
                behind.update(word for word in _WORD.findall(following[0]) if word in forms)
        if not behind:
            return 0.0
        there = Counter(word for word in _WORD.findall(low) if word in forms)
        free = {forms[word] for word, count in there.items() if count > behind[word]}
        return 1 - len(free) / len({forms[word] for word in there})


def asks(query: str) -> bool:
    """Tell whether a query is a question: then what holds all of its words may be the same question."""
    return _ASKS.match(_folded(query[:QUESTION_MOST])) is not None


def _denials(low: str) -> Iterator[int]:
    """Yield where each denying word ends."""
    found: Any = _DENIES.finditer(low)
    for one in found:
        yield one.end()


def worded(context: Context, request: Search, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return passages in the order that their wording gives the first of them."""
    look = _Look(context, request.query)
    head = [look.judged(item) for item in ranked[:LOOKED]]
    raised = look.answered(head, ranked)
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
        self._asked = _Asked(query)
        self._asking = list[tuple[Ranked, float]]()  # passages that ask, with what their answers get

    def judged(self, item: Ranked) -> Ranked:
        """Return a passage with what its wording adds to its evidence, or takes from it."""
        if not item.stages["lexical"]:
            return item
        low, text = self._text(item)
        asked, added, said = self._asked, 0.0, is_said(item.event)
        if said and any(one.sure for one in told(text, "decision")):
            added += item.stages["lexical"] * (WEIGHTS[DECISION] / WEIGHTS[weight_of(item.event)] - 1)
        if said and asked.reason and _BECAUSE.search(low):
            added += REASON * item.evidence
        if said:
            added -= DENIED * asked.denied(low) * item.evidence
        return _worded(item, added - self._lost(item, low, said=said))

    def _lost(self, item: Ranked, low: str, *, said: bool) -> float:
        """Return what a passage loses for asking or printing with the question's words; note that it asks."""
        asked, user = self._asked, item.event.role == "user"
        standing = asked.words.standing(low, tool=not said)
        lost = PRINTS * standing.printed
        if not (asked.own and user):
            lost += ASKS * standing.asked
            if said and standing.asked >= ASKING:
                self._asking.append((item, ANSWERS * item.evidence))
            elif said and user and asked.reason and _BECAUSE.search(low) is None:
                self._asking.append((item, EXPLAINS * item.evidence))
        return lost * item.evidence

    def answered(self, head: Sequence[Ranked], ranked: Sequence[Ranked]) -> dict[_Key, Ranked]:
        """Return the passages that answer one of the first that asks, each with as much evidence as that has."""
        places = {place_of(item.event): item for item in (*ranked[LOOKED:], *head) if is_said(item.event)}
        found = dict[_Key, Ranked]()
        for asking, worth in self._asking:
            reply = _reply(asking.event, places)
            if reply is None:
                continue
            reply = found.get(_key(reply), reply)
            lacking = worth - reply.evidence
            if lacking > 0 and answers(self._text(reply)[0]):
                found[_key(reply)] = _worded(reply, reply.stages.get("wording", 0.0) + lacking)
        return found

    def _text(self, item: Ranked) -> tuple[str, str]:
        try:
            data = self._context.resolver.event_bytes(item.event)[item.start : item.end]
        except UnabridgedError:
            return "", ""
        text = data.decode("utf-8", "ignore")
        return _folded(text), text


def _reply(event: Event, places: Mapping[Place, Ranked]) -> Ranked | None:
    """Return the nearest passage behind a message that the other speaker says."""
    project, session, seq = place_of(event)
    for step in range(1, REPLY + 1):
        item = places.get((project, session, seq + step))
        if item is not None:
            return item if item.event.role != event.role else None
    return None


def _worded(item: Ranked, added: float) -> Ranked:
    return replace(item, stages={**item.stages, "wording": round(added, 4)}) if added else item


def _key(item: Ranked) -> _Key:
    return item.event.project, item.event.ordinal


def _folded(text: str) -> str:
    return text.lower().replace("\u2019", "'")
