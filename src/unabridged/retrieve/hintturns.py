"""The turn that a source is, and what was said around it: before it, in it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from unabridged.archive.notes import HOST as NOTE_HOST
from unabridged.errors import UnabridgedError
from unabridged.retrieve.context import Context
from unabridged.retrieve.hintanswer import Answer, Piece, is_machine_line
from unabridged.retrieve.hintintent import prose
from unabridged.retrieve.hintmatch import FAR, NEAR, Held
from unabridged.schema.ids import DocumentId, Micros, Ordinal, ProjectId
from unabridged.schema.records import DOCUMENT, EVENT, HUMAN, META, PATH, SUMMARY, Document, Event

ENDS = 5  # events of a turn that are looked at: so many at its beginning, so many at its end
BEFORE, BEHIND = 2, 4  # turns of a conversation around a source that are looked at
BESIDE = 3  # further turns of it that hold words of the message
SAID_MOST = 10  # messages of a conversation that are read, the nearest to the source
STRIDE = 12  # events that are read at once, until there are enough
LINE = 80  # characters of a line that show who wrote it
RESULTS = 4  # steps behind a call that are looked at for its result
TEXT = 4_000  # bytes of a message that are looked at
END = 500  # characters at either end of a long one that holds none of the best passages
IDENTITY = 12  # bytes of a document's id that all its versions share
SPOKEN, PAYLOAD = frozenset(("text",)), frozenset(("tool-result", "tool-call"))

Named = tuple[tuple[ProjectId, Ordinal], bytes, int]  # an event's key, the id and the number of its turn
Told = tuple[Event, bytes, int]  # an event, the id and the number of its turn
Allows = Callable[[Event], bool]


@dataclass(frozen=True, slots=True)
class Said:
    """What one speaker said: the event, the id of the document that holds it (empty: none yet), its turn's number.

    key: what all versions of its turn share; of one that is open, of what began it.
    """

    event: Event
    text: str
    document: bytes
    turn: int = 0
    key: bytes = b""


@dataclass(slots=True)
class Source:
    """A turn (or a note, or an event of a turn that is open) that holds some of a message's words.

    share: of the words' weight (0-1). spread: characters from the first to the last of its telling words. reverses: it
    takes something back where the words stand. event, start, end: its best passage.
    """

    key: bytes
    document: Document | None
    event: Event
    start: int
    end: int
    score: float
    time: Micros
    held: Held
    words: set[int] = field(default_factory=set[int])
    whole: set[int] = field(default_factory=set[int])
    kin: set[int] = field(default_factory=set[int])
    spread: int = FAR
    paired: bool = False  # two words stand side by side in it as they do in the message
    reverses: bool = False
    share: float = 0.0
    own: float = 0.0  # the share that it has without what the turns beside it hold
    lent: set[int] = field(default_factory=set[int])  # words that only turns beside it have
    text: str = ""
    beside: list[Source] = field(
        default_factory=list["Source"]
    )  # other turns of its conversation, best first
    said: list[Said] | None = None  # what was said around it, once it was read
    around: bool = False  # whether that was looked for beyond its own passages
    answer: Answer | None = None  # what of that answers, once it was looked for

    @property
    def is_note(self) -> bool:
        """Whether it is a note."""
        return self.event.host == NOTE_HOST

    @property
    def wanted(self) -> bool:
        """Whether its conversation holds what is of the sort that was asked for."""
        return self.answer is not None and self.answer.cued

    @property
    def fits(self) -> bool:
        """Whether its conversation holds what the question asks for by its form."""
        return self.answer is not None and self.answer.fits

    @property
    def bare(self) -> bool:
        """Whether nothing was answered in its conversation."""
        return self.answer is not None and self.answer.empty

    @property
    def is_generated(self) -> bool:
        """Whether a machine wrote the line in which the first of its words stands."""
        place = min((starts[0] for starts in self.held.places.values() if starts), default=0)
        begin = self.text.rfind("\n", 0, place) + 1
        return is_machine_line(self.text[begin : place + 1 + LINE])

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
    def keys(self) -> tuple[bytes, ...]:
        """What it rests under: the turn that answers, or itself."""
        if self.answer is None or not self.answer.chosen or self.said is None:
            return (self.key,)
        return (self.said[self.answer.chosen[0][0]].key,)

    @property
    def near_keys(self) -> tuple[bytes, ...]:
        """What keeps it from being told of again: any turn that answers as well."""
        if self.answer is None or self.said is None:
            return self.keys
        as_good = [self.said[piece].key for piece, _ in self.answer.as_good]
        return tuple(dict.fromkeys((*self.keys, *as_good)))


def pieces_of(source: Source) -> list[Piece]:
    """Return what was said around a source as sentences are chosen from it."""
    return [
        Piece(
            item.event.role if item.event.kind in SPOKEN else item.event.tool or "tool",
            prose(item.text) or item.text,
            item.event.kind == "tool-call"
            or (item.event.role == "user" and item.event.kind in SPOKEN and item.event.host != NOTE_HOST),
            item.turn,
        )
        for item in source.said or ()
    ]


def document_key(document: DocumentId) -> bytes:
    """Return what all versions of a document share."""
    return bytes(document[:IDENTITY])


def conversation(context: Context, source: Source, allows: Allows) -> list[Said]:
    """Return what may be quoted: what people and agents said around a source, in order; of a tool, what it gave.

    What cannot be read, and what `allows` refuses, is left out.
    """
    return _given(context, source) if source.event.kind in PAYLOAD else _said(context, source, allows)


def _said(context: Context, source: Source, allows: Allows) -> list[Said]:
    passages = {item.event.ordinal: item for item in (source, *source.beside)}
    if source.event.kind not in SPOKEN or source.is_note:  # it stands alone
        return [_alone(source)]
    turns = _turns(context, source)
    events = _events(context, turns, source.event.ordinal)
    if source.document is None:
        events += [(event, b"", len(turns)) for event in _open_turn(context, source.event)]
    elif len(turns) < BEFORE + 1 + BEHIND:  # the conversation may end with a turn that is open
        events += _opened(context, turns)
    place = next((at for at, (event, _, _) in enumerate(events) if event.ordinal == source.event.ordinal), 0)
    near = sorted(range(len(events)), key=lambda at: (abs(at - place) - (at > place), at))[:SAID_MOST]
    begun = {turn: bytes(event.id) for event, _, turn in reversed(events)}
    found = list[Said]()
    for at in sorted(near):
        event, held_by, turn = events[at]
        held = passages.get(event.ordinal)
        text = _text(context, event, held) if held is not None or allows(event) else ""
        if text:
            found.append(Said(event, text, held_by, turn, bytes((held_by or begun[turn])[:IDENTITY])))
    return found or [_alone(source)]


def passages_of(source: Source) -> list[Said]:
    """Return what was read of a conversation: a source's passage and those beside it, in order."""
    own = sorted((source, *source.beside), key=lambda item: item.event.seq)
    return [_alone(item, turn) for turn, item in enumerate(own)]


