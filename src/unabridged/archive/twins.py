"""One event for a block that came twice: in a host's own transcript, and on the wire.

What both say of a block decides whether it is the same: the id of a tool call or result, else the words themselves (the
digest of the rendering, which has no time or place in it). The k-th block that says so in the one capture is the k-th
in the other, whichever came first: "ok" said twice stays two events. A host that passes a gateway in one run and has
our extension in another says the same in several formats, and each of them is a capture. Only sessions of which
something passed on the wire have such records; an append to any other one reads nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from unabridged.archive import rendering
from unabridged.archive.prepared import Prepared, stored
from unabridged.hosts.contract import Block
from unabridged.hosts.wire.hosted import OPENCODE, PI
from unabridged.hosts.wire.items import CHAT, MESSAGES, RESPONSES
from unabridged.schema.ids import Digest, Ordinal, ProjectId, SessionId, hashed, session_id
from unabridged.schema.records import COUNTERS, EVENT, META, PATH, SESSION, Counters, Event, Session
from unabridged.schema.windows import TWINS, Twin, Twins
from unabridged.store.contract import Batch, Reader

TRANSCRIPT = 1  # captures, as bits; those below by the format in which a conversation passed
WIRES: Mapping[str, int] = {MESSAGES: 2, RESPONSES: 4, CHAT: 8, PI: 16, OPENCODE: 32}
KEY_BYTES = 16
MAX_DEPTH = 8  # subagents of subagents
SUBAGENT = "subagent"
PAGE = 500  # records read at once
# A text that a host put into a conversation has one role in its transcript and another on the wire; its own summary of
# earlier messages has a kind of its own in some.
ROLES = ("user", "system")
SUMMARY_KINDS = (("compaction", "user"), ("compaction", "assistant"), ("compaction", "system"))
MEDIA = frozenset(("image", "file"))
CALLS = frozenset(("tool-call", "tool-result"))
REMINDER = (
    b"<system-reminder>\n%b\n</system-reminder>"  # what a host puts around its own words, or leaves away
)


def wire(form: str) -> int:
    """Return which capture a conversation in a format is; one whose format nobody said counts with the first."""
    return WIRES.get(form, WIRES[MESSAGES])


def key_of(event: Event) -> bytes:
    """Return what an event of a transcript is found by."""
    return _named(event.kind, event.call, [item.digest for item in event.media]) or _said(event.digest)


def keys_of(block: Block, text: bytes, media: Sequence[str], data: Sequence[str]) -> list[bytes]:
    """Return what a block of the wire may be found by, the likeliest first.

    media: digests of what is encoded in it, as an event has them; `data`: of the same with or without a data URL.
    """
    named = _named(block.kind, block.call, media)
    if named:
        return [named, *(_media(item) for item in data)] if block.kind in MEDIA else [named]
    kinds, texts = [(block.kind, block.role)], [text]
    if block.kind == "text":
        if block.role in ROLES:
            kinds += [("text", role) for role in ROLES if role != block.role]
            kinds += SUMMARY_KINDS
        bare = text.strip()
        texts += [bare] if bare != text else []
        texts += [REMINDER % bare] if block.flags & META and not bare.startswith(b"<") else []
    return [
        _said(rendering.digest(kind, role, block.tool, block.call, said, media))
        for said in texts
        for kind, role in kinds
    ]


def is_call(event: Event) -> bool:
    """Tell whether an event is a call or a result with an id, which is given once in a conversation."""
    return event.kind in CALLS and bool(event.call)


def _named(kind: str, call: str, media: Sequence[str]) -> bytes:
    """Return the key of a block that is known by more than its words, b"" for any other."""
    if kind in CALLS and call:
        return hashed(KEY_BYTES, "twin", kind, call.partition("|")[0])
    if kind == "reasoning":
        return hashed(KEY_BYTES, "twin", kind)
    return _media(media[0]) if kind in MEDIA and media else b""


def _media(digest: str) -> bytes:
    return hashed(KEY_BYTES, "twin", "media", digest)


def _said(digest: Digest) -> bytes:
    return hashed(KEY_BYTES, "twin", "said", digest)


def event_of(project: ProjectId, prepared: Prepared) -> Event:
    """Return a prepared event as a record, without its numbers."""
    made = stored(project, Ordinal(1), prepared.id, SessionId(bytes(16)), 1, prepared.rest)
    return EVENT.decode(made.value)


def family_of(reader: Reader, session: Session) -> SessionId:
    """Return the session that a session and its subagents belong to.

    One that passed on the wire before anything said whose subagent it is stays a family of its own. So does one whose
    parent is not known but by its id, so that no record of it can be made (see `above_of`).
    """
    name, at = session.session, session
    for _ in range(MAX_DEPTH):
        if at.relation != SUBAGENT or not at.parent or at.captured:
            return name
        name = SessionId(at.parent)
        above = reader.get(SESSION, (session.project, name))
        if above is None:
            return name if session_id(session.host, above_of(session)) == name else at.session
        at = above
    return name


def above_of(session: Session) -> str:
    """Return the host's name of the session that one belongs to whose name begins with it; else its own."""
    return session.host_session.partition("/")[0]


