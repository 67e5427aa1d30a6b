"""From a text to the terms that the index keeps of it."""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from unabridged.index.analysis.letters import (
    GRAM_RUN,
    NOTABLE,
    PICTURE,
    WORD,
    WORDS,
    normal,
    sound,
    unescaped,
)
from unabridged.index.analysis.names import chunks, foreign, hidden, names, short, signed


class Prepared(NamedTuple):
    """A text ready to be cut: normalised, as UTF-8, without the runs of gram scripts, which stand apart."""

    data: bytes
    runs: list[str]
    foreign: bool  # it holds words or pictures beyond ASCII


_ASCII = bytes(range(128))


def prepare(text: str) -> Prepared:
    """Return a text ready to be cut. Any string will do."""
    text = unescaped(text)
    if text.isascii():
        return Prepared(text.encode(), [], False)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = sound(text).encode()
    # What matters is a small part of most texts: patterns look at that part only.
    if not NOTABLE.search(data.translate(None, _ASCII).decode()):
        return Prepared(data, [], False)
    text = normal(data.decode())
    runs = GRAM_RUN.findall(text)
    if runs:
        text = GRAM_RUN.sub(" ", text)
    data = text.encode()
    return Prepared(data, runs, NOTABLE.search(data.translate(None, _ASCII).decode()) is not None)


def folded(text: str) -> str:
    """Return the whole text normalised and case-folded, with its punctuation."""
    text = unescaped(text)
    return text.lower() if text.isascii() else normal(sound(text)).casefold()


def words(prepared: Prepared) -> str:
    """Return the plain words in order, in lower case, separated by spaces."""
    if not prepared.foreign:
        return prepared.data.translate(WORDS).decode("ascii")
    text = prepared.data.decode()
    return " ".join(foreign_words(text))


def foreign_words(text: str) -> list[str]:
    """Return the words and pictures of a prepared text that is not ASCII."""
    found = WORD.findall(text.casefold())
    return [word if word.isascii() else short(word) for word in found] + PICTURE.findall(text)


def pairs(run: str) -> list[str]:
    """Return all pairs of neighbours in a run of a gram script."""
    return list(map(add, run, run[1:]))


def analyse(text: str) -> str:
    """Return the terms of a text, separated by spaces. Any string will do; equal texts give equal bags of terms.

    First the plain words in text order with repeats, then, once each, names and the words that hide in them, then all
    pairs of neighbours of the scripts that are written without spaces, with repeats, and their single characters.
    """
    prepared = prepare(text)
    terms = [words(prepared)]
    found = chunks(prepared.data, prepared.foreign)
    if prepared.foreign and (strange := [chunk for chunk in found if not chunk.isascii()]):
        found = [chunk for chunk in found if chunk.isascii()]
        terms += foreign(strange)
    more = [*names(found), *hidden(found), *signed(prepared.data)]
    if more:
        terms.append(b" ".join(more).decode("ascii"))
    if prepared.runs:
        terms += [" ".join(pairs(run)) for run in prepared.runs]
        terms.append(" ".join(set("".join(prepared.runs))))
    return " ".join(terms)
