"""Every invariant of the archive with its checker.

`CHECKS` is the table; `check` runs it over one snapshot. `una verify`, `una doctor` and the tests use it. A checker
yields violations and counts what it looked at; it never repairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unabridged.archive import hints, log, rendering
from unabridged.archive.checkscan import Scan, Violation
from unabridged.archive.checkwindows import aliases_name_one_event, twins_are_events, windows_are_kept
from unabridged.archive.compress import verified
from unabridged.archive.resolve import Resolver
from unabridged.archive.turns import manifest_digest
from unabridged.errors import UnabridgedError
from unabridged.hosts.calls import is_own_text
from unabridged.schema import tokens
from unabridged.schema.ids import GLOBAL, ProjectId, source_hash
from unabridged.schema.records import (
    CHUNK,
    CHUNK_KIND,
    CHUNK_REFS,
    COUNTERS,
    DOCUMENT,
    EVENT,
    EXPOSURE,
    GENERATION,
    HOME,
    ORIGIN,
    PATH,
    SEGMENT,
    SESSION,
    SUPERSESSION,
    TOMBSTONE,
    Counters,
    Event,
    Generation,
    Session,
)
from unabridged.store.contract import Reader

PAGE = 500  # records read at once
SEGMENT_PAGE = 16  # segments read at once (≤ 1 MiB each)
MAX_CHAIN = 4_096


def _events(scan: Scan) -> Iterator[Event]:
    at = 0
    while True:
        page = scan.reader.scan(EVENT, (scan.project,), start=(at,), limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        at = page[-1].ordinal + 1


def _sessions(scan: Scan) -> Iterator[Session]:
    start: tuple[bytes, ...] = ()
    while True:
        page = scan.reader.scan(SESSION, (scan.project,), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = ((int.from_bytes(page[-1].session, "big") + 1).to_bytes(16, "big"),)


def _generations(scan: Scan) -> Iterator[Generation]:
    start: tuple[bytes | int, ...] = ()
    while True:
        page = scan.reader.scan(GENERATION, (scan.project,), start=start, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        start = (page[-1].origin, page[-1].number + 1)


def log_is_gapless(scan: Scan) -> Iterator[Violation]:
    """Positions run from 1 to the head without a gap, and append entries partition the ordinals."""
    position, ordinal = 0, 1
    while True:
        page = log.entries(scan.reader, scan.project, position, PAGE)
        for entry in page:
            if entry.position != position + 1:
                yield scan.wrong("log-gapless", entry.position, f"follows position {position}")
            position = entry.position
            scan.count("log entries")
            if entry.kind == "append":
                if entry.first != ordinal or entry.last < entry.first:
                    yield scan.wrong(
                        "log-ordinals", entry.position, f"begins at {entry.first}, expected {ordinal}"
                    )
                ordinal = entry.last + 1
        if len(page) < PAGE:
            break
    counters = scan.reader.get(COUNTERS, (scan.project,)) or Counters(scan.project)
    if counters.next_position != position + 1:
        yield scan.wrong("log-head", position, f"the counter says {counters.next_position - 1}")
    if counters.next_ordinal != ordinal:
        yield scan.wrong("ordinal-head", ordinal - 1, f"the counter says {counters.next_ordinal - 1}")


def ordinals_name_one_thing(scan: Scan) -> Iterator[Violation]:
    """Each ordinal is one event or one document; the counters say how many there are of each."""
    counters = scan.reader.get(COUNTERS, (scan.project,)) or Counters(scan.project)
    events = scan.reader.count(EVENT, (scan.project,))
    documents = scan.reader.count(DOCUMENT, (scan.project,))
    gone = scan.reader.count(TOMBSTONE, (scan.project,))
    if counters.events != events:
        yield scan.wrong("event-count", events, f"the counter says {counters.events}")
    if counters.documents != documents:
        yield scan.wrong("document-count", documents, f"the counter says {counters.documents}")
    if (
        events + documents > counters.next_ordinal - 1
        or events + documents + gone < counters.next_ordinal - 1
    ):
        yield scan.wrong("ordinals", events + documents, f"{counters.next_ordinal - 1} were given out")
    for name, index in ((EVENT, "id"), (DOCUMENT, "id")):
        entries = scan.reader.count(name, (scan.project,), index=index)
        if entries != (events if name is EVENT else documents):
            yield scan.wrong(f"{name.name}-index", entries, "differs from the number of records")


def events_say_what_they_said(scan: Scan) -> Iterator[Violation]:
    """Every event is on its session's path; its text can be read and has its digest."""
    resolver = Resolver(scan.reader)
    for event in _events(scan):
        scan.count("events")
        path = scan.reader.get(PATH, (scan.project, event.session, event.seq))
        if path is None or path.event != event.ordinal:
            yield scan.wrong("event-path", event.ordinal, "its session's path names another")
        if not scan.deep:
            continue
        try:
            text = resolver.event_bytes(event)
        except UnabridgedError as error:
            yield scan.wrong("event-text", event.ordinal, error.code)
            continue
        media = [item.digest for item in event.media]
        if rendering.digest(event.kind, event.role, event.tool, event.call, text, media) != event.digest:
            yield scan.wrong("event-digest", event.ordinal, "its text is not what was admitted")


