"""What to tell an agent of the archive, unasked, beside a message: mostly nothing, at most one short hint.

The order of the rules: what the message is about (`hintintent`), which sources hold it (`hintsources`), what that is
worth (`hintpolicy`), what it says within its budget (`hinttext`). Nothing here writes: `archive.hints` freezes what is
decided. No model takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import UnabridgedError
from unabridged.retrieve import hintcues, hintmatch, hintpolicy, hintresume, hintsources, hinttext
from unabridged.retrieve.asked import Finder
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintintent import Intent, intent_of, prose
from unabridged.retrieve.hintlineage import Lineage, Visible
from unabridged.retrieve.hintpolicy import EXCERPT, MARKER, NOTHING, Verdict
from unabridged.retrieve.hintturns import PAYLOAD, SPOKEN, Said, Source, document_key, said, said_later
from unabridged.retrieve.locator import handle_of
from unabridged.retrieve.places import iso
from unabridged.schema.ids import Micros
from unabridged.schema.records import EVENT, HUMAN, PATH, Event

LEAST_TOKENS = 40  # of a budget; in fewer no hint can be said
FOLLOWED = 40  # steps behind a source in which its correction is looked for
CORRECTIONS = 2  # messages of a person behind a source that may correct it
OPENING = 200  # characters of such a message
BEFORE, BEHIND = (
    600,
    1_400,
)  # characters around the first of the words, in which sentences to quote are looked for
END = 900  # characters at either end of what else was said, in which they are
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


def decide(context: Context, finder: Finder, asked: Asked) -> Decision:
    """Return what to tell beside a message; raises what the index raises."""
    intent = intent_of(asked.message)
    if intent.kind == "none":
        return Decision(NOTHING, intent.reason)
    if asked.budget < LEAST_TOKENS:
        return Decision(NOTHING, "active-budget")
    if intent.resumes and not intent.telling:
        return _resumed(context, asked)
    intent = hintsources.weighed(finder, intent)
    looked = hintsources.look(context, finder, intent, asked.message, asked.visible, SPOKEN)
    found = list(looked.sources)
    verdict = _judged(context, asked, intent, found)
    if _may_be_payload(intent, verdict):
        # What is too old is looked for, too: what was said of it is no answer in its place.
        more = hintsources.look(context, finder, intent, asked.message, asked.visible, PAYLOAD).sources
        found = sorted([*more, *found], key=lambda item: -item.share)
        verdict = _judged(context, asked, intent, found)
    live = looked.live
    if verdict.outcome != NOTHING and asked.visible.keys is None and asked.lineage.session is not None:
        name = asked.lineage.name  # what is archived may crowd the live conversation out
        live = hintsources.look(context, finder, intent, asked.message, asked.visible, SPOKEN, name).live
    if any(_is_live(intent, verdict, item) for item in live):
        verdict = Verdict(NOTHING, "already-visible")
    considered = tuple(_considered(item, verdict) for item in found[:CONSIDERED])
    return _told(context, asked, intent, verdict, considered)


def _may_be_payload(intent: Intent, verdict: Verdict) -> bool:
    """Tell whether what tools took and gave may hold what history was asked of better than what was said."""
    if intent.kind != "historical" or intent.wants == "output":
        return intent.kind == "historical"
    return verdict.reason == "weak-evidence" and (bool(intent.names) or not intent.wants)


def _is_live(intent: Intent, verdict: Verdict, live: Source) -> bool:
    """Tell whether the live conversation itself holds what a message is about: for who asks for history, the answer."""
    if verdict.outcome == NOTHING:
        return verdict.reason == "weak-evidence" and live.share >= hintpolicy.ENOUGH
    if verdict.best is None or live.share < verdict.best.share - hintpolicy.APART:
        return False
    if intent.kind == "implicit":
        return live.share >= verdict.best.share
    if live.bare or live.share < hintpolicy.ENOUGH:
        return False
    return live.wanted or not intent.wants or live.own >= verdict.best.own


def _judged(context: Context, asked: Asked, intent: Intent, found: Sequence[Source]) -> Verdict:
    return hintpolicy.judge(
        intent,
        found,
        lambda item: _is_stale(context.now, asked.ages, item),
        lambda item, quoting: any(asked.rests(key, quoting) for key in item.keys),
        lambda item: _is_corrected(context, intent, item),
    )


def _is_stale(now: Micros, ages: Ages, item: Source) -> bool:
    """Tell whether a source is too old to be told of unasked; of a note only a newer one makes it old."""
    if item.event.host == NOTE_HOST:
        return False
    most = ages.payload if item.event.kind in PAYLOAD else ages.conversation
    return not item.time or int(now) - int(item.time) > most


def _is_corrected(context: Context, intent: Intent, item: Source) -> bool:
    """Tell whether one of a person's next messages behind a source takes back what was asked of."""
    event = item.event
    last = item.document.seq_to if item.document is not None else event.seq
    steps = context.reader.scan(PATH, (event.project, event.session), start=(last + 1,), limit=FOLLOWED)
    events = context.reader.get_many(EVENT, [(event.project, step.event) for step in steps])
    people = [held for held in events if held is not None and held.flags & HUMAN and held.kind in SPOKEN]
    for held in people[:CORRECTIONS]:
        try:
            text = context.resolver.event_text(held)
        except UnabridgedError:
            continue
        cue = _CORRECTED.search(text[:OPENING])
        if cue is not None and (not text[: cue.start()].strip() or hintmatch.held(intent.words, text)[0]):
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


