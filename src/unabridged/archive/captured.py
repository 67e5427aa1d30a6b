"""What is archived of a conversation on the wire, read again: its items in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.archive.capture import prior, stream_of
from unabridged.archive.restore import read_range
from unabridged.errors import LimitExceeded
from unabridged.hosts.wire.items import facts_of
from unabridged.schema.windows import WINDOW_ITEM, Window, WindowItem
from unabridged.store.contract import Reader

MAX_BYTES = 64 << 20  # of a conversation that is read at once
PAGE = 1_000


class Kept(msgspec.Struct, frozen=True, gc=False):
    """An item as it was kept: its key, its JSON, whether it came as an answer."""

    key: str
    raw: bytes
    answer: bool


def items_of(reader: Reader, window: Window) -> list[Kept]:
    """Return a conversation's items; one whose line is gone is left out.

    Raises `LimitExceeded` for more than `MAX_BYTES`.
    """
    generation = prior(reader, stream_of(window, ""))
    if generation is None:
        return []
    size = generation.stored_offset + generation.pending
    if size > MAX_BYTES:
        raise LimitExceeded(
            "the conversation is larger than what is looked at",
            field="target",
            limit=MAX_BYTES,
            size=size,
            hint="`una window why` tells of its requests.",
        )
    data, found = read_range(reader, generation, 0, size, allow_gaps=True), list[Kept]()
    for item in sorted(_items(reader, window), key=lambda item: (item.generation, item.offset)):
        facts = facts_of(data[item.offset : item.offset + item.length])
        if facts is not None and facts.item == item.key:
            found.append(Kept(item.key, facts.data, facts.origin == "answer"))
    return found


def _items(reader: Reader, window: Window) -> Iterator[WindowItem]:
    start: tuple[str, ...] = ()
    while True:
        page = reader.scan(WINDOW_ITEM, (window.project, window.conversation), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = (page[-1].key + "\0",)
