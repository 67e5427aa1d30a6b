"""What tokens cost: a table by model, given as text, so that a person can have another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from unabridged.errors import InvalidSetting, NotFound
from unabridged.window.profiles import literals, matches
from unabridged.window.providers.usage import Usage

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

    def paid(self, used: Usage) -> float:
        """Return the dollars of a request, or of many, as the provider counted them."""
        kept = used.cache_read * self.cache_read + used.cache_write * self.cache_write
        return (used.input * self.input + kept + used.output * self.output) / MILLION


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices by pattern over `provider/model`, with the month that they were read and where.

    `own` are a user's: fields of a price by pattern. They go before the others, whatever patterns those have.
    """

    date: str
    sources: tuple[str, ...]
    prices: dict[str, Price]
    own: dict[str, dict[str, float]] = {}

    def price(self, model: str) -> Price:
        """Return the price of a model, by the most specific pattern; raise `NotFound`."""
        known = _best(self.prices, model)
        fields = dict[str, float]()
        for pattern in sorted((one for one in self.own if matches(one, model)), key=literals):
            fields.update(self.own[pattern])
        if known:
            return msgspec.structs.replace(self.prices[known], **fields) if fields else self.prices[known]
        if "input" not in fields:
            raise NotFound(f"there is no price for {model}", hint="Add a pattern for it to the price table.")
        plain = fields["input"]
        write = fields.get("cache_write", plain)
        return Price(
            **{"cache_read": plain, "cache_write": write, "cache_write_hour": write, **fields}  # pyright: ignore[reportArgumentType]
        )

    def find(self, model: str) -> Price | None:
        """Return the price of a model, None where there is none."""
        try:
            return self.price(model)
        except NotFound:
            return None


NO_PRICES = Table("", (), {})


def _best(patterns: Iterable[str], model: str) -> str:
    return max((one for one in patterns if matches(one, model)), key=literals, default="")


def table(values: Mapping[str, object]) -> Table:
    """Return the table in decoded TOML; raise `InvalidSetting`."""
    try:
        return msgspec.convert(values, Table)
    except msgspec.ValidationError as error:
        raise InvalidSetting(f"the price table is not valid: {error}", setting="prices") from error
