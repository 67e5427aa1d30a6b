"""Text that PostgreSQL can hold: NUL and lone surrogates, which it cannot, written with other characters.

Every string has one escaped form, comparing escaped forms (COLLATE "C": by their bytes) compares the strings, and a
string without U+0000, U+0001 and U+D7FF to U+DFFF, which is nearly every one, is its own escaped form:

- U+0000 is written U+0001 U+0001, and U+0001 is written U+0001 U+0002;
- U+D7FF is written U+D7FF U+0001, and the surrogate U+D800 + n is written U+D7FF and U+0100 + n.
"""

from __future__ import annotations

import re

_FIRST, _LAST = 0xD800, 0xDFFF
_STANDS_IN = (
    0x100  # the character for the first surrogate: behind U+0001, so that surrogates sort behind U+D7FF
)

_PLAIN: dict[str, str] = {
    "\x00": "\x01\x01",
    "\x01": "\x01\x02",
    "\ud7ff": "\ud7ff\x01",
} | {chr(code): "\ud7ff" + chr(code - _FIRST + _STANDS_IN) for code in range(_FIRST, _LAST + 1)}
_BACK = {escaped: plain for plain, escaped in _PLAIN.items()}
_TO_ESCAPE = re.compile("[\x00\x01\ud7ff-\udfff]")
_ESCAPED = re.compile("\x01.|\ud7ff.", re.DOTALL)


def escape(text: str) -> str:
    """Return the form that PostgreSQL holds."""
    return _TO_ESCAPE.sub(lambda match: _PLAIN[match[0]], text)


def unescape(text: str) -> str:
    """Return the text that `escape` was given; raise `KeyError` for what it never returns."""
    return _ESCAPED.sub(lambda match: _BACK[match[0]], text)
