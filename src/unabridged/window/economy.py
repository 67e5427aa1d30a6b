"""What a conversation costs under a policy: prompts as pieces with sizes, and a provider's cache of their beginnings.

The model: a provider keeps a prompt for its cache's lifetime from its last use, and reads from it the longest beginning
that the next prompt has in common; the rest is written. Prompts are compared piece by piece, so a piece that changes
costs itself and all behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from unabridged.window.messages import Item
from unabridged.window.prices import Price

FIVE_MINUTES, ONE_HOUR = 300.0, 3_600.0  # seconds; the lifetimes that providers offer


class Part(msgspec.Struct, frozen=True, gc=False):
    """One piece of a prompt: what it is (equal for equal bytes) and its tokens."""

    name: str
    tokens: int


Prompt = tuple[Part, ...]


class Policy(Protocol):
    """Decides what of a conversation is sent."""

    def prompts(self, items: Sequence[Item]) -> list[Prompt]:
        """Return the prompts of the request that this history leads to, the request itself last.

        There is more than one where the policy itself asks the model something first. Called once a request, in order.
        """
        ...

    @property
    def resets(self) -> int:
        """How often the beginning was made anew so far: rotations, compactions, steps of a sliding window."""
        ...

    @property
    def output(self) -> int:
        """Tokens that the policy's own requests had the model write."""
        ...


class Account(msgspec.Struct, frozen=True):
    """What a session came to. Tokens, and dollars for the input (`cost`) and the policy's own output (`extra`)."""

    requests: int
    sent: int
    read: int
    written: int
    largest: int
    resets: int
    cost: float
    extra: float


class Point(msgspec.Struct, frozen=True, gc=False):
    """One prompt: the request that led to it (from 0), its tokens, and the dollars of input up to and with it."""

    request: int
    tokens: int
    cost: float


class Ledger:
    """Adds up the prompts of one session under one lifetime of the cache."""

    def __init__(self, price: Price, lifetime: float) -> None:
        """Begin with an empty cache that keeps a prompt for `lifetime` seconds."""
        self._price, self._lifetime = price, lifetime
        self._last: Prompt = ()
        self._time = 0.0
        self._requests = self._read = self._written = self._largest = 0
        self.points = list[Point]()

    def add(self, prompt: Prompt, time: float, request: int = 0) -> None:
        """Count a prompt that is sent at a time in seconds, because of a request."""
        total = sum(part.tokens for part in prompt)
        kept = self._last if self._requests and time - self._time <= self._lifetime else ()
        read = _common(kept, prompt)
        self._read += read
        self._written += total - read
        self._largest = max(self._largest, total)
        self._requests += 1
        self._last, self._time = prompt, time
        cost = self._price.of(self._read, self._written, self._lifetime)
        self.points.append(Point(request, total, cost))

    def account(self, policy: Policy) -> Account:
        """Return what it came to."""
        return Account(
            self._requests,
            self._read + self._written,
            self._read,
            self._written,
            self._largest,
            policy.resets,
            self._price.of(self._read, self._written, self._lifetime),
            policy.output * self._price.output / 1_000_000,
        )


def _common(before: Prompt, now: Prompt) -> int:
    """Return the tokens of the longest beginning that two prompts have in common."""
    tokens = 0
    for one, other in zip(before, now, strict=False):
        if one.name != other.name:
            break
        tokens += other.tokens
    return tokens


def together(accounts: Sequence[Account]) -> Account:
    """Return the sum of several sessions; the largest prompt is the largest of any."""
    return Account(
        sum(one.requests for one in accounts),
        sum(one.sent for one in accounts),
        sum(one.read for one in accounts),
        sum(one.written for one in accounts),
        max((one.largest for one in accounts), default=0),
        sum(one.resets for one in accounts),
        sum(one.cost for one in accounts),
        sum(one.extra for one in accounts),
    )
