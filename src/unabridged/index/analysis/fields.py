"""From a text to the terms that the lexical index keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add

from unabridged.index.analysis.letters import (
    GRAM_RUN,
    NOTABLE,
    PICTURE,
    WORD,
    WORDS,
    normal,
    sound,
)
from unabridged.index.analysis.names import chunks, foreign, hidden, names


@dataclass(frozen=True, slots=True)
class Fields:
    """The terms of one text, separated by spaces.

    `terms` are plain words in text order with repeats, then names and hidden words once each. `grams` are all single
    characters and all pairs of neighbours of the scripts that are written without spaces.
    """

    terms: str
    grams: str


def analyse(text: str) -> Fields:
    """Return the terms of a text. Any string will do; equal texts give equal sets of terms."""
    if text.isascii():
        data = text.encode()
        return Fields(_terms(data, False, data.translate(WORDS).decode("ascii")), "")
    text, grams = prepare(text)
    data = text.encode()
    if not NOTABLE.search(text):
        return Fields(_terms(data, False, data.translate(WORDS).decode("ascii")), grams)
    found = WORD.findall(text.casefold())
    found.extend(PICTURE.findall(text))
    found.append("")
    return Fields(_terms(data, True, " ".join(found)), grams)


def _terms(data: bytes, is_foreign: bool, words: str) -> str:
    found = chunks(data, is_foreign)
    if not found:
        return words
    if is_foreign:
        strange = [chunk for chunk in found if not chunk.isascii()]
        if strange:
            found = [chunk for chunk in found if chunk.isascii()]
            words += " ".join(foreign(strange)) + " "
    return words + b" ".join([b"", *names(found), *hidden(found)]).decode("ascii")


def prepare(text: str) -> tuple[str, str]:
    """Return a text that is not ASCII normalised and without its gram scripts, and the grams of those."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = sound(text)
    if not NOTABLE.search(text):
        return text, ""
    text = normal(text)
    runs = GRAM_RUN.findall(text)
    if not runs:
        return text, ""
    grams = [" ".join(run) for run in runs]
    grams.extend(" ".join(map(add, run, run[1:])) for run in runs)
    return GRAM_RUN.sub(" ", text), " ".join(grams)
