"""What the checks of all providers share: a body decoded as far as they look."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from unabridged.hosts.surrogates import whole_pairs
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.splice import FAILURES, NotUnderstood

T = TypeVar("T")

UNPAIRED_CALL, UNPAIRED_RESULT = "unpaired-call", "unpaired-result"
FIRST_ROLE, UNKNOWN_ROLE, EMPTY = "first-role", "unknown-role", "empty-content"
ORDER, TOO_MANY_MARKS, MARK_PLACE = "order", "too-many-cache-marks", "cache-mark-place"
BLOCK_TYPE, NO_MESSAGES, REPEATED_CALL = "block-type", "no-messages", "repeated-call"


def decoded(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Return what a check looks at; raise `NotUnderstood` for a body of another form."""
    try:
        return decoder.decode(body)
    except FAILURES:
        pass
    try:
        return decoder.decode(whole_pairs(body))
    except FAILURES as error:
        raise NotUnderstood(str(error)) from error


def at(name: str, index: int, code: str) -> Problem:
    """Return a problem at an element of the list."""
    return Problem(code, f"{name}.{index}")