def _alone(source: Source, turn: int = 0) -> Said:
    held_by = bytes(source.document.id) if source.document is not None else b""
    return Said(source.event, source.text, held_by, turn, source.key)


def _turns(context: Context, source: Source) -> list[Document]:
    """Return the turns around a source, and those beside it that hold words of the message, in order."""
    event, document = source.event, source.document
    first, last = (document.seq_from, document.seq_to) if document is not None else (event.seq, event.seq)
    place = (event.project, event.session)
    before = context.reader.scan(DOCUMENT, place, stop=(first,), index="place", reverse=True, limit=BEFORE)
    behind = context.reader.scan(DOCUMENT, place, start=(last + 1,), index="place", limit=BEHIND)
    others = [item.document for item in source.beside[:BESIDE] if item.document is not None]
    own = [document] if document is not None else []
    found = dict[bytes, Document]()
    for turn in (*before, *behind, *others, *own):
        held = found.get(key := document_key(turn.id))
        if turn.kind == "turn" and (held is None or held.ordinal < turn.ordinal):
            found[key] = turn
    return sorted(found.values(), key=lambda turn: turn.seq_from)


def _events(context: Context, turns: Iterable[Document], middle: Ordinal) -> list[Told]:
    """Return what was said in turns, as events with the document and the number of each turn.

    Of what lies around the event at `middle` only so much as can be read of a conversation; without it, its beginning.
    """
    keys = [
        ((turn.project, ordinal), bytes(turn.id), at)
        for at, turn in enumerate(turns)
        for ordinal in _ends(turn.members)
    ]
    place = next((at for at, ((_, ordinal), _, _) in enumerate(keys) if ordinal == middle), 0)
    found = _first_said(context, keys[place:])
    if not place:
        return found
    if not found or found[0][0].ordinal != middle:
        return _first_said(context, keys)
    return [*reversed(_first_said(context, keys[place - 1 :: -1])), *found]


