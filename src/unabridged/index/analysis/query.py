"""From any text to a plan of what to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from unabridged.index.analysis.fields import Prepared, foreign_words, pairs, pictures, prepare
from unabridged.index.analysis.inflections import inflections
from unabridged.index.analysis.letters import WORDS
from unabridged.index.analysis.names import (
    capitals,
    chunks,
    foreign_names,
    hidden,
    names,
    signed,
    special,
    without_diacritics,
)
from unabridged.index.analysis.phrase import phrase_of
from unabridged.index.analysis.plan import Clause, Form, Plan
from unabridged.index.analysis.stopwords import STOPWORDS

QUERY_MOST = 100_000  # characters; what follows in a longer query is left out, and the plan says so
CLAUSES_MOST = 256  # of one plan; names stay, then what comes first
INFLECTED_MOST = 64  # chunks; the words of a longer query are taken as they stand
PHRASES_MOST = 16  # of one plan

INFLECTED = 0.7  # weight of another form of a word beside the word itself
NAME = 1.3  # a name matched whole, beside a word that is as rare
INNER_NAME = 0.7  # a name inside a name: a path's file, a chain's member
PART = 0.4  # a word inside a name
CASED = 0.25  # the exact case of a word in capitals, beside the word
SINGLE = 0.4  # a word of one letter or digit
STOPWORD = 0.15  # a word that carries grammar rather than matter

_QUOTED = re.compile('"([^"]+)"|\\u201c([^\\u201c\\u201d]+)\\u201d')


def plan_query(text: str) -> Plan:
    """Return the plan for a text as people and agents write it. No character is an operator, but quotes mean a phrase.

    Any string will do; a query without a word, name or picture has an empty plan.
    """
    omitted = max(0, len(text) - QUERY_MOST)
    text = text[:QUERY_MOST]
    prepared = prepare(text)
    found = list(dict.fromkeys(chunks(prepared.data, prepared.foreign)))
    kept = _telling(found)
    omitted += len(found) - len(kept)
    clauses = _merged(_clauses(prepared, kept, inflect=len(found) <= INFLECTED_MOST))
    omitted += max(0, len(clauses) - CLAUSES_MOST)
    quoted = [found[1] or found[2] for found in _QUOTED.finditer(text)][:PHRASES_MOST]
    phrases = [phrase for part in dict.fromkeys(quoted) if (phrase := phrase_of(part))]
    strict = bool(phrases) and not any(clauses_of(_QUOTED.sub(" ", text)))
    return Plan(tuple(clauses[:CLAUSES_MOST]), tuple(phrases), strict, None, omitted)


def clauses_of(text: str) -> Iterator[Clause]:
    """Yield a clause for each chunk and each run of a text; an equal one may come again."""
    prepared = prepare(text)
    return _clauses(prepared, list(dict.fromkeys(chunks(prepared.data, prepared.foreign))))


def _telling(found: Sequence[bytes]) -> Sequence[bytes]:
    """Return the chunks that a plan has room for: of a long paste names first, then words, grammar not at all."""
    if len(found) <= CLAUSES_MOST:
        return found
    named = set(special(found))
    names_first = [chunk for chunk in found if chunk in named]
    names_first += [
        chunk for chunk in found if chunk not in named and chunk.lower().decode() not in STOPWORDS
    ]
    picked = set(names_first[:CLAUSES_MOST])
    return [chunk for chunk in found if chunk in picked]


def _clauses(prepared: Prepared, found: Sequence[bytes], inflect: bool = True) -> Iterator[Clause]:
    for chunk in found:
        yield from _chunk(chunk, inflect)
    for picture in dict.fromkeys(pictures(prepared)):
        yield Clause("word", picture, (Form(picture, 1.0),))
    for name in signed(prepared.data):
        yield Clause("name", name.decode(), (Form(name.decode(), 1.0),), NAME)
    for run in dict.fromkeys(prepared.runs):
        forms = tuple(Form(pair, 1.0) for pair in dict.fromkeys(pairs(run) or [run]))
        # A word has about two characters; pairs overlap, so the pairs of a run count as much as its words would.
        yield Clause("gram", run, forms, NAME * (len(run) / 2 / (len(run) - 1) if len(run) > 1 else 1.0))


def _chunk(chunk: bytes, inflect: bool) -> Iterator[Clause]:
    source, plain = chunk.decode(), _words(chunk)
    if chunk.isascii():
        named = [name.decode() for name in dict.fromkeys(names(chunk))]
        cased = [name.decode() for name in dict.fromkeys(capitals(chunk))]
        parts = [word for run in hidden(chunk) for word in run.decode().split()]
    else:
        named, cased, parts = foreign_names(chunk), list[str](), without_diacritics(chunk)
    if not named and not parts:
        for word in plain:
            yield _code(word, cased) if _is_code(word) else _word(word, cased, inflect)
        return
    if not named:
        named, plain = plain[:1], plain[1:]
    forms = [_form(named[0], 1.0)]
    forms += [_form(name, INNER_NAME) for name in named[1:]]
    forms += [_form(name, CASED) for name in cased]
    forms += [_form(word, PART) for word in dict.fromkeys([*plain, *parts]) if word not in named]
    yield Clause("name", source, tuple(forms), NAME)


def _is_code(word: str) -> bool:
    """Whether a word is a name by its digits: an error code, a hash, a version, a part number."""
    return len(word) > 2 and not (word.isalpha() or word.isdigit())


def _code(word: str, cased: Sequence[str]) -> Clause:
    forms = [_form(word, 1.0), *(_form(name, CASED) for name in cased if name.lower() == word)]
    return Clause("name", word, tuple(forms), NAME)


def _word(word: str, cased: Sequence[str], inflect: bool) -> Clause:
    if word in STOPWORDS:
        return Clause("word", word, (_form(word, 1.0),), STOPWORD)
    forms = [_form(word, 1.0)]
    forms += [_form(name, CASED) for name in cased if name.lower() == word]
    if inflect:
        forms += [_form(form, INFLECTED) for form in inflections(word)]
    return Clause("word", word, tuple(forms), SINGLE if len(word) == 1 and word.isascii() else 1.0)


def _form(text: str, weight: float) -> Form:
    return Form(text, weight)


def _words(chunk: bytes) -> list[str]:
    if chunk.isascii():
        return chunk.translate(WORDS).decode().split()
    return foreign_words(chunk.decode())


def _merged(clauses: Iterator[Clause]) -> list[Clause]:
    """Return the clauses with each term once: where it counts most, the first of equals."""
    found = list(dict.fromkeys(clauses))
    best = dict[str, tuple[float, int]]()
    for at, clause in enumerate(found):
        for form in clause.forms:
            weight = (clause.weight * form.weight, -at)
            if weight > best.get(form.term, (0.0, 0)):
                best[form.term] = weight
    merged = list[Clause]()
    for at, clause in enumerate(found):
        forms = tuple({form.term: form for form in clause.forms if best[form.term][1] == -at}.values())
        if forms:
            merged.append(clause if len(forms) == len(clause.forms) else replace(clause, forms=forms))
    return merged
