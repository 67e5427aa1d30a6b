"""What tokens cost: a table by model, given as text, so that a person can have another."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from unabridged.errors import InvalidSetting, NotFound
from unabridged.window.profiles import literals, matches

MILLION = 1_000_000
HOUR = 3_600.0  # seconds; a cache that lives as long or longer is written at the hour's price


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; `window`: the model's context window in tokens, 0 where unknown."""

    input: float
    cache_read: float
    cache_write: float
    cache_write_hour: float
    output: float = 0.0
    window: int = 0

    def of(self, read: int, written: int, lifetime: float) -> float:
        """Return the dollars of a prompt, so many tokens of it read from the cache and the others written to it."""
        write = self.cache_write_hour if lifetime >= HOUR else self.cache_write
        return (read * self.cache_read + written * write) / MILLION


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices by pattern over `provider/model`, with the month that they were read and where."""

    date: str
    sources: tuple[str, ...]
    prices: dict[str, Price]

    def price(self, model: str) -> Price:
        """Return the price of a model, by the most specific pattern; raise `NotFound`."""
        found = [pattern for pattern in self.prices if matches(pattern, model)]
        if not found:
            raise NotFound(f"there is no price for {model}", hint="Add a pattern for it to the price table.")
        return self.prices[max(found, key=literals)]


def table(values: Mapping[str, object]) -> Table:
    """Return the table in decoded TOML; raise `InvalidSetting`."""
    try:
        return msgspec.convert(values, Table)
    except msgspec.ValidationError as error:
        raise InvalidSetting(f"the price table is not valid: {error}", setting="prices") from error