def paths_are_whole(scan: Scan) -> Iterator[Violation]:
    """Every session's path runs from 1 without a gap over existing events, under its own source keys."""
    for session in _sessions(scan):
        scan.count("sessions")
        expected = 1
        while True:
            page = scan.reader.scan(PATH, (scan.project, session.session), start=(expected,), limit=PAGE)
            events = scan.reader.get_many(EVENT, [(scan.project, path.event) for path in page])
            for path, event in zip(page, events, strict=True):
                scan.count("path steps")
                if path.seq != expected:
                    yield scan.wrong(
                        "path-gapless", session.session.hex(), f"{path.seq} where {expected} belongs"
                    )
                expected = path.seq + 1
                if event is None:
                    yield scan.wrong("path-event", path.event, "is missing")
                if path.source != source_hash(f"{session.host}:{session.host_session}:{path.native}"):
                    yield scan.wrong("path-source", path.event, "its source key has another hash")
            if len(page) < PAGE:
                break
        if session.next_seq != expected or session.events != expected - 1:
            yield scan.wrong(
                "path-head", session.session.hex(), f"{expected - 1} steps, counted {session.events}"
            )
        if scan.reader.get(HOME, (GLOBAL, session.session)) is None:
            yield scan.wrong("session-home", session.session.hex(), "is missing")


def documents_are_whole(scan: Scan) -> Iterator[Violation]:
    """Every document's members exist, its digest and size are theirs, and supersession chains end."""
    at = 0
    while True:
        page = scan.reader.scan(DOCUMENT, (scan.project,), start=(at,), limit=PAGE)
        for document in page:
            scan.count("documents")
            keys = [(scan.project, ordinal) for ordinal in document.members]
            events = [event for event in scan.reader.get_many(EVENT, keys) if event is not None]
            if len(events) != len(document.members):
                yield scan.wrong("document-members", document.ordinal, "some are missing")
                continue
            if manifest_digest(document.kind, [event.id for event in events]) != document.digest:
                yield scan.wrong("document-digest", document.ordinal, "differs from its members'")
            sizes = [event.size for event in events if event.size]
            if document.sizes != [event.size for event in events]:
                yield scan.wrong("document-sizes", document.ordinal, "differ from its members'")
            if document.size != sum(sizes) + len(rendering.JOIN) * max(0, len(sizes) - 1):
                yield scan.wrong("document-size", document.ordinal, "differs from its members'")
            yield from _chain(scan, document.ordinal)
        if len(page) < PAGE:
            return
        at = page[-1].ordinal + 1


def _chain(scan: Scan, ordinal: int) -> Iterator[Violation]:
    seen = {ordinal}
    step = scan.reader.get(SUPERSESSION, (scan.project, ordinal))
    while step is not None and step.new:
        if step.new in seen or len(seen) > MAX_CHAIN:
            yield scan.wrong("supersession-acyclic", ordinal, "the chain does not end")
            return
        seen.add(step.new)
        step = scan.reader.get(SUPERSESSION, (scan.project, step.new))


def replacements_are_there(scan: Scan) -> Iterator[Violation]:
    """What was replaced or corrected is a document or a message that exists, and what took its place a document."""
    at = 0
    while True:
        page = scan.reader.scan(SUPERSESSION, (scan.project,), start=(at,), limit=PAGE)
        for step in page:
            scan.count("supersessions")
            old = (scan.project, step.old)
            if scan.reader.get(DOCUMENT, old) is None:
                if scan.reader.get(EVENT, old) is None:
                    yield scan.wrong("supersession-old", step.old, "does not exist")
                yield from _chain(scan, step.old)
            if step.new and scan.reader.get(DOCUMENT, (scan.project, step.new)) is None:
                yield scan.wrong("supersession-new", step.old, f"{step.new} is no document")
        if len(page) < PAGE:
            return
        at = page[-1].old + 1


def originals_are_whole(scan: Scan) -> Iterator[Violation]:
    """The segments of a generation partition it, each with the bytes that its digest says."""
    for generation in _generations(scan):
        scan.count("generations")
        key = (scan.project, generation.origin, generation.number)
        if scan.reader.get(ORIGIN, (scan.project, generation.origin)) is None:
            yield scan.wrong("generation-origin", generation.origin.hex(), "is missing")
        at, end = 0, generation.stored_offset + generation.pending
        while True:
            page = scan.reader.scan(SEGMENT, key, start=(at,), limit=SEGMENT_PAGE)
            for segment in page:
                scan.count("segments")
                scan.count("original bytes", segment.size)
                if segment.start != at:
                    yield scan.wrong(
                        "segments-partition", generation.origin.hex(), f"{segment.start} follows {at}"
                    )
                at = segment.start + segment.size
                if scan.deep:
                    yield from _damage(scan, f"{generation.origin.hex()}@{segment.start}", segment)
            if len(page) < SEGMENT_PAGE:
                break
        if at != end:
            yield scan.wrong("segments-end", generation.origin.hex(), f"{at} of {end} bytes")


