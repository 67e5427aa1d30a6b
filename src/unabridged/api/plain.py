"""Values as JSON has them, from what programs hand over: plain ones, and objects of a provider's client.

Such an object is known by what it can do (`model_fields_set`), so that no client has to be installed. Of it are taken
the fields that were set, under the names that they have on the wire, without those that say nothing: the same answer is
the same item again when it is sent back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

# Classes whose instances say that an argument was not given.
ABSENT = frozenset({"NotGiven", "Omit"})


def plain(value: Any) -> Any:
    """Return a value as JSON has it; raise `TypeError` for one that it cannot hold."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {_name(key): plain(one) for key, one in members.items() if not absent(one)}
    fields = getattr(value, "model_fields_set", None)
    if fields is not None:
        return _set_fields(value, fields)
    if isinstance(value, bytes | bytearray) or not isinstance(value, Iterable):
        raise TypeError(f"a {type(value).__name__} is no JSON value")
    return [plain(one) for one in cast("Iterable[object]", value)]


def absent(value: object) -> bool:
    """Tell whether a value stands for an argument that was not given."""
    return type(value).__name__ in ABSENT


def _set_fields(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the fields of a client's object that were set to something, in the order of their class."""
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    declared: Mapping[str, Any] = getattr(kind, "model_fields", {})
    left_out = _kept_back(value)
    given = set(names)
    order = [name for name in declared if name in given] + sorted(given - set(declared))
    found = dict[str, Any]()
    for name in order:
        one = getattr(value, name, None)
        if one is None or one == [] or name in left_out or absent(one):
            continue
        found[getattr(declared.get(name), "alias", None) or name] = plain(one)
    return found


def _kept_back(value: object) -> set[str]:
    """Return the fields that a client keeps for itself.

    Of a field it may name members of its parts; the parts say the same of themselves.
    """
    told: Any = getattr(value, "__api_exclude__", None) or ()
    if isinstance(told, Mapping):
        fields = cast("Mapping[str, object]", told)
        return {name for name, whole in fields.items() if whole is True or whole is ...}
    return set(told)


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a {type(key).__name__} is no name in JSON")
    return key
