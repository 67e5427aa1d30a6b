"""What to tell an agent of the archive, unasked, beside a message: mostly nothing, at most one short hint.

The order of the rules: what the message is about (`hintintent`), which sources hold it (`hintsources`), what that is
worth (`hintpolicy`), what it says within its budget (`hinttext`). Nothing here writes: `archive.hints` freezes what is
decided. No model takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unabridged.errors import UnabridgedError
from unabridged.retrieve import hintcues, hintlive, hintpolicy, hintresume, hintsources, hinttext
from unabridged.retrieve.asked import Finder
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintintent import Intent, intent_of
from unabridged.retrieve.hintlineage import Lineage, Visible
from unabridged.retrieve.hintpolicy import EXCERPT, MARKER, NOTHING, Verdict
from unabridged.retrieve.hintsources import Looking
from unabridged.retrieve.hintturns import PAYLOAD, SPOKEN, Source, document_key, pieces_of
from unabridged.retrieve.locator import handle_of
from unabridged.retrieve.places import iso
from unabridged.schema.ids import Micros
from unabridged.schema.records import EVENT, HUMAN, PATH, Event

LEAST_TOKENS = 40  # of a budget; in fewer no hint can be said
FOLLOWED = 40  # steps behind a source in which its correction is looked for
CORRECTIONS = 2  # messages of a person behind a source that may correct it
OPENING = 200  # characters of such a message
CONSIDERED = 5  # sources that an explanation names

# An event that is quoted, and the id of the document that holds it (empty: none yet).
Passage = tuple[Event, bytes]

_CORRECTED = hintcues.compiled("corrected")


@dataclass(frozen=True, slots=True)
class Ages:
    """How old a source may be, in microseconds: what tools took and gave, and what was said."""

    payload: int
    conversation: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A message, the conversation that it stands in, and what may be said.

    budget: tokens of the hint. rests: tells of a source's key whether it was told of a short time ago, and with True
    whether it was quoted then.
    """

    message: str
    lineage: Lineage
    visible: Visible
    budget: int
    ages: Ages
    rests: Callable[[bytes, bool], bool]


@dataclass(frozen=True, slots=True)
class Considered:
    """A source that was looked at, for who asks why; no text of it. share, score: as in `hintsources.Source`."""

    id: str
    share: float
    score: float
    marks: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What is told: the exact text, which sources rest because of it (keys), and which events' text it quotes."""

    outcome: str
    reason: str
    text: str = ""
    rest: tuple[bytes, ...] = ()
    quoted: tuple[Passage, ...] = ()
    considered: tuple[Considered, ...] = ()
    said: str = ""  # what it quotes, without its envelope


def decide(context: Context, finder: Finder, asked: Asked) -> Decision:
    """Return what to tell beside a message; raises what the index raises."""
    intent = intent_of(asked.message)
    if intent.kind == "none":
        return Decision(NOTHING, intent.reason)
    if asked.budget < LEAST_TOKENS:
        return Decision(NOTHING, "active-budget")
    if intent.resumes and not intent.telling:
        return _resumed(context, asked)
    looking = hintsources.looking(context, finder, intent, asked.message, asked.visible)
    intent = looking.intent
    found = hintsources.look(looking, SPOKEN)
    verdict = _judged(looking, asked, found)
    if _may_be_payload(intent, verdict):
        # What is too old is looked for, too: what was said of it is no answer in its place.
        more = hintsources.look(looking, PAYLOAD)
        found = sorted([*more, *found], key=lambda item: -item.share)
        verdict = _judged(looking, asked, found)
    considered = tuple(_considered(item, verdict) for item in found[:CONSIDERED])
    if verdict.reason == "weak-evidence" and any(looking.live):
        return Decision(NOTHING, "already-visible", considered=considered)
    decision = _told(looking, asked, verdict, considered)
    if decision.outcome != NOTHING and _is_visible(looking, asked, verdict, decision):
        return Decision(NOTHING, "already-visible", considered=considered)
    return decision


