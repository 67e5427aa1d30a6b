"""From events to the windows that the index takes.

This needs no index, so that any process can do it: the one that writes the index, or others at its side.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.archive.resolve import Resolver
from unabridged.errors import UnabridgedError
from unabridged.index.feed import Feed, FeedReader
from unabridged.index.layout import LexicalDoc, Ready, ready
from unabridged.index.scoring import ASSISTANT, TOOL, USER
from unabridged.index.windows import windows
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import HUMAN, META, SIDE, SUMMARY, Event


class Made(msgspec.Struct, array_like=True):
    """A feed with its events as windows. `damaged`: ordinals of events whose text could not be read."""

    project: ProjectId
    after: int
    position: int
    digest: bytes
    windows: list[Ready]
    retired: list[int]
    damaged: list[int]


def make(feed: Feed) -> Made:
    """Return a feed with its events as windows."""
    damaged = list[Event]()
    found = list(ready_windows(feed, damaged))
    unread = [int(event.ordinal) for event in damaged]
    return Made(feed.project, feed.after, feed.position, feed.digest, found, feed.retired, unread)


def ready_windows(feed: Feed, damaged: list[Event]) -> Iterator[Ready]:
    """Yield the windows of a feed's events; add those events to `damaged` whose text cannot be read."""
    resolver = Resolver(FeedReader(feed))
    for event in feed.unpacked():
        try:
            text = resolver.event_text(event)
        except UnabridgedError:
            damaged.append(event)
            continue
        yield from map(ready, documents(event, text))


def documents(event: Event, text: str) -> Iterator[LexicalDoc]:
    """Yield an event's windows as the lexical index takes them."""
    ascii_only = text.isascii()
    at = chars = 0
    weight = weight_of(event)
    for number, (start, end) in enumerate(windows(text).ranges):
        window = text[start:end]
        if ascii_only:
            first, last = start, end
        else:
            # Windows begin in order, so the bytes before each are counted from the one before.
            at += len(text[chars:start].encode())
            chars = start
            first, last = at, at + len(window.encode())
        yield LexicalDoc(
            event.project,
            event.session,
            event.ordinal,
            number,
            first,
            last,
            window,
            event.time,
            event.role,
            event.kind,
            event.host,
            event.tool,
            weight,
            bool(event.flags & SIDE),
            tuple(event.paths),
        )


def weight_of(event: Event) -> int:
    """Return the class that a window's score is weighted by: people's words over agents', those over tool output."""
    if event.flags & HUMAN:
        return USER
    if event.role == "assistant" and event.kind == "text" and not event.flags & (META | SUMMARY):
        return ASSISTANT
    return TOOL
