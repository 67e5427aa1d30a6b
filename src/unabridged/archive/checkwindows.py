"""The invariants of what passed on the wire: windows, their items, and blocks that came twice."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.archive import windows as kept
from unabridged.archive.checkscan import Scan, Violation
from unabridged.archive.resolve import Resolver
from unabridged.archive.twins import TRANSCRIPT, WIRES
from unabridged.errors import UnabridgedError
from unabridged.hosts.lines import body
from unabridged.hosts.wire.items import facts_of
from unabridged.schema.ids import source_hash
from unabridged.schema.records import ALIAS, EVENT, PATH, Alias
from unabridged.schema.windows import TWINS, WINDOW_ITEM, WINDOW_REQUEST, Twin, Window, WindowItem

PAGE = 500  # records read at once
CAPTURES = range(1, TRANSCRIPT + sum(WIRES.values()) + 1)


def windows_are_kept(scan: Scan) -> Iterator[Violation]:
    """Every window is where its home says, keeps its newest requests only, and each of its items resolves."""
    for window in kept.every(scan.reader, scan.project):
        scan.count("windows")
        subject = window.conversation.hex()
        home = kept.home_of(scan.reader, window.conversation)
        if home is None or (home.home, home.session) != (window.project, window.session):
            yield scan.wrong("window-home", subject, "says another place")
        numbers = [
            item.number
            for item in scan.reader.scan(
                WINDOW_REQUEST, (scan.project, window.conversation), limit=kept.KEPT_REQUESTS + 1
            )
        ]
        scan.count("window requests", len(numbers))
        first = max(1, window.requests - kept.KEPT_REQUESTS + 1)
        if numbers != list(range(first, window.requests + 1)):
            yield scan.wrong("window-requests", subject, f"{len(numbers)} kept of {window.requests}")
        resolver = Resolver(scan.reader)
        for item in _items(scan, window):
            scan.count("window items")
            yield from _item(scan, resolver, window, item)


def _items(scan: Scan, window: Window) -> Iterator[WindowItem]:
    start: tuple[str, ...] = ()
    while True:
        page = scan.reader.scan(WINDOW_ITEM, (scan.project, window.conversation), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = (page[-1].key + "\0",)


def _item(scan: Scan, resolver: Resolver, window: Window, item: WindowItem) -> Iterator[Violation]:
    subject = f"{window.conversation.hex()}:{item.key}"
    keys = [(scan.project, ordinal) for ordinal in item.events if ordinal]
    if any(event is None for event in scan.reader.get_many(EVENT, keys)):
        yield scan.wrong("window-item-events", subject, "some are missing")
    if not scan.deep:
        return
    origin = kept.origin_of(window)
    try:
        line = resolver.original(scan.project, origin, item.generation, item.offset, item.length)
    except UnabridgedError as error:
        yield scan.wrong("window-item-line", subject, error.code)
        return
    facts = facts_of(body(line))
    if len(line) != item.length or facts is None or facts.item != item.key:
        yield scan.wrong("window-item-line", subject, "is not the item's")


def aliases_name_one_event(scan: Scan) -> Iterator[Violation]:
    """Every further source key names one event, and no path has it."""
    start, last = (), b""
    while True:
        page = scan.reader.scan(ALIAS, (scan.project,), start=start, limit=PAGE)
        for alias in page:
            scan.count("aliases")
            yield from _alias(scan, alias, last)
            last = alias.source
        if len(page) < PAGE:
            return
        start = (page[-1].source, page[-1].event + 1)


def _alias(scan: Scan, alias: Alias, last: bytes) -> Iterator[Violation]:
    if alias.source == last:
        yield scan.wrong("alias-one", alias.event, "its source key names another event, too")
    if alias.source != source_hash(alias.key):
        yield scan.wrong("alias-source", alias.event, "its source key has another hash")
    if scan.reader.get(EVENT, (scan.project, alias.event)) is None:
        yield scan.wrong("alias-event", alias.event, "is missing")
    if scan.reader.lookup(PATH, "source", [(scan.project, alias.source)])[0] is not None:
        yield scan.wrong("alias-path", alias.event, "a path has its source key")


def twins_are_events(scan: Scan) -> Iterator[Violation]:
    """What was said in a captured session, each time once and in order, is an event that some capture brought."""
    start: tuple[bytes | int, ...] = ()
    while True:
        page = scan.reader.scan(TWINS, (scan.project,), start=start, limit=PAGE)
        for record in page:
            for twin in record.twins:
                scan.count("twins")
                subject = f"{record.session.hex()}:{twin.key.hex()}"
                if twin.key[0] != record.bucket or len(twin.events) != len(twin.seen):
                    yield scan.wrong("twin-form", subject, "is not whole")
                yield from _twin(scan, twin, subject)
        if len(page) < PAGE:
            return
        start = (page[-1].session, page[-1].bucket + 1)


def _twin(scan: Scan, twin: Twin, subject: str) -> Iterator[Violation]:
    if any(seen not in CAPTURES for seen in twin.seen) or bool(twin.events) == bool(twin.same):
        yield scan.wrong("twin-seen", subject, "by no capture")
    if twin.events != sorted(set(twin.events)):
        yield scan.wrong("twin-order", subject, "its events are not in order")
    events = scan.reader.get_many(EVENT, [(scan.project, ordinal) for ordinal in twin.events])
    if any(event is None for event in events):
        yield scan.wrong("twin-events", subject, "some are missing")
