"""What was read before, so that a history which is sent again is not read again."""

from __future__ import annotations

from unabridged.window.messages import Item


class Known:
    """Items that were read before, by their bytes: a client sends its whole history each time.

    It holds at most so many bytes of them, the last that came. Reading is the same with and without it.
    """

    def __init__(self, most: int) -> None:
        """Hold at most `most` bytes of items; what is made of them takes about as much again."""
        self._most, self._size = most, 0
        self._items = dict[bytes, Item]()

    def get(self, raw: bytes) -> Item | None:
        """Return the item of these bytes, if it was read before."""
        return self._items.get(raw)

    def put(self, raw: bytes, item: Item) -> None:
        """Remember an item; the oldest go where there is no room."""
        if len(raw) > self._most or raw in self._items:
            return
        self._items[raw] = item
        self._size += len(raw)
        while self._size > self._most:
            oldest = next(iter(self._items))
            del self._items[oldest]
            self._size -= len(oldest)
