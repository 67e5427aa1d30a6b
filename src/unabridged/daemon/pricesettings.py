"""The setting of prices: what tokens of a model cost a user, where that is not what the built-in table says."""

from __future__ import annotations

from unabridged.daemon.setting import Setting

MOST_DOLLARS = 1_000_000.0  # for a million tokens: more is a slip of the keyboard

_FIELDS = (
    Setting("input", float, 0.0, "Of input that no cache has to do with.", high=MOST_DOLLARS),
    Setting("output", float, 0.0, "Of what the model writes.", high=MOST_DOLLARS),
    Setting("cache_read", float, 0.0, "Of input that a cache gave.", high=MOST_DOLLARS),
    Setting("cache_write", float, 0.0, "Of input that went into a cache.", high=MOST_DOLLARS),
    Setting(
        "cache_write_hour", float, 0.0, "Of input that went into a cache for an hour.", high=MOST_DOLLARS
    ),
)

PRICES = (
    Setting(
        "prices",
        dict,
        {},
        "US dollars for a million tokens by `provider/model` (globs; the most specific wins): `input`, `output`, "
        "`cache_read`, `cache_write`, `cache_write_hour`. They go before the built-in table.",
        fields={setting.name: setting for setting in _FIELDS},
    ),
)
