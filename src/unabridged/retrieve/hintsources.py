"""The sources that a message may be about, and how much of it each of them holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from unabridged.errors import UnabridgedError
from unabridged.index.exact import anchors
from unabridged.retrieve import hintcues as cues
from unabridged.retrieve import places
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import NONE, Filters
from unabridged.retrieve.hintintent import Intent
from unabridged.retrieve.hintlineage import Visible
from unabridged.retrieve.hintmatch import FAR, NEAR, held, reverses, share_of, spots, spread_of
from unabridged.schema.ids import DocumentId, Micros, ProjectId
from unabridged.schema.records import DOCUMENT, HUMAN, META, SUMMARY, Document, Event
from unabridged.schema.scope import Level

FETCH = 16  # windows that are looked at
SOURCES = 8  # of them, whose text is read
SPARE = 4_096  # bytes by which white space may make a message longer
FULL_LEAST, FULL_SHARE = 20, 0.03  # windows, share of all windows, above which a word is everywhere
FOLLOWED = 4  # best sources whose next turn is looked at
REACTION = 300  # characters of a person's answer to what an agent proposed
TEXT = 6_000  # bytes of a message beside the best passage that are looked at
IDENTITY = 12  # bytes of a document's id that all its versions share
SPOKEN, PAYLOAD = frozenset(("text",)), frozenset(("tool-result", "tool-call"))

_SETTLED, _REPAIRED = cues.compiled("settled"), cues.compiled("repaired")
_AGREED = cues.compiled("agreed")
_SPACE = re.compile(r"\s+")


@dataclass(slots=True)
class Source:
    """A turn (or a note, or an event of a turn that is open) that holds some of a message's words.

    share: of the words' weight (0-1). spread: characters from the first to the last of its telling words. wanted: it is
    of the sort that was asked for. reverses: it takes something back where the words stand. event, start, end: its best
    passage.
    """

    key: bytes
    document: Document | None
    event: Event
    start: int
    end: int
    score: float
    time: Micros
    words: set[int] = field(default_factory=set[int])
    whole: set[int] = field(default_factory=set[int])
    spread: int = FAR
    wanted: bool = False
    reverses: bool = False
    share: float = 0.0
    text: str = ""
    agreed: Document | None = None  # the next turn, where a person takes up in it what was proposed

    @property
    def keys(self) -> tuple[bytes, ...]:
        """What it rests under."""
        return (self.key, *((document_key(self.agreed.id),) if self.agreed is not None else ()))

    @property
    def together(self) -> bool:
        """Whether its telling words stand near each other."""
        return self.spread <= NEAR

    @property
    def id(self) -> str:
        """What names it: its document's id, or its event's."""
        return (self.document.id if self.document is not None else self.event.id).hex()

    @property
    def place(self) -> tuple[ProjectId, int]:
        """Its best event."""
        return self.event.project, self.event.ordinal


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, best first; `visible`: the best score of what is visible and therefore left out, or 0."""

    sources: Sequence[Source]
    visible: float = 0.0


def tempered(finder: Finder, intent: Intent) -> Intent:
    """Return a message with the words that this archive is full of ranked as common, whatever they say elsewhere."""
    frequencies, total = finder.frequencies([word.clause for word in intent.words])
    most = max(FULL_LEAST, FULL_SHARE * total)
    words = [
        replace(word, rank="common") if frequency > most and word.rank == "telling" else word
        for word, frequency in zip(intent.words, frequencies, strict=True)
    ]
    return replace(intent, words=tuple(words))


def look(
    context: Context,
    finder: Finder,
    intent: Intent,
    message: str,
    visible: Visible,
    kinds: frozenset[str],
    since: Micros = NONE,
) -> Looked:
    """Return the sources that hold most of a message's words; raises what the index raises."""
    search = Search(intent.query, FETCH, Filters(kinds=kinds, since=since))
    candidates = finder.candidates(search, _projects(context), FETCH)
    pairs, _ = Eligibility(context, search.filters, {}, standing=True).sift(candidates)
    plain = _SPACE.sub(" ", message).strip()
    groups, hidden = _grouped(context, pairs, visible, plain)
    found = [_read(context, intent, group, plain) for group in groups[:SOURCES]]
    sources = [item for item in found if item is not None]
    sources = _with_agreements(context, intent, sources)
    sources.sort(key=lambda item: (-item.share, -item.score, item.key))
    return Looked(sources, hidden)


def _with_agreements(context: Context, intent: Intent, sources: list[Source]) -> list[Source]:
    """Join each of the best sources with the turn in which a person takes it up: together they say what was settled."""
    sources.sort(key=lambda item: (-item.share, -item.score, item.key))
    gone = set[bytes]()
    for item in sources[:FOLLOWED]:
        if item.key in gone or item.document is None or item.event.kind not in SPOKEN:
            continue
        item.agreed = _agreement(context, item.document)
        if item.agreed is None:
            continue
        key = document_key(item.agreed.id)
        for other in sources:
            if other.key == key and other is not item:
                gone.add(key)
                item.words |= other.words
                item.whole |= other.whole
                item.wanted |= other.wanted
                item.share = share_of(intent.words, item.words, item.whole)
    return [item for item in sources if item.key not in gone]


