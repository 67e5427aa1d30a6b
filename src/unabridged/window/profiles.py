"""Which settings hold for which model: profiles by glob, merged field by field.

A profile is named by a pattern over `provider/model` (`anthropic/claude-*`), compared without regard to case. All that
match are merged, the most specific last: the one with the most literal characters wins, among equals the later one.
"""

from __future__ import annotations

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
    values, origins = dict[str, Any](), dict.fromkeys(Profile.__struct_fields__, DEFAULT)
    ranked = list[tuple[int, int, str]]()
    for place, (pattern, fields) in enumerate(profiles.items()):
        _checked(pattern, fields)
        if matches(pattern, model):
            ranked.append((literals(pattern), place, pattern))
    for _, _, pattern in sorted(ranked):
        for name, value in profiles[pattern].items():
            values[name], origins[name] = value, pattern
    return Resolved(_profile(values, model), origins)


def matches(pattern: str, model: str) -> bool:
    """Tell whether a pattern names a model, without regard to case."""
    return fnmatch.fnmatchcase(model.casefold(), pattern.casefold())


def literals(pattern: str) -> int:
    """Return how specific a pattern is: its characters that stand for themselves."""
    return sum(char not in WILD for char in pattern)


def _checked(pattern: str, fields: Mapping[str, Any]) -> None:
    for name in fields:
        if name not in Profile.__struct_fields__:
            raise UnknownSetting(
                f"there is no window setting {name!r}",
                setting=f"window.profiles.{pattern}.{name}",
                origin=pattern,
            )
    _profile(fields, pattern)


def _profile(values: Mapping[str, Any], origin: str) -> Profile:
    try:
        return msgspec.convert(dict(values), Profile)
    except msgspec.ValidationError as error:
        raise InvalidSetting(
            f"a window setting is not valid: {error}", setting="window.profiles", origin=origin
        ) from error
