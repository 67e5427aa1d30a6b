"""Names that a window gives out: items of a conversation, or parts of them, as they passed on the wire.

`window:3fa2b1c09d8e:1a2b3c4d5e6f7081#2` is part 2 of an item. What it recalls is the wire's own text, byte for byte but
for what was redacted. The event may have come through another capture and be rendered another way, as calls are.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

import msgspec

from unabridged.archive import rendering
from unabridged.archive import windows as kept
from unabridged.hosts.lines import body
from unabridged.hosts.wire.items import facts_of, text_of_part
from unabridged.retrieve.context import Context
from unabridged.schema import tokens
from unabridged.schema.ids import Digest
from unabridged.schema.records import CHUNKED, EVENT, META, Event
from unabridged.schema.windows import WINDOW_ITEM, WindowHome, WindowItem, address_of

ADDRESS = kept.ADDRESS
JOIN = "\n\n"  # between the parts of an item that is named as a whole
SAME_START = 1_000  # items whose keys begin alike: equal content that came again, mostly
MISSING, OUT_OF_SCOPE, ERASED = "missing", "out-of-scope", "erased"
_NAME = re.compile(r"window:([0-9a-f]{8,32}):([0-9a-f]{8,32})(-[0-9]{1,9})?(?:#([0-9]{1,6}))?")


@dataclass(frozen=True, slots=True)
class Named:
    """What a name means: an event, with the wire's own text where that differs; or why there is none."""

    status: str
    home: WindowHome | None = None
    event: Event | None = None


def is_name(text: str) -> bool:
    """Tell whether a target is a name of this kind."""
    return text.startswith(ADDRESS)


def names_itself(event: Event) -> bool:
    """Tell whether an event stands here with the wire's own text."""
    return is_name(event.native)


def find(context: Context, text: str) -> Named:
    """Return what a name means, inside the caller's scope."""
    said = _NAME.fullmatch(text)
    if said is None:
        return Named(MISSING)
    digits, name, repeated, part = said.groups()
    homes = kept.homes_beginning(context.reader, digits)
    seen = [home for home in homes if context.scope.allows(home.home, home.session)]
    if not seen:
        return Named(OUT_OF_SCOPE if homes else MISSING)
    for home in seen:
        item = _item(context, home, name, repeated or "")
        if item is not None:
            return _found(context, home, item, int(part) if part else None)
    return Named(MISSING)


def _item(context: Context, home: WindowHome, name: str, repeated: str) -> WindowItem | None:
    items = context.reader.scan(WINDOW_ITEM, (home.home, home.conversation), start=(name,), limit=SAME_START)
    for item in items:
        digits, mark, times = item.key.partition("-")
        if not digits.startswith(name):
            return None
        if mark + times == repeated:
            return item
    return None


def _found(context: Context, home: WindowHome, item: WindowItem, part: int | None) -> Named:
    keys = [(home.home, ordinal) for ordinal in item.events]
    events = context.reader.get_many(EVENT, keys)
    if part is None and len(events) > 1:
        spoken = [at for at, event in enumerate(events) if event is not None and not event.flags & META]
        part = spoken[0] if len(spoken) == 1 else None
    if part is None and len(events) > 1:
        return _whole(context, home, item, events)
    at = part or 0
    if at >= len(events) or not item.events[at]:
        return Named(MISSING)
    event = events[at]
    if event is None:
        return Named(ERASED)
    text = _texts(context, home, item, [at])[0]
    return Named("", home, event if text is None else _saying(event, text, _name(item, at), home))


def _whole(context: Context, home: WindowHome, item: WindowItem, events: list[Event | None]) -> Named:
    """Return all parts of an item as one text; of an item of which something was erased nothing is given."""
    there = [event for event in events if event is not None]
    stones = kept.erased_of(context.reader, home.home, [item])
    if stones or not there:
        return Named(ERASED if stones else MISSING)
    texts = _texts(context, home, item, range(len(events)))
    text = JOIN.join([text for text in texts if text])
    return Named("", home, _saying(there[0], text, _name(item, None), home))


def _texts(
    context: Context, home: WindowHome, item: WindowItem, parts: range | list[int]
) -> list[str | None]:
    """Return the texts of some parts as they passed on the wire."""
    window = kept.window_at(context.reader, home)
    origin = kept.origin_of(window)
    line = context.resolver.original(home.home, origin, item.generation, item.offset, item.length)
    facts = facts_of(body(line))
    if facts is None:
        return [None for _ in parts]
    form, data = facts.format or window.format, facts.data
    return [text_of_part(form, data, at) for at in parts]


def _saying(event: Event, text: str, name: str, home: WindowHome) -> Event:
    """Return an event with a text of the wire in place of its rendering; the event itself where they are the same."""
    said = rendering.clean(text)
    data = said.encode()
    media = [item.digest for item in event.media]
    if rendering.digest(event.kind, event.role, event.tool, event.call, data, media) == event.digest:
        return event
    return msgspec.structs.replace(
        event,
        native=f"{address_of(home.conversation)}:{name}",
        digest=Digest(hashlib.sha256(data).digest()),
        size=len(data),
        tokens=tokens.by_script(data),
        pieces=[said],
        flags=event.flags & ~CHUNKED,
    )


def _name(item: WindowItem, part: int | None) -> str:
    return item.key if part is None else f"{item.key}#{part}"
