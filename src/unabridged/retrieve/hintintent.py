"""What a message is about: history, what is at hand, general knowledge, or a matter that may have a history."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from unabridged.hosts.calls import is_own_text
from unabridged.index.analysis.inflections import inflections
from unabridged.index.analysis.plan import Clause
from unabridged.index.analysis.query import plan_query
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.index.exact import anchors
from unabridged.retrieve import hintcues as cues
from unabridged.retrieve.hintwords import BRANDS, COMMON, TALK, USUAL_NAMES

Kind = Literal["historical", "implicit", "none"]
Rank = Literal["name", "telling", "common"]

READ_MOST = 4_000  # characters of a message that cues and words are looked for in
PASTE = 16_000  # characters from which a message is a paste rather than something said
WORDS_MOST = 12  # looked for; names first, then as they come
NAMING = {"error", "commit", "symbol", "path", "url"}  # kinds of anchors that mean one thing
SEVERAL = 3  # common words that together may say something
SHORTEST = 2  # letters of a word that says something

_FENCED = re.compile(r"```.*?(?:```|\Z)|^(?: {4}|\t|>).*$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"<([a-z][\w-]{2,40})\b[^>]*>.*?</\1>", re.DOTALL)
_SET_OFF = ("    ", "\t", ">")
_COMMAND = re.compile(r"\s*[/!#][\w-]")
_DEFINITE = re.compile(r"\b(?:the|our|this|that|these|those)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\w*[a-z0-9][A-Z]\w*|\w+_\w+|\w*::\w.*|\w+\(\)|[A-Z]{2,10}-\d+|.*/.*")
ERROR_CODE = re.compile(r"[A-Z]{1,5}\d{3,6}|.*(?:Error|Exception)", re.IGNORECASE)
_CJK_PARTICLES = re.compile(
    "关于|我们|你们|什么|怎么|请问|决定|讨论|商量|选择|约定|哪里|哪个|哪些|为什么|如何|多少|把|的|了|吗|呢|是|吧|在|"
    "について|でした|ました|ですか|ますか|は|を|が|の|に"
)

_UNIT = re.compile(r"\b(?:how many|what|which|of) ([a-z]{3,})\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:how (?:long|often|late|early|soon)|when|what time|lifetime|interval|timeout)\b", re.IGNORECASE
)
_WHICH = re.compile(
    r"\b(?:which|what|whose|how many|how much|name of (?:the|our|that))"
    r"((?: (?!(?:did|do|does|was|were|is|are|has|have|had|we|you|i|to|should|would|can|could|for|of|on|in|at|the|that|"
    r"it|our|used|won)\b)[\w-]+){1,3})",
    re.IGNORECASE,
)
TIMES = ("second", "minute", "hour", "day", "week", "month", "year", " ms", " s ", "utc", "night")

_asked, _named = cues.told("asked"), cues.told("named")
_visible, _present, _at_hand = map(cues.told, ("visible", "present", "at_hand"))
_today, _declined = cues.told("today"), cues.told("declined")
_ordered, _corrected = cues.told("ordered"), cues.told("corrected")
_general, _ABOUT, _own = cues.told("general"), cues.compiled("about"), cues.told("own")
_WANTS_STATE, _WANTS_FAILED = cues.compiled("wants_state"), cues.compiled("wants_failed")
_ASKS_FIGURE, _ASKS_PERSON = cues.compiled("asks_figure"), cues.compiled("asks_person")
_ASKS_NAME, _ASKS_OWN_WORDS = cues.compiled("asks_name"), cues.compiled("asks_own_words")
_resumed = cues.told("resumed")
_FOREIGN = [cues.compiled(table, cues.UNSPACED) for table in ("asked", "named")]


@dataclass(frozen=True, slots=True)
class Word:
    """Something that a message names: as the index looks for it, and how much it says by its form."""

    clause: Clause
    rank: Rank
    rarity: float = 1.0  # how much it tells in this archive (0-1): what stands everywhere tells little

    @property
    def source(self) -> str:
        """The word as it stands in the message, normalised."""
        return self.clause.source


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message is about.

    kind: historical, where it asks for history or refers to it; implicit, where its matter may have one; none, where
    history is not wanted, and `reason` says why. wants: decision, reason, repair, failed (what did not help), state
    (what is left to do), output, or "". asks: figure (of one of the `units`), person, name, or "". resumes: it asks to
    go on with what an earlier session worked on. pairs: numbers of telling words that stand side by side. question:
    it ends with a question mark. own: it asks for a person's words. head: what the noun behind a "which" begins with.
    """

    kind: Kind
    reason: str
    words: tuple[Word, ...] = ()
    wants: str = ""
    resumes: bool = False
    pairs: tuple[tuple[int, int], ...] = ()
    question: bool = False
    asks: str = ""
    units: tuple[str, ...] = ()
    head: str = ""
    own: bool = False

    @property
    def telling(self) -> tuple[Word, ...]:
        """The words that say something by themselves."""
        return tuple(word for word in self.words if word.rank != "common")

    @property
    def names(self) -> tuple[Word, ...]:
        """The words that mean one thing."""
        return tuple(word for word in self.words if word.rank == "name")

    @property
    def query(self) -> str:
        """What is looked for."""
        return " ".join(word.source for word in self.words)


