"""The sources that a message may be about, and how much of it each of them holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from unabridged.errors import UnabridgedError
from unabridged.retrieve import places
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.hintintent import Intent
from unabridged.retrieve.hintlineage import Visible
from unabridged.retrieve.hintmatch import has_pair, held, rarity, reverses, share_of, spots, spread_of
from unabridged.retrieve.hintturns import (
    IDENTITY,
    SPOKEN,
    Source,
    agreement,
    document_key,
    is_wanted,
    look_around,
)
from unabridged.schema.ids import Micros, ProjectId, SessionId
from unabridged.schema.records import META, SUMMARY, Document, Event
from unabridged.schema.scope import Level

FETCH = 24  # windows that are looked at
SPARE = 4_096  # bytes by which white space may make a message longer
READ, WINDOWS = 10, 2  # turns whose text is read, and windows of each
COVERED = 0.2  # share of a query's weight that a window holds at least, to be read
CLOSER, FAR_BEHIND = (
    5,
    0.4,
)  # sources that are looked at more closely, and how much less than the best they hold
NEIGHBOURS = 60  # steps of a conversation within which turns speak of one matter
LENT = 0.8  # of the weight of a word that only a turn beside the source has
LEAST = 0.3  # share of a message that a source holds at least, to be looked at more closely
LIVE = 4  # visible turns, whose text is read
FOLLOWED = 4  # best sources whose next turn is looked at

_SPACE = re.compile(r"\s+")

# What all versions of a turn share, the turn (none yet: of an event), its windows.
Group = tuple[bytes, Document | None, list[tuple[Candidate, Event]]]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, best first; `live`: of what is visible and therefore left out."""

    sources: Sequence[Source]
    live: Sequence[Source] = ()


def weighed(finder: Finder, intent: Intent) -> Intent:
    """Return a message with the rarity of its words in this archive, by the logarithm of the windows that hold them.

    A word that no window holds is another word for something more often than another matter, unless it is a name.
    """
    frequencies, total = finder.frequencies([word.clause for word in intent.words])
    words = [
        replace(word, rarity=rarity(word, frequency, total))
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
    session: SessionId | None = None,
) -> Looked:
    """Return the sources that hold most of a message's words; raises what the index raises."""
    search = Search(intent.query, FETCH, Filters(kinds=kinds, session=session))
    candidates = finder.candidates(search, _projects(context), FETCH)
    pairs, _ = Eligibility(context, search.filters, {}, standing=True).sift(candidates)
    plain = _SPACE.sub(" ", message).strip()
    groups, live = _grouped(context, pairs, visible, plain)
    sources = _with_agreements(context, intent, _readable(context, intent, groups[:READ], plain))
    _lend(intent, sources)
    seen = _readable(context, intent, live[:LIVE], plain)
    _lend(intent, seen)
    for some in (sources, seen):
        some.sort(key=_rank)
        for item in some[:CLOSER]:
            if item.share >= max(LEAST, some[0].share - FAR_BEHIND):
                _look_closer(context, intent, item)
        for item in some:
            item.joined = any(
                other.wanted and other.session == item.session and other.own >= item.own / 2 for other in some
            )
        some.sort(key=_rank)
    return Looked(sources, seen)


def _rank(item: Source) -> tuple[float, float, bytes]:
    return -item.share, -item.score, item.key


def _with_agreements(context: Context, intent: Intent, sources: list[Source]) -> list[Source]:
    """Join each of the best sources with the turn in which a person takes it up: together they say what was settled."""
    sources.sort(key=_rank)
    gone = set[bytes]()
    for item in sources[:FOLLOWED]:
        if item.key in gone or item.document is None or item.event.kind not in SPOKEN:
            continue
        item.agreed = agreement(context, item.document)
        if item.agreed is None:
            continue
        item.wanted |= intent.wants in ("decision", "reason")
        key = document_key(item.agreed.id)
        for other in sources:
            if other.key == key and other is not item:
                gone.add(key)
                item.words |= other.words
                item.whole |= other.whole
                item.wanted |= other.wanted
                item.share = share_of(intent.words, item.words, item.whole)
    return [item for item in sources if item.key not in gone]


def _lend(intent: Intent, sources: Sequence[Source]) -> None:
    """Count what the turns beside a source hold of a message, a little less than what it holds itself."""
    own = [(frozenset(item.words), frozenset(item.whole)) for item in sources]
    for at, item in enumerate(sources):
        item.own, item.named = item.share, own[at][1]
        for other, (words, whole) in zip(sources, own, strict=True):
            if other.session == item.session and abs(other.event.seq - item.event.seq) <= NEIGHBOURS:
                item.lent |= words - own[at][0]
                item.whole |= whole
        lent = share_of(intent.words, item.lent | item.words, item.whole) - item.own
        item.share = item.own + LENT * lent


def _projects(context: Context) -> list[ProjectId] | None:
    if context.scope.level is Level.ALL:
        return None
    return [context.scope.project, *sorted(context.scope.linked)]


def _grouped(
    context: Context, pairs: Sequence[tuple[Candidate, Event]], visible: Visible, message: str
) -> tuple[list[Group], list[Group]]:
    """Return windows by the turn that holds them, in the order of the best of each: hidden ones and visible ones."""
    groups, live = dict[tuple[ProjectId, bytes], Group](), dict[tuple[ProjectId, bytes], Group]()
    for candidate, event in pairs:
        if event.flags & (META | SUMMARY):
            continue
        is_live = visible.holds(event) or bool(visible.keys and _key(context, event) in visible.keys)
        if is_live and _is_message(context, event, message):
            continue
        document = places.document_of(context.reader, event)
        key = bytes((document.id if document is not None else event.id)[:IDENTITY])
        into = live if is_live else groups
        into.setdefault((event.project, key), (key, document, []))[2].append((candidate, event))
    return list(groups.values()), list(live.values())


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


def _readable(context: Context, intent: Intent, groups: Sequence[Group], message: str) -> list[Source]:
    """Return the turns that can hold enough of a message, with what they hold."""
    found = list[Source]()
    for group in groups:
        if max(candidate.coverage for candidate, _ in group[2]) < COVERED and not any(
            candidate.exact for candidate, _ in group[2]
        ):
            continue
        source = _read(context, intent, group, message)
        if source is not None:
            found.append(source)
    return found


def _read(context: Context, intent: Intent, group: Group, message: str) -> Source | None:
    """Return a turn with what its windows hold of a message; None where they cannot be read, or are the message itself.

    What was asked in the same words before says nothing of them; what was answered then does.
    """
    key, document, pairs = group
    best, found = 0.0, None
    for candidate, event in pairs[:WINDOWS]:
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
    return found


def _look_closer(context: Context, intent: Intent, source: Source) -> None:
    """Note what only a source that holds enough is worth being looked at for."""
    near = spots(intent.words, source.words, source.text)
    source.spread = spread_of(near)
    source.paired = has_pair(intent.pairs, near)
    source.reverses = reverses(source.text, near)
    source.wanted = source.wanted or is_wanted(context, intent, source, near)
    look_around(context, source)


def _time(context: Context, event: Event) -> Micros:
    if event.time:
        return event.time
    session = places.session_of(context.reader, event)
    return session.started or session.created
