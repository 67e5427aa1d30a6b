"""The sources that a message may be about, and how much of it each of them holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from unabridged.errors import UnabridgedError
from unabridged.retrieve import hintanswer, places
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.hintintent import Intent
from unabridged.retrieve.hintlineage import Visible
from unabridged.retrieve.hintmatch import (
    FAR,
    Needles,
    has_pair,
    rarity,
    reverses,
    share_of,
    spots,
    spread_of,
)
from unabridged.retrieve.hintturns import (
    IDENTITY,
    PAYLOAD,
    SPOKEN,
    Source,
    conversation,
    passages_of,
    pieces_of,
)
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import META, SUMMARY, Document, Event
from unabridged.schema.scope import Level

FETCH = 12  # windows that are found
READ, WINDOWS = 7, 2  # turns whose text is read, and windows of each
TALKS = 3  # conversations in which an answer is looked for
SPARE = 4_096  # bytes by which white space may make a message longer
NEIGHBOURS = 60  # steps of a conversation within which turns speak of one matter
LENT = 0.8  # of the weight of a word that only a turn beside the source has

# What all versions of a turn share, the turn (none yet: of an event), its windows.
Group = tuple[bytes, Document | None, list[tuple[Candidate, Event]]]


@dataclass(frozen=True, slots=True)
class Looking:
    """What one message is looked for with."""

    context: Context
    finder: Finder
    intent: Intent
    needles: Needles
    message: str
    visible: Visible
    live: list[bool] = field(
        default_factory=list[bool]
    )  # of each visible window that was found: whether it was ahead


def looking(context: Context, finder: Finder, intent: Intent, message: str, visible: Visible) -> Looking:
    """Return what a message is looked for with: each word with its rarity in this archive.

    That goes by the logarithm of the windows that hold it. A word that no window holds is another word for something
    more often than another matter, unless it is a name.
    """
    frequencies, total = finder.frequencies([word.clause for word in intent.words])
    words = [
        replace(word, rarity=rarity(word, frequency, total))
        for word, frequency in zip(intent.words, frequencies, strict=True)
    ]
    intent = replace(intent, words=tuple(words))
    needles = Needles(intent.words, kin=intent.kind == "historical")
    return Looking(context, finder, intent, needles, " ".join(message.split()), visible)


def look(asked: Looking, kinds: frozenset[str]) -> list[Source]:
    """Return the best turn of each conversation that holds a message's words, best first; raises what the index raises.

    What is visible is left out.
    """
    filters = Filters(kinds=kinds)
    asked.live.clear()
    search = Search(asked.intent.query, FETCH, filters)
    candidates = asked.finder.glanced(search, _projects(asked.context), FETCH)
    pairs, _ = Eligibility(asked.context, filters, {}, standing=True).sift(candidates)
    sources = [found for group in _grouped(asked, pairs) if (found := _read(asked, group)) is not None]
    _lend(asked.intent, sources)
    sources.sort(key=_rank)
    talks = dict[tuple[ProjectId, bytes], Source]()
    for item in sources:
        head = talks.setdefault(item.session, item)
        if head is item:
            continue
        if item.event.kind in PAYLOAD and item.share >= head.share and item.event.seq > head.event.seq:
            talks[item.session] = item  # of what a tool gave several times the last one holds
        elif abs(head.event.seq - item.event.seq) <= NEIGHBOURS:
            head.beside.append(item)
    return list(talks.values())


def _rank(item: Source) -> tuple[float, float, bytes]:
    return -item.share, -item.score, item.key


def look_closer(asked: Looking, source: Source, *, around: bool) -> None:
    """Look for what answers in a source's conversation: in what was read of it, or `around` that, too."""
    if source.answer is not None and (source.around or not around):
        return
    source.around = around
    context, eligible = asked.context, Eligibility(asked.context, Filters(), {}, standing=True)

    def allows(event: Event) -> bool:
        return not eligible.reason(event) and not _is_live(asked, event)

    source.said = conversation(context, source, allows) if around else passages_of(source)
    source.answer = hintanswer.answer(asked.intent, asked.needles, pieces_of(source))
    if source.is_note or source.event.kind not in SPOKEN:
        source.answer.empty = False
    source.reverses = any(
        reverses(item.text, spots(asked.intent.words, item.held)) for item in (source, *source.beside)
    )


