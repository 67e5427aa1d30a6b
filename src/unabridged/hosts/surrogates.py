"""Halves of surrogate pairs in JSON, which no strict decoder takes."""

from __future__ import annotations

import re

# An escape; whole surrogate pairs are one, `lone` is half of one, which JSON allows and no text can hold.
_ESCAPE = re.compile(
    rb"\\(?:[uU][dD][89abAB][0-9a-fA-F]{2}\\[uU][dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>[uU][dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def whole_pairs(data: bytes) -> bytes:
    """Return JSON with each escaped half of a surrogate pair replaced by a character of the same length."""
    return _ESCAPE.sub(lambda match: b"\\ufffd" if match["lone"] else match[0], data)