def intent_of(message: str) -> Intent:
    """Return what a message is about. Any string will do."""
    if len(message) > PASTE:
        return Intent("none", "too-long")
    if is_own_text(message.lstrip()) or _COMMAND.match(message):
        return Intent("none", "not-prose")
    text = prose(message)
    words = _words(text)
    resumes = _resumed(text) and not any(word.rank == "name" for word in words)
    kind, reason = _kind(text, lambda: words)
    if kind != "none" and not (resumes or _says(kind, words)):
        return Intent("none", "no-words")
    question, pairs = text.endswith(("?", "\uff1f")), _pairs(text, words)
    if kind != "historical":
        return Intent(kind, reason, words, "", resumes, pairs, question)
    own = bool(_ASKS_OWN_WORDS.search(text))
    asks, units = _asks(text)
    return Intent(kind, reason, words, _wants(text), resumes, pairs, question, asks, units, _head(text), own)


def prose(message: str) -> str:
    """Return what a person wrote in a message: without code blocks, quotations and what a host put around it."""
    text = message[:PASTE]
    if "</" in text:
        text = _BLOCK.sub(" ", text)
    if "```" in text or _is_set_off(text):
        text = _FENCED.sub(" ", text)
    return text.strip()[:READ_MOST]


def _is_set_off(text: str) -> bool:
    """Tell whether a line begins as code or a quotation does: to look for that costs less than the pattern."""
    return any(text.startswith(begin) or f"\n{begin}" in text for begin in _SET_OFF)


def _pairs(text: str, words: Sequence[Word]) -> tuple[tuple[int, int], ...]:
    """Return the telling words that stand side by side: together they name one thing."""
    lower = text.lower()
    telling = [(at, word.source.lower()) for at, word in enumerate(words) if word.rank == "telling"]
    return tuple(
        (first[0], second[0])
        for first, second in pairwise(telling)
        if f"{first[1]} {second[1]}" in lower or f"{first[1]}-{second[1]}" in lower
    )


def asks_of_history(message: str) -> bool:
    """Tell whether a message asks for history, or wants none of it: `intent_of` says more of it, and takes longer."""
    if len(message) > PASTE or is_own_text(message.lstrip()) or _COMMAND.match(message):
        return False
    text = prose(message)
    kind, reason = _kind(text, lambda: _words(text))
    if kind != "historical":
        return reason == "declined"
    words = _words(text)
    named = any(word.rank == "name" for word in words)
    return _says(kind, words) or (_resumed(text) and not named)


def _says(kind: Kind, words: Sequence[Word]) -> bool:
    """Tell whether words say something: one by itself, or several together."""
    several = len(words) >= (SEVERAL if kind == "implicit" else SEVERAL - 1)
    return several or any(word.rank != "common" for word in words)


def _kind(text: str, words: Callable[[], tuple[Word, ...]]) -> tuple[Kind, str]:
    """Return the kind of a message and the code of the rule that said so, the weightiest first."""
    if _declined(text):
        return "none", "declined"
    asked = _asked(text)
    named = not asked and _named(text)
    if (asked or named) and _visible(text):
        return "none", "already-visible"
    if asked and _today(text):
        return "none", "current-state"
    if asked:
        return "historical", "asked"
    if _corrected(text):
        return "none", "correction"
    if named:
        return ("none", "current-state") if _present(text) else ("historical", "named")
    for has, reason in (
        (_visible, "already-visible"),
        (_ordered, "current-state"),
        (_present, "current-state"),
        (_at_hand, "current-state"),
    ):
        if has(text):
            return "none", reason
    if _is_general(text, words):
        return "none", "general-knowledge"
    return "implicit", "matter"


