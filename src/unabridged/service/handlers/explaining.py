"""Why was that told, or not? The last decisions with their reasons, without any archived text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unabridged.archive import hints
from unabridged.archive.hints import Allowance
from unabridged.errors import InvalidInput
from unabridged.retrieve import places
from unabridged.schema.records import DOCUMENT, EVENT, EXPOSURE, Hint, Weighed
from unabridged.schema.scope import Level, Scope
from unabridged.service.caller import Call
from unabridged.service.handlers import hintwindow
from unabridged.service.handlers.hintplace import Conversation, conversation_of
from unabridged.service.ports import HintLimits
from unabridged.service.requests import Why, WhyAnswer, WhyRequest
from unabridged.store.contract import Reader

MAX_LIMIT = 200  # decisions
SPARE = 8  # decisions looked at for each that is wanted, where a scope hides some
DAY = 24 * 3_600_000_000  # microseconds
THOUSAND = 1_000

REASONS = {
    "asked": "the message asks for history, and one source is strong and unambiguous",
    "named": "the message refers to history, and one source is strong and unambiguous",
    "resumed": "the message goes on with earlier work, and one session ended last",
    "ambiguous": "several sources are about as good: only the message's own words were given",
    "conflict": "one source takes back another: only the message's own words were given",
    "excerpt-too-long": "no excerpt fits the budget: only the message's own words were given",
    "recurring-matter": "the message's matter was talked of before; it does not ask for that",
    "no-words": "the message names nothing that could be looked for",
    "not-prose": "the message is a command, or text of this program",
    "too-long": "the message is a paste rather than a question",
    "current-state": "the message asks for the present state, which an archive cannot tell",
    "already-visible": "what it refers to stands in the live conversation",
    "general-knowledge": "the message asks for what anybody knows",
    "declined": "the message asks to leave history alone",
    "correction": "the message corrects something, and the archive must not talk against it",
    "weak-evidence": "no source holds enough of the message's words",
    "stale-source": "the source is older than may be told unasked; a search finds it",
    "repeated-source": "the source was told of a short time ago, and rests",
    "message-budget": "nothing that says enough fits the budget of a message",
    "active-budget": "the hints of this conversation have used up their budget",
    "index-missing": "there is no search index yet",
    "index-failed": "the search index failed",
    "index-slow": "the search index did not answer in time",
    "disabled": "hints are turned off",
    "orientation": "a session started, and the archive holds other sessions of its project",
    "passed-on": "a fork begins with what its parent was told at its start",
    "catalogue": "the host compacted the conversation: this lists what was left out",
    "erased": "what it quoted was erased",
}


def why(call: Call, request: WhyRequest) -> WhyAnswer:
    """Return the last decisions of a project, or of a session."""
    if not 0 < request.limit <= MAX_LIMIT:
        raise InvalidInput("`limit` is out of range", field="limit", limit=MAX_LIMIT, value=request.limit)
    limits = call.services.hints
    with call.services.store.snapshot() as reader:
        scope = call.scope(reader, request.scope, request.project)
        left: int | None = None
        if request.session:
            talk = conversation_of(call, reader, request)
            decisions = hints.latest(reader, talk.project, request.limit, talk.lineage.name)
            left = _left(reader, talk, limits)
        else:
            decisions = _decisions(reader, scope, request.limit)
        shown = [_why(reader, item, limits, _seen(reader, call.scope(reader), item)) for item in decisions]
        return WhyAnswer(shown, _limits(limits), left)


def _decisions(reader: Reader, scope: Scope, limit: int) -> list[Hint]:
    projects = [scope.project, *sorted(scope.linked)]
    if scope.level is Level.ALL:
        projects = list(dict.fromkeys([*projects, *hints.projects(reader)]))
    found = [
        item
        for project in projects
        for item in hints.latest(reader, project, limit * SPARE)
        if scope.allows(item.project, item.session)
    ]
    return sorted(found, key=lambda item: (-item.created, item.key))[:limit]


def _left(reader: Reader, talk: Conversation, limits: HintLimits) -> int:
    since = hintwindow.since(reader, talk.lineage)
    forked = talk.lineage.session.created if talk.lineage.session is not None else hints.NEVER
    allowance = Allowance(limits.active_tokens, limits.rest, since=since, forked=forked)
    return max(0, limits.active_tokens - hints.active_tokens(reader, talk.places, allowance))


def _seen(reader: Reader, widest: Scope, item: Hint) -> list[Weighed]:
    """Return the sources of a decision that this caller may see; it may have been made for one who sees more."""
    if widest.level is Level.ALL:
        return item.considered
    projects = (widest.project, *widest.linked)

    def sees(name: bytes) -> bool:
        places = [(project, name) for project in projects]
        return any(
            place is not None for kind in (DOCUMENT, EVENT) for place in reader.lookup(kind, "id", places)
        )

    return [found for found in item.considered if sees(found.id)]


def _why(reader: Reader, item: Hint, limits: HintLimits, considered: Sequence[Weighed]) -> Why:
    return Why(
        kind="hint",
        time=places.iso(item.created),
        session=item.session.hex(),
        key=item.native,
        outcome=item.outcome,
        reason=item.reason,
        explanation=REASONS.get(item.reason, ""),
        tokens=item.tokens,
        budget=item.budget,
        considered=[
            {
                "id": found.id.hex(),
                "share": found.share / THOUSAND,
                "score": found.score / THOUSAND,
                "marks": found.marks.split(),
            }
            for found in considered
        ],
        rests=_rests(reader, item, item.rest, limits.rest),
        copied=item.copied.hex(),
        emptied=places.iso(item.emptied),
    )


def _rests(reader: Reader, item: Hint, sources: Sequence[bytes], rest: int) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for source in sources:
        exposure = reader.get(EXPOSURE, (item.project, item.session, source))
        if exposure is not None:
            found.append({"id": source.hex(), "until": places.iso(exposure.time + rest)})
    return found


def _limits(limits: HintLimits) -> dict[str, Any]:
    return {
        "enabled": limits.enabled,
        "message_tokens": limits.message_tokens,
        "active_tokens": limits.active_tokens,
        "rest_hours": limits.rest * 24 / DAY,
        "payload_days": limits.payload_age / DAY,
        "conversation_days": limits.conversation_age / DAY,
        "deadline_ms": round(limits.patience * THOUSAND),
    }
