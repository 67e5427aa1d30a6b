"""What models were told unasked: how often, and what it costs their conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from unabridged.archive import hints
from unabridged.schema.ids import ProjectId
from unabridged.schema.records import Hint
from unabridged.service.caller import Call
from unabridged.service.handlers.sessions import session_in
from unabridged.store.contract import Reader

OUTCOMES = (hints.ORIENTATION, hints.CATALOGUE, hints.MARKER, hints.EXCERPT)


def told(call: Call, reader: Reader, projects: Iterable[ProjectId], session: str) -> dict[str, Any]:
    """Return counts by outcome, tokens, and how many sessions were told anything; {} where none was.

    tokens: as they were added, by the strict estimate; the provider reads them again with every later request.
    """
    scope = call.scope(reader)
    found: Iterator[Hint]
    if session:
        named = session_in(reader, scope, session)
        found = iter(hints.shown(reader, (named.project, named.session)))
    else:
        found = chain.from_iterable(hints.every(reader, project) for project in projects)
    counts, total, sessions = dict.fromkeys(OUTCOMES, 0), 0, set[bytes]()
    for item in found:
        if item.text and item.outcome in counts and scope.allows(item.project, item.session):
            counts[item.outcome] += 1
            total += item.tokens
            sessions.add(item.session)
    if not sessions:
        return {}
    return {**counts, "tokens": total, "sessions": len(sessions)}
