"""Whether a passage says something with the question's words, asks with them, or only prints them.

What repeats a question holds more of its words than what answers it, and so does a log. A word counts as said where it
stands in a sentence that states something; one that stands only in questions, in what somebody means to find out, or in
lines that a program wrote is there without an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import re2

ANSWER_WORDS = 4  # of a sentence that answers by itself: fewer acknowledge
LOOKED = 3_600  # characters of a passage
SENTENCE = 400  # characters at most, before a word and behind it
ENDS = ("\n", ". ", "? ", "! ", "\u3002", "\uff1f", "\uff01")  # of sentences

_ASKED = r"(?:why|how|where|who|what|which|whether|when|if)\b"
# Sentences, in lower case, that ask without a question mark or only mean to find out, by language: what they begin with
# and what they hold. More languages are more rows.
BEGINS: Mapping[str, str] = {
    "en": (
        r"(?:so|and|but|ok|okay|well|hi|hey|also)?[ ,]*(?:"
        r"(?:why|how|where|who|whose|whether|which)\b(?! (?:means|meant|is why|we|i)\b)"
        r"|what (?:is|are|was|were|does|do|did|if|about|kind|sort)\b"
        r"|(?:is|are|was|were|does|did|do|can|could|should|shall|would|will|has|have)"
        r" (?:it|this|that|we|you|they|he|she|i|the|there|any\w*|some\w*)\b"
        r"|(?:please )?(?:find out|look (?:up|into|at)|check|investigate|ask|write|open|file|draft|remind)\b"
        r"|(?:i|we)(?:'ll| will| can| could| would| should| might| may) |let me |let us |should be |maybe |perhaps )"
    ),
    "de": r"(?:und |aber )?(?:warum|wieso|weshalb|wie|wo|wer|wann|welche[rsmn]?|ob|was (?:ist|sind|war|waren))\b",
}
HOLDS: Mapping[str, str] = {
    "en": (
        r"\b(?:asks?|asked|asking|wonder|wonders|wondering|wondered|knows?|check|unclear|investigate|remembers?"
        rf"|find out|look (?:up|into|at)|not sure|depends on|discussed)\b(?: \w+){{0,2}}? {_ASKED}"
        r"|\bquestions?\b|\bwant me to\b|\b(?:might|could) (?:be|help|work|try)\b|\bcan be looked up\b"
        r"|\b(?:don't|do not) know\b|\bno idea\b|\bgood question\b|\bnot (?:written|documented|known)\b"
    ),
    "de": (
        r"\b(?:frage|fragt|fragen|weiß|unklar|prüfe|schaue)\b[^,]{0,30},?"
        r" (?:warum|wieso|wie|wo|wer|wann|welche[rsmn]?|ob|was)\b"
    ),
}
# Lines that programs write, in any language: a time or a level, a place in a file, a shell's or a test's mark first.
_PRINTED = re.compile(
    r"\W{0,2}(?:\d{2,4}[-/:.]\d{2}[-/:.]\d{2}"
    r"|\[?\s*(?:info|warn|warning|error|debug|trace|fatal|fail|failed|pass|passed|ok)\b[\]:]"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) [ \d]\d \d\d:\d\d"
    r"|[\w./-]+:\d+[:)]|[>$#%] ?\w|[\w.-]+\[\d+\]:|(?:failed|passed|error) [\w/]+[.:]|at [\w.$<>]+\()"
)
_BEGINS = re.compile("|".join(f"(?:{cues})" for cues in BEGINS.values()))
_HOLDS: Any = re2.compile("|".join(f"(?:{cues})" for cues in HOLDS.values()))
_MARK = re.compile(r"[?\uff1f\u061f][\"')\u201d\s]*$")
_WORD = re.compile(r"\w+")
PRINTED, ASKED, SAID = 1, 2, 3  # what a sentence does with a word; the most that any does counts


class Standing(NamedTuple):
    """Shares of the question's words in a passage that stand only where somebody asks, only where a program prints."""

    asked: float
    printed: float


class _Word(NamedTuple):
    """The forms of a word and what all of them begin with."""

    prefix: str
    forms: frozenset[str]


class Words:
    """The words of a question with their forms."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        """Look for words, each in its forms."""
        self._words = [_Word(_prefix(forms), frozenset(forms)) for forms in words.values()]

    def standing(self, low: str, *, tool: bool) -> Standing:
        """Return how the words stand in a text in lower case; `tool`: a program wrote all of it."""
        if tool:
            return Standing(0.0, 1.0)
        text, kinds = low[:LOOKED], dict[int, int]()
        found = [best for word in self._words if (best := _best(text, word, kinds))]
        if not found:
            return Standing(0.0, 0.0)
        return Standing(found.count(ASKED) / len(found), found.count(PRINTED) / len(found))


def answers(low: str) -> bool:
    """Tell whether a text in lower case states anything: more than to acknowledge, to ask back, or to promise."""
    start, text = 0, low[:LOOKED]
    while start < len(text):
        end = _end(text, start)
        sentence = text[start:end].strip()
        if _kind(sentence) == SAID and len(_WORD.findall(sentence)) >= ANSWER_WORDS:
            return True
        start = end
    return False


def is_printed(line: str) -> bool:
    """Tell whether a line in lower case is one that a program writes."""
    return _PRINTED.match(line) is not None


def _best(text: str, word: _Word, kinds: dict[int, int]) -> int:
    """Return the most that any sentence does with a word; 0 where it does not stand there."""
    best, at = 0, text.find(word.prefix)
    while at >= 0:
        token = _WORD.match(text, at)
        end = token.end() if token is not None else at + 1
        if token is not None and token[0] in word.forms and not _is_letter(text[at - 1 : at]):
            start = _start(text, at)
            if start not in kinds:
                kinds[start] = _kind(text[start : _end(text, start)].strip())
            best = max(best, kinds[start])
            if best == SAID:
                break
        at = text.find(word.prefix, end)
    return best


def _start(text: str, at: int) -> int:
    """Return where the sentence begins that a place is in."""
    low = max(0, at - SENTENCE)
    return max((place + len(end) for end in ENDS if (place := text.rfind(end, low, at)) >= 0), default=low)


def _end(text: str, start: int) -> int:
    high = min(len(text), start + 2 * SENTENCE)
    return min(
        (place + len(end) for end in ENDS if (place := text.find(end, start, high)) >= 0), default=high
    )


def _kind(sentence: str) -> int:
    """Return what a sentence does."""
    if is_printed(sentence):
        return PRINTED
    asking = _MARK.search(sentence) or _BEGINS.match(sentence) or _HOLDS.search(sentence)
    return ASKED if asking is not None else SAID


def _prefix(forms: Sequence[str]) -> str:
    first, last = min(forms), max(forms)
    same = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, len(first))]


def _is_letter(char: str) -> bool:
    return char == "_" or char.isalnum()
