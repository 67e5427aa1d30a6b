"""The shape of one redaction rule."""

from __future__ import annotations

from typing import Literal

import msgspec

Check = Literal[
    "",
    "mixed",
    "cased",
    "tail",
    "random",
    "basic",
    "jwt",
    "login",
    "curl",
    "pgpass",
    "word",
    "pem",
    "k8s",
    "sql",
    "jwk",
    "psk",
    "pairs",
    "kty",
    "cookies",
    "argv",
]
"""What a match must stand up to beyond its pattern: see `tokens.py`."""
Where = Literal["text", "value"]

WORD = -1
"""As `group`: the secret is the word, or the quoted string, that begins where the pattern ends."""


MARK = b"[redacted:"
"""How every placeholder begins; no rule matches over it."""


class Rule(msgspec.Struct, frozen=True):
    """One kind of credential: how it is found, which part of it is the secret.

    `where="text"`: `pattern` is matched at the place where one of `keywords` (or the regular expression `anchor`)
    was found, up to `back` bytes before it. `where="value"`: `pattern` must match the whole value of an assignment
    whose name or near left context holds one of `keywords` (lower case).

    All patterns are RE2 over bytes in Latin-1 mode, so they run in linear time and `\\w` is ASCII.
    """

    name: str
    """Unique name of the rule, shown in findings."""
    kind: str
    """What the placeholder says: `[redacted:<kind>]`."""
    pattern: str
    keywords: tuple[str, ...] = ()
    group: int = 0
    """Capturing group that holds the secret; 0 is the whole match, `WORD` what follows it."""
    anchor: str = ""
    """Regular expression used in the screen instead of the keywords, for shapes without a fixed prefix."""
    first: str = ""
    """The characters with which `anchor` can begin."""
    peek: str = ""
    """What must follow a keyword for the screen to call the place a candidate."""
    back: int = 0
    """How many bytes before the keyword the pattern may start."""
    strict: bool = False
    """Also refuse a left neighbour out of `+/_-`: for prefixes that occur by chance in base64."""
    fold: bool = False
    """The keywords are compared without regard to case."""
    check: Check = ""
    where: Where = "text"


class Finding(msgspec.Struct, frozen=True, order=True):
    """How often one rule fired; never what it found."""

    rule: str
    kind: str
    count: int


def placeholder(kind: str) -> bytes:
    """The text that stands in place of a secret of this kind."""
    return MARK + kind.encode() + b"]"


def text(
    name: str,
    kind: str,
    pattern: str,
    *keywords: str,
    group: int = 0,
    anchor: str = "",
    first: str = "",
    peek: str = "",
    back: int = 0,
    strict: bool = False,
    fold: bool = False,
    check: Check = "",
) -> Rule:
    """Return a rule that finds a credential by its own shape."""
    return Rule(name, kind, pattern, keywords, group, anchor, first, peek, back, strict, fold, check)


def value(name: str, kind: str, pattern: str, *keywords: str) -> Rule:
    """Return a rule that knows a credential by its shape and by the name that it is assigned to."""
    return Rule(name, kind, pattern, keywords, where="value")


class Span(msgspec.Struct, frozen=True, order=True):
    """A secret's place in some text: byte offsets, the rule, the kind."""

    start: int
    end: int
    rule: str
    kind: str
