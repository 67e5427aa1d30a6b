"""Times that a question names: what was said then is favoured, and looked for by itself. It is no filter.

A day or a span of days is a part of what is asked, as its words are, and no text holds it: what was said then passes
hits that have up to a third more evidence, a clear winner stays one. An open side (`since`) decides near-ties.
`before the migration` is a time, too, where the archive holds one occasion that the words name and no second one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.retrieve import places
from unabridged.retrieve.asked import Finder, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.timewords import ALWAYS, MICROS, Spoken, spoken, without
from unabridged.schema.ids import Micros, ProjectId

THEN = 1.3  # of a hit from the day or span that is named
OPEN = 1.08  # of a hit on the side of a moment that is named
LATER = 0.5  # of that favour, for what was said a little later: people tell what happened
DAY = 86_400 * MICROS
LEAST_LATER, MOST_LATER = DAY, 31 * DAY
SEARCHED = 2  # times of a question that are searched by themselves
ADDED = 20  # windows of each
OCCASIONS = 12  # passages that a named occasion is looked for in
NAMED = 0.9  # share of an occasion's words that a passage has to have
ONE_OCCASION = 2 * DAY  # within which passages tell of the same one

_ANCHOR = re.compile(
    r"\b(?P<side>before|after|since)\s+(?P<what>(?:the|my|our|we|i)\s+\S+(?:\s+\S+){0,7}?)\s*[?.!]*\s*$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Times:
    """The times of a question, and what its account says of them."""

    spans: tuple[Spoken, ...] = ()
    account: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def read(context: Context, finder: Finder, request: Search, projects: Sequence[ProjectId] | None) -> Times:
    """Return the times that a question in plain words names."""
    if request.operators:
        return Times()
    found = spoken(request.query, context.now, context.zone)
    times = Times(tuple(found), [_facts(item) for item in found])
    match = _ANCHOR.search(request.query)
    if match is not None and not any(item.end > match.start() for item in found):
        _anchor(context, finder, request, projects, match, times)
    return times


def candidates(finder: Finder, request: Search, projects: Sequence[ProjectId] | None) -> list[Candidate]:
    """Return the best windows from the times that a question names: of a large archive, few of its best are."""
    found = list[Candidate]()
    for item in request.times[:SEARCHED]:
        then = within(request, item)
        if not then.filters.until or then.filters.since < then.filters.until:
            found += finder.candidates(then, projects, ADDED)
    return found


def join(found: Sequence[Candidate], then: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return candidates with those of a time behind them, each once."""
    if not then:
        return found
    known = {(item.project, item.event, item.start) for item in found}
    return [*found, *(item for item in then if (item.project, item.event, item.start) not in known)]


def favour(times: Sequence[Spoken], when: Micros) -> float:
    """Return the factor of what was said at a moment."""
    if not when:
        return 1.0
    return max((_favour(item, when) for item in times), default=1.0)


def _favour(item: Spoken, when: Micros) -> float:
    if when < item.since:
        return 1.0
    if not (item.since and item.until):
        return OPEN if not item.until or when < item.until else 1.0
    if when < item.until:
        return THEN
    later = min(MOST_LATER, max(LEAST_LATER, item.until - item.since))
    return 1.0 + (THEN - 1.0) * LATER if when < item.until + later else 1.0


def _facts(item: Spoken) -> dict[str, Any]:
    bounds = {"since": places.iso(item.since), "until": places.iso(item.until)}
    return {"text": item.text, **{name: value for name, value in bounds.items() if value}}


def _anchor(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    match: re.Match[str],
    times: Times,
) -> None:
    """Add the time before or after an occasion that is named, if the archive has exactly one."""
    text, side = match[0].strip(" ?.!\t\n"), match["side"].lower()
    look = Search(match["what"], filters=Filters(session=request.filters.session))
    candidates = [item for item in finder.candidates(look, projects, OCCASIONS) if item.coverage >= NAMED]
    pairs, _ = Eligibility(context, look.filters, {}).sift(candidates)
    moments = sorted(event.time for _, event in pairs if event.time)
    if not moments or moments[-1] - moments[0] > ONE_OCCASION:
        times.account.append({"text": text, "status": "ambiguous" if moments else "not-found"})
        return
    first, last = Micros(moments[0]), Micros(moments[-1])
    since, until = (ALWAYS, first) if side == "before" else (last, ALWAYS)
    item = Spoken(match.start(), match.end(), since, until, text)
    times.spans += (item,)
    times.account.append(_facts(item))


def narrowed(context: Context, request: Search) -> tuple[str, Search]:
    """Return a question without the first time that it names, and its request narrowed to that.

    For what is asked as the latest of its kind, of which another one is no answer.
    """
    times = [] if request.operators else spoken(request.query, context.now, context.zone)
    if not times:
        return request.query, request
    return without(request.query, times[:1]), within(request, times[0])


def within(request: Search, item: Spoken) -> Search:
    """Return a request narrowed to a time, inside its own."""
    filters = request.filters
    since = Micros(max(filters.since, item.since))
    until = Micros(min(filters.until or item.until, item.until or filters.until))
    return replace(request, filters=replace(filters, since=since, until=until))


def with_times(request: Search, times: Times) -> Search:
    """Return a request with the times that it names."""
    return replace(request, times=times.spans) if times.spans else request
