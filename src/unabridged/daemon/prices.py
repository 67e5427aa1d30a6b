"""The prices that hold here: the built-in table, and before it what the settings say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

from unabridged.window.prices import Table, table


def price_table(values: Mapping[str, Any]) -> Table:
    """Return the built-in prices with those of the settings before them."""
    built_in = tomllib.loads((files("unabridged.window") / "prices.toml").read_text(encoding="utf-8"))
    return msgspec.structs.replace(table(built_in), own=values.get("prices") or {})
