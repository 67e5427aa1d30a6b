"""What the archive tells a session of itself: how much there is, and what a compaction took out of the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from unabridged.archive import hints
from unabridged.archive.resolve import Resolver
from unabridged.archive.sessions import list_sessions
from unabridged.hosts.calls import is_own_text
from unabridged.retrieve.locator import handle_of
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import DOCUMENT, EVENT, HUMAN, META, SUPERSESSION, Document, Event, Quoted
from unabridged.service.handlers.hintplace import Conversation
from unabridged.store.contract import Reader
from unabridged.window import orientation as texts
from unabridged.window.catalogue import Entry
from unabridged.window.terms import salient, topic

TURNS = 4_000  # of a session that are counted
READ_TURNS = 200  # the last ones, whose words are read
READ_EVENTS = 12  # of a turn that are looked at
READ_TEXTS = 3  # of a turn
READ_BYTES = 64 << 10  # a longer text is not read for its topic
SECOND = 1_000_000  # microseconds
TURN = "turn"


@dataclass(frozen=True, slots=True)
class Telling:
    """A text with what names it in its session (`native`), its kind, its budget and the events that it quotes."""

    text: str
    native: str
    outcome: str
    budget: int
    quoted: list[Quoted] = field(default_factory=list[Quoted])


def orientation(reader: Reader, talk: Conversation) -> Telling:
    """Return what is told at a session's start: of the project's other sessions, those of subagents not counted."""
    sessions = list_sessions(reader, project=talk.project) if talk.project != GLOBAL else []
    known = set(talk.lineage.names)
    others = [item for item in sessions if item.session not in known and item.relation != "subagent"]
    times = [item.started for item in others if item.started]
    since = datetime.fromtimestamp(min(times) / SECOND, UTC).date().isoformat() if times else ""
    text = texts.orientation(len(others), since)
    return Telling(text, hints.ORIENTATION, hints.ORIENTATION, texts.ORIENTATION_TOKENS)


def catalogue(reader: Reader, talk: Conversation) -> Telling:
    """Return what is told behind a compaction: the turns of the session, one line each, the older ones together."""
    session = talk.lineage.session
    turns = _turns(reader, talk) if session is not None else []
    resolver, quoted, entries = Resolver(reader), list[Quoted](), list[Entry]()
    older, recent = turns[:-READ_TURNS], turns[-READ_TURNS:]
    if older:
        entries.append(_together(reader, older))
    for document in recent:
        entries.append(_line(reader, resolver, document, quoted))
    named = f"{hints.CATALOGUE}:{session.next_seq if session is not None else 0}"
    return Telling(texts.contents(entries), named, hints.CATALOGUE, texts.CATALOGUE_TOKENS, quoted)


def _turns(reader: Reader, talk: Conversation) -> list[Document]:
    found = reader.scan(DOCUMENT, (talk.project, talk.lineage.name), index="place", reverse=True, limit=TURNS)
    live = [
        document
        for document in found
        if document.kind == TURN and reader.get(SUPERSESSION, (document.project, document.ordinal)) is None
    ]
    return live[::-1]


def _name(document: Document, event: Event | None) -> str:
    """Return the handle by which a turn is recalled: of what it begins with."""
    ordinal, size = (event.ordinal, event.size) if event is not None else (document.members[0], 0)
    return handle_of(document.project, ordinal, 0, size)


def _together(reader: Reader, documents: Sequence[Document]) -> Entry:
    first, last = (
        reader.get(EVENT, (item.project, item.members[0])) for item in (documents[0], documents[-1])
    )
    return Entry(
        _name(documents[0], first),
        "",
        (),
        len(documents),
        _name(documents[-1], last),
        sum(document.tokens for document in documents),
    )


def _line(reader: Reader, resolver: Resolver, document: Document, quoted: list[Quoted]) -> Entry:
    keys = [(document.project, ordinal) for ordinal in document.members[:READ_EVENTS]]
    events = [event for event in reader.get_many(EVENT, keys) if event is not None]
    asked = next((event for event in events if event.flags & HUMAN), None)
    said, read = "", list[str]()
    for event in events:
        if event.kind != "text" or event.flags & META or event.size > READ_BYTES or len(read) == READ_TEXTS:
            continue
        text = resolver.event_text(event)
        if is_own_text(text):
            continue
        if event is asked:
            said = topic(text)
        read.append(text)
        quoted.append(Quoted(event.project, event.ordinal, event.id, document.id))
    first = asked or (events[0] if events else None)
    return Entry(_name(document, first), said, salient(read), tokens=document.tokens)
