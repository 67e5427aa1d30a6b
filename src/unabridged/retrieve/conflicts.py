"""Which of several passages, in the order of their times, take back what an earlier one says.

Nothing is guessed: two passages are named together when they share a name (or a note's subject) and only the later one
has, in the sentence that holds the name, words that take something back. The words and the name are told as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unabridged.index.exact import anchors

MOST = 8  # conflicts told of one packet
SENTENCE = 400  # characters looked at to each side of a cue for the ends of its sentence

# Words that take something back, by language: patterns without case. More languages are more rows.
CUES: Mapping[str, tuple[str, ...]] = {
    "en": (
        r"\bno longer\b",
        r"\bnot (?:\S+ ){0,3}any ?more\b",
        r"\binstead(?: of)?\b",
        r"\brevert(?:s|ed|ing)?\b",
        r"\bundo(?:es|ne|ing)?\b",
        r"\bscrap (?:that|this|it|the)\b",
        r"\bscrapped\b",
        r"\bchanged (?:my|our) minds?\b",
        r"\bon second thoughts?\b",
        r"\b(?:was|were|am|is) (?:\S+ )?(?:wrong|mistaken|incorrect)\b",
        r"\bcorrection:",
        r"\bactually,",
        r"\bsupersed(?:e|es|ed|ing)\b",
        r"\boverrul(?:e|es|ed|ing)\b",
        r"\bdeprecated\b",
        r"\bobsolete\b",
        r"\babandon(?:s|ed|ing)?\b",
        r"\breplac(?:es|ed|ing)\b",
        r"\bforget (?:what I said|about)\b",
        r"\bmov(?:e|ed|ing) away from\b",
        r"\bswitch(?:ed|ing)? (?:back )?(?:from|to)\b",
        r"\bdon['\u2019]t use\b",
    ),
    "de": (
        r"\bnicht mehr\b",
        r"\bdoch nicht\b",
        r"\bstattdessen\b",
        r"\banstelle von\b",
        r"\bzur\u00fcckgenommen\b",
        r"\br\u00fcckg\u00e4ngig\b",
        r"\bkorrektur:",
    ),
    "ru": (r"\bбольше не\b", r"\bвместо\b", r"\bотмен(?:а|яем|ить|или|ено)\b", r"\bисправление:"),
    "zh": ("不再", "改为", "改用", "撤销", "更正:", "更正\uff1a"),
}

STRONG = {"url", "path", "commit", "error", "quoted", "symbol"}  # kinds of names that mean one thing
_TICKET = re.compile(r"[A-Z]{2,10}-\d+")  # a value that is a name
_END = re.compile(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f]")
_CUE = re.compile("|".join(cue for cues in CUES.values() for cue in cues), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """What a passage says: its text, whether a person or an agent said it, a note's subject."""

    text: str
    spoken: bool = True
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages by their numbers, what they share, the words of the later one, where these stand in it."""

    earlier: int
    later: int
    by: str  # subject, or the kind of a name
    shared: str
    cue: str
    start: int  # characters
    end: int


def conflicts(passages: Sequence[Said]) -> list[Conflict]:
    """Return what takes back what, in the order of the passages."""
    named = [_names(item.text) if item.spoken else {} for item in passages]
    taken = [_taken_back(item) if item.spoken else {} for item in passages]
    found = list[Conflict]()
    for later, cues in enumerate(taken):
        for name, (by, shared, cue) in cues.items():
            before = range(later - 1, -1, -1)
            earlier = next((at for at in before if name in named[at] and name not in taken[at]), None)
            if earlier is not None:
                found.append(Conflict(earlier, later, by, shared, cue[0], cue.start(), cue.end()))
        subject = _by_subject(passages, later)
        if subject is not None:
            found.append(subject)
    return found[:MOST]


def _by_subject(passages: Sequence[Said], later: int) -> Conflict | None:
    """Return a note of the same subject that a later one takes back."""
    said = passages[later]
    cue = _CUE.search(said.text) if said.subject else None
    if cue is None:
        return None
    for at in range(later - 1, -1, -1):
        if passages[at].subject == said.subject and not _CUE.search(passages[at].text):
            return Conflict(at, later, "subject", said.subject, cue[0], cue.start(), cue.end())
    return None


def _names(text: str) -> dict[str, tuple[str, str]]:
    """Return the names in a text that mean one thing: folded name → kind, name as it stands."""
    found = dict[str, tuple[str, str]]()
    for anchor in anchors(text):
        if anchor.kind in STRONG or _TICKET.fullmatch(anchor.text):
            found.setdefault(anchor.text.casefold(), (anchor.kind, anchor.text))
    return found


def _taken_back(said: Said) -> dict[str, tuple[str, str, re.Match[str]]]:
    """Return the names in sentences that take something back, each with its kind, its text and the first such words."""
    found = dict[str, tuple[str, str, re.Match[str]]]()
    for cue in _CUE.finditer(said.text):
        for name, (kind, shared) in _names(_sentence(said.text, cue.start(), cue.end())).items():
            found.setdefault(name, (kind, shared, cue))
    return found


def _sentence(text: str, start: int, end: int) -> str:
    low, high = max(0, start - SENTENCE), min(len(text), end + SENTENCE)
    for match in _END.finditer(text, low, start):
        low = match.end()
    following = _END.search(text, end, high)
    return text[low : following.start() if following else high]
