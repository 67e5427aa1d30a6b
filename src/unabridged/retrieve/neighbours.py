"""What a conversation adds to a match: the messages beside it, and a place among the hits for each conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unabridged.index.status import is_indexed
from unabridged.retrieve.candidate import POOL, Candidate
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.said import Place, around, is_said, place_of
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import EVENT, PATH, Event
from unabridged.store.contract import Reader

Pair = tuple[Candidate, Event]
Key = tuple[ProjectId, Ordinal]

ASKED = 20  # best candidates whose neighbours are looked at
# Share of the question's weight; where a message holds so much, what stands beside one is no answer.
WHOLE = 0.95
WINDOW_BYTES = 3_600  # of a neighbour: one that is longer has windows, and would be found for its own words
HEAD = 8  # hits by score alone; behind them, conversations that have no hit yet come first
STRONGEST = 2  # messages of a conversation that its place behind the head follows from


def with_neighbours(
    reader: Reader, pairs: Sequence[Pair], allows: Callable[[Event], bool], *, always: bool = False
) -> Sequence[Pair]:
    """Return candidates with the messages beside the best of them that do not match the question themselves.

    A question's words often stand in what was asked, and the answer beside it. Nothing is added to what somebody
    looks up by its own words: where one candidate holds them all, unless `always`.
    `allows` tells what the asker may see and wants.
    """
    if not pairs or (not always and max(candidate.coverage for candidate, _ in pairs) >= WHOLE):
        return pairs
    best = sorted(pairs, key=lambda pair: (-pair[0].total, pair[1].project, pair[1].ordinal))
    known = {place_of(event) for _, event in pairs}
    wanted = list[Place]()
    for _, event in best[:ASKED]:
        if is_said(event):
            wanted += [place for place in around(place_of(event)) if place not in known]
            known.update(wanted)
    found = [event for event in _at(reader, wanted) if _is_candidate(event) and allows(event)]
    return [
        *pairs,
        *((Candidate(event.project, event.ordinal, 0, event.size, 0.0), event) for event in found),
    ]


def _is_candidate(event: Event) -> bool:
    return is_said(event) and is_indexed(event) and event.size <= WINDOW_BYTES


def _at(reader: Reader, places: Sequence[Place]) -> list[Event]:
    """Return the events at places, each once; a place that nothing stands at is left out."""
    paths = reader.get_many(PATH, places)
    keys: Mapping[Key, None] = dict.fromkeys((path.project, path.event) for path in paths if path is not None)
    return [event for event in reader.get_many(EVENT, list(keys)) if event is not None]


def spread(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Put the best of each conversation that the head lacks behind the head, those of the strongest ones first.

    Only the first `POOL` change places, so that every page of an answer sees the same order.
    """
    pool, head = ranked[:POOL], ranked[:HEAD]
    strength = dict[bytes, list[float]]()
    for item in pool:
        strength.setdefault(item.event.session, []).append(item.evidence)
    seen = {item.event.session for item in head}
    fresh, others = list[Ranked](), list[Ranked]()
    for item in pool[HEAD:]:
        (others if item.event.session in seen else fresh).append(item)
        seen.add(item.event.session)

    def weight(item: Ranked) -> float:
        return -sum(score * score for score in strength[item.event.session][:STRONGEST])

    return [*head, *sorted(fresh, key=weight), *others, *ranked[POOL:]]