class Family:
    """What was said in a captured session and its subagents, while an append goes on. `flush` writes what changed."""

    def __init__(self, reader: Reader, project: ProjectId, root: SessionId) -> None:
        """Read through `reader` as needed."""
        self.root = root
        self._reader = reader
        self._at = (project, root)
        self._buckets = dict[int, dict[bytes, Twin]]()
        self._changed = set[int]()

    def match(self, keys: Iterable[bytes], capture: int) -> Ordinal | None:
        """Return the first event that is found by one of the keys and was not seen by this capture; it is now."""
        for key in keys:
            twin = self._twin(key)
            for at, seen in enumerate(twin.seen):
                if not seen & capture:
                    marks = [*twin.seen[:at], seen | capture, *twin.seen[at + 1 :]]
                    self._put(msgspec.structs.replace(twin, seen=marks))
                    return twin.events[at]
        return None

    def known(self, key: bytes) -> Ordinal | None:
        """Return the first event that is found by a key, whoever saw it."""
        events = self._twin(key).events
        return events[0] if events else None

    def add(self, keys: Sequence[bytes], event: Ordinal, capture: int) -> None:
        """Remember a new event, which stays in order; it is also found by keys that have no event of their own."""
        twin = self._twin(keys[0])
        if event in twin.events:
            return
        at = sum(known < event for known in twin.events)
        self._put(
            Twin(
                twin.key,
                [*twin.events[:at], event, *twin.events[at:]],
                [*twin.seen[:at], capture, *twin.seen[at:]],
            )
        )
        for key in keys[1:]:
            if key != twin.key and not self._has(key):
                self._put(Twin(key, same=twin.key))

    def flush(self, batch: Batch) -> None:
        """Write what changed."""
        for record in self.records():
            batch.put(TWINS, record)
        self._changed.clear()

    def records(self) -> list[Twins]:
        """Return what changed."""
        return [
            Twins(*self._at, bucket, [twin for _, twin in sorted(self._buckets[bucket].items())])
            for bucket in sorted(self._changed)
        ]

    def take(self, records: Sequence[Twins]) -> None:
        """Take over what another one gave as changed."""
        for record in records:
            self._buckets[record.bucket] = {twin.key: twin for twin in record.twins}
            self._changed.add(record.bucket)

    def _has(self, key: bytes) -> bool:
        return key in self._bucket(key[0])

    def _twin(self, key: bytes) -> Twin:
        found = self._bucket(key[0]).get(key)
        if found is not None and found.same:
            return self._bucket(found.same[0]).get(found.same) or Twin(found.same)
        return found or Twin(key)

    def _put(self, twin: Twin) -> None:
        self._bucket(twin.key[0])[twin.key] = twin
        self._changed.add(twin.key[0])

    def _bucket(self, number: int) -> dict[bytes, Twin]:
        found = self._buckets.get(number)
        if found is None:
            record = self._reader.get(TWINS, (*self._at, number))
            found = {twin.key: twin for twin in record.twins} if record is not None else {}
            self._buckets[number] = found
        return found


class Begun(msgspec.Struct, array_like=True):
    """What `begin` gives, made beforehand: it holds while nothing was admitted, so that `ordinal` is still the next."""

    root: SessionId
    ordinal: int
    twins: list[Twins]


def begun(reader: Reader, project: ProjectId, root: SessionId) -> Begun:
    """Return the family of a session of which nothing passed on the wire so far, for a plan to take over."""
    counters = reader.get(COUNTERS, (project,)) or Counters(project)
    return Begun(root, counters.next_ordinal, begin(reader, project, root).records())


def begin(reader: Reader, project: ProjectId, root: SessionId) -> Family:
    """Return the family of a session of which nothing passed on the wire so far, with all that its transcripts said."""
    family = Family(reader, project, root)
    for session in (root, *members(reader, project, root)):
        start = 1
        while True:
            page = reader.scan(PATH, (project, session), start=(start,), limit=PAGE)
            events = reader.get_many(EVENT, [(project, path.event) for path in page])
            for event in events:
                if event is not None:
                    family.add([key_of(event)], event.ordinal, TRANSCRIPT)
            if len(page) < PAGE:
                break
            start = page[-1].seq + 1
    return family


def members(reader: Reader, project: ProjectId, root: SessionId) -> list[SessionId]:
    """Return the subagents of a session, and theirs, but for those that are families of their own (`family_of`)."""
    parents, start = dict[SessionId, SessionId](), ()
    while True:
        page = reader.scan(SESSION, (project,), start=start, limit=PAGE)
        found = [item for item in page if item.relation == SUBAGENT and not item.captured]
        parents.update({item.session: SessionId(item.parent) for item in found})
        if len(page) < PAGE:
            break
        start = ((int.from_bytes(page[-1].session, "big") + 1).to_bytes(16, "big"),)
    below, level = list[SessionId](), {root}
    for _ in range(MAX_DEPTH):
        level = {name for name, parent in parents.items() if parent in level and name not in below}
        if not level:
            break
        below += sorted(level)
    return below
