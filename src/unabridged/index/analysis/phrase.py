"""Phrases: words that follow each other."""

from __future__ import annotations

from unabridged.index.analysis.fields import Terms, pairs, pictures, plain_words, prepare
from unabridged.index.analysis.letters import LONG_TERM
from unabridged.index.analysis.plan import Phrase

TOKENS_MOST = 64  # of one phrase; the rest of a longer one is not compared


def phrase_of(text: str) -> Phrase | None:
    """Return the phrase that a quoted text means; None when no word is in it.

    Punctuation and space between words do not matter. Where scripts with and without spaces meet, or a picture stands,
    the parts on either side count each for itself.
    """
    prepared = prepare(text)
    words = [word for word in plain_words(prepared).split() if len(word.encode()) < LONG_TERM]
    parts = [tuple(words), *(tuple(pairs(run) or [run]) for run in prepared.runs)]
    parts += [(picture,) for picture in pictures(prepared)]
    kept = tuple(part[:TOKENS_MOST] for part in parts if part)[:TOKENS_MOST]
    return Phrase(text, kept) if kept else None


def holds(phrase: Phrase, terms: Terms) -> bool:
    """Return whether a text with certain terms holds a phrase."""
    words = f" {' '.join(terms.words.split())} "
    return all(f" {' '.join(part)} " in words for part in phrase.parts)
