"""Asks a suite's questions of a real daemon on a home of its own, and of the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unabridged.daemon.client import Client
from unabridged.eval.floor import Floor
from unabridged.eval.living import Tell, embedded, imported, living
from unabridged.eval.reporting import Asked, Ranked
from unabridged.eval.suite import Conversation, Suite
from unabridged.eval.transcripts import Written

HITS = 20  # asked for; every measure looks at the first of them
SECONDS = 60.0  # that one question may take


def ask(suite: Suite, tell: Tell, *, floor: bool, semantic: str = "never", settings: str = "") -> list[Asked]:
    """Import every conversation into a project of its own, then ask with a search's own defaults.

    `settings` is the configuration of the home that is made for it; `semantic` says when meaning is used.
    """
    with living(settings) as (client, folder):
        written = imported(client, folder, suite.conversations, tell)
        tell(f"asking {suite.questions:,} questions")
        if semantic != "never":
            embedded(client, tell)
        return [
            asked
            for number, conversation in enumerate(suite.conversations)
            for asked in _ask_of(client, conversation, written[number], semantic, floor=floor)
        ]


def _ask_of(
    client: Client, conversation: Conversation, written: Written, semantic: str, *, floor: bool
) -> list[Asked]:
    turns = [(turn.key, turn.text) for session in conversation.sessions for turn in session.turns]
    wholes = [
        (session.key, f"{session.date} " + " ".join(turn.text for turn in session.turns))
        for session in conversation.sessions
    ]
    by_turn, by_session = (Floor(turns), Floor(wholes)) if floor else (None, None)
    found = list[Asked]()
    for question in conversation.questions:
        request = {"query": question.text, "limit": HITS, "project": written.project, "scope": "project"}
        request["semantic"] = semantic
        answer = client.call("search", request, timeout=SECONDS)
        theirs: Ranked = {}
        if by_turn is not None and by_session is not None:
            theirs["turn"] = theirs["message"] = by_turn.top(question.text, HITS)
            theirs["session"] = by_session.top(question.text, HITS)
        found.append(Asked(question, _ranked(answer["hits"], written), theirs, str(answer["status"])))
    for table in (by_turn, by_session):
        if table is not None:
            table.close()
    return found


def _ranked(hits: Sequence[dict[str, Any]], written: Written) -> Ranked:
    """Return the turns of the hits in order, and at each hit's place the session that it is of."""
    turns = [key for hit in hits for source in hit["source_keys"] if (key := written.turn_of(source))]
    sessions = [written.session_of(hit["host_session"]) for hit in hits]
    return {"turn": turns, "message": turns, "session": sessions}
