"""Goes through all pages of an answer, one item after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Page = TypeVar("Page")
Item = TypeVar("Item")


class Pages(Iterator[Item], Generic[Page, Item]):
    """The items of all pages; a page is asked for when its first item is taken. For one thread.

    `page` is the answer that was taken last (the first one is there from the beginning): its `status` and `account` say
    how complete that is. Taking an item raises what asking for its page raises; taking another then asks again.
    """

    def __init__(
        self,
        ask: Callable[[str], Page],
        items: Callable[[Page], Iterable[Item]],
        after: Callable[[Page], str],
    ) -> None:
        """Ask for the first page. `ask` takes a cursor, `after` gives the cursor behind a page ("": it is the last)."""
        self._ask = ask
        self._cut = items
        self._after = after
        self.page: Page = ask("")
        self._items = iter(items(self.page))

    def __iter__(self) -> Iterator[Item]:
        """Return itself."""
        return self

    def __next__(self) -> Item:
        """Return the next item."""
        while True:
            for item in self._items:
                return item
            cursor = self._after(self.page)
            if not cursor:
                raise StopIteration
            self.page = self._ask(cursor)
            self._items = iter(self._cut(self.page))
