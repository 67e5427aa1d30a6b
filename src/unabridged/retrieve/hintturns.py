"""The turn that a source is: what was said in it, and whether a person took it up in the next one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import UnabridgedError
from unabridged.index.exact import anchors
from unabridged.retrieve import hintcues as cues
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintintent import Intent, intent_of
from unabridged.retrieve.hintmatch import FAR, NEAR, beside
from unabridged.schema.ids import DocumentId, Micros, ProjectId
from unabridged.schema.records import DOCUMENT, EVENT, HUMAN, META, PATH, SUMMARY, Document, Event

ENDS = 5  # events of a turn that are looked at: so many at its beginning, so many at its end
HELPED, CHANGED = 0.5, 0.2  # what it counts that a turn says what helped, or what was changed
RESULTS = 4  # steps behind a call that are looked at for its result
LATER = 2  # turns behind a source that may say what came of it
REACTION = 300  # characters of a person's answer to what an agent proposed
REACH = 400  # characters to each side of the words in which a source says that it settles something
BEGINNING, TURN_TEXTS = 800, 3  # characters of what else was said in a turn, and how many texts of it
TEXT = 4_000  # bytes of a message beside the best passage that are looked at
IDENTITY = 12  # bytes of a document's id that all its versions share
ANSWER = 2  # long words of its own that an answer has at least
_LONG = re.compile(r"\w{4,}|\d+|[^\x00-\x7f]{2}")
SPOKEN, PAYLOAD = frozenset(("text",)), frozenset(("tool-result", "tool-call"))
_AGREED = cues.compiled("agreed")

_SETTLED, _REPAIRED, _FAILED, _CHANGED = map(cues.compiled, ("settled", "repaired", "failed", "changed"))
_STANDS = re.compile(f"{_SETTLED.pattern}|{cues.compiled('stands').pattern}", re.IGNORECASE)

Said = tuple[Event, str, bytes]  # an event, its text, the id of the document that holds it (empty: none yet)


@dataclass(slots=True)
class Source:
    """A turn (or a note, or an event of a turn that is open) that holds some of a message's words.

    share: of the words' weight (0-1). spread: characters from the first to the last of its telling words. wanted: it is
    of the sort that was asked for. reverses: it takes something back where the words stand. event, start, end: its best
    passage.
    """

    key: bytes
    document: Document | None
    event: Event
    start: int
    end: int
    score: float
    time: Micros
    words: set[int] = field(default_factory=set[int])
    whole: set[int] = field(default_factory=set[int])
    spread: int = FAR
    paired: bool = False  # two words stand side by side in it as they do in the message
    wanted: bool = False
    joined: bool = False  # another turn of its conversation that holds as much is
    helped: float = 0.0  # how plainly it says what put something right
    reverses: bool = False
    share: float = 0.0
    own: float = 0.0  # the share that it has without what the turns beside it hold
    named: frozenset[int] = frozenset()  # the names that it holds whole itself
    lent: set[int] = field(default_factory=set[int])  # words that only turns beside it have
    text: str = ""
    bare: bool = False  # a person's question or request that nobody answered
    opened: bool = False  # it is a turn that a person began
    spoken: list[Said] | None = None  # what was said in it, once it was read
    agreed: Document | None = None  # the next turn, where a person takes up in it what was proposed

    @property
    def keys(self) -> tuple[bytes, ...]:
        """What it rests under."""
        return (self.key, *((document_key(self.agreed.id),) if self.agreed is not None else ()))

    @property
    def together(self) -> bool:
        """Whether its telling words stand near each other."""
        return self.spread <= NEAR

    @property
    def id(self) -> str:
        """What names it: its document's id, or its event's."""
        return (self.document.id if self.document is not None else self.event.id).hex()

    @property
    def session(self) -> tuple[ProjectId, bytes]:
        """The conversation that it is in."""
        return self.event.project, self.event.session

    @property
    def place(self) -> tuple[ProjectId, int]:
        """Its best event."""
        return self.event.project, self.event.ordinal


def agreement(context: Context, document: Document) -> Document | None:
    """Return the turn behind a turn, where a person takes up in it what was proposed; else None."""
    following = context.reader.scan(
        DOCUMENT, (document.project, document.session), start=(document.seq_to + 1,), index="place", limit=1
    )
    for turn in following:
        if turn.kind != "turn":
            return None
        for event in turn_of(context, turn):
            if event.flags & HUMAN and event.kind in SPOKEN:
                try:
                    text = context.resolver.event_text(event) if event.size <= 4 * REACTION else ""
                except UnabridgedError:
                    return None
                return turn if len(text) <= REACTION and _AGREED.search(text) else None
    return None


def said(context: Context, source: Source) -> list[Said]:
    """Return what people and agents said in a source's turn and where that was taken up, in order."""
    if source.spoken is None:
        source.spoken = _said(context, source)
    return source.spoken


def said_later(context: Context, source: Source) -> list[Said]:
    """Return what was said in the turns that follow a source's."""
    document = source.agreed or source.document
    if document is None:
        return []
    following = context.reader.scan(
        DOCUMENT,
        (document.project, document.session),
        start=(document.seq_to + 1,),
        index="place",
        limit=LATER,
    )
    return [
        (event, text, bytes(turn.id))
        for turn in following
        if turn.kind == "turn"
        for event, text in _spoken(context, turn)
    ]


