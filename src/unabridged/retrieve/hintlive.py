"""What stands in the live conversation, and whether an answer is there already, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.errors import UnabridgedError
from unabridged.index.analysis.stopwords import STOPWORDS
from unabridged.retrieve import places
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintintent import Intent
from unabridged.retrieve.hintlineage import Lineage, Visible
from unabridged.retrieve.hintmatch import Needles, share_of
from unabridged.retrieve.hintturns import SPOKEN, TEXT
from unabridged.retrieve.hintwords import TALK
from unabridged.schema.records import EVENT, META, PATH, SUMMARY, Event

LOOKED_BACK = 80  # steps of the live conversation that are looked at
NEW = 2  # long words of its own that an answer has at least
SAME = 5  # first letters by which words of an answer are compared: their endings differ
MUCH = 0.5  # share of an answer's words that one live message holds, where it says the same
PARTLY = 0.25  # the same, where it restates the conversation of the answer
RESTATED, RESTATED_LEAST = (
    0.4,
    6,
)  # share of a live message's words that a conversation holds, which it restates; how many
LEAST = 3  # words of an answer, so that they can tell

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\d+(?:[.:,]\d+)*|[^\W\d_]{3,}")
_LONG = re.compile(r"\w{4,}|\d+|[^\x00-\x7f]{2}")


@dataclass(frozen=True, slots=True)
class Live:
    """What an agent said in the live conversation, with what a person had said before it."""

    asked: str
    said: str


def live_turns(context: Context, lineage: Lineage, visible: Visible, message: str) -> list[Live]:
    """Return the turns that are visible, in which an agent said anything; the message itself is not among them."""
    session = lineage.session
    if session is None:
        return []
    steps = context.reader.scan(PATH, (session.project, session.session), reverse=True, limit=LOOKED_BACK)
    events = context.reader.get_many(EVENT, [(session.project, step.event) for step in steps])
    spoken = [event for event in reversed(events) if event is not None and _is_said(event)]
    if visible.keys is not None:
        # Keys are those of the session that first held an event, which a fork's parent may be.
        spoken = [
            event
            for event in spoken
            if places.is_named(context.reader, event, visible.keys) and not visible.left.out(event)
        ]
    else:
        spoken = [event for event in spoken if visible.holds(event)]
    plain, found, asked, said = _SPACE.sub(" ", message).strip(), list[Live](), "", list[str]()
    for event in spoken:
        try:
            text = context.resolver.event_bytes(event)[:TEXT].decode("utf-8", "replace")
        except UnabridgedError:
            continue
        if event.role != "user":
            said.append(text)
        elif _SPACE.sub(" ", text).strip() != plain:
            if said:
                found.append(Live(asked, "\n".join(said)))
            asked, said = text, []
    if said:
        found.append(Live(asked, "\n".join(said)))
    return [live for live in found if _answers(live)]


def _is_said(event: Event) -> bool:
    return event.kind in SPOKEN and event.size > 0 and not event.flags & (META | SUMMARY)


def _answers(live: Live) -> bool:
    """Tell whether an agent said anything of its own in a turn."""
    return len(set(_LONG.findall(live.said.lower())) - set(_LONG.findall(live.asked.lower()))) >= NEW


def shares(intent: Intent, needles: Needles, turns: Sequence[Live]) -> list[float]:
    """Return the share of a message's words that each live turn has."""
    found = list[float]()
    for turn in turns:
        held = needles.find(f"{turn.asked}\n{turn.said}")
        found.append(share_of(intent.words, held.places, held.whole, held.kin))
    return found


def says(turns: Sequence[Live], answer: str, most: float = MUCH) -> bool:
    """Tell whether a live turn says what an answer says: it has most of the words and figures that make it up."""
    wanted = _content(answer)
    if len(wanted) < LEAST:
        return False
    return any(len(wanted & _content(turn.said)) >= most * len(wanted) for turn in turns)


def restates(turns: Sequence[Live], talk: str) -> bool:
    """Tell whether a live turn restates a conversation: what an agent said in it is made of that one's words."""
    known = _content(talk)
    contents = [_content(turn.said) for turn in turns]
    return any(
        len(content & known) >= max(RESTATED_LEAST, RESTATED * len(content))
        for content in contents
        if content
    )


def same(one: str, other: str, message: str) -> bool:
    """Tell whether two answers to a message say the same, beside its own words."""
    asked = _content(message)
    left, right = _content(one) - asked, _content(other) - asked
    return len(left & right) >= max(1, MUCH * min(len(left), len(right)))


def _content(text: str) -> set[str]:
    words = (match[0] for match in _WORD.finditer(text.lower()))
    return {word[:SAME] for word in words if word not in STOPWORDS and word not in TALK}
