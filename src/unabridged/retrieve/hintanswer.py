"""Which sentences of a conversation answer a message that asks for history.

A sentence counts by the message's words: most where it holds them itself, less where they stand beside it, in what it
answers, or elsewhere in the conversation; and by what it is. An answer has what the question asks for (a figure, a
reason, what helped); it is seldom a question, an offer of several ways, or the account of a problem. What was said
later is what holds.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from unabridged.retrieve import hintcues as cues
from unabridged.retrieve.hintintent import Intent, asks_of_history
from unabridged.retrieve.hintmatch import KIN, Needles, weight_of
from unabridged.retrieve.hinttext import Span, split

# What a word counts that does not stand in the sentence itself: in the one beside it, in the same message, in the
# message that it answers, in the same conversation.
NEXT, SAME, ANSWERED, ELSEWHERE = 0.8, 0.7, 0.7, 0.4
LOOSE = 0.5  # of what such a word lacks, that is made good where it is asked what helped, or did not
CUED = 0.3  # what being of the sort that was asked for counts beside a full share of the words
REMEDY = 0.4  # the same, of what put something right: it is seldom told in the words of the problem
HALF = 0.5  # of that, where nothing of a sort was asked for, or where the sentence beside it is
HEAD = 0.25  # what it counts that a sentence has the noun of which the question asks "which"
FIGURE, NUMERAL, UNIT, NO_FIGURE = (
    0.3,
    0.15,
    0.15,
    -0.2,
)  # a figure, a number in words, with a unit of the question
PERSON, CODE = 0.35, 0.35  # somebody's or something's name; one as it is written in code
FAILED = -0.4  # what did not help, where what helped or the reason is asked for
ASKED, OFFERED, TOLD = -0.5, -0.3, -0.4  # a question; one of several ways; how a person tells a problem
REMARK = -0.15  # what a person remarks, where an explanation is asked for
CHOSEN, CHANGED = 0.15, 0.25  # a person's short word behind an offer; one that changes what was offered
OWN = 0.6  # a person's sentence, where a person's words are asked for
DETAIL = 0.05  # a name or a figure in it
LATER = 0.04  # what each turn further on counts
LONG, LONG_CHARS, LONG_TEXT = -0.1, 320, 1_500  # a long sentence or one of a long text
LISTED = -0.1  # a row of a table, a heading
GENERATED, TEMPLATE = (
    -0.5,
    4,
)  # a line that a machine wrote; how many sentences begin alike, so that they are filled in
SETTLING = ("decision", "")  # what is wanted where a person's word may be the answer
SHORT = 200  # characters of a person's message that decides something
AS_GOOD = 0.1  # by which a sentence that answers as well is behind the best one at most
CLOSE = 0.25  # by which a further sentence is behind the best one at most, to be quoted, too
SENTENCES_MOST = 4  # that are quoted
SCORED_MOST = 36  # that are looked at closely: those with most of the words
USUAL = 4  # times that a word stands in a conversation about it
OPENING_WORDS = 3  # by which sentences are compared
OPENING = 400  # characters of a message that show whether it is an answer
NEW = 2  # long words of its own that an answer has at least

_settled, _failed, _repaired = (
    cues.quick("settled", "stands"),
    cues.quick("failed"),
    cues.quick("repaired", "changed"),
)
_stands = cues.quick("stands")
_helped, _offers, _directs = cues.quick("repaired"), cues.quick("offered"), cues.quick("directed")
_AGREED, _CORRECTED = cues.compiled("agreed"), cues.compiled("corrected")


def _never(text: str) -> bool:
    return not text


_CUES: dict[str, Callable[[str], bool]] = {
    "output": _never,
    "state": cues.quick("left"),
    "repair": _repaired,
    "reason": cues.quick("reasoned"),
    "failed": _failed,
}
_DIGIT = re.compile(r"\d")
_NUMERAL = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"ninety|hundred|thousand|half|quarter|once|twice|daily|hourly|nightly|weekly|monthly|never|"
    r"always|whenever|as soon as|until)\b",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:but|except|only|rather|instead|however)\b|^\W*(?:make|change|set) (?:it|that|them)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:'] )[A-Z][a-z]+\b")
_CODE = re.compile(r"`|(?:^|\s)[#@/]\w|\w[_./:]\w|[a-z][A-Z]|\b(?:called|named)\b")
_DETAIL = re.compile(r"`|\d|\w[_./:]\w|[a-z][A-Z]")
_QUESTION = re.compile(
    r"\W*(?:(?:so|and|but|ok|hm)\W+)*(?:how|what|why|when|where|which|who|can|could|should|shall|is|are|do|does|did)\b",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"\s*(?:\[|\{|[+-]\s{2,}\S|diff --git|@@|[\d:.,TZ-]{8,}\s|\d+\.\s*$|at \w+[.(]|File \"|(?:\w+[=:]\S+\s+){3})"
)
_LISTED = re.compile(r"^\s*(?:\||#|\*\*[^*]+\*\*\s*$)")
_POINTS_BACK = re.compile(
    r"^\W*(?:\w+ ){0,4}(?:it|its|they|them|both|that|this|these|those|neither|either)\b", re.IGNORECASE
)
_LONG_WORD = re.compile(r"\w{4,}|\d+|[^\x00-\x7f]{2}")

Key = tuple[int, int]  # piece, sentence


@dataclass(frozen=True, slots=True)
class Piece:
    """What one speaker said. person: not an agent or a tool. turn: the number of the turn that it is in."""

    speaker: str
    text: str
    person: bool = False
    turn: int = 0


@dataclass(slots=True)
class Answer:
    """The sentences to quote (`chosen`), the best first, and those that answer as well.

    score, share: of the best one; share is of the message's words. fits: it has what the question asks for. cued: one
    of the best is of the sort that was asked for. changes: what is quoted says that something is so from then on. text:
    what is quoted. empty: nobody answered anything. spans: the sentences of each piece.
    """

    chosen: list[Key] = field(default_factory=list[Key])
    as_good: list[Key] = field(default_factory=list[Key])
    score: float = 0.0
    share: float = 0.0
    fits: bool = False
    cued: bool = False
    changes: bool = False
    text: str = ""
    empty: bool = False
    spans: list[list[Span]] = field(default_factory=list[list[Span]])


@dataclass(slots=True)
class Scored:
    """A sentence with what it counts."""

    key: Key
    share: float
    score: float
    fits: bool
    cued: bool


def answer(intent: Intent, needles: Needles, pieces: Sequence[Piece]) -> Answer:
    """Return which sentences of a conversation answer a message."""
    talk = _Talk(intent, needles, pieces)
    scored = talk.scored()
    if not scored:
        return Answer(empty=True)
    best = max(scored, key=lambda item: (item.score, item.key))
    return Answer(
        chosen := _order(talk.spans, scored, best),
        [item.key for item in scored if item.score >= best.score - AS_GOOD],
        best.score,
        best.share,
        best.fits,
        any(item.cued and item.score >= best.score - CLOSE for item in scored),
        any(_stands(talk.spans[at][number].text) for at, number in chosen),
        " ".join(talk.spans[at][number].text for at, number in chosen),
        _is_empty(pieces),
        talk.spans,
    )


class _Talk:
    """A conversation with what is the same for all sentences of a piece."""

    def __init__(self, intent: Intent, needles: Needles, pieces: Sequence[Piece]) -> None:
        self.intent = intent
        self.pieces = pieces
        self.spans = [split(piece.text) for piece in pieces]
        self._held = [needles.find(piece.text) for piece in pieces]
        self._everywhere = {number for item in self._held for number in item.places}
        counts = [
            sum(len(item.places.get(number, ())) for item in self._held)
            for number in range(len(intent.words))
        ]
        self._weights = [
            weight_of(word) * _told_by(count) for word, count in zip(intent.words, counts, strict=True)
        ]
        self._openings = Counter(_opening(span.text) for spans in self.spans for span in spans)
        self._loose = LOOSE if intent.wants in ("repair", "failed") else 0.0
        self._cue = _CUES.get(intent.wants, _settled)

    def scored(self) -> list[Scored]:
        """Return the sentences that have most of the message's words, with what they count."""
        shares = [item for at in range(len(self.pieces)) for item in self._shares(at)]
        if len(shares) > SCORED_MOST:
            shares = sorted(shares, key=lambda item: (-item[0], item[1]))[:SCORED_MOST]
        whole = {at: self._of_piece(at) for at in {key[0] for _, key in shares}}
        return [self._score(key, share, *whole[key[0]]) for share, key in shares]

    def _counts(self, counts: float, at: int, number: int) -> float:
        """Return what a word counts that stands somewhere near, of its weight."""
        return (counts + (1.0 - counts) * self._loose) * (KIN if number in self._held[at].kin else 1.0)

    def _shares(self, at: int) -> list[tuple[float, Key]]:
        """Return the share of the message's words that each sentence of a piece has, those near it counting in part."""
        places, total = self._held[at].places, sum(self._weights) or 1.0
        asked = _asked(self.pieces, at)
        answered = self._held[asked].places if asked is not None else {}
        base = sum(
            self._weights[number]
            * self._counts(
                SAME if number in places else ANSWERED if number in answered else ELSEWHERE, at, number
            )
            for number in self._everywhere
        )
        spans, found = self.spans[at], list[tuple[float, Key]]()
        for number, span in enumerate(spans):
            low = spans[number - 1].start if number else span.start
            high = spans[number + 1].end if number + 1 < len(spans) else span.end
            got = base
            for word, starts in places.items():
                near = [start for start in starts if low <= start < high]
                if near:
                    counts = 1.0 if any(span.start <= start < span.end for start in near) else NEXT
                    got += self._weights[word] * (
                        self._counts(counts, at, word) - self._counts(SAME, at, word)
                    )
            found.append((got / total, (at, number)))
        return found

    def _of_piece(self, at: int) -> tuple[float, float]:
        """Return what counts for all sentences of a piece, and for those that have not the noun that is asked for."""
        intent, piece = self.intent, self.pieces[at]
        counts = LONG if len(piece.text) > LONG_TEXT else 0.0
        if piece.person:
            counts += _of_person(intent, self.pieces, at)
        elif intent.wants in SETTLING and _is_taken_back(self.pieces, at):
            counts += OFFERED
        elif _offers(piece.text) and not _is_taken_up(self.pieces, at):
            counts += OFFERED * HALF
        if intent.wants not in ("reason", "failed", "output"):
            counts += LATER * (piece.turn - self.pieces[0].turn)
        asked = _asked(self.pieces, at)
        heads = (
            intent.head
            and asked is not None
            and not piece.person
            and intent.head in self.pieces[asked].text.lower()
        )
        return counts, HEAD * HALF if heads else 0.0

    def _score(self, key: Key, share: float, whole: float, headed: float) -> Scored:
        """Return what a sentence counts."""
        (at, number), intent = key, self.intent
        piece, text = self.pieces[at], self.spans[at][number].text
        asks = text.endswith(("?", "\uff1f")) or bool(piece.person and _QUESTION.match(text))
        if asks:
            return Scored(key, share, share + whole + ASKED, False, False)
        score = share + whole
        cued = self._cue(text) or (piece.person and at > 0 and intent.wants == "decision" and _directs(text))
        score += self._cue_counts(key) if cued else self._beside(key)
        figure, fits = _figure(intent, text)
        score += figure
        if intent.head:
            score += HEAD if intent.head in text.lower() else headed
        if intent.wants in ("repair", "reason") and _failed(text):
            score, cued = score + FAILED, False
        if not piece.person:
            score += DETAIL if _DETAIL.search(text) else 0.0
            if (
                intent.wants not in ("reason", "failed")
                and _offers(text)
                and not _is_taken_up(self.pieces, at)
            ):
                score += OFFERED * HALF
        score += LONG if len(text) > LONG_CHARS and len(piece.text) <= LONG_TEXT else 0.0
        if _LISTED.match(text):
            score += LISTED
        if _MACHINE.match(text) or self._openings[_opening(text)] >= TEMPLATE:
            score += GENERATED
        return Scored(key, share, score, fits, cued)

    def _cue_counts(self, key: Key) -> float:
        """Return what being of the sort that was asked for counts."""
        wants, text = self.intent.wants, self.spans[key[0]][key[1]].text
        if wants == "failed" or (wants == "repair" and _helped(text)):
            return REMEDY
        return CUED * (HALF if wants in ("repair", "") or self.intent.asks else 1.0)

    def _beside(self, key: Key) -> float:
        """Return what it counts that the sentence before or behind one is of the sort that was asked for."""
        spans, number = self.spans[key[0]], key[1]
        beside = [spans[other].text for other in (number - 1, number + 1) if 0 <= other < len(spans)]
        return CUED * HALF if self.intent.wants and any(map(self._cue, beside)) else 0.0


