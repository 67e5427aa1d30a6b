"""What an adapter does: a request taken apart and put together again, and what a provider would refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import msgspec

from unabridged.window.messages import Conversation
from unabridged.window.providers.known import Known
from unabridged.window.providers.splice import Span
from unabridged.window.window import Piece


class Request(msgspec.Struct, frozen=True):
    """A request as it came: its bytes, what they say, and where the list and each of its items stand in them.

    `windowed` is False where the list is not the whole conversation (the provider keeps the rest) or is none at all:
    such a request is passed on as it is.
    """

    body: bytes
    conversation: Conversation
    array: Span = (0, 0)
    spans: tuple[Span, ...] = ()
    windowed: bool = True


class Problem(msgspec.Struct, frozen=True, array_like=True):
    """Why a provider would refuse a request: a stable code, where, and the id of the call that it is about."""

    code: str
    where: str
    what: str = ""


class Adapter(Protocol):
    """One provider's wire format. All of it is pure, and keeps every byte that is not named."""

    @property
    def provider(self) -> str:
        """The first half of a model's name."""
        ...

    def read(self, body: bytes, known: Known | None = None) -> Request:
        """Return a request taken apart; raise `NotUnderstood` for what is no request of this format.

        `known` spares work on items that were read before, and takes up the others. An item or block of an unknown
        type is kept; it is sized by its bytes and never changed.
        """
        ...

    def write(self, request: Request, window: Sequence[Piece], shown: int = 0) -> bytes:
        """Return the body with its list replaced by a window; the same bytes where nothing was left out.

        `shown` is how many items the provider saw before, for formats in which a client marks what is to be cached.
        """
        ...

    def problems(self, body: bytes) -> tuple[Problem, ...]:
        """Return what the provider would refuse, nothing for a body that it would take; raise `NotUnderstood`."""
        ...


def new_problems(adapter: Adapter, source: bytes, sent: bytes) -> tuple[Problem, ...]:
    """Return what is wrong with a window that was not wrong with its source already: it must not be sent then."""
    if sent == source:
        return ()
    found = adapter.problems(sent)
    if not found:
        return ()
    # Places move with a cut; what there was before, there may be as often now.
    more = Counter((problem.code, problem.what) for problem in found)
    more.subtract((problem.code, problem.what) for problem in adapter.problems(source))
    return tuple(problem for problem in found if more[problem.code, problem.what] > 0)
