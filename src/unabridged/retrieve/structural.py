"""The latest question, request, correction, answer, decision or failed attempt: exact sentences, or nothing.

The index names the newest messages of who can have said it, or those about a topic where one is given; each is read and
judged by `telling`. How far that went is told. What is not certain is called ambiguous, with all that it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import InvalidInput, UnabridgedError
from unabridged.retrieve import places, relations, timely, turning
from unabridged.retrieve.asked import Finder, Found, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.cues import cues_of, folded
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.rank import MODERATE, SOME
from unabridged.retrieve.relations import AMBIGUOUS, NOT_FOUND, RESOLVED, Asked
from unabridged.retrieve.snippet import excerpt
from unabridged.retrieve.telling import STATED, Told, told
from unabridged.schema.ids import Micros, ProjectId
from unabridged.schema.records import HUMAN, Event
from unabridged.schema.scope import Level

FIRST, MOST = 64, 1_024  # windows that the index is asked for: at first, and at most
MOST_TEXTS = 64  # messages read for one answer
TOPIC_TEXTS = 24  # likewise, where a topic is given: they stand far from each other
MOST_BYTES = 4 << 20  # of text, likewise
TOPICAL = 64  # windows about a topic
ABOUT = 0.6  # of the best one's share of the topic's weight, that another one must have to be about it
CLEARLY = 0.8  # likewise, to be beyond doubt
ANSWER_BYTES = 3_600  # of an answer that are given
LEADING = 3  # messages that a question in plain words puts first, where it is not sure which is meant
LIKELY = 2  # of what is likely, that are told before what is certain and older
STRUCTURAL = "structural"


@dataclass(slots=True)
class Looked:
    """What a look gave, the latest first. `more`: there may be earlier ones."""

    status: str
    found: list[Found] = field(default_factory=list[Found])
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    more: bool = False


@dataclass(frozen=True, slots=True)
class _One:
    """A message that tells the relation, its sentence, the share of the topic's weight that it has."""

    event: Event
    told: Told
    text: bytes
    share: float = 1.0

    @property
    def sure(self) -> bool:
        return self.told.sure


def check(request: Search) -> None:
    """Raise `InvalidInput` for a relation that there is not, or one beside an expression."""
    if request.relation and request.relation not in relations.NAMES:
        raise InvalidInput("`relation` has no such value", field="relation", allowed=list(relations.NAMES))
    if request.relation and request.operators:
        raise InvalidInput("a relation takes words, no expression", field="operators")


def given(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    heads: Mapping[bytes, int],
    wanted: int,
) -> Looked:
    """Return what stands in the relation that a request names, of the time that its query names if any."""
    query, request = timely.narrowed(context, request)
    asked = relations.given(request.relation, query)
    return look(context, finder, request, asked, projects, heads, wanted)


def worded(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    heads: Mapping[bytes, int],
) -> Looked | None:
    """Return the few certain messages that a question in plain words asks for; None for any other question."""
    query, request = timely.narrowed(context, request)
    asked = None if request.operators else relations.recognised(query)
    if asked is None:
        return None
    looked = look(context, finder, request, asked, projects, heads, LEADING)
    most = 1 if looked.status == RESOLVED else LEADING
    looked.found = [hit for hit in looked.found if hit.band == "high"][:most]
    looked.account["told"] = len(looked.found)
    return looked


def explained(hit: Found) -> dict[str, Any]:
    """Return how a message that leads came to its place."""
    return {
        "event": hit.event.id.hex(),
        "stages": {hit.match[0]: hit.score},
        "score": hit.score,
        "match": list(hit.match),
        **({} if hit.cue is None else {"cue": hit.cue}),
    }


def look(
    context: Context,
    finder: Finder,
    request: Search,
    asked: Asked,
    projects: Sequence[ProjectId] | None,
    heads: Mapping[bytes, int],
    wanted: int,
) -> Looked:
    """Return at least `wanted` messages that tell a relation, and one, or all there are within the bounds."""
    search = _Search(context, finder, request, asked, projects, heads)
    found = (
        search.about(asked.passed + wanted + 1) if asked.topic else search.latest(asked.passed + wanted + 1)
    )
    passed = found[asked.passed :]
    # Between what is found by telling words alone and the rest a later one may stand, told by others.
    status = AMBIGUOUS if passed and search.skipping else _status(passed, asked)
    facts = {
        "relation": relations.PREFIX + asked.relation,
        "status": status,
        "how": asked.how,
        **({"topic": asked.topic} if asked.topic else {}),
        **({"passed": asked.passed} if asked.passed else {}),
        "looked": {"messages": search.messages, "back_to": places.iso(search.back_to)},
        "complete": search.complete,
        "told": len(passed),
    }
    hits = [_hit(context, finder, asked, item) for item in passed]
    return Looked(status, hits, facts, search.left_out, not search.complete)


_Key = tuple[bytes, int]  # project, ordinal