def _is_general(text: str, words: Callable[[], tuple[Word, ...]]) -> bool:
    if _own(text):
        return False
    if _general(text):
        return True
    if not (about := _ABOUT.search(text)):
        return False
    own = any(
        _IDENTIFIER.fullmatch(word.source) and not ERROR_CODE.fullmatch(word.source) for word in words()
    )
    return not own and not _DEFINITE.search(text, about.end())


def _head(text: str) -> str:
    """Return what the forms of the noun begin with of which a message asks which one; "" without one."""
    match = _WHICH.search(text)
    if match is None:
        return ""
    noun = match[1].split()[-1].lower()
    return noun[: max(4, len(noun) - 2)] if len(noun) > 3 else noun


def _asks(text: str) -> tuple[str, tuple[str, ...]]:
    """Return what a question's answer must hold, and the units of a figure, each as its forms begin."""
    if _ASKS_FIGURE.search(text):
        units = [match[1].lower() for match in _UNIT.finditer(text)]
        return "figure", (
            *(unit[: max(3, len(unit) - 1)] for unit in units),
            *(TIMES if _TIME.search(text) else ()),
        )
    if _ASKS_PERSON.search(text):
        return "person", ()
    return ("name" if _ASKS_NAME.search(text) else ""), ()


def _wants(text: str) -> str:
    for wanted, pattern in (
        ("state", _WANTS_STATE),
        ("failed", _WANTS_FAILED),
        ("reason", cues.WANTS_REASON),
        ("repair", cues.WANTS_REPAIR),
        ("decision", cues.WANTS_DECISION),
        ("output", cues.WANTS_OUTPUT),
    ):
        if pattern.search(text):
            return wanted
    return ""


def _words(text: str) -> tuple[Word, ...]:
    """Return what a text names, at most so many: names first, then what says most."""
    plan = plan_query(_without_foreign_cues(text))
    named = {anchor.text.casefold() for anchor in anchors(text) if anchor.kind in NAMING}
    found = [Word(clause, rank) for clause in plan.clauses if (rank := _rank(clause, named)) is not None]
    forms = _repeated(found)
    if forms:  # planned anew, so that the word that stays has all forms
        kept_ranks: dict[str, Rank] = {
            word.source: word.rank for at, word in enumerate(found) if at not in forms
        }
        plan = plan_query(" ".join(kept_ranks))
        found = [
            Word(clause, kept_ranks[clause.source]) for clause in plan.clauses if clause.source in kept_ranks
        ]
    order = {"name": 0, "telling": 1, "common": 2}
    kept = sorted(range(len(found)), key=lambda at: (order[found[at].rank], at))[:WORDS_MOST]
    return tuple(found[at] for at in sorted(kept))


def _repeated(words: Sequence[Word]) -> set[int]:
    """Return which words are other forms of one that comes before them."""
    found, known = set[int](), set[str]()
    for at, word in enumerate(words):
        source = word.source.lower()
        if source in known:
            found.add(at)
        if word.clause.kind == "word":
            known.update(inflections(source))
    return found


def _without_foreign_cues(text: str) -> str:
    """Blank the cues of languages that put no space between words, so that a run is what is talked of."""
    if text.isascii():
        return text
    for pattern in _FOREIGN:
        text = pattern.sub(" ", text)
    return _CJK_PARTICLES.sub(" ", text)


def _rank(clause: Clause, named: set[str]) -> Rank | None:
    """Return how much a clause says; None for one that says nothing. `named`: what means one thing by its form."""
    source = clause.source
    if clause.kind == "gram":
        return "telling"
    if clause.kind == "name":
        if source.lower() in USUAL_NAMES:
            return "common"
        if source.lower() in BRANDS:
            return "telling"
        plain = source.replace("-", "").replace("'", "").replace("\u2019", "")
        return "telling" if plain.isalpha() and (plain.islower() or plain.istitle()) else "name"
    word = source.lower()
    if word in named:
        return "name"
    if word in STOPWORDS or len(word) < SHORTEST:
        return None
    if word.isdigit():
        return "common"
    forms = {form.term for form in clause.forms}
    if forms & TALK:
        return None
    return "common" if forms & COMMON else "telling"
