"""What the checks of all providers share: a body decoded as far as they look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from unabridged.hosts.surrogates import whole_pairs
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.splice import FAILURES, NotUnderstood, elements, members

T = TypeVar("T")

UNPAIRED_CALL, UNPAIRED_RESULT = "unpaired-call", "unpaired-result"
FIRST_ROLE, UNKNOWN_ROLE, EMPTY = "first-role", "unknown-role", "empty-content"
ORDER, TOO_MANY_MARKS, MARK_PLACE = "order", "too-many-cache-marks", "cache-mark-place"
BLOCK_TYPE, NO_MESSAGES, REPEATED_CALL = "block-type", "no-messages", "repeated-call"


def decoded(decoder: msgspec.json.Decoder[T], body: bytes) -> T | None:
    """Return what a check looks at, None for a body of another form: then it is read piece by piece."""
    try:
        return decoder.decode(body)
    except FAILURES:
        pass
    try:
        return decoder.decode(whole_pairs(body))
    except FAILURES:
        return None


def each(decoder: msgspec.json.Decoder[T], value: msgspec.Raw | bytes, other: T) -> list[T]:
    """Return what a check looks at of each element of a list, `other` for one of another form.

    Raises `NotUnderstood` for what is no list.
    """
    return [one if (one := decoded(decoder, bytes(raw))) is not None else other for raw in elements(value)]


def list_of(body: bytes, name: str) -> msgspec.Raw:
    """Return the bytes of a body's list; raise `NotUnderstood` where there is none."""
    try:
        return members(body)[name]
    except KeyError as error:
        raise NotUnderstood(f"no {name}") from error


def at(name: str, index: int, code: str, what: str = "") -> Problem:
    """Return a problem at an element of the list, with the call that it is about."""
    return Problem(code, f"{name}.{index}", what)


def repeated(calls: Sequence[str], seen: set[str]) -> list[str]:
    """Return the calls whose ids were given before, in order, each once; they are added to those `seen`."""
    found = list[str]()
    for call in calls:
        if call in seen and call not in found:
            found.append(call)
        seen.add(call)
    return found
