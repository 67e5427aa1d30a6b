"""The JSON values of a kept line, of which only what is asked for is decoded.

Half of a transcript's bytes stand in fields that no text refers to. To pass over them costs a tenth of decoding them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from unabridged.archive import rendering
from unabridged.archive.ingest import follow
from unabridged.hosts.lines import values

PATHS_REMEMBERED = (
    256  # paths with a decoder of their own; a host has some dozens, apart from the names of arguments
)
PATH_STEPS = 12  # of such a path

_outline: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_any: msgspec.json.Decoder[Any] = msgspec.json.Decoder()


class LazyLine:
    """Gives the strings of a line by their paths, as they stand in `hosts.lines.values(line)`."""

    __slots__ = ("_fields", "_items", "_line", "_raw")

    def __init__(self, line: bytes) -> None:
        """Look at a line without its terminator."""
        self._line = line
        self._items: list[Any] | None = None
        self._fields = dict[str, Any]()  # decoded so far
        try:
            self._raw = _outline.decode(line)
        except (msgspec.DecodeError, RecursionError):
            self._raw = {}

    def follow(self, path: list[int | str]) -> str:
        """Return the string at a path, "" where there is none."""
        if self._items is None and len(path) > 1 and path[0] == 0 and path[1] in self._raw:
            name = str(path[1])
            try:
                if name not in self._fields:
                    self._fields[name] = _any.decode(self._raw[name])
                return follow([self._fields[name]], [0, *path[2:]])
            except (msgspec.DecodeError, RecursionError):
                pass  # a damaged line: what it gives is for `values` to say
        if self._items is None:
            self._items = values(self._line).items
        return follow(self._items, path)


class _Decoders(dict[tuple[int | str, ...], "msgspec.json.Decoder[Any] | None"]):
    """Path → decoder of a line that passes over everything but what stands at the path; None where there is none."""

    def __missing__(self, path: tuple[int | str, ...]) -> msgspec.json.Decoder[Any] | None:
        if len(self) >= PATHS_REMEMBERED:
            self.clear()
        found = None
        if 1 < len(path) <= PATH_STEPS and path[0] == 0:
            try:
                found = msgspec.json.Decoder(_only(path[1:]))
            except ValueError:
                pass  # a name that cannot be one of a field
        self[path] = found
        return found


_decoders = _Decoders()


def _only(path: Sequence[int | str]) -> Any:
    """Return the type of values of which only the string at a path is decoded."""
    if not path:
        return str
    inner = _only(path[1:])
    if isinstance(path[0], int):
        return list[inner]
    return msgspec.defstruct("Only", [("only", inner | None, None)], rename={"only": path[0]}, gc=False)


def string_at(line: bytes, path: Sequence[int | str]) -> str | None:
    """Return the string at a path of a line as `LazyLine` gives it; None where that has to be asked."""
    decoder = _decoders[tuple(path)]
    if decoder is None:
        return None
    try:
        value = decoder.decode(line)
        for step in path[1:]:
            value = value.only if isinstance(step, str) else value[step]
    except (msgspec.DecodeError, RecursionError, AttributeError, IndexError, TypeError):
        return None  # damaged, or not of that form
    return rendering.clean(value) if value is not None else None
