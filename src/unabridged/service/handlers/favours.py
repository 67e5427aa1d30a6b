"""What a request brings beside its question: added terms, what its asker works on and talks of."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.retrieve import locator, target
from unabridged.retrieve.asked import InHand, Search
from unabridged.retrieve.context import Context
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import DOCUMENT

MAX_ITEMS = 16  # of each list
MAX_TERM = 200  # characters of an added term
MAX_NAME = 4_096  # characters of a file's path or a passage's name
MAX_TOPIC = 16_384  # characters


class Asked(Protocol):
    """A request that has such fields."""

    @property
    def expansion(self) -> list[str]:
        """Terms."""
        ...

    @property
    def working_set(self) -> list[str]:
        """Files or passages."""
        ...

    @property
    def session_context(self) -> str:
        """What is talked of."""
        ...

    @property
    def operators(self) -> bool:
        """Whether the question is an expression."""
        ...


def favoured(context: Context, asked: Asked, search: Search) -> Search:
    """Return a search with what its asker brings; raise `InvalidInput` or `LimitExceeded`."""
    _short("expansion", asked.expansion, MAX_TERM)
    _short("working_set", asked.working_set, MAX_NAME)
    if len(asked.session_context) > MAX_TOPIC:
        raise LimitExceeded(
            "`session_context` is too long",
            field="session_context",
            limit=MAX_TOPIC,
            size=len(asked.session_context),
        )
    if asked.operators and asked.expansion:
        raise InvalidInput(
            "an expression takes no added terms", field="expansion", hint="Write them into it with OR."
        )
    return replace(
        search,
        expansion=tuple(asked.expansion),
        in_hand=_in_hand(context, asked.working_set),
        topic=asked.session_context,
    )


def _short(field: str, values: list[str], most: int) -> None:
    if len(values) > MAX_ITEMS:
        raise LimitExceeded(f"`{field}` has too many items", field=field, limit=MAX_ITEMS, size=len(values))
    for value in values:
        if len(value) > most:
            raise LimitExceeded(f"an item of `{field}` is too long", field=field, limit=most, size=len(value))


def _in_hand(context: Context, names: list[str]) -> InHand:
    paths, events = set[str](), set[tuple[ProjectId, int]]()
    for name in filter(None, map(str.strip, names)):
        place = _place(context, name)
        if place is None:
            paths.add(name)
        elif place.event:
            events.add((place.project, place.event))
        else:
            document = context.reader.get(DOCUMENT, (place.project, place.document))
            events |= {(place.project, member) for member in document.members} if document else set()
    return InHand(frozenset(paths), frozenset(events))


def _place(context: Context, name: str) -> locator.Place | None:
    """Return the passage that a name means, None for one that means none: it is a file's then."""
    if "/" in name and ":" not in name:
        return None
    try:
        return target.find(context, name).place
    except InvalidInput:
        return None