def _first_said(context: Context, keys: Sequence[Named]) -> list[Told]:
    """Return what was said in the first of some events: one more than is read of a conversation, or somewhat more."""
    found = list[Told]()
    for first in range(0, len(keys), STRIDE):
        some = keys[first : first + STRIDE]
        events = context.reader.get_many(EVENT, [key for key, _, _ in some])
        found += [
            (event, held_by, at)
            for event, (_, held_by, at) in zip(events, some, strict=True)
            if event is not None and _is_said(event)
        ]
        if len(found) > SAID_MOST:
            break
    return found


def _opened(context: Context, turns: Sequence[Document]) -> list[Told]:
    """Return what was said behind the last of some turns, as far as no turn holds it yet."""
    last, number = turns[-1], len(turns)
    place = (last.project, last.session)
    steps = context.reader.scan(PATH, place, start=(last.seq_to + 1,), limit=2 * ENDS)
    found = list[Told]()
    for event in context.reader.get_many(EVENT, [(last.project, step.event) for step in steps]):
        if event is not None and _is_said(event):
            number += bool(event.flags & HUMAN and found)
            found.append((event, b"", number))
    return found


def _ends(members: Sequence[Ordinal]) -> Sequence[Ordinal]:
    return [*members[:ENDS], *members[-ENDS:]] if len(members) > 2 * ENDS else members


def _is_said(event: Event) -> bool:
    return event.kind in SPOKEN and event.size > 0 and not event.flags & (META | SUMMARY)


def _text(context: Context, event: Event, held: Source | None = None) -> str:
    """Return what was said, of a long message its ends, and what `held` found in it; "" where it cannot be read."""
    try:
        data = context.resolver.event_bytes(event)
    except UnabridgedError:
        return ""
    if len(data) <= 2 * END or (held is not None and held.end - held.start >= len(data)):
        return data.decode("utf-8", "replace")
    parts = [(0, END), (len(data) - END, len(data))]
    if held is not None:
        parts = [
            (0, min(END, held.start)),
            (held.start, held.end),
            (max(held.end, len(data) - END), len(data)),
        ]
    return "\n".join(data[start:end].decode("utf-8", "replace") for start, end in parts if end > start)


def _given(context: Context, source: Source) -> list[Said]:
    """Return what a tool took or gave; behind a call the beginning of what the tool gave for it."""
    own = _alone(source)
    call = source.event
    if call.kind != "tool-call":
        return [own]
    steps = context.reader.scan(PATH, (call.project, call.session), start=(call.seq + 1,), limit=RESULTS)
    for event in context.reader.get_many(EVENT, [(call.project, step.event) for step in steps]):
        if event is not None and event.kind == "tool-result" and event.size:
            try:
                data = context.resolver.event_bytes(event)[:TEXT]
            except UnabridgedError:
                return [own]
            return [own, Said(event, data.decode("utf-8", "replace"), own.document, 0, own.key)]
    return [own]


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
            if _is_said(other) and other.size <= TEXT:
                found.insert(len(found) if forwards else 0, other)
            if other.flags & HUMAN:
                break
    return found


def turn_of(context: Context, document: Document) -> list[Event]:
    """Return the first and the last events of a turn: what was asked, and what came of it."""
    keys = [(document.project, ordinal) for ordinal in _ends(document.members)]
    return [event for event in context.reader.get_many(EVENT, keys) if event is not None]
