"""The character classes that texts and queries are cut by.

Text is handled as UTF-8 bytes wherever possible: a translation table and a split run at memory speed, a pattern does
not. Two views of one text are taken. *Words* are runs of letters and digits in lower case; everything else separates
them. *Chunks* are runs in which identifiers, paths, versions, addresses and flags stay whole: letters, digits and the
characters of `JOINERS`.
"""

from __future__ import annotations

import re
import unicodedata

JOINERS = b"_./-@"  # may stand inside a name that has to be found whole
LONG_TERM = 100  # bytes; the index drops longer terms, and a query does not ask for them
EDGES = b"./-@"  # joiners that are punctuation at either end of a chunk

# Scripts written without spaces between words, and Hangul: found by any one or two neighbouring characters.
_GRAM_RANGES = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Myanmar
    "\u1100-\u11ff"  # Hangul Jamo
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # ideographic marks and numbers
    "\u3041-\u3096\u3099-\u309f"  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff"  # Katakana with the long-vowel mark, without the middle dot
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"  # Bopomofo, Hangul letters, small Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\ua960-\ua97c\uac00-\ud7fb"  # Hangul
    "\U00020000-\U0003134f"  # Han, supplementary
)
GRAM_RUN = re.compile(f"[{_GRAM_RANGES}]+")

# One letter or digit that a word of an alphabet may go on with: an id stands alone between two ideographs.
IN_WORD = f"[^\\W_{_GRAM_RANGES}]"

# Pictures that people search for. Box drawing, blocks and geometric shapes are separators: terminals draw with them.
PICTURE = re.compile("[\u2600-\u27bf\u231a\u231b\u23e9-\u23fa\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff]")

# Marks that belong to the word before them; Python's \w leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
WORD = re.compile(f"[^\\W_](?:[^\\W_]|[{_MARKS}])*")

# Anything beyond ASCII that is more than punctuation, drawing or a private character. One class of characters: a
# pattern with alternatives is twenty times slower, and every text with a dash or an arrow in it is searched for these.
NOTABLE = re.compile(
    "[^\x00-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2000-\u2070\u207a-\u207e\u208a-\u208e\u20a0-\u20cf"
    "\u2190-\u2319\u231c-\u23e8\u23f4-\u23f9\u23fb-\u245f\u2500-\u25ff\u27c0-\u2b1a\u2b1d-\u2b4f\u2b51-\u2b54\u2b56-\u2bff"
    "\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\ue000-\uf8ff\ufe10-\ufe6f\ufeff\ufff0-\uffff]"
)

_ALNUM = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BYTES = bytes(range(256))


def _keeping(kept: bytes) -> bytes:
    """Return the table that turns every byte but `kept` into a space."""
    return bytes(byte if byte in kept else 0x20 for byte in range(256))


WORDS = _keeping(_ALNUM).lower()  # also folds case
FOREIGN_WORDS = _keeping(_ALNUM + _BYTES[0x80:]).lower()  # bytes.lower() leaves what is not ASCII alone
CASED_WORDS = _keeping(_ALNUM)
CHUNKS = _keeping(_ALNUM + JOINERS)
FOREIGN_CHUNKS = _keeping(_ALNUM + JOINERS + _BYTES[0x80:])
SEGMENTS = _keeping(_ALNUM + b"_.-")  # cuts paths and addresses
IDENTIFIERS = _keeping(_ALNUM + b"_")  # cuts dotted and hyphenated names too


def sound(text: str) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def normal(text: str) -> str:
    """Return the text in NFKC: full-width and half-width forms become the usual ones."""
    return unicodedata.normalize("NFKC", text)


def unescaped(text: str) -> str:
    r"""Return the text with written-out line breaks and tabs as spaces, so that `one\ntwo` holds `two`, not `ntwo`.

    A text with a Windows path is left alone: there they begin the names of folders.
    """
    if "\\" not in text or ":\\" in text:
        return text
    return text.replace("\\n", "  ").replace("\\t", "  ").replace("\\r", "  ")


def without_marks(word: str) -> str:
    """Return the word without its diacritics: `naïve` becomes `naive`."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