def _told_by(count: int) -> float:
    """Return how much a word tells sentences of a conversation apart that stands in it so many times."""
    return 1.0 / (1.0 + math.log(max(USUAL, count) / USUAL))


def _opening(text: str) -> str:
    return " ".join(text.split(" ", OPENING_WORDS)[:OPENING_WORDS])


def says_change(text: str) -> bool:
    """Tell whether a text says that something is so from then on."""
    return _stands(text)


def is_machine_line(text: str) -> bool:
    """Tell whether a line of a text looks as if a machine wrote it."""
    return bool(_MACHINE.match(text))


def _asked(pieces: Sequence[Piece], at: int) -> int | None:
    """Return which piece one answers: the last of a person before an agent's, of an agent before a person's."""
    person = pieces[at].person
    return next((other for other in range(at - 1, -1, -1) if pieces[other].person != person), None)


def _is_taken_back(pieces: Sequence[Piece], at: int) -> bool:
    """Tell whether the next thing that a person says changes what an agent said."""
    following = next((piece for piece in pieces[at + 1 :] if piece.person), None)
    return following is not None and _changes(following.text)


def _changes(text: str) -> bool:
    return len(text) <= SHORT and bool(_CORRECTED.search(text) or _BUT.search(text))


def _is_taken_up(pieces: Sequence[Piece], at: int) -> bool:
    """Tell whether the next thing that a person says takes up what an agent proposed."""
    following = next((piece for piece in pieces[at + 1 :] if piece.person), None)
    if following is None or len(following.text) > SHORT or _BUT.search(following.text):
        return False
    return bool(_AGREED.search(following.text))


