"""Ranked candidates become hits, near-duplicates collapsed into the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unabridged.errors import UnabridgedError
from unabridged.retrieve import likeness, places
from unabridged.retrieve.asked import Finder, Found, Search
from unabridged.retrieve.context import Context
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.snippet import excerpt
from unabridged.schema.records import Event


def collapse(
    context: Context,
    request: Search,
    ranked: Sequence[Ranked],
    wanted: int,
    dropped: dict[str, int],
) -> list[Found]:
    """Return at most `wanted` + 1 hits, each with its near-duplicates counted; read no more texts than are needed."""
    hits, sketches = list[Found](), list[likeness.Sketch]()
    same, sessions = dict[bytes, int](), dict[bytes, int]()  # content digest → hit; session → hits
    for item in ranked:
        if len(hits) > wanted:
            break
        event = item.event
        reason = _left_out(context, request, event, sessions)
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
            continue
        if event.digest in same:
            hits[same[event.digest]].similar += 1
            continue
        try:
            text = context.resolver.event_bytes(event)
        except UnabridgedError:
            dropped["unreadable"] = dropped.get("unreadable", 0) + 1
            continue
        window = text[item.start : item.end].decode("utf-8", "ignore")
        shape = likeness.sketch(window)
        twin = next((at for at, other in enumerate(sketches) if likeness.near(shape, other)), None)
        if twin is not None:
            hits[twin].similar += 1
            continue
        same[event.digest] = len(hits)
        sessions[event.session] = sessions.get(event.session, 0) + 1
        sketches.append(shape)
        hits.append(_found(item, window))
    for hit, following in pairwise(hits):
        hit.margin = round(max(0.0, hit.score - following.score), 6)
    return hits


def draw(context: Context, finder: Finder, request: Search, hits: Sequence[Found]) -> None:
    """Give hits their snippets and the terms that stand in them."""
    for hit in hits:
        spans, hit.terms = finder.spans(request, hit.text)
        hit.snippet, _ = context.redact(excerpt(hit.text, spans))


def _left_out(context: Context, request: Search, event: Event, sessions: dict[bytes, int]) -> str:
    exclude = request.filters.exclude
    if exclude and places.is_named(context.reader, event, exclude):
        return "visible"  # it stands in the asker's live window already
    if request.per_session and sessions.get(event.session, 0) >= request.per_session:
        return "per_session"
    return ""


def _found(item: Ranked, window: str) -> Found:
    return Found(
        item.event, item.start, item.end, round(item.score, 6), item.band, list(item.match), [], window, ""
    )
