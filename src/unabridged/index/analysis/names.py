"""Which names a text holds, beside its plain words.

The plain words of `src/foo_bar.py` are `src`, `foo`, `bar`, `py`. Its names are `src/foo_bar.py`, `foo_bar.py` and
`foo_bar`: they are what an exact search must hit. `getUserById` hides the words `get`, `user`, `by`, `id`.

A text is cut into chunks; every step then handles all of its chunks at once with byte operations, because this bounds
the speed of an import. A chunk gives the same names alone as among others, so a query finds the text it was cut from.
"""

from __future__ import annotations

import re

from unabridged.index.analysis.letters import (
    CASED_WORDS,
    CHUNKS,
    EDGES,
    FOREIGN_CHUNKS,
    IDENTIFIERS,
    SEGMENTS,
    WORD,
    without_marks,
)

LONG_NAME = 96  # bytes; a longer name is known by its first `LONG_PREFIX`: as a whole it is data, not a name
LONG_PREFIX = 64  # bytes
LONG_FOREIGN = 24  # characters of a word that is not ASCII; each may take four bytes
LONG_CAPITALS = 24  # bytes; the case of a longer word in capitals tells nothing
HASH_LEAST = 8  # hexadecimal digits; a hash this long is also found by its first `HASH_PREFIX`
HASH_PREFIX = 7  # digits that version control prints of a commit
WORD_BEFORE_NUMBER = 3  # letters; `python` of `python3` is a word, `e` of `e0599` is none

_DIGITS = b"0123456789"
_DASH = ord("-")
_CAMEL_PARTS = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall
_HASH = re.compile(rb"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]+").fullmatch
_SIGNED = re.compile(rb"(?<![A-Za-z0-9])[A-Za-z](?:\+\+|#)").findall
_FOREIGN_NAME = re.compile(r"[^\W_][\w./@-]*\w").findall


def chunks(data: bytes, foreign: bool) -> list[bytes]:
    """Return the distinct chunks of UTF-8 that may hold more than a plain word; `foreign` keeps multi-byte letters."""
    cut = data.translate(FOREIGN_CHUNKS if foreign else CHUNKS).replace(b". ", b"  ")
    return [
        chunk
        for chunk in set(cut.split())
        if not ((chunk.isalpha() and (chunk.islower() or chunk.istitle())) or chunk.isdigit())
    ]


def names(found: list[bytes]) -> set[bytes]:
    """Return the names in ASCII chunks, in lower case."""
    joined = b" ".join([chunk for chunk in found if not chunk.isalnum()]).lower()
    joined = (b" " + joined).replace(b" self.", b" ").replace(b" this.", b" ")
    compounds = [core for chunk in joined.split() if not (core := chunk.strip(EDGES)).isalnum()]
    result = set(compounds)
    if b"_" in joined:
        inner = b" ".join([core for core in compounds if b"_" in core]).translate(IDENTIFIERS).split()
        result.update([name for name in inner if b"_" in name])
    if b"/" in joined or b"@" in joined:
        inner = (
            b" ".join([core for core in compounds if b"/" in core or b"@" in core])
            .translate(SEGMENTS)
            .split()
        )
        result.update([core for name in inner if not (core := name.strip(EDGES)).isalnum()])
    result.update(
        [chunk for chunk in joined.split() if chunk[0] == _DASH and len(chunk) > 2 and chunk[-1] != _DASH]
    )
    result.discard(b"")
    if max(map(len, result), default=0) > LONG_NAME:
        result = {name if len(name) <= LONG_NAME else name[:LONG_PREFIX] for name in result}
    return result


def hidden(found: list[bytes]) -> list[bytes]:
    """Return what the words in ASCII chunks hide: capitals, parts of camel case, words before numbers, hash heads."""
    inner = b" ".join(found).translate(CASED_WORDS).split()
    odd = {
        word
        for word in inner
        if not (word.isalpha() and (word.islower() or word.istitle())) and not word.isdigit()
    }
    result = [word for word in odd if word.isupper() and 1 < len(word) <= LONG_CAPITALS]
    mixed = [word for word in odd if not (word.islower() or word.istitle() or word.isupper())]
    if mixed:
        result += b" ".join(_CAMEL_PARTS(b" ".join(mixed))).lower().split()
    ends = [stem for word in odd if (stem := word.rstrip(_DIGITS)) is not word]
    result += [stem.lower() for stem in ends if len(stem) >= WORD_BEFORE_NUMBER and stem.isalpha()]
    long = [word.lower() for word in odd if len(word) >= HASH_LEAST]
    result += [word[:HASH_PREFIX] for word in long if _HASH(word)]
    result += [word[:LONG_PREFIX] for word in long if len(word) > LONG_NAME]
    return result


def signed(data: bytes) -> list[bytes]:
    """Return names that end in signs, `c++` and `c#`, which the tables would cut."""
    if b"++" in data or b"C#" in data or b"c#" in data:
        return [name.lower() for name in set(_SIGNED(data))]
    return []


def foreign(found: list[bytes]) -> list[str]:
    """Return the names in chunks that are not ASCII, and their words without diacritics where that differs."""
    result = list[str]()
    for chunk in found:
        text = chunk.decode().casefold()
        for name in _FOREIGN_NAME(text):
            if not name.isalnum():
                result.append(short(name))
        for word in WORD.findall(text):
            if not word.isascii() and (plain := without_marks(word)) != word:
                result.append(short(plain))
    return result


def short(word: str) -> str:
    """Return a word that is not ASCII, or the beginning of one that is too long for a term."""
    return word if len(word) <= LONG_FOREIGN else word[:LONG_FOREIGN]
