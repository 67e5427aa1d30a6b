"""From a text to the terms that the index keeps of it."""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from unabridged.index.analysis.letters import (
    FOREIGN_WORDS,
    GRAM_RUN,
    NOTABLE,
    PICTURE,
    WORD,
    WORDS,
    normal,
    sound,
    unescaped,
)
from unabridged.index.analysis.names import (
    capitals,
    chunks,
    foreign_names,
    hidden,
    is_plain,
    names,
    short,
    signed,
    without_diacritics,
)

GAP = " ~ "  # between words that do not follow each other in the text
REMEMBERED = 50_000  # chunks; about 12 MB


class Terms(NamedTuple):
    """The terms of one text, separated by spaces.

    `words` are the plain words in text order with repeats, then, behind gaps, the words that hide in each distinct
    chunk, pictures, all pairs of neighbours of each run of the scripts that are written without spaces, and their
    single characters. What stands side by side here follows each other in the text: phrases are runs of this string.
    `names` are the names in each distinct chunk.
    """

    words: str
    names: str


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


def plain_words(prepared: Prepared) -> str:
    """Return the plain words in order, in lower case, separated by spaces."""
    if not prepared.foreign:
        return prepared.data.translate(WORDS).decode("ascii")
    # What is ASCII needs no pattern, and parts words from each other.
    found = list[str]()
    for run in prepared.data.translate(FOREIGN_WORDS).decode().split(" "):
        if run.isascii():
            found.append(run)
        else:
            found += foreign_words(run)
    return " ".join(filter(None, found))


def foreign_words(text: str) -> list[str]:
    """Return the words of a prepared text that is not ASCII."""
    found = WORD.findall(text.casefold())
    return [word if word.isascii() else short(word) for word in found]


def pictures(prepared: Prepared) -> list[str]:
    """Return the pictures in order."""
    return PICTURE.findall(prepared.data.decode()) if prepared.foreign else []


def pairs(run: str) -> list[str]:
    """Return all pairs of neighbours in a run of a gram script."""
    return list(map(add, run, run[1:]))


def analyse(text: str) -> Terms:
    """Return the terms of a text. Any string will do; equal texts give equal bags of terms."""
    prepared = prepare(text)
    # Not in place: that would walk through all of what is remembered.
    found = set(chunks(prepared.data, prepared.foreign)) - _plain
    beside = [both for chunk in found if (both := _beside[chunk]) is not None]
    words = [plain_words(prepared), *[inner for _, inner in beside if inner]]
    names = [name for name, _ in beside]
    names += [name.decode() for name in signed(prepared.data)]
    if prepared.foreign:
        words += pictures(prepared)
    if prepared.runs:
        words += [" ".join(pairs(run)) for run in prepared.runs]
        words += set("".join(prepared.runs))
    return Terms(GAP.join(words), " ".join(names))


_plain = set[bytes]()  # chunks that are known to be plain words: a set is left out at once


class _Beside(dict[bytes, tuple[str, str] | None]):
    """Chunk → its names, its hidden words. Nine chunks in ten of a session come again, so they are remembered."""

    __slots__ = ()

    def __missing__(self, chunk: bytes) -> tuple[str, str] | None:
        if is_plain(chunk):
            if len(_plain) >= REMEMBERED:
                _plain.clear()
            _plain.add(chunk)
            return None
        if chunk.isascii():
            named = b" ".join(names(chunk) + capitals(chunk)).decode("ascii")
            inner = b" ~ ".join(hidden(chunk)).decode("ascii")
        else:
            named = " ".join(foreign_names(chunk))
            inner = GAP.join(without_diacritics(chunk))
        if len(self) >= REMEMBERED:
            self.clear()
        self[chunk] = found = (named, inner)
        return found


_beside = _Beside()
