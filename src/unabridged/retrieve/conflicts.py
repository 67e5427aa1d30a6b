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

# Words that take something back, by language: what stands in every such text in lower case, and the pattern without
# case that finds them. More languages are more rows.
CUES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "no longer": r"\bno longer\b",
        "more": r"\bnot (?:\S+ ){0,3}any ?more\b",
        "instead": r"\binstead(?: of)?\b",
        "revert": r"\brevert(?:s|ed|ing)?\b",
        "undo": r"\bundo(?:es|ne|ing)?\b",
        "scrap": r"\bscrap (?:that|this|it|the)\b|\bscrapped\b",
        "changed": r"\bchanged (?:my|our) minds?\b",
        "second thought": r"\bon second thoughts?\b",
        "wrong": r"\b(?:was|were|am|is) (?:\S+ )?wrong\b",
        "mistaken": r"\b(?:was|were|am|is) (?:\S+ )?mistaken\b",
        "incorrect": r"\b(?:was|were|am|is) (?:\S+ )?incorrect\b",
        "correction:": r"\bcorrection:",
        "actually,": r"\bactually,",
        "supersed": r"\bsupersed(?:e|es|ed|ing)\b",
        "overrul": r"\boverrul(?:e|es|ed|ing)\b",
        "deprecated": r"\bdeprecated\b",
        "obsolete": r"\bobsolete\b",
        "abandon": r"\babandon(?:s|ed|ing)?\b",
        "replac": r"\breplac(?:es|ed|ing)\b",
        "forget": r"\bforget (?:what I said|about)\b",
        "away from": r"\bmov(?:e|ed|ing) away from\b",
        "switch": r"\bswitch(?:ed|ing)? (?:back )?(?:from|to)\b",
        "t use": r"\bdon['\u2019]t use\b",
    },
    "de": {
        "nicht mehr": r"\bnicht mehr\b",
        "doch nicht": r"\bdoch nicht\b",
        "stattdessen": r"\bstattdessen\b",
        "anstelle von": r"\banstelle von\b",
        "zur\u00fcckgenommen": r"\bzur\u00fcckgenommen\b",
        "r\u00fcckg\u00e4ngig": r"\br\u00fcckg\u00e4ngig\b",
        "korrektur:": r"\bkorrektur:",
    },
    "ru": {
        "больше не": r"\bбольше не\b",
        "вместо": r"\bвместо\b",
        "отмен": r"\bотмен(?:а|яем|ить|или|ено)\b",
        "исправление:": r"\bисправление:",
    },
    "zh": {"不再": "不再", "改为": "改为", "改用": "改用", "撤销": "撤销", "更正": "更正[:\uff1a]"},
}

Names = dict[str, tuple[str, str]]  # folded name → its kind, the name as it stands
STRONG = {"url", "path", "commit", "error", "quoted", "symbol"}  # kinds of names that mean one thing
_TICKET = re.compile(r"[A-Z]{2,10}-\d+")  # a value that is a name
_END = re.compile(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f]")
_CUES = [(sign, re.compile(cue, re.IGNORECASE)) for cues in CUES.values() for sign, cue in cues.items()]


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
    by: str  # correction, subject, or the kind of a name
    shared: str
    cue: str
    start: int  # characters
    end: int


def conflicts(passages: Sequence[Said]) -> list[Conflict]:
    """Return what takes back what, in the order of the passages."""
    found, names = list[Conflict](), dict[int, Names]()
    taken = [_taken_back(item) if item.spoken else {} for item in passages]
    for later, cues in enumerate(taken):
        for name, (by, shared, cue) in cues.items():
            for at in range(later - 1, -1, -1):
                if passages[at].spoken and name not in taken[at] and name in _names_of(passages, at, names):
                    found.append(Conflict(at, later, by, shared, cue[0], cue.start(), cue.end()))
                    break
        subject = _by_subject(passages, later)
        if subject is not None:
            found.append(subject)
    return found[:MOST]


def joined(first: Sequence[Conflict], more: Sequence[Conflict]) -> list[Conflict]:
    """Return conflicts with those of `more` that are not told by the first ones."""
    told = {(item.earlier, item.later) for item in first}
    return [*first, *(item for item in more if (item.earlier, item.later) not in told)][:MOST]


def _names_of(passages: Sequence[Said], at: int, known: dict[int, Names]) -> Names:
    if at not in known:
        known[at] = _names(passages[at].text)
    return known[at]


def _cues(text: str) -> list[re.Match[str]]:
    """Return the words in a text that take something back, in order."""
    lower = text.lower()
    found = [match for sign, cue in _CUES if sign in lower for match in cue.finditer(text)]
    return sorted(found, key=lambda match: (match.start(), -match.end()))


def _by_subject(passages: Sequence[Said], later: int) -> Conflict | None:
    """Return a note of the same subject that a later one takes back."""
    said = passages[later]
    cues = _cues(said.text) if said.subject else []
    if not cues:
        return None
    cue = cues[0]
    for at in range(later - 1, -1, -1):
        if passages[at].subject == said.subject and not _cues(passages[at].text):
            return Conflict(at, later, "subject", said.subject, cue[0], cue.start(), cue.end())
    return None


def _names(text: str) -> Names:
    """Return the names in a text that mean one thing: folded name → kind, name as it stands."""
    found = dict[str, tuple[str, str]]()
    for anchor in anchors(text):
        if anchor.kind in STRONG or _TICKET.fullmatch(anchor.text):
            found.setdefault(anchor.text.casefold(), (anchor.kind, anchor.text))
    return found


def _taken_back(said: Said) -> dict[str, tuple[str, str, re.Match[str]]]:
    """Return the names in sentences that take something back, each with its kind, its text and the first such words."""
    found = dict[str, tuple[str, str, re.Match[str]]]()
    for cue in _cues(said.text):
        for name, (kind, shared) in _names(_sentence(said.text, cue.start(), cue.end())).items():
            found.setdefault(name, (kind, shared, cue))
    return found


def _sentence(text: str, start: int, end: int) -> str:
    low, high = max(0, start - SENTENCE), min(len(text), end + SENTENCE)
    for match in _END.finditer(text, low, start):
        low = match.end()
    following = _END.search(text, end, high)
    return text[low : following.start() if following else high]