def _may_be_payload(intent: Intent, verdict: Verdict) -> bool:
    """Tell whether what tools took and gave may hold what history was asked of better than what was said."""
    if intent.kind != "historical" or intent.wants == "output":
        return intent.kind == "historical"
    return verdict.reason == "weak-evidence" and (bool(intent.names) or not intent.wants)


def _is_visible(looking: Looking, asked: Asked, verdict: Verdict, decision: Decision) -> bool:
    """Tell whether the live conversation itself holds what would be told: its matter, or the answer in other words."""
    best, intent = verdict.best, looking.intent
    turns = hintlive.live_turns(looking.context, asked.lineage, asked.visible, asked.message)
    if best is None or not turns:
        return False
    share = max(hintlive.shares(intent, looking.needles, turns))
    if intent.kind == "implicit":
        return share >= best.share
    if share >= max(hintpolicy.ENOUGH, best.share - hintpolicy.APART):
        return True
    if decision.outcome != EXCERPT:
        return False
    if hintlive.says(turns, decision.said):
        return True
    talk = " ".join(item.text for item in best.said or ())
    return hintlive.says(turns, decision.said, hintlive.PARTLY) and hintlive.restates(turns, talk)


def _judged(looking: Looking, asked: Asked, found: Sequence[Source]) -> Verdict:
    context, intent = looking.context, looking.intent
    tests = hintpolicy.Tests(
        lambda item: _is_stale(context.now, asked.ages, item),
        lambda item, quoting: any(asked.rests(key, quoting) for key in item.near_keys),
        lambda item: _is_corrected(looking, item),
        lambda item, around: hintsources.look_closer(looking, item, around=around),
    )
    return hintpolicy.judge(intent, found, tests)


def _is_stale(now: Micros, ages: Ages, item: Source) -> bool:
    """Tell whether a source is too old to be told of unasked; of a note only a newer one makes it old."""
    if item.is_note:
        return False
    most = ages.payload if item.event.kind in PAYLOAD else ages.conversation
    return not item.time or int(now) - int(item.time) > most


def _is_corrected(looking: Looking, item: Source) -> bool:
    """Tell whether one of a person's next messages behind an answer takes it back."""
    context = looking.context
    event = item.event
    if item.answer is not None and item.answer.chosen and item.said:
        event = item.said[item.answer.chosen[0][0]].event
    steps = context.reader.scan(PATH, (event.project, event.session), start=(event.seq + 1,), limit=FOLLOWED)
    events = context.reader.get_many(EVENT, [(event.project, step.event) for step in steps])
    people = [held for held in events if held is not None and held.flags & HUMAN and held.kind in SPOKEN]
    for held in people[:CORRECTIONS]:
        try:
            text = context.resolver.event_text(held)
        except UnabridgedError:
            continue
        cue = _CORRECTED.search(text[:OPENING])
        if cue is not None and (not text[: cue.start()].strip() or looking.needles.find(text).places):
            return True
    return False


def _considered(item: Source, verdict: Verdict) -> Considered:
    marks = [
        "best" if verdict.best is item else "",
        "wanted" if item.wanted else "",
        "reverses" if item.reverses else "",
        "together" if item.together else "",
        item.event.kind if item.event.kind not in SPOKEN else "",
    ]
    return Considered(item.id, round(item.share, 3), round(item.score, 3), " ".join(filter(None, marks)))


def _told(looking: Looking, asked: Asked, verdict: Verdict, considered: tuple[Considered, ...]) -> Decision:
    """Return a verdict in words: an excerpt that does not fit is a marker, a marker that does not fit is nothing."""
    context, intent = looking.context, looking.intent
    rest = tuple(dict.fromkeys(key for item in verdict.rest for key in item.keys))
    if verdict.outcome == EXCERPT and verdict.best is not None:
        decision = _quoted(context, asked, verdict.best)
        if decision is not None:
            text, passages, said, shown = decision
            rest = tuple(dict.fromkeys((*rest, *shown)))
            return Decision(EXCERPT, verdict.reason, text, rest, passages, considered, said)
    if verdict.outcome == NOTHING:
        return Decision(NOTHING, verdict.reason, considered=considered)
    words = [word for at, word in enumerate(intent.words) if at in verdict.words]
    text = marked(context, asked, hinttext.spans_of(asked.message, words))
    if not text:
        return Decision(NOTHING, "message-budget", considered=considered)
    reason = "excerpt-too-long" if verdict.outcome == EXCERPT else verdict.reason
    return Decision(MARKER, reason, text, rest, (), considered)


