"""The JSON values of a kept line, of which only what is asked for is decoded.

Half of a transcript's bytes stand in fields that no text refers to. To pass over them costs a tenth of decoding them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.archive.ingest import follow
from unabridged.hosts.lines import values

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