def _agreement(context: Context, document: Document) -> Document | None:
    """Return the turn behind a turn, where a person takes up in it what was proposed; else None."""
    following = context.reader.scan(
        DOCUMENT, (document.project, document.session), start=(document.seq_to + 1,), index="place", limit=1
    )
    for turn in following:
        if turn.kind != "turn":
            return None
        for event in turn_of(context, turn):
            if event.flags & HUMAN and event.kind in SPOKEN:
                try:
                    text = context.resolver.event_text(event) if event.size <= 4 * REACTION else ""
                except UnabridgedError:
                    return None
                return turn if len(text) <= REACTION and _AGREED.search(text) else None
    return None


def _projects(context: Context) -> list[ProjectId] | None:
    if context.scope.level is Level.ALL:
        return None
    return [context.scope.project, *sorted(context.scope.linked)]


Group = tuple[bytes, Document | None, list[tuple[Candidate, Event]]]


def _grouped(
    context: Context, pairs: Sequence[tuple[Candidate, Event]], visible: Visible, message: str
) -> tuple[list[Group], float]:
    """Return windows by the turn that holds them, best first, and the best score of those that are visible."""
    groups, hidden = dict[tuple[ProjectId, bytes], Group](), 0.0
    for candidate, event in pairs:
        if event.flags & (META | SUMMARY):
            continue
        if visible.holds(event) or (visible.keys and _key(context, event) in visible.keys):
            if candidate.score > hidden and not _is_message(context, event, message):
                hidden = candidate.score
            continue
        document = places.document_of(context.reader, event)
        key = bytes((document.id if document is not None else event.id)[:IDENTITY])
        groups.setdefault((event.project, key), (key, document, []))[2].append((candidate, event))
    return list(groups.values()), hidden


def _is_message(context: Context, event: Event, message: str) -> bool:
    """Tell whether an event is the message itself, or one in the same words."""
    if event.role != "user" or event.size > 4 * len(message) + SPARE:
        return False
    try:
        return _SPACE.sub(" ", context.resolver.event_text(event)).strip() == message
    except UnabridgedError:
        return False


def _key(context: Context, event: Event) -> str:
    return places.source_key(context.reader, places.session_of(context.reader, event), event)


def _read(context: Context, intent: Intent, group: Group, message: str) -> Source | None:
    """Return a turn with what its windows hold of a message; None where they cannot be read, or are the message itself.

    What was asked in the same words before says nothing of them; what was answered then does.
    """
    key, document, pairs = group
    best, found = 0.0, None
    for candidate, event in pairs:
        try:
            data = context.resolver.event_bytes(event)[candidate.start : candidate.end]
        except UnabridgedError:
            continue
        text = data.decode("utf-8", "replace")
        if event.role == "user" and _SPACE.sub(" ", text).strip() == message:
            continue
        words, whole = held(intent.words, text)
        share = share_of(intent.words, words, whole)
        if found is None:
            found = Source(
                key, document, event, candidate.start, candidate.end, candidate.score, _time(context, event)
            )
        if share > best or not found.text:
            best = max(best, share)
            found.event, found.start, found.end, found.text = event, candidate.start, candidate.end, text
        found.words |= words
        found.whole |= whole
    if found is None:
        return None
    found.share = share_of(intent.words, found.words, found.whole)
    near = spots(intent.words, found.words, found.text)
    found.spread = spread_of(near)
    found.reverses = reverses(found.text, near)
    found.wanted = _is_wanted(context, intent, found)
    return found


def _is_wanted(context: Context, intent: Intent, source: Source) -> bool:
    """Tell whether a source is of the sort that was asked for: a decision, a repair, what a tool printed."""
    if intent.wants == "output":
        return source.event.kind in PAYLOAD or any(item.kind == "error" for item in anchors(source.text))
    pattern = {"decision": _SETTLED, "reason": _SETTLED, "repair": _REPAIRED}.get(intent.wants)
    if pattern is None:
        return False
    return any(pattern.search(text) for _, text, _ in said(context, source))


Said = tuple[Event, str, bytes]  # an event, its text, the id of the document that holds it (empty: none yet)


def said(context: Context, source: Source) -> list[Said]:
    """Return what people and agents said in a source's turn and where that was taken up, in order."""
    document = source.document
    if source.event.kind not in SPOKEN or document is None:
        return [(source.event, source.text, bytes(document.id) if document is not None else b"")]
    found = list[Said]()
    for turn in (document, source.agreed):
        for event in turn_of(context, turn) if turn is not None else ():
            if event.kind not in SPOKEN or not event.size or event.flags & (META | SUMMARY):
                continue
            held_by = bytes(turn.id) if turn is not None else b""
            if event.ordinal == source.event.ordinal:
                found.append((event, source.text, held_by))
                continue
            try:
                data = context.resolver.event_bytes(event)
            except UnabridgedError:
                continue
            found.append((event, data[:TEXT].decode("utf-8", "replace"), held_by))
    return found


def turn_of(context: Context, document: Document) -> list[Event]:
    """Return the first and the last events of a turn: what was asked, and what came of it."""
    members = document.members
    if len(members) > 2 * SOURCES:
        members = [*members[:SOURCES], *members[-SOURCES:]]
    found = (places.event_at(context.reader, document.project, ordinal) for ordinal in members)
    return [event for event in found if event is not None]


def _time(context: Context, event: Event) -> Micros:
    if event.time:
        return event.time
    session = places.session_of(context.reader, event)
    return session.started or session.created


def document_key(document: DocumentId) -> bytes:
    """Return what all versions of a document share."""
    return bytes(document[:IDENTITY])
