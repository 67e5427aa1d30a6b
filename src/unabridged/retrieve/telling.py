"""Which sentences of a message are a question, a request, a correction, a decision, a failed attempt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unabridged.retrieve.cues import Cue, Cues, cues_of, folded, leads
from unabridged.retrieve.sentences import Sentence, is_question, sentences, with_list

LOOKED = 4_096  # characters at each end of a message that are read: what lies between is pasted, mostly
STATED = ("decision", "failure")  # what is stated: no question tells it
LISTED = ("decision", "failure", "request", "correction")  # what a list may belong to


@dataclass(frozen=True, slots=True)
class Told:
    """Characters `start` to `end` of a text that tell a relation; `cue`: by which words; `sure`: beyond doubt."""

    start: int
    end: int
    cue: str
    sure: bool


def told(text: str, relation: str, own: tuple[str, ...] = ()) -> list[Told]:
    """Return the sentences of a text that tell a relation, in order; `own`: the user's own cues."""
    found = list[Told]()
    for begin, part in _parts(text):
        found += [
            Told(begin + item.start, begin + item.end, item.cue, item.sure)
            for item in _of(part, relation, own)
        ]
    return found


def _parts(text: str) -> Iterator[tuple[int, str]]:
    if len(text) <= 2 * LOOKED:
        yield 0, text
        return
    yield 0, text[:LOOKED]
    yield len(text) - LOOKED, text[-LOOKED:]


def _of(text: str, relation: str, own: tuple[str, ...]) -> list[Told]:
    low, known = folded(text), cues_of(relation, own)
    if relation != "question" and known.any.search(low) is None:
        return []
    parts = sentences(text)
    best = dict[int, tuple[bool, str]]()
    for at, sure, words in (*_beginning(low, parts, known), *_holding(low, parts, known.holds)):
        if at not in best or sure > best[at][0]:
            best[at] = (sure, words)
    for at in list(best):
        sentence = parts[at]
        refused = known.unless is not None and known.unless.search(low, sentence.start, sentence.end)
        if refused or (relation in STATED and is_question(text, sentence)):
            del best[at]
    if relation == "question":
        _by_mark(text, low, parts, best)
    found = list[Told]()
    for at, (sure, words) in sorted(best.items()):
        end = with_list(text, parts, at) if relation in LISTED else parts[at].end
        if found and parts[at].start < found[-1].end:
            continue  # an item of the list before it
        found.append(Told(parts[at].start, end, words, sure))
    return found


def _by_mark(text: str, low: str, parts: Sequence[Sentence], best: dict[int, tuple[bool, str]]) -> None:
    """Take sentences with a question mark for questions; `can you …?` is one in its form only."""
    if "?" not in text and "\uff1f" not in text and "\u061f" not in text:
        return
    asking = {at for at, sure, _ in _beginning(low, parts, cues_of("request")) if sure}
    for at, sentence in enumerate(parts):
        if is_question(text, sentence):
            best[at] = (at not in asking, "?")


def _beginning(low: str, parts: Sequence[Sentence], known: Cues) -> Iterator[tuple[int, bool, str]]:
    """Yield which sentences begin with a cue, whether it is sure, and the words as they stand."""
    if known.sure is None and known.maybe is None:
        return
    for at, sentence in enumerate(parts):
        lead = leads().match(low, sentence.start, sentence.end)
        for start in dict.fromkeys((sentence.start, lead.end() if lead is not None else sentence.start)):
            for pattern, sure in ((known.sure, True), (known.maybe, False)):
                match = pattern.match(low, start, sentence.end) if pattern is not None else None
                if match is not None:
                    yield at, sure, match[0]
                    break


def _holding(low: str, parts: Sequence[Sentence], cues: Sequence[Cue]) -> Iterator[tuple[int, bool, str]]:
    """Yield which sentences hold a cue. Only those are read that have one of its signs: a text has few of them."""
    starts = [sentence.start for sentence in parts]
    held = dict[str, tuple[int, ...]]()  # sign → the sentences that have it
    for cue in cues:
        for sign in cue.signs:
            if sign not in held:
                held[sign] = tuple(_having(low, starts, sign))
        for at in sorted({at for sign in cue.signs for at in held[sign]}):
            match = cue.pattern.search(low, parts[at].start, parts[at].end)
            if match is not None:
                yield at, cue.sure, match[0]


def _having(low: str, starts: Sequence[int], sign: str) -> Iterator[int]:
    last, place = -1, low.find(sign)
    while place >= 0:
        at = bisect_right(starts, place) - 1
        if at > last:
            yield at
            last = at
        place = low.find(sign, place + 1)