def _spoken(context: Context, turn: Document) -> list[tuple[Event, str]]:
    """Return what people and agents said in a turn, in order; what cannot be read is left out."""
    found = list[tuple[Event, str]]()
    for event in turn_of(context, turn):
        if event.kind not in SPOKEN or not event.size or event.flags & (META | SUMMARY):
            continue
        try:
            data = context.resolver.event_bytes(event)
        except UnabridgedError:
            continue
        found.append((event, data[:TEXT].decode("utf-8", "replace")))
    return found


def _said(context: Context, source: Source) -> list[Said]:
    document = source.document
    if source.event.kind in SPOKEN and document is None:
        return [
            (event, context.resolver.event_text(event), b"") for event in _open_turn(context, source.event)
        ]
    if source.event.kind == "tool-call":
        held_by = bytes(document.id) if document is not None else b""
        return [(source.event, source.text, held_by), *_given(context, source.event, held_by)]
    if document is None or source.event.kind not in SPOKEN:
        return [(source.event, source.text, bytes(document.id) if document is not None else b"")]
    found = list[Said]()
    for turn in (document, source.agreed):
        if turn is not None:
            found += [
                (event, source.text if event.ordinal == source.event.ordinal else text, bytes(turn.id))
                for event, text in _spoken(context, turn)
            ]
    return found


def _given(context: Context, call: Event, held_by: bytes) -> list[Said]:
    """Return what a tool gave for a call, of the beginning of it."""
    steps = context.reader.scan(PATH, (call.project, call.session), start=(call.seq + 1,), limit=RESULTS)
    for event in context.reader.get_many(EVENT, [(call.project, step.event) for step in steps]):
        if event is not None and event.kind == "tool-result" and event.size:
            try:
                data = context.resolver.event_bytes(event)[:TEXT]
            except UnabridgedError:
                return []
            return [(event, data.decode("utf-8", "replace"), held_by)]
    return []


def _open_turn(context: Context, event: Event) -> list[Event]:
    """Return what was said in the turn of an event that is in no document yet: from a person's message to the next."""
    place = (event.project, event.session)
    before = context.reader.scan(PATH, place, stop=(event.seq,), reverse=True, limit=2 * ENDS)
    behind = context.reader.scan(PATH, place, start=(event.seq + 1,), limit=2 * ENDS)
    found = [event]
    for steps, forwards in ((before, False), (behind, True)):
        if event.flags & HUMAN and not forwards:
            continue
        for other in context.reader.get_many(EVENT, [(event.project, step.event) for step in steps]):
            if other is None or (other.flags & HUMAN and forwards):
                break
            if other.kind in SPOKEN and 0 < other.size <= TEXT and not other.flags & (META | SUMMARY):
                found.insert(len(found) if forwards else 0, other)
            if other.flags & HUMAN:
                break
    return found


def turn_of(context: Context, document: Document) -> list[Event]:
    """Return the first and the last events of a turn: what was asked, and what came of it."""
    members = document.members
    if len(members) > 2 * ENDS:
        members = [*members[:ENDS], *members[-ENDS:]]
    found = context.reader.get_many(EVENT, [(document.project, ordinal) for ordinal in members])
    return [event for event in found if event is not None]


def document_key(document: DocumentId) -> bytes:
    """Return what all versions of a document share."""
    return bytes(document[:IDENTITY])


def look_around(context: Context, source: Source) -> None:
    """Note who began a source's turn, and whether anybody answered."""
    if source.event.host == NOTE_HOST or source.event.kind not in SPOKEN:
        return
    turn = said(context, source)
    source.opened = turn[0][0].role == "user" and bool(turn[0][0].flags & HUMAN)
    asked = " ".join(text for event, text, _ in turn if event.role == "user")
    answered = " ".join(text for event, text, _ in turn if event.role == "assistant")
    empty = len(set(_LONG.findall(answered.lower())) - set(_LONG.findall(asked.lower()))) < ANSWER
    source.bare = empty and (
        asked.rstrip().endswith("?") or not _SETTLED.search(asked) or intent_of(asked).kind == "historical"
    )


def is_wanted(context: Context, intent: Intent, source: Source, near: dict[int, list[int]]) -> bool:
    """Tell whether a source is of the sort that was asked for: a decision, a repair, what a tool printed."""
    if intent.wants == "output":
        return source.event.kind in PAYLOAD or any(item.kind == "error" for item in anchors(source.text))
    pattern = {"decision": _STANDS, "reason": _SETTLED, "repair": _REPAIRED}.get(intent.wants)
    if pattern is None:
        return False
    if intent.wants == "repair":
        answers = [text for event, text, _ in said(context, source) if event.role == "assistant"]
        good = [text for text in answers if not _FAILED.search(text)]
        source.helped = max(
            (
                HELPED if pattern.search(text) else CHANGED
                for text in good
                if pattern.search(text) or _CHANGED.search(text)
            ),
            default=0.0,
        )
        return source.helped > 0
    if any(pattern.search(text) for text in beside(source.text, near, REACH)):
        return True
    others = [text for event, text, _ in said(context, source) if event.ordinal != source.event.ordinal]
    return any(pattern.search(text[:BEGINNING]) for text in others[-TURN_TEXTS:])
