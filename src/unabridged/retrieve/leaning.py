"""What an asker has in hand, talks of just now, and the time that it names decide between hits that are nearly as good.

A hit may pass one ahead of it whose evidence is larger by no more than the favour it is in: never a clear winner, never
one that holds a name exactly where it does not. No score changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.retrieve import filters, timely
from unabridged.retrieve.asked import Finder, InHand, Search
from unabridged.retrieve.candidate import POOL
from unabridged.retrieve.context import Context
from unabridged.retrieve.passing import Favoured, by_favour
from unabridged.retrieve.rank import Ranked

WORKING = 1.12  # of a hit that belongs to, or names, what the asker has in hand
TOPIC = 1.08  # of a hit that has enough words of what is talked of
ENOUGH = 4  # words
SHORT = 3  # characters of a word that says nothing by itself
LEAST_NAME = 4  # characters of a file's name that is looked for in texts
_WORD = r"[\w./-]"


def lean(context: Context, finder: Finder, request: Search, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return hits in the order in which an asker with these files and this conversation wants them."""
    if not (request.in_hand or request.topic or request.times):
        return list(ranked)
    names, pool = _names(request.in_hand), POOL + timely.ADDED * len(request.times[: timely.SEARCHED])
    order = by_favour(_favoured(context, finder, request, item, names) for item in ranked[:pool])
    return [*order, *ranked[pool:]]


def _favoured(
    context: Context, finder: Finder, request: Search, item: Ranked, names: re.Pattern[str] | None
) -> Favoured:
    found: Mapping[str, float] = {
        "time": timely.favour(request.times, item.event.time),
        **(_by_text(context, finder, request, item, names) if request.in_hand or request.topic else {}),
    }
    factor = math.prod(found.values())
    if factor == 1.0:
        return Favoured(item, factor)
    match = (*item.match, *(name for name, own in found.items() if own > 1.0))
    return Favoured(replace(item, match=match, stages={**item.stages, "favour": round(factor, 4)}), factor)


def _by_text(
    context: Context, finder: Finder, request: Search, item: Ranked, names: re.Pattern[str] | None
) -> Mapping[str, float]:
    try:
        text = context.resolver.event_bytes(item.event)[item.start : item.end].decode("utf-8", "ignore")
    except UnabridgedError:
        return {}
    held = bool(request.in_hand) and _is_in_hand(item, request.in_hand, text, names)
    return {
        "working-set": WORKING if held else 1.0,
        "context": _topical(finder, request, text) if request.topic else 1.0,
    }


def _is_in_hand(item: Ranked, hand: InHand, text: str, names: re.Pattern[str] | None) -> bool:
    event = item.event
    if (event.project, event.ordinal) in hand.events:
        return True
    if any(filters.names(path, wanted) for path in event.paths for wanted in hand.paths):
        return True
    return names is not None and names.search(text) is not None


def _names(hand: InHand) -> re.Pattern[str] | None:
    """Return what finds the paths, or the names of their files, in a text."""
    wanted = set[str]()
    for path in hand.paths:
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        wanted |= {path, name} if len(name) >= LEAST_NAME else {path}
    if not wanted:
        return None
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(wanted)))})(?!{_WORD}*\w)")


def _topical(finder: Finder, request: Search, text: str) -> float:
    _, terms = finder.spans(Search(request.topic), text)
    asked = request.query.lower()
    told = {term for term in terms if len(term) > SHORT and term not in STOPWORDS and term not in asked}
    return 1.0 + (TOPIC - 1.0) * min(1.0, len(told) / ENOUGH)
