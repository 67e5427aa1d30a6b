"""What one setting is: what it takes, means, and who may set it.

`who` says where a value may come from: "user" (the user's own file, flags, the environment of an explicit start of the
daemon), "client" (any of those and the environment of any client). A repository's file may tighten a setting that has
`tighter`, once the user trusts that repository, and never loosen one.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.errors import InvalidSetting, UnknownSetting

MOST_ENTRIES = 1_000  # of one table


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `low`, `high` bound a number, `choices` a text; `tighter(a, b)`: a is as tight as b or tighter.

    `reserved` are values that mean nothing yet, with why. A setting of type `dict` is a table with keys of the user's
    own: each of its values is one of `each`, or a table with `fields`.
    """

    name: str
    type: type[Any]
    default: Any
    doc: str
    who: str = "user"
    low: float = 0
    high: float = float("inf")
    choices: tuple[str, ...] = ()
    tighter: Callable[[Any, Any], bool] | None = None
    reserved: Mapping[str, str] = field(default_factory=dict[str, str])
    each: Setting | None = None
    fields: Mapping[str, Setting] = field(default_factory=dict[str, "Setting"])

    def read(self, value: object, origin: str) -> Any:
        """Return a value as the setting's type, from TOML or from text; raise `InvalidSetting`."""
        if isinstance(value, str) and self.type is not str:
            value = _from_text(self.type, value)
        if self.type is dict:
            return self._table(value, origin)
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if self.type is tuple and isinstance(value, list | tuple):
            items: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
            if not all(isinstance(item, str) for item in items):
                raise self._refusal("a list of texts", origin)
            return tuple(str(item) for item in items)
        if type(value) is not self.type:
            raise self._refusal(KIND_NAMES[self.type], origin)
        if isinstance(value, int | float) and not self.low <= value <= self.high:
            raise self._refusal(f"between {self.low:g} and {self.high:g}", origin)
        if isinstance(value, str) and value in self.reserved:
            raise InvalidSetting(
                f"{self.name} cannot be {value!r} yet: {self.reserved[value]}",
                setting=self.name,
                origin=origin,
            )
        if self.choices and value not in self.choices:
            raise self._refusal(f"one of {', '.join(self.choices)}", origin)
        return value

    def entry(self, key: str) -> Setting | None:
        """Return what the value of one key of a table is; None where that is a table with `fields`."""
        return replace(self.each, name=f"{self.name}.{quoted(key)}") if self.each else None

    def member(self, key: str, name: str, origin: str) -> Setting:
        """Return one field of a key's table; raise `UnknownSetting` with the nearest name."""
        whole = f"{self.name}.{quoted(key)}.{name}"
        found = self.fields.get(name)
        if found is None:
            raise unknown(whole, name, self.fields, origin)
        return replace(found, name=whole)

    def _table(self, value: object, origin: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise self._refusal("a table", origin)
        entries: dict[str, object] = dict(value)  # pyright: ignore[reportUnknownArgumentType]
        if len(entries) > MOST_ENTRIES:
            raise self._refusal(f"a table of at most {MOST_ENTRIES:,} entries", origin)
        return {key: self._entry(key, one, origin) for key, one in entries.items()}

    def _entry(self, key: str, value: object, origin: str) -> Any:
        single = self.entry(key)
        if single is not None:
            return single.read(value, origin)
        if not isinstance(value, Mapping):
            raise InvalidSetting(
                f"{self.name}.{quoted(key)} must be a table", setting=self.name, origin=origin
            )
        members: dict[str, object] = dict(value)  # pyright: ignore[reportUnknownArgumentType]
        return {name: self.member(key, name, origin).read(one, origin) for name, one in members.items()}

    def _refusal(self, wanted: str, origin: str) -> InvalidSetting:
        return InvalidSetting(f"{self.name} must be {wanted}", setting=self.name, origin=origin)


KIND_NAMES: dict[type[Any], str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    tuple: "a list of texts",
    dict: "a table",
}
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def _from_text(kind: type[Any], text: str) -> object:
    """Read a value that came as text (environment, flag); what cannot be read is returned as it is."""
    low = text.strip().lower()
    if kind is bool:
        return True if low in _TRUE else False if low in _FALSE else text
    if kind is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind is dict:
        return _inline(text)
    try:
        return int(low.replace("_", "")) if kind is int else float(low)
    except ValueError:
        return text


def _inline(text: str) -> object:
    """Return an inline table of TOML; the text where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def quoted(key: str) -> str:
    """Return a key of a table as TOML writes it in a dotted name."""
    if key and all(char.isascii() and (char.isalnum() or char in "-_") for char in key):
        return key
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unknown(whole: str, name: str, names: Iterable[str], origin: str) -> UnknownSetting:
    """Return the error for a name that is none, with the nearest one that is."""
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.5)
    message = f"there is no setting {whole!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    return UnknownSetting(message, setting=whole, origin=origin, nearest=near[0] if near else "")
