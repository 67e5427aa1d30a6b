"""What is asked for by its part in a conversation: the latest question, request, correction, answer, decision, failure.

A query in plain words asks for one only when all of it is one of the sentences that `cues.toml` lists. Nothing else is
read into a query.
"""

from __future__ import annotations

from dataclasses import dataclass

from unabridged.retrieve import cues

PREFIX = "latest-"
NAMES = tuple(PREFIX + name for name in cues.RELATIONS)
MOST_WORDED = 300  # characters of a query that is read as a sentence

RESOLVED, AMBIGUOUS, NOT_FOUND = "resolved", "ambiguous", "not-found"
GIVEN, RECOGNISED = "given", "recognised"

USER, ASSISTANT = "user", "assistant"
# Who says it.
SPEAKERS = {
    "question": frozenset((USER,)),
    "request": frozenset((USER,)),
    "correction": frozenset((USER,)),
    "answer": frozenset((ASSISTANT,)),
    "decision": frozenset((USER, ASSISTANT)),
    "failure": frozenset((USER, ASSISTANT)),
}
_TRAILING = " \t\n?!.\u2026\uff1f"


@dataclass(frozen=True, slots=True)
class Asked:
    """A relation (without its prefix), what it is to be about ("": anything), how many later ones to pass over."""

    relation: str
    topic: str = ""
    passed: int = 0
    how: str = GIVEN


def given(relation: str, query: str) -> Asked:
    """Return what a request for a relation asks; a query that itself asks for it in plain words gives its topic."""
    name = relation.removeprefix(PREFIX)
    worded = recognised(query)
    if worded is not None and worded.relation == name:
        return Asked(name, worded.topic, worded.passed)
    return Asked(name, query.strip())


def recognised(query: str) -> Asked | None:
    """Return the relation that a query in plain words asks for, None for any other query."""
    if len(query) > MOST_WORDED:
        return None
    low = cues.folded(query)
    text = low.strip().rstrip(_TRAILING)
    if not text or text.split(maxsplit=1)[0] not in cues.openings():
        return None
    for relation, earlier, pattern in cues.questions():
        match = pattern.fullmatch(text)
        if match is None:
            continue
        topic = ""
        if "topic" in pattern.groupindex and match["topic"]:
            at = low.index(text)
            topic = query[at + match.start("topic") : at + match.end("topic")].strip(_TRAILING)
        return Asked(relation, topic, int(earlier), RECOGNISED)
    return None
