"""What is read into a question beside its words, and the hits that answer that: they stand before all others.

A question may ask for the latest of its kind (`relations`), and name times (`timely`). One that asks for nothing but a
time is answered by what people said then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.retrieve import structural, timely
from unabridged.retrieve.asked import Finder, Found, Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.eligible import Eligibility
from unabridged.retrieve.timewords import without
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import HUMAN, Event

SAID = 40  # windows of what people said, where a question asks for nothing but a time
# Words that add nothing to such a question, beside stop words.
_EMPTY_WORDS = (
    "anything ask asked change changed chat conversation conversations discuss discussed done going happen happened "
    "happening said say session sessions talk talked talking thing things work worked working"
)
EMPTY = frozenset(_EMPTY_WORDS.split())
TEXT, USER = "text", "user"
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Lead:
    """What was read: the hits that lead, windows of the times that are named, what account and explanation say."""

    hits: list[Found] = field(default_factory=list[Found])
    then: list[Candidate] = field(default_factory=list[Candidate])
    account: dict[str, Any] = field(default_factory=dict[str, Any])

    def before(self, hits: Sequence[Found]) -> list[Found]:
        """Return hits behind those that lead, each message once."""
        known = {hit.event.id for hit in self.hits}
        return [*self.hits, *(hit for hit in hits if hit.event.id not in known)]

    def explain(self) -> list[dict[str, Any]]:
        """Return how the hits that lead came to their places."""
        return [structural.explained(hit) for hit in self.hits]


def lead(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    heads: Mapping[bytes, int],
) -> tuple[Search, Lead]:
    """Return a request with the times that its question names, and what leads its hits."""
    found = Lead()
    times = timely.read(context, finder, request, projects)
    if times.account:
        found.account["times"] = times.account
    request = timely.with_times(request, times)
    found.then = timely.candidates(finder, request, projects)
    related = structural.worded(context, finder, request, projects, heads)
    if related is not None:
        found.hits, found.account["relation"] = related.found, related.account
    else:
        found.hits = _said(context, finder, request, projects, heads)
    return request, found


def _said(
    context: Context,
    finder: Finder,
    request: Search,
    projects: Sequence[ProjectId] | None,
    heads: Mapping[bytes, int],
) -> list[Found]:
    """Return what people said in a time, where a question asks for nothing else: `what did we do yesterday?`

    Of each conversation what began it then, the latest conversation first, then the rest.
    """
    times = [item for item in request.times if item.since and item.until]
    words = _WORD.findall(without(request.query, times).lower())
    if not times or any(word not in STOPWORDS and word not in EMPTY for word in words):
        return []
    filters = timely.within(request, times[0]).filters
    if (filters.kinds and TEXT not in filters.kinds) or (filters.roles and USER not in filters.roles):
        return []
    people = replace(filters, kinds=frozenset((TEXT,)), roles=frozenset((USER,)))
    windows = finder.newest(Search("", filters=people), projects, SAID)
    eligible = Eligibility(context, people, heads)
    said = dict[tuple[bytes, int], tuple[Candidate, Event]]()
    for candidate, event in eligible.sift([item for item in windows if not item.start])[0]:
        if event.flags & HUMAN and (not filters.exclude or eligible.allows(event)):
            said.setdefault((bytes(event.project), int(event.ordinal)), (candidate, event))
    first = {event.session: at for at, (_, event) in said.items()}  # the earliest one stands last
    order = sorted(said.items(), key=lambda item: first[item[1][1].session] != item[0])
    return [hit for _, (candidate, event) in order if (hit := _found(context, candidate, event)) is not None]


def _found(context: Context, candidate: Candidate, event: Event) -> Found | None:
    try:
        text = context.resolver.event_bytes(event)[: candidate.end].decode("utf-8", "ignore")
    except UnabridgedError:
        return None
    return Found(event, 0, candidate.end, 0.0, "some", ["time"], [], text, "")