def marked(context: Context, asked: Asked, spans: Sequence[str]) -> str:
    """Return a marker of runs of a message, without secrets; "" where none fits."""
    scope = context.scope.level.name.lower()
    return hinttext.marker([context.redact(span)[0] for span in spans], scope, asked.budget)


def _quoted(
    context: Context, asked: Asked, best: Source
) -> tuple[str, tuple[Passage, ...], str, tuple[bytes, ...]] | None:
    """Return an excerpt of a source with the events that it quotes, what it says, and the keys of the turns that it
    shows; None where it does not fit.
    """
    if best.answer is None or not best.said:
        return None
    pieces = pieces_of(best)
    texts = [(piece.speaker, spans) for piece, spans in zip(pieces, best.answer.spans, strict=True)]
    main = best.said[best.answer.chosen[0][0]].event if best.answer.chosen else best.event
    start, end = (best.start, best.end) if main.ordinal == best.event.ordinal else (0, main.size)
    facts = facts_of(main, start, end, main.time or best.time)

    def fits(lines: Sequence[hinttext.Line]) -> bool:
        return bool(hinttext.excerpt(facts, lines, asked.budget))

    lines = hinttext.laid(texts, best.answer.chosen, fits)
    text = quoted(context, asked, facts, lines)
    if not text:
        return None
    passages = tuple((best.said[line.piece].event, best.said[line.piece].document) for line in lines)
    shown = tuple(best.said[line.piece].key for line in lines)
    return text, passages, "\n".join(line.text for line in lines), shown


def quoted(context: Context, asked: Asked, facts: dict[str, str], lines: Sequence[hinttext.Line]) -> str:
    """Return lines as an excerpt without secrets; "" where there are none, or they do not fit."""
    clean = [hinttext.Line(line.piece, line.speaker, context.redact(line.text)[0]) for line in lines]
    return hinttext.excerpt(facts, clean, asked.budget) if clean else ""


def facts_of(event: Event, start: int, end: int, time: Micros) -> dict[str, str]:
    """Return what an excerpt says of its source: the day (UTC), and the handle that recalls it."""
    return {"date": iso(time)[:10], hinttext.RECALL: handle_of(event.project, event.ordinal, start, end)}


def _resumed(context: Context, asked: Asked) -> Decision:
    """Return where an earlier session ended, for who begins a new one with it."""
    found = hintresume.last_turn(context, asked.lineage, asked.ages.conversation, given=asked.visible.keys)
    if found.turn is None:
        return Decision(NOTHING, found.reason)
    key = document_key(found.turn.document.id)
    if asked.rests(key, not found.ambiguous):
        return Decision(NOTHING, "repeated-source")
    if found.ambiguous:
        text = marked(context, asked, hintresume.cue_in(asked.message))
        return Decision(MARKER, "ambiguous", text, (key,)) if text else Decision(NOTHING, "message-budget")
    turn = found.turn
    facts = facts_of(turn.last, 0, turn.last.size, turn.document.ended)
    lines = hintresume.lines_of(turn, lambda some: bool(hinttext.excerpt(facts, some, asked.budget)))
    text = quoted(context, asked, facts, lines)
    if not text:
        return Decision(NOTHING, "message-budget")
    passages = tuple((turn.said[line.piece][0], bytes(turn.document.id)) for line in lines)
    return Decision(EXCERPT, "resumed", text, (key,), passages)