def _lend(intent: Intent, sources: Sequence[Source]) -> None:
    """Count what the turns beside a source hold of a message, a little less than what it holds itself."""
    own = [(frozenset(item.words), frozenset(item.whole)) for item in sources]
    for at, item in enumerate(sources):
        item.own = item.share
        for other, (words, whole) in zip(sources, own, strict=True):
            if other.session == item.session and abs(other.event.seq - item.event.seq) <= NEIGHBOURS:
                item.lent |= words - own[at][0]
                item.whole |= whole
        lent = share_of(intent.words, item.lent | item.words, item.whole, item.kin) - item.own
        item.share = item.own + LENT * lent


def _projects(context: Context) -> list[ProjectId] | None:
    if context.scope.level is Level.ALL:
        return None
    return [context.scope.project, *sorted(context.scope.linked)]


def _grouped(asked: Looking, pairs: Sequence[tuple[Candidate, Event]]) -> list[Group]:
    """Return windows by the turn that holds them, in the order of the best of each, without visible ones."""
    groups = dict[tuple[ProjectId, bytes], Group]()
    for candidate, event in pairs:
        if len(groups) == READ:
            break
        if event.flags & (META | SUMMARY):
            continue
        if _is_live(asked, event):
            asked.live.append(not groups)
            continue
        document = places.document_of(asked.context.reader, event)
        key = bytes((document.id if document is not None else event.id)[:IDENTITY])
        groups.setdefault((event.project, key), (key, document, []))[2].append((candidate, event))
    return list(groups.values())


def _is_live(asked: Looking, event: Event) -> bool:
    if asked.visible.holds(event):
        return True
    keys = asked.visible.keys
    if asked.visible.left.out(event):
        return False
    return bool(keys) and places.is_named(asked.context.reader, event, keys)


def _read(asked: Looking, group: Group) -> Source | None:
    """Return a turn with what its windows hold of a message; None where they cannot be read, or are the message itself.

    What was asked in the same words before says nothing of them; what was answered then does.
    """
    key, document, pairs = group
    intent, context = asked.intent, asked.context
    best, found = 0.0, None
    for candidate, event in pairs[:WINDOWS]:
        try:
            data = context.resolver.event_bytes(event)[candidate.start : candidate.end]
        except UnabridgedError:
            continue
        text = data.decode("utf-8", "replace")
        if event.role == "user" and _is_message(asked, text):
            continue
        held = asked.needles.find(text)
        share = share_of(intent.words, held.places, held.whole, held.kin)
        if found is None:
            place = (candidate.start, candidate.end, candidate.score, _time(context, event))
            found = Source(key, document, event, *place, held, text=text)
        if share > best:
            best = share
            found.event, found.start, found.end, found.text = event, candidate.start, candidate.end, text
            found.held = held
        found.kin = (found.kin | held.kin) - (held.places.keys() - held.kin) - (found.words - found.kin)
        found.words |= held.places.keys()
        found.whole |= held.whole
    if found is None:
        return None
    found.share = share_of(intent.words, found.words, found.whole, found.kin)
    near = spots(intent.words, found.held)
    found.spread = spread_of(near) if near else FAR
    found.paired = has_pair(intent.pairs, near)
    return found


def _is_message(asked: Looking, text: str) -> bool:
    if len(text) > len(asked.message) + SPARE:
        return False
    return " ".join(text.split()) == asked.message


def _time(context: Context, event: Event) -> Micros:
    if event.time:
        return event.time
    session = places.session_of(context.reader, event)
    return session.started or session.created
