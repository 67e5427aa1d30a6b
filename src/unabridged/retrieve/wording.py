"""What the best passages say of the question's words, beside holding them.

Passages that hold the same words can say opposite things with them. One that states a decision counts as decisions do;
to a question for reasons, one that gives a reason counts more; one that denies what a question presumes counts less.
Only the first few are read. A passage passes another one by what this adds to its evidence, never one that holds a name
exactly where it does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import re2

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.inflections import inflections
from unabridged.index.analysis.letters import sound
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.index.making import weight_of
from unabridged.index.scoring import DECISION, WEIGHTS
from unabridged.retrieve.asked import Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.passing import passed
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.said import is_said
from unabridged.retrieve.telling import told

LOOKED = 8  # best passages that are read
REASON = 0.12  # of its evidence, that a passage which gives a reason gets where one is asked for
DENIED = 0.3  # of its evidence, that a passage loses which denies all of the question's words that it holds
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
_BECAUSE = re.compile(
    r"\b(?:because|so that|due to|in order to|therefore|thanks to|the reason|which is why|otherwise|as a result)\b"
)
_DENIES = re2.compile(
    r"\b(?:no|not|never|without|neither|nor|cannot|none|hardly)\b"
    r"|\b(?:is|are|was|were|do|does|did|wo|would|ca|could|should|has|have|had)n't\b"
)
_FOLLOWING = re.compile(rf"(?:[^\w.,;:!?()\n]+\w+){{1,{NEAR}}}")


class _Asked:
    """The question as passages are compared with it."""

    def __init__(self, query: str) -> None:
        low = _folded(sound(query[:QUESTION_MOST]))
        self.reason = _WHY.search(low) is not None
        self._forms = dict[str, str]()
        # To "should we use it?" a denial is an answer, and who asks for what is not finds it in one.
        if _PRESUMING.match(low) and not _OPEN.search(low) and _DENIES.search(low) is None:
            words = [word for word in _WORD.findall(low) if word not in STOPWORDS]
            self._forms = {form: word for word in words for form in (word, *inflections(word))}

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


def _denials(low: str) -> Iterator[int]:
    """Yield where each denying word ends."""
    found: Any = _DENIES.finditer(low)
    for one in found:
        yield one.end()


def worded(context: Context, request: Search, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return passages in the order that their wording gives the first of them."""
    asked = _Asked(request.query)
    order = passed((_judged(context, asked, item) for item in ranked[:LOOKED]), _passes)
    return [*order, *ranked[LOOKED:]]


def _passes(item: Ranked, ahead: Ranked) -> bool:
    gains, others = (one.stages.get("wording", 0.0) for one in (item, ahead))
    if gains <= others or item.stages["exact"] < ahead.stages["exact"]:
        return False
    return item.evidence > ahead.evidence


def _judged(context: Context, asked: _Asked, item: Ranked) -> Ranked:
    """Return a passage with what its wording adds to its evidence, or takes from it."""
    if not is_said(item.event) or not item.stages["lexical"]:
        return item
    try:
        text = context.resolver.event_bytes(item.event)[item.start : item.end].decode("utf-8", "ignore")
    except UnabridgedError:
        return item
    low = _folded(text)
    added = 0.0
    if any(one.sure for one in told(text, "decision")):
        added += item.stages["lexical"] * (WEIGHTS[DECISION] / WEIGHTS[weight_of(item.event)] - 1)
    if asked.reason and _BECAUSE.search(low):
        added += REASON * item.evidence
    added -= DENIED * asked.denied(low) * item.evidence
    return replace(item, stages={**item.stages, "wording": round(added, 4)}) if added else item


def _folded(text: str) -> str:
    return text.lower().replace("\u2019", "'")
