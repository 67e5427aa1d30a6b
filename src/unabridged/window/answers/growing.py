"""An object that comes in pieces, as those of Chat Completions do."""

from __future__ import annotations

from typing import Any

from unabridged.window.answers.contract import Json

DETAILS = "reasoning_details"  # the member whose lists add up


class Growing:
    """An object that comes in pieces, each of them looked at once; its members in the order in which they came."""

    def __init__(self, **members: str) -> None:
        """Begin with some members."""
        self._values: Json = {}
        self._pieces = dict[str, list[Any]]()
        for name, value in members.items():
            self.add(name, value)

    def inner(self, name: str, begun: Growing) -> Growing:
        """Return a member that comes in pieces itself, `begun` where there was none."""
        known = self._values.get(name)
        if not isinstance(known, Growing):
            known = self._values[name] = begun
        return known

    def take(self, given: Json) -> None:
        """Take pieces of what a call is given; other values take the place of the ones before."""
        for name, value in given.items():
            if name in ("arguments", "input") and isinstance(value, str):
                self.add(name, value)
            else:
                self.put(name, value)

    def add(self, name: str, value: Any) -> None:
        """Take more of a member: texts and details come in pieces, other values whole."""
        before = self._values.get(name)
        joins = isinstance(value, str) or (name == DETAILS and isinstance(value, list))
        if joins and type(before) is type(value):  # pyright: ignore[reportUnknownArgumentType]
            self._pieces.setdefault(name, [before]).append(value)
        else:
            self._pieces.pop(name, None)
            self._values[name] = value

    def put(self, name: str, value: Any) -> None:
        """Take a member whole; some servers repeat an id and a name as an empty text."""
        if value is not None and not (value == "" and name in self._values):
            self._pieces.pop(name, None)
            self._values[name] = value

    def value(self) -> Json:
        """Return the object as far as it came."""
        return {name: self._joined(name, value) for name, value in self._values.items()}

    def _joined(self, name: str, value: Any) -> Any:
        if isinstance(value, Growing):
            return value.value()
        pieces = self._pieces.get(name)
        if pieces is None:
            return value
        return "".join(pieces) if isinstance(value, str) else [one for piece in pieces for one in piece]
