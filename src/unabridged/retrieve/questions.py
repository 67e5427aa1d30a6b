"""A query as what passages say is compared with it: what it asks for, of whom, in which words."""

from __future__ import annotations

import re

from unabridged.index.analysis.inflections import inflections
from unabridged.index.analysis.letters import sound
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.retrieve.answering import Words, is_printed
from unabridged.retrieve.denying import Denying

QUESTION_MOST = 400  # characters; a longer query is a paste, and only its beginning is taken as a question
PASTED = (
    1_200  # characters of a query, from which on most of it may be pasted behind a question, or before one
)
LEAST_WORDS = 3  # of a question beside a paste
GIVES = 0.12  # of its evidence, that a passage gets for a reason or a time where one is asked for
CHANGES = 0.2  # the same, for a change where somebody asks how something is
PROSE = 2  # words of a question, below which somebody looks up a word

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ASKS = re.compile(
    r"\W*(?:why|how|what|which|who|whose|where|when|whether|is|are|was|were|do|does|did|can|could|should|has|have|had)\b"
    r"|.*\?\s*$",
    re.DOTALL,
)
_OWN = re.compile(r"\b(?:i|my|mine|me|myself)\b")
_WHY = re.compile(
    r"^\W*(?:why|how come)\b|\b(?:reasons?|rationale|motivation|justification) (?:for|why|behind|that|to)\b"
    r"|\bwhat (?:makes?|made|keeps?|kept|causes?|caused|prevents?|prevented|explains?|decides?|determines?)\b"
)
_BECAUSE = re.compile(
    r"\b(?:because|so that|due to|in order to|therefore|thanks to|the reason|which is why|otherwise|as a result)\b"
)
_WHEN = re.compile(r"^\W*(?:when|since when|(?:on )?(?:what|which) (?:day|date|time|year|month))\b")
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|this (?:week|month|year|morning|afternoon|evening|weekend)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october"
    r"|november|december|weekend|noon|midnight|\d{4}|\d{1,2}(?:am|pm|:\d\d))\b"
)
_STATE = re.compile(
    r"\b(?:now|currently|still|today|these days|at the moment|any ?more)\b"
    r"|^\W*(?:which|what|where|who|at which|at what|how (?:many|long|often)|do|does|is|are)\b"
)
_CHANGE = re.compile(
    r"\b(?:no longer|from now on|instead|replac(?:es|ed|ing)|switch(?:ed)? to|chang(?:e|ed) (?:that|this|it|to|from)"
    r"|moved? (?:to|away)|not any ?more|supersed\w+|overrul\w+|as of)\b"
)


class Question:
    """What a query asks for.

    asks: it is a question. own: for what the asker said. reason: for a reason. words, denying: what texts are compared
    with.
    """

    def __init__(self, query: str) -> None:
        """Read the beginning of a query."""
        low = folded(sound(query[:QUESTION_MOST]))
        found = [word for word in dict.fromkeys(_WORD.findall(low)) if word not in STOPWORDS]
        words = {word: (word, *inflections(word)) for word in found}
        self.asks = _ASKS.match(low) is not None
        self.own = _OWN.search(low) is not None
        self.reason = _WHY.search(low) is not None
        self.words = Words(words if len(words) >= PROSE else {})
        self.denying = Denying(low, words)
        self._time = _WHEN.match(low) is not None
        self._state = not self.own and _STATE.search(low) is not None

    def given(self, low: str) -> float:
        """Return what a text in lower case gains, of its evidence, for a reason, a time, a change.

        What changed something tells how it is.
        """
        wanted = ((self.reason, _BECAUSE, GIVES), (self._time, _TIME, GIVES), (self._state, _CHANGE, CHANGES))
        return sum(gain for asked, cue, gain in wanted if asked and cue.search(low) is not None)


def gives_reason(low: str) -> bool:
    """Tell whether a text in lower case gives a reason."""
    return _BECAUSE.search(low) is not None


def asks(query: str) -> bool:
    """Tell whether a query is a question: then what holds all of its words may be the same question."""
    return _ASKS.match(folded(query[:QUESTION_MOST])) is not None


def with_paste(query: str) -> tuple[str, str]:
    """Return a question and what is pasted behind it, or before it; the whole query and "" where nothing is."""
    if len(query) < PASTED:
        return query, ""
    text = query.strip()
    first, _, behind = text.partition("\n")
    before, _, last = text.rpartition("\n")
    for line, rest in ((first, behind), (last, before)):
        if not rest or not line.strip() or len(line) > QUESTION_MOST:
            continue
        asking = asks(line) and len(_WORD.findall(line)) >= LEAST_WORDS
        if asking or (_is_pasted(rest) and not is_printed(folded(line))):
            return line, rest
    return query, ""


def _is_pasted(text: str) -> bool:
    """Tell whether a text begins as no person begins one: with a line of a program, or a fence."""
    line = text.lstrip().partition("\n")[0]
    return line.startswith(("```", "~~~")) or is_printed(folded(line))


def folded(text: str) -> str:
    """Return a text in lower case with one apostrophe."""
    return text.lower().replace("\u2019", "'")
