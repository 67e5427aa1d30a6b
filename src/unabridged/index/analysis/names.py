"""Which names a chunk of text holds, beside its plain words.

The plain words of `src/foo_bar.py` are `src`, `foo`, `bar`, `py`. Its names are `src/foo_bar.py`, `foo_bar.py` and
`foo_bar`: they are what an exact search must hit. `getUserById` hides the words `get`, `user`, `by`, `id`.

A chunk is a run of bytes as `letters.CHUNKS` cuts them. Texts and queries take chunks apart by the same functions, so a
query finds the text that it was cut from. They bound the speed of an import together with the engine: every branch is
there because it is cheaper than going on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

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
NAMES_MOST = 64  # of one chunk; a chunk with more is data

_DIGITS = b"0123456789"
_DASH = ord("-")
_SPAN = re.Match[bytes].span
_RECEIVERS = (b"self.", b"this.")
_CAMEL_PARTS = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall
_HASH = re.compile(rb"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]+").fullmatch
_SIGNS = re.compile(rb"\+\+|#").finditer  # begins with few bytes, unlike one that begins with any letter
_NAMELIKE = re.compile("[A-Z_./@+#-]").search
_FOREIGN_NAME = re.compile(r"[^\W_][\w./@-]*\w").findall


def chunks(data: bytes, foreign: bool) -> list[bytes]:
    """Return the chunks of UTF-8 in order; `foreign` keeps letters beyond ASCII."""
    return data.translate(FOREIGN_CHUNKS if foreign else CHUNKS).replace(b". ", b"  ").split()


def special(found: Iterable[bytes]) -> list[bytes]:
    """Return the distinct chunks that may hold more than a plain word."""
    return [chunk for chunk in set(found) if not is_plain(chunk)]


def is_plain(chunk: bytes) -> bool:
    """Return whether a chunk is one plain word or number and nothing more."""
    return (chunk.isalpha() and (chunk.islower() or chunk.istitle())) or chunk.isdigit()


def names(chunk: bytes) -> list[bytes]:
    """Return the names in an ASCII chunk, in lower case, the whole first."""
    found = list[bytes]()
    core = chunk.strip(EDGES)
    if core and not core.isalnum():
        core = core.lower()
        if core.startswith(_RECEIVERS):
            core = core[5:]
        if not core.isalnum():
            found.append(core)
            if not core.replace(b"_", b"").isalnum():
                _inner(core, found)
    if chunk[0] == _DASH and len(chunk) > 2 and chunk[-1] != _DASH:
        found.append(chunk.lower())
    return [name if len(name) <= LONG_NAME else name[:LONG_PREFIX] for name in found[:NAMES_MOST]]


def _inner(core: bytes, found: list[bytes]) -> None:
    """Add the segments of a path or an address, and the identifiers in a dotted or hyphenated name."""
    if b"/" in core or b"@" in core:
        segments = [name.strip(EDGES) for name in core.translate(SEGMENTS).split()]
        found += [name for name in segments if name and not name.isalnum() and b"_" not in name]
        found += [name for name in segments if b"_" in name and not name.replace(b"_", b"").isalnum()]
    if b"_" in core:
        found += [name for name in core.translate(IDENTIFIERS).split() if b"_" in name]


def capitals(chunk: bytes) -> list[bytes]:
    """Return the words in capitals in an ASCII chunk: names as they stand, so that their case can be asked for."""
    if chunk.islower():
        return []
    words = chunk.translate(CASED_WORDS).split()
    return [word for word in words if word.isupper() and 1 < len(word) <= LONG_CAPITALS][:NAMES_MOST]


def hidden(chunk: bytes) -> list[bytes]:
    """Return the runs of words that hide in an ASCII chunk's words.

    Such are the parts of camel case, the word before a number, the head of a hash, the beginning of a long word.
    """
    if chunk.islower() and len(chunk) < HASH_LEAST and len(chunk.translate(None, _DIGITS)) == len(chunk):
        return []
    found = list[bytes]()
    for word in chunk.translate(CASED_WORDS).split():
        if not (word.islower() or word.istitle() or word.isupper() or word.isdigit()):
            found.append(b" ".join(_CAMEL_PARTS(word)).lower())
        if len(word) >= HASH_LEAST:
            lower = word.lower()
            if _HASH(lower):
                found.append(lower[:HASH_PREFIX])
            if len(word) > LONG_NAME:
                found.append(lower[:LONG_PREFIX])
        if word[-1] < 0x3A:
            stem = word.rstrip(_DIGITS)
            if len(stem) >= WORD_BEFORE_NUMBER and stem.isalpha():
                found.append(stem.lower())
    return found[:NAMES_MOST]


def signed(data: bytes) -> list[bytes]:
    """Return names that end in signs, `c++` and `c#`, which the tables would cut."""
    if b"++" in data or b"C#" in data:
        return list(
            {data[at - 1 : end].lower() for at, end in map(_SPAN, _SIGNS(data)) if _is_letter(data, at - 1)}
        )
    return []


def _is_letter(data: bytes, at: int) -> bool:
    """Return whether one letter stands alone at `at`."""
    return at >= 0 and data[at : at + 1].isalpha() and not data[max(0, at - 1) : at].isalnum()


def foreign_names(chunk: bytes) -> list[str]:
    """Return the names in a chunk that is not ASCII."""
    found = _FOREIGN_NAME(chunk.decode().casefold())
    return [short(name) for name in found if is_name(name)][:NAMES_MOST]


def without_diacritics(chunk: bytes) -> list[str]:
    """Return the words of a chunk that is not ASCII without their diacritics, where that differs."""
    words = [word for word in WORD.findall(chunk.decode().casefold()) if not word.isascii()]
    plain = [(word, without_marks(word)) for word in words]
    return [short(other) for word, other in plain if other != word][:NAMES_MOST]


def is_name(term: str) -> bool:
    """Return whether a term is a name rather than a word: it has a joiner, a sign or a capital."""
    return _NAMELIKE(term) is not None


def short(word: str) -> str:
    """Return a word that is not ASCII, or the beginning of one that is too long for a term."""
    return word if len(word) <= LONG_FOREIGN else word[:LONG_FOREIGN]