def _damage(scan: Scan, subject: str, item: object) -> Iterator[Violation]:
    try:
        verified(item.codec, item.dictionary, item.data, item.size, item.digest)  # type: ignore[attr-defined]
    except UnabridgedError as error:
        yield scan.wrong("payload-digest", subject, error.code)


def chunks_are_counted(scan: Scan) -> Iterator[Violation]:
    """Every chunk has its digest and as many references as events name it."""
    if not scan.deep:
        return
    uses = dict[bytes, int]()
    for event in _events(scan):
        for piece in event.pieces:
            if isinstance(piece, list) and piece[0] == CHUNK:
                for name in piece[1:]:
                    digest = bytes.fromhex(str(name))
                    uses[digest] = uses.get(digest, 0) + 1
    start: tuple[bytes, ...] = ()
    while True:
        page = scan.reader.scan(CHUNK_KIND, (scan.project,), start=start, limit=PAGE)
        for chunk in page:
            scan.count("chunks")
            yield from _damage(scan, chunk.digest.hex(), chunk)
            refs = scan.reader.get(CHUNK_REFS, (scan.project, chunk.digest))
            counted = refs.count if refs else 0
            if counted != uses.pop(chunk.digest, 0):
                yield scan.wrong("chunk-references", chunk.digest.hex(), f"counted {counted}")
        if len(page) < PAGE:
            break
        start = ((int.from_bytes(page[-1].digest, "big") + 1).to_bytes(32, "big"),)
    for digest in uses:
        yield scan.wrong("chunk-missing", digest.hex(), "events name it")


def hints_are_as_frozen(scan: Scan) -> Iterator[Violation]:
    """Every hint is named by its message, keeps its budget, holds a text only where it told something, none erased."""
    for hint in hints.every(scan.reader, scan.project):
        scan.count("hints")
        subject = f"{hint.session.hex()}/{hint.key.hex()}"
        if hint.key != hints.key_of(hint.native):
            yield scan.wrong("hint-key", subject, "is not its message's")
        if bool(hint.text) != (hint.outcome != hints.NOTHING) or bool(hint.text) != bool(hint.shown):
            yield scan.wrong("hint-text", subject, f"does not belong to the outcome {hint.outcome[:20]!r}")
        if hint.text and not is_own_text(hint.text):
            yield scan.wrong("hint-mark", subject, "its text is not marked as this product's own")
        if hint.tokens != tokens.strict(hint.text.encode()) or hint.tokens > hint.budget:
            yield scan.wrong("hint-budget", subject, f"{hint.tokens} tokens of {hint.budget}")
        if hints.holds_erased(scan.reader, hint):
            yield scan.wrong("hint-erased", subject, "quotes what was erased")
        for source in hint.rest:
            exposure = scan.reader.get(EXPOSURE, (hint.project, hint.session, source))
            if exposure is None or exposure.time < hint.created:
                yield scan.wrong("hint-exposure", subject, "a source that it told of does not rest")


Checker = Callable[[Scan], Iterator[Violation]]
CHECKS: tuple[tuple[str, Checker], ...] = (
    ("the log is a gapless total order", log_is_gapless),
    ("an ordinal names one document version or event", ordinals_name_one_thing),
    ("events say what they said", events_say_what_they_said),
    ("a session's path is whole", paths_are_whole),
    ("documents are whole", documents_are_whole),
    ("replacements are there", replacements_are_there),
    ("originals are whole", originals_are_whole),
    ("chunks are counted", chunks_are_counted),
    ("hints are as they were frozen", hints_are_as_frozen),
    ("windows are kept, and their items resolve", windows_are_kept),
    ("a further source key names one event", aliases_name_one_event),
    ("what came twice is one event", twins_are_events),
)


def check(
    reader: Reader,
    *,
    deep: bool = True,
    project: ProjectId | None = None,
    checked: dict[str, int] | None = None,
    progress: Callable[[str, str], None] | None = None,
) -> Iterator[Violation]:
    """Run every checker over every project (or one) and yield what is wrong; `checked` collects counts.

    A record that cannot be read is itself a violation; the checker that met it stops there, the others go on.
    """
    counts = checked if checked is not None else dict[str, int]()
    wanted = [project] if project is not None else [item.id for item in log.projects(reader)]
    for name in wanted:
        for title, checker in CHECKS:
            if progress is not None:
                progress(name.hex(), title)
            scan = Scan(reader, name, deep, counts)
            try:
                yield from checker(scan)
            except UnabridgedError as error:
                yield scan.wrong("readable", title, f"{error.code}: {error.message}")