def _key(event: Event) -> _Key:
    return bytes(event.project), int(event.ordinal)


class _Search:
    def __init__(
        self,
        context: Context,
        finder: Finder,
        request: Search,
        asked: Asked,
        projects: Sequence[ProjectId] | None,
        heads: Mapping[bytes, int],
    ) -> None:
        self._context, self._finder, self._asked, self._projects = context, finder, asked, projects
        self._eligible = Eligibility(context, request.filters, heads)
        self._exclude = request.filters.exclude
        self._query = folded(request.query).strip()
        self._request = _narrowed(context, request, asked)
        self._bytes = 0
        self._seen = set[_Key]()
        self.messages = 0
        self.back_to = 0
        self.left_out = dict[str, int]()
        self.complete = True
        self.skipping = False

    def latest(self, wanted: int) -> list[_One]:
        """Return the latest ones; where none is certain among those that can be read, by their telling words alone."""
        found = self.newest(wanted)
        request = self._request
        if request is None or self.complete or any(item.sure for item in found) or not self.back_to:
            return found
        words = cues_of(self._asked.relation, self._context.cues).telling if request.holding else None
        if words:
            filters = replace(request.filters, until=Micros(self.back_to))
            self._request = replace(request, holding=words, filters=filters)
            self.messages, self._bytes, before = 0, 0, self.messages
            older = self.newest(wanted)
            self.messages += before
            self.skipping = any(item.sure for item in older)
            self.complete = False
            return self._ordered([*found, *older])
        return found

    def newest(self, wanted: int) -> list[_One]:
        """Return the latest ones, sure or not."""
        found, request = list[_One](), self._request
        if request is None:
            return found
        limit, passed = FIRST, 0
        while True:
            windows = self._finder.newest(request, self._projects, limit)
            for event, _ in self._events(windows[passed:]):
                one = self._judge(event)
                if one is not None:
                    found.append(one)
                if sum(item.sure for item in found) >= wanted or self._spent():
                    self.complete = False
                    return self._ordered(found)
            if len(windows) < limit or limit >= MOST:
                self.complete = self.complete and len(windows) < limit
                return self._ordered(found)
            passed, limit = len(windows), limit * 4

    def about(self, wanted: int) -> list[_One]:
        """Return those that are about the topic, the latest first."""
        if self._request is None:
            return []
        windows = self._finder.candidates(
            replace(self._request, query=self._asked.topic), self._projects, TOPICAL
        )
        pairs = list(self._events(windows))
        shares = {_key(event): candidate.coverage for event, candidate in pairs}
        events = {_key(event): event for event, _ in pairs}
        if self._asked.relation == "answer":
            self._to_answers(events, shares)
        best = max(shares.values(), default=0.0)
        kept = [key for key in shares if shares[key] >= max(SOME, ABOUT * best)]
        # What is clearly about it first, and of that the latest.
        kept.sort(key=lambda key: (shares[key] < CLEARLY * best, -events[key].time, key))
        found = list[_One]()
        for key in kept[:TOPIC_TEXTS]:
            one = self._judge(events[key])
            if one is not None:
                found.append(replace(one, share=shares[key]))
            if self._spent() or sum(item.sure for item in found) >= wanted:
                break
        self.complete = len(windows) < TOPICAL and self.messages == len(kept)
        best = max((one.share for one in found), default=0.0)
        return self._ordered([one for one in found if one.share >= ABOUT * best])

    def _events(self, windows: Sequence[Candidate]) -> Iterator[tuple[Event, Candidate]]:
        """Yield the messages of windows that may be shown, each once."""
        for start in range(0, len(windows), FIRST):
            pairs, dropped = self._eligible.sift(windows[start : start + FIRST])
            for why, count in dropped.items():
                self.left_out[why] = self.left_out.get(why, 0) + count
            for candidate, event in pairs:
                if _key(event) not in self._seen and self._said(event):
                    self._seen.add(_key(event))
                    yield event, candidate

    def _said(self, event: Event) -> bool:
        if not turning.is_text(event):
            return False
        if event.role == relations.USER and not event.flags & HUMAN:
            # A note states something, and asks for nothing.
            return event.host == NOTE_HOST and self._asked.relation in STATED
        if self._exclude and places.is_named(self._context.reader, event, self._exclude):
            self.left_out["visible"] = self.left_out.get("visible", 0) + 1
            return False
        return True

    def _to_answers(self, events: dict[_Key, Event], shares: dict[_Key, float]) -> None:
        """Give what was asked about the topic to its answer: the text that is about it, too, else the last one."""
        for key, event in list(events.items()):
            if event.role != relations.USER:
                continue
            share = shares.pop(key)
            answers = turning.answers_to(self._context, event)
            about = [item for item in answers if _key(item) in shares]
            best = max(about, key=lambda item: shares[_key(item)]) if about else (answers or [None])[-1]
            if best is not None and not self._eligible.reason(best):
                events[_key(best)] = best
                shares[_key(best)] = min(1.0, shares.get(_key(best), 0.0) + share)

    def _judge(self, event: Event) -> _One | None:
        """Return what a message tells of the relation."""
        self.messages += 1
        if event.time:
            self.back_to = min(self.back_to or event.time, event.time)
        try:
            text = self._context.resolver.event_bytes(event)
        except UnabridgedError:
            self.left_out["unreadable"] = self.left_out.get("unreadable", 0) + 1
            return None
        self._bytes += len(text)
        if self._asked.relation == "answer":
            sure = bool(self._asked.topic) or turning.is_final(self._context, event)
            return _One(event, Told(0, len(text), "", sure), text)
        whole = text.decode("utf-8", "replace")
        if self._query and folded(whole).strip() == self._query:
            # The very question that is asked now.
            self.left_out["asking"] = self.left_out.get("asking", 0) + 1
            return None
        found = told(whole, self._asked.relation, self._context.cues)
        if not found:
            return None
        best = self._chosen(whole, found)
        start = len(whole[: best.start].encode())
        return _One(
            event, replace(best, start=start, end=start + len(whole[best.start : best.end].encode())), text
        )

    def _chosen(self, text: str, found: Sequence[Told]) -> Told:
        """Return the sentence that is most about the topic; of equals a sure one, then the last."""

        def about(item: Told) -> int:
            if not self._asked.topic or len(found) == 1:
                return 0
            return len(self._finder.spans(Search(self._asked.topic), text[item.start : item.end])[1])

        return max(found, key=lambda item: (about(item), item.sure, item.start))

    def _spent(self) -> bool:
        spent = self.messages >= MOST_TEXTS or self._bytes >= MOST_BYTES or self._context.cancelled()
        self.complete = self.complete and not spent
        return spent

    def _ordered(self, found: list[_One]) -> list[_One]:
        """Return them the latest first, by their times, those of one session in its own order.

        What is only likely is left out where something certain is later.
        """
        order, likely = sorted(found, key=_latest(found), reverse=True), list[_One]()
        for at, one in enumerate(order):
            if one.sure:
                return [*likely[:LIKELY], *(other for other in order[at:] if other.sure)]
            likely.append(one)
        return likely


