"""Which settings hold for which model: profiles by glob, merged field by field.

A profile is named by a pattern over `provider/model` (`anthropic/claude-*`), compared without regard to case. All that
match are merged, the most specific last: the one with the most literal characters wins, among equals the later one.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping
from typing import Any

import msgspec

from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.window.limits import Profile

DEFAULT = "default"
WILD = frozenset("*?[]")


class Resolved(msgspec.Struct, frozen=True):
    """The settings for one model, and for each field the pattern that it comes from (`default`: the built-in one)."""

    profile: Profile
    origins: dict[str, str]


def resolve(profiles: Mapping[str, Mapping[str, Any]], model: str) -> Resolved:
    """Return what holds for `provider/model`. `profiles` are field values by pattern, in the user's order.

    Raises `UnknownSetting` for a field that there is not, `InvalidSetting` for a value that a field cannot take; also
    in profiles that do not match, so that a mistake shows before the day of its model.
    """
    for pattern, fields in profiles.items():
        profile(fields, pattern)
    origins = dict.fromkeys(Profile.__struct_fields__, DEFAULT)
    values = dict[str, Any]()
    for name, (value, pattern) in merged({}, profiles, model).items():
        values[name], origins[name] = value, pattern
    return Resolved(profile(values, model), origins)


def merged(
    fields: Mapping[str, Any], profiles: Mapping[str, Mapping[str, Any]], model: str
) -> dict[str, tuple[Any, str]]:
    """Return each field that is said for a model, with its pattern ("" where it comes from those for all models)."""
    found = {name: (value, "") for name, value in fields.items()}
    matching = (
        (literals(pattern), at, pattern) for at, pattern in enumerate(profiles) if matches(pattern, model)
    )
    for _, _, pattern in sorted(matching):
        found.update({name: (value, pattern) for name, value in profiles[pattern].items()})
    return found


def matches(pattern: str, model: str) -> bool:
    """Tell whether a pattern names a model, without regard to case."""
    return fnmatch.fnmatchcase(model.casefold(), pattern.casefold())


def literals(pattern: str) -> int:
    """Return how specific a pattern is: its characters that stand for themselves."""
    return sum(char not in WILD for char in pattern)


def profile(values: Mapping[str, Any], origin: str) -> Profile:
    """Return field values as a profile; raise `UnknownSetting` with the nearest field, or `InvalidSetting`."""
    for name in values:
        if name not in Profile.__struct_fields__:
            near = difflib.get_close_matches(name, Profile.__struct_fields__, n=1, cutoff=0.5)
            raise UnknownSetting(
                f"there is no window setting {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""),
                setting=f"window.profiles.{origin}.{name}",
                origin=origin,
                nearest=near[0] if near else "",
            )
    try:
        return msgspec.convert(dict(values), Profile)
    except msgspec.ValidationError as error:
        raise InvalidSetting(
            f"a window setting is not valid: {error}", setting="window.profiles", origin=origin
        ) from error