def _told(
    context: Context, asked: Asked, intent: Intent, verdict: Verdict, considered: tuple[Considered, ...]
) -> Decision:
    """Return a verdict in words: an excerpt that does not fit is a marker, a marker that does not fit is nothing."""
    rest = tuple(dict.fromkeys(key for item in verdict.rest for key in item.keys))
    if verdict.outcome == EXCERPT and verdict.best is not None:
        decision = _quoted(context, asked, intent, verdict.best)
        if decision is not None:
            return Decision(EXCERPT, verdict.reason, decision[0], rest, decision[1], considered)
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
    context: Context, asked: Asked, intent: Intent, best: Source
) -> tuple[str, tuple[Passage, ...]] | None:
    """Return an excerpt of a source with the events that it quotes; None where it does not fit."""
    parts = _conversation(context, intent, best)
    near = hintmatch.spots(intent.words, best.words, best.text)
    pieces = _pieces(parts, best, min((at for starts in near.values() for at in starts), default=0))
    facts = facts_of(best.event, best.start, best.end, best.time)

    def fits(lines: Sequence[hinttext.Line]) -> bool:
        return bool(hinttext.excerpt(facts, lines, asked.budget))

    def weigh(text: str) -> float:
        if not hintmatch.may_hold(intent.words, text.lower()):
            return 0.0
        return hintmatch.share_of(intent.words, *hintmatch.held(intent.words, text))

    lines = hinttext.chosen(pieces, weigh, intent.wants, fits)
    text = quoted(context, asked, facts, lines)
    return (text, tuple((parts[line.piece][0], parts[line.piece][2]) for line in lines)) if text else None


def _conversation(context: Context, intent: Intent, best: Source) -> list[Said]:
    """Return what may be quoted: what was said in a source's turn, and what came of it a little later."""
    found = {event.ordinal: (event, text, held_by) for event, text, held_by in said(context, best)}
    if best.event.kind in SPOKEN and intent.wants in ("decision", "repair"):
        for event, text, held_by in said_later(context, best):
            found.setdefault(event.ordinal, (event, text, held_by))
    return sorted(found.values(), key=lambda item: item[0].seq)


def quoted(context: Context, asked: Asked, facts: dict[str, str], lines: Sequence[hinttext.Line]) -> str:
    """Return lines as an excerpt without secrets; "" where there are none, or they do not fit."""
    clean = [hinttext.Line(line.piece, line.speaker, context.redact(line.text)[0]) for line in lines]
    return hinttext.excerpt(facts, clean, asked.budget) if clean else ""


def facts_of(event: Event, start: int, end: int, time: Micros) -> dict[str, str]:
    """Return what an excerpt says of its source: the day (UTC), and the handle that recalls it."""
    return {"date": iso(time)[:10], "recall": handle_of(event.project, event.ordinal, start, end)}


def _pieces(parts: Sequence[Said], source: Source, place: int) -> list[hinttext.Piece]:
    """Return what was said, as far as sentences are looked for; `place`: where the words stand in the best."""
    answered = max((at for at, (event, _, _) in enumerate(parts) if event.role == "assistant"), default=-1)
    best, own = source.event, {event.ordinal for event, _, _ in source.spoken or ()}
    asked, pieces = False, list[hinttext.Piece]()
    for at, (event, text, _) in enumerate(parts):
        user = event.role == "user"
        asked = asked or user
        speaker = event.role if event.kind in SPOKEN else event.tool or "tool"
        answers = (asked and event.role == "assistant") or (bool(at) and event.kind == "tool-result")
        if event.ordinal == best.ordinal:
            text = text[text.rfind("\n", 0, max(0, place - BEFORE)) + 1 : place + BEHIND]
        elif len(text) > 2 * END:
            text = f"{text[:END]}\n{text[-END:]}"
        pieces.append(
            hinttext.Piece(
                speaker, prose(text) or text, answers, user and at < answered, not own or event.ordinal in own
            )
        )
    return pieces


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