def _latest(found: Sequence[_One]) -> Callable[[_One], tuple[int, bytes, int]]:
    last, when = dict[bytes, int](), dict[tuple[bytes, int], int]()
    for one in sorted(found, key=lambda one: (one.event.session, one.event.seq)):
        event = one.event
        last[event.session] = max(last.get(event.session, 0), int(event.time))
        when[event.session, event.seq] = last[event.session]
    return lambda one: (when[one.event.session, one.event.seq], one.event.session, one.event.seq)


def _narrowed(context: Context, request: Search, asked: Asked) -> Search | None:
    """Return what the index is asked for; None where the filters leave nobody who can have said it."""
    filters, speakers = request.filters, relations.SPEAKERS[asked.relation]
    if asked.relation == "answer" and asked.topic:
        speakers |= {relations.USER}  # what was asked has words of the topic, too
    roles = speakers & filters.roles if filters.roles else speakers
    if not roles or (filters.kinds and "text" not in filters.kinds) or filters.tools:
        return None
    holding = frozenset[str]()
    if asked.relation in ("decision", "failure", "correction"):
        holding = cues_of(asked.relation, context.cues).words
    session = filters.session or (context.scope.session if context.scope.level is Level.SESSION else None)
    narrowed = replace(filters, roles=roles, kinds=frozenset(("text",)), session=session)
    return Search("", filters=narrowed, holding=holding)


def _status(found: Sequence[_One], asked: Asked) -> str:
    if not found:
        return NOT_FOUND
    first, best = found[0], max(one.share for one in found)
    if not first.sure or (asked.topic and first.share < max(MODERATE, CLEARLY * best)):
        return AMBIGUOUS
    # Only within a session an order is known that needs no clock.
    others = [one.event for one in found[1:] if one.sure and one.event.session != first.event.session]
    untold = any(event.time == first.event.time for event in others) or (others and not first.event.time)
    return AMBIGUOUS if untold else RESOLVED


def _hit(context: Context, finder: Finder, asked: Asked, one: _One) -> Found:
    start, end = one.told.start, one.told.end
    if asked.relation == "answer" and end - start > ANSWER_BYTES:
        end = start + ANSWER_BYTES
        while end > start and one.text[end] & 0xC0 == 0x80:
            end -= 1
    text = one.text[start:end].decode("utf-8", "replace")
    spans, terms = finder.spans(Search(asked.topic), text) if asked.topic else ([], [])
    snippet, _ = context.redact(excerpt(text, spans))
    return Found(
        one.event,
        start,
        end,
        round(one.share * (1.0 if one.sure else 0.5), 6),
        "high" if one.sure else "some",
        [STRUCTURAL, asked.relation],
        terms,
        text,
        snippet,
        cue=one.told.cue,
    )
