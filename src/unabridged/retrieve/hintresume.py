"""Where the last session of a project ended, for who asks to go on there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.errors import UnabridgedError
from unabridged.retrieve import hintcues as cues
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintintent import prose
from unabridged.retrieve.hintlineage import Lineage
from unabridged.retrieve.hinttext import Fits, Line, sentences
from unabridged.retrieve.hintturns import SPOKEN, turn_of
from unabridged.schema.ids import SessionId
from unabridged.schema.records import DOCUMENT, META, SIDE, SUMMARY, TOMBSTONE, Document, Event

LATEST = 300  # documents admitted last, among which the latest turn is looked for
AT_ONCE = 900_000_000  # microseconds between the ends of two sessions that ran side by side
TEXT = 4_000  # characters of one message that are looked at

_RESUMED = cues.compiled("resumed")


@dataclass(frozen=True, slots=True)
class Turn:
    """The last turn of a session: what a person asked and what an agent said, in order."""

    document: Document
    said: tuple[tuple[Event, str], ...]

    @property
    def last(self) -> Event:
        """What was said last."""
        return self.said[-1][0]


@dataclass(frozen=True, slots=True)
class Ended:
    """Where work ended; ambiguous: another session ended at about the same time. Without a turn `reason` says why."""

    turn: Turn | None
    reason: str = ""
    ambiguous: bool = False


def last_turn(context: Context, lineage: Lineage, age: int, given: frozenset[str] | None) -> Ended:
    """Return the latest turn of another session of the project that is at most `age` microseconds old."""
    if not _is_new(context, lineage, given):
        return Ended(None, "already-visible")
    latest = dict[SessionId, Document]()
    for document in context.reader.scan(DOCUMENT, (context.scope.project,), reverse=True, limit=LATEST):
        if document.kind != "turn" or document.session in lineage.names:
            continue
        if not context.scope.allows(document.project, document.session):
            continue
        held = latest.get(document.session)
        if held is None or (document.seq_to, document.ordinal) > (held.seq_to, held.ordinal):
            latest[document.session] = document
    ended = sorted(latest.values(), key=lambda item: (-item.ended, item.ordinal))
    for at, document in enumerate(ended):
        if not document.ended or int(context.now) - int(document.ended) > age:
            return Ended(None, "stale-source")
        turn = _turn(context, document)
        if turn is not None:
            beside = ended[at + 1 : at + 2]
            return Ended(turn, ambiguous=any(document.ended - item.ended < AT_ONCE for item in beside))
    return Ended(None, "weak-evidence")


def _is_new(context: Context, lineage: Lineage, given: frozenset[str] | None) -> bool:
    """Tell whether a conversation has only begun: what it could go on with is not in it."""
    if lineage.ancestors or given:
        return False
    turns = context.reader.scan(DOCUMENT, (context.scope.project, lineage.name), index="place", limit=4)
    return sum(item.kind == "turn" for item in turns) < 2


def _turn(context: Context, document: Document) -> Turn | None:
    """Return what was said in a turn; None where it is no conversation, or gone."""
    if context.reader.get(TOMBSTONE, (document.project, document.id)) is not None:
        return None
    said = list[tuple[Event, str]]()
    for event in turn_of(context, document):
        if event.flags & SIDE:
            return None
        if event.kind not in SPOKEN or not event.size or event.flags & (META | SUMMARY):
            continue
        try:
            said.append((event, context.resolver.event_text(event)))
        except UnabridgedError:
            return None
    return Turn(document, tuple(said)) if said else None


def lines_of(turn: Turn, fits: Fits) -> list[Line]:
    """Return the first sentence of what was asked and the last ones of what was answered, as many as fit."""
    asked = next((at for at, (event, _) in enumerate(turn.said) if event.role == "user"), None)
    answered = next(
        (at for at in reversed(range(len(turn.said))) if turn.said[at][0].role == "assistant"), None
    )
    lines = list[Line]()
    if asked is not None:
        lines = _grown(turn, asked, lines, fits, most=1, backwards=False)
    if answered is not None:
        lines = _grown(turn, answered, lines, fits, most=4, backwards=True)
    return lines


def _grown(
    turn: Turn, at: int, lines: Sequence[Line], fits: Fits, *, most: int, backwards: bool
) -> list[Line]:
    """Return lines with as many sentences of one message more as fit."""
    event, text = turn.said[at]
    clean = prose(text) or text
    parts = sentences(clean[-TEXT:] if backwards else clean[:TEXT])
    kept = list(lines)
    for count in range(1, min(most, len(parts)) + 1):
        some = " ".join(parts[-count:] if backwards else parts[:count])
        wanted = [*lines, Line(at, event.role, some)]
        if not fits(wanted):
            break
        kept = wanted
    return kept


def cue_in(message: str) -> list[str]:
    """Return the words of a message that ask to go on."""
    found = _RESUMED.search(prose(message))
    return [found[0]] if found is not None else []
