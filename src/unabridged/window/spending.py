"""What requests cost, as a provider counted them, and what they would have cost without a window.

What would have been sent is an estimate; it is scaled by what the provider counted of what was sent. Of it, what the
provider's cache would have given is billed as read, the rest as written where anything was cached at all. The
lifetime of a cache is not known here: writing is billed at the price of the shorter one.
"""

from __future__ import annotations

import msgspec

from unabridged.window.prices import MILLION, Price
from unabridged.window.providers.usage import Usage, summed


class Spent(msgspec.Struct, frozen=True):
    """What several requests to one model came to. Tokens; `used` is what the provider reported.

    `whole` would have been sent without a window, `whole_read` of it a cache would have given; both, as `sent`, are
    estimates.
    """

    requests: int = 0
    sent: int = 0
    whole: int = 0
    whole_read: int = 0
    used: Usage = Usage()
    rotations: int = 0
    faults: int = 0


class Dollars(msgspec.Struct, frozen=True):
    """What that costs in US dollars: all of it, its input, and the input that would have been sent without a window."""

    cost: float
    input: float
    without: float

    @property
    def saved(self) -> float:
        """Dollars that the window saved; below 0 where it cost more."""
        return self.without - self.input


def added(one: Spent, other: Spent) -> Spent:
    """Return the sum of two."""
    return Spent(
        one.requests + other.requests,
        one.sent + other.sent,
        one.whole + other.whole,
        one.whole_read + other.whole_read,
        summed((one.used, other.used)),
        one.rotations + other.rotations,
        one.faults + other.faults,
    )


def dollars(spent: Spent, price: Price) -> Dollars | None:
    """Return what it costs; None where the provider reported nothing."""
    used = spent.used
    if not used.prompt:
        return None
    paid = price.paid(Usage(used.input, used.cache_read, used.cache_write))
    scale = used.prompt / spent.sent if spent.sent else 1.0
    whole, read = max(spent.whole, spent.sent) * scale, spent.whole_read * scale
    cached = used.cache_read or used.cache_write
    rest = price.cache_write if cached else price.input
    without = (read * price.cache_read + (whole - read) * rest) / MILLION
    return Dollars(price.paid(used), paid, without)
