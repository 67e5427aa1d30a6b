"""When and how meaning takes part in a search: asked where words alone say little, joined to what words found.

The vectors may be missing, behind, slow or dead. A search never waits for them for long and never fails with them; its
account says what they did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unabridged.retrieve.asked import Search
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.neighbours import WHOLE
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import Event
from unabridged.vectors.asked import Nearest, Where

AUTO, ALWAYS, NEVER = "auto", "always", "never"
USED, NOT_NEEDED, NOT_ASKED = "used", "not-needed", "off"
NOT_INSTALLED, STARTING, LATE, DIED, FAILED = "not-installed", "starting", "late", "worker-died", "failed"
NEAREST = 100  # events asked for: of fewer, a passage that words found often is not among them
NEAREST_BY_PATH = 1_000  # when most will fall out, since vectors cannot be filtered by path
BESIDE_MEANING = 80  # candidates of words that are ordered together with them
LEAD_WEIGHT = 0.2  # of the best lexical score, that a standard deviation of a span's meaning counts
LEAD_WEIGHT_BESIDE = 0.1  # the same where tokens are compared, too
MATCH_WEIGHT = 0.3  # of the best lexical score, that a standard deviation of the likeness of tokens counts
OF_USER, OF_TOOL = 1.2, 0.9  # of what meaning counts, beside the same said by an agent
OF_ASKER = 2.0  # more, where the question is in the first person
PATIENCE = 1.5  # seconds that a search waits for a model to be loaded, once in a while
PATIENCE_ALWAYS = 10.0  # the same when meaning was asked for

_FIRST_PERSON = re.compile(r"\b(?:i|my|mine|me|we|our|ours)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Meant:
    """What meaning found (None: it was not asked, or did not answer), and what the account says of that."""

    nearest: Nearest | None = None
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    is_asked: bool = False  # models may take part: it was asked for, or words found too little


def is_wanted(context: Context, request: Search) -> bool:
    """Tell whether meaning may take part in a search at all."""
    if request.semantic == NEVER or request.operators or not request.query.strip():
        return False
    return context.meanings is not None or request.semantic == ALWAYS


def consult(
    context: Context, request: Search, projects: Sequence[ProjectId] | None, found: Sequence[Candidate]
) -> Meant:
    """Return what is nearest to the question, where it is asked for or words found little."""
    if not is_wanted(context, request):
        return Meant()
    answer: Nearest | str = NOT_INSTALLED
    if request.semantic == AUTO and strong(found):
        answer = NOT_NEEDED
    elif context.meanings is not None:
        patience = PATIENCE if request.semantic == AUTO else PATIENCE_ALWAYS
        most = NEAREST_BY_PATH if request.filters.path or request.filters.branch is not None else NEAREST
        also = [(bytes(item.project), int(item.event)) for item in found[:BESIDE_MEANING]]
        answer = context.meanings.ask(request.query, where(request, projects), most, patience, also)
    if isinstance(answer, str):
        silent = answer == NOT_INSTALLED and request.semantic == AUTO  # nobody asked for what is not there
        return Meant(None, {} if silent else {"semantic": answer}, answer != NOT_NEEDED)
    account: dict[str, Any] = {"semantic": USED}
    if context.meanings is not None and (behind := context.meanings.behind()):
        account["semantic_behind"] = behind
    return Meant(answer, account, True)


def strong(found: Sequence[Candidate]) -> bool:
    """Tell whether words found so much that meaning has little to add: (nearly) the whole question in one passage."""
    return bool(found) and (found[0].phrase or found[0].coverage >= WHOLE)


def join(found: Sequence[Candidate], answer: Nearest) -> list[Candidate]:
    """Return candidates with what their meaning counts, and those that only meaning found.

    Scores are added, not ranks: beside a list of a hundred that are all somewhat near, ranks drown the clear winners
    of words (a convex combination: Bruch, Gai and Ingber 2023). Leads count from the farthest of the nearest on, so
    that what is not among them gets nothing; matches count from the mean of all that were compared.
    """
    best = max((item.score for item in found), default=0.0) or 1.0
    worth = {key: best * value for key, value in _worth(answer).items()}
    nearest = {(near.project, near.ordinal): near for near in answer.spans}
    joined, held = list[Candidate](), set[tuple[bytes, int]]()
    for item in found:
        key = (bytes(item.project), int(item.event))
        held.add(key)
        value = worth.get(key, 0.0)
        joined.append(replace(item, meaning=value, meant=value > 0 or key in nearest))
    for key, near in nearest.items():
        if key not in held:
            project, event = ProjectId(near.project), Ordinal(near.ordinal)
            joined.append(
                Candidate(project, event, near.start, near.end, 0.0, meaning=worth[key], meant=True)
            )
    return joined


def _worth(answer: Nearest) -> dict[tuple[bytes, int], float]:
    """Return what meaning counts by event, in units of the best lexical score."""
    least = min((max(0.0, near.lead) for near in answer.spans), default=0.0)
    compared = [*answer.spans, *answer.beside]
    weight = LEAD_WEIGHT_BESIDE if any(near.match for near in compared) else LEAD_WEIGHT
    return {
        (near.project, near.ordinal): weight * max(0.0, near.lead - least)
        + MATCH_WEIGHT * max(0.0, near.match)
        for near in compared
    }


def weighed(pairs: Sequence[tuple[Candidate, Event]], question: str) -> list[tuple[Candidate, Event]]:
    """Return candidates whose meaning counts by who says it, as their words do already.

    A question in the first person asks for what the user said: there it counts the more.
    """
    user = OF_USER * (OF_ASKER if _FIRST_PERSON.search(question) else 1.0)
    factors = {"user": user, "assistant": 1.0}
    found = list[tuple[Candidate, Event]]()
    for candidate, event in pairs:
        factor = factors.get(event.role, OF_TOOL) if candidate.meaning else 1.0
        found.append((replace(candidate, meaning=candidate.meaning * factor), event))
    return found


def where(request: Search, projects: Sequence[ProjectId] | None) -> Where:
    """Return what the vectors can tell of a question's filters; the archive judges every span again."""
    asked = request.filters
    return Where(
        [bytes(project) for project in projects or ()],
        bytes(asked.session) if asked.session is not None else b"",
        sorted(asked.roles),
        sorted(asked.kinds),
        sorted(asked.hosts),
        sorted(asked.tools),
        asked.since,
        asked.until,
        asked.side,
    )