def _of_person(intent: Intent, pieces: Sequence[Piece], at: int) -> float:
    """Return what it counts that a person said something: who begins tells a problem, who answers decides."""
    if intent.own:
        return OWN if at else OWN * HALF
    if at and any(not piece.person for piece in pieces[:at]):
        text = pieces[at].text
        if intent.wants not in SETTLING:
            return REMARK
        if len(text) > SHORT or "?" in text:
            return 0.0
        says = _directs(text) or _DIGIT.search(text) or _NUMERAL.search(text)
        return CHANGED if says and _changes(text) else CHOSEN
    return TOLD


def _figure(intent: Intent, text: str) -> tuple[float, bool]:
    """Return what it counts that a sentence has what a question asks for by its form, and whether it has."""
    if intent.asks in ("person", "name"):
        if intent.asks == "name" and _CODE.search(text):
            return CODE, True
        has = bool(_NAME.search(text))
        return (PERSON if has else NO_FIGURE if intent.asks == "person" else 0.0), has
    if intent.asks != "figure":
        return 0.0, True
    counts = FIGURE if _DIGIT.search(text) else NUMERAL if _NUMERAL.search(text) else NO_FIGURE
    if counts > 0 and any(unit in text.lower() for unit in intent.units):
        counts += UNIT
    return counts, counts > 0


