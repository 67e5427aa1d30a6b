"""The words of a shell command."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What a word, or the space between two, is made of: space, signs, plain characters, an escaped character, text in
# single or double quotes; anything else is a quote or an escape that nothing follows.
_PIECE = re.compile(
    r"""([ \t\r]+)|([;|&\n<>]+)|([^ \t\r;|&\n<>'"\\]+)|\\(.)|'([^']*)'|"((?:[^"\\]+|\\.)*+)"|(.)""",
    re.DOTALL,
)
_SPACE, _SIGNS, _PLAIN, _ESCAPED, _SINGLE, _DOUBLE, _OPEN = range(1, 8)
_AS_THEY_STAND = (_PLAIN, _SINGLE, _ESCAPED)
_IN_QUOTES = re.compile(r'\\(["\\])')  # the only characters that a backslash escapes between double quotes


def words_of(command: str) -> Iterator[str]:
    """Yield words without their quotes, and runs of the signs `;`, `|`, `&`, `<`, `>` and line ends, which end words.

    It gives what `shlex.shlex` gives with `punctuation_chars`, no commenters, and words split at spaces only, in a
    tenth of the time. Raises ValueError at a quote that does not close.
    """
    word: list[str] = []
    for piece in _PIECE.finditer(command):
        kind = piece.lastindex or 0
        text: str = piece[kind]
        if kind in _AS_THEY_STAND:
            word.append(text)
        elif kind == _DOUBLE:
            word.append(_IN_QUOTES.sub(r"\1", text) if "\\" in text else text)
        elif kind == _OPEN:
            raise ValueError("a quote or an escape is not finished")
        else:
            if word:
                yield "".join(word)
                word = []
            if kind == _SIGNS:
                yield text
    if word:
        yield "".join(word)