def _order(spans: Sequence[Sequence[Span]], scored: Sequence[Scored], best: Scored) -> list[Key]:
    """Return what to quote: the best sentence, what it points back to or what follows it, others as good as it."""
    at, number = best.key
    texts = spans[at]
    found = [best.key]
    if number and _POINTS_BACK.search(texts[number].text) and not texts[number - 1].text.endswith("?"):
        found.append((at, number - 1))
    others = sorted(scored, key=lambda item: (-item.score, item.key))
    found += [item.key for item in others if item.key not in found and item.score >= best.score - CLOSE]
    behind = (at, number + 1)
    if number + 1 < len(texts) and behind not in found and not texts[number + 1].text.endswith("?"):
        found.append(behind)
    return found[:SENTENCES_MOST]


def _is_empty(pieces: Sequence[Piece]) -> bool:
    """Tell whether nothing was answered: what agents said, or people who did not ask, has hardly a word of its own."""
    asked = " ".join(piece.text for piece in pieces if piece.person)
    lower, new = asked.lower(), set[str]()
    known: set[str] | None = None
    for piece in pieces:
        if piece.person:
            continue
        words = set(_LONG_WORD.findall(piece.text[:OPENING].lower()))
        new |= {word for word in words if word not in lower}  # few need more than a look
        if len(new) < NEW:
            known = set(_LONG_WORD.findall(lower)) if known is None else known
            new |= words - known
        if len(new) >= NEW:
            return False
    return asked.rstrip().endswith("?") or not _settled(asked) or asks_of_history(asked)
