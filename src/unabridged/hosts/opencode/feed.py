"""Which rows of a session are new or changed since the last look, as lines.

A row is given when it is final: a running tool or an unfinished text is held back until the host finishes it, or until
nothing in the session has changed between two looks. What has been given is remembered by the hash of its id, the time
of its last change and a checksum; what is no longer there is told by its hash. Of a session with more rows than that
memory holds, those that changed longest ago are forgotten and count as given; the first look at such a session is taken
in steps, along the conversation.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from unabridged.hosts.opencode.rows import (
    HASH_BYTES,
    MESSAGE,
    Key,
    Message,
    Part,
    gone_line,
    message_line,
    of_message,
    part_line,
    row_hash,
)

BATCH_BYTES = 8 << 20  # bytes of lines after which a look ends; further rows come with the next one
REMEMBERED = 3_000  # rows; at 18 bytes each below the 64 KiB that a state may have
HELD = 200  # unfinished rows that are held back; further ones are given as they are
TIME_BYTES, SUM_BYTES = 6, 4
ENTRY_BYTES = HASH_BYTES + TIME_BYTES + SUM_BYTES

RUNNING = frozenset(("pending", "running"))
GROWING = frozenset(("text", "reasoning"))


class Source(Protocol):
    """One session as one place of the host holds it."""

    @property
    def name(self) -> str:
        """The session's id."""
        ...

    def session(self) -> bytes:
        """Return the session's line."""
        ...

    def keys(self) -> Sequence[Key]:
        """Return all rows: messages in the order of the conversation, each behind its parts."""
        ...

    def data(self, table: str, row: str) -> bytes:
        """Return a row's data, JSON text."""
        ...


class Seen(NamedTuple):
    """What is remembered of a row that was given."""

    changed: int
    checksum: int


class State(msgspec.Struct, array_like=True):
    """What is remembered between looks."""

    seen: bytes = b""
    floor: int = 0  # rows that last changed then or before count as given, unless they are held
    step: tuple[int, str] | None = (
        None  # the first look is not over; the last message that it has gone through
    )
    begun: int = 0  # the latest change when the first look began
    held: dict[bytes, int] = {}  # rows that were not final: when they last changed
    latest: int = 0  # the latest change of any row
    session: int = 0  # checksum of the session's line


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)
_message = msgspec.json.Decoder(Message)
_part = msgspec.json.Decoder(Part)


def look(source: Source, memory: bytes) -> tuple[list[bytes], bytes]:
    """Return new and changed rows as lines, behind the session's own line, and the memory of them.

    No lines: there is nothing new. Otherwise another look may give more.
    """
    found = _Look(source, _decoder.decode(memory) if memory else State(), first=not memory)
    found.go()
    line = source.session()
    checksum = zlib.crc32(line)
    if found.lines or not memory or checksum != found.state.session:
        found.lines.insert(0, line)
    return found.lines, _encoder.encode(found.after(checksum))


class _Look:
    """One look at a session."""

    def __init__(self, source: Source, state: State, *, first: bool) -> None:
        self.lines: list[bytes] = []
        self.state = state
        self._source = source
        self._keys = source.keys()
        self._messages: dict[str, Message] = {}
        self._latest = max((key.changed for key in self._keys), default=0)
        self._quiet = not first and self._latest == state.latest
        self._begun = self._latest if first else state.begun
        self._stepping = state.step is not None or (first and len(self._keys) > REMEMBERED)
        self._step = state.step
        self._seen = _unpack(state.seen)
        self._held: dict[bytes, int] = dict(state.held) if self._stepping else {}
        self._left: list[int] = []  # when rows changed that are left for the next look

    def go(self) -> None:
        """Gather lines, up to the limit."""
        size = 0
        full = False
        for key in self._keys:
            name = row_hash(key.table, key.id)
            if not self._is_wanted(key, name):
                continue
            if full:
                self._left.append(key.changed)
                if name in self.state.held:
                    self._held[name] = self.state.held[name]
                continue
            line = self._line(key, name)
            if line is not None:
                size += self._give(key, name, line)
            if not self._stepping:
                full = size >= BATCH_BYTES
            elif key.table == MESSAGE:  # steps end with a whole message
                self._step = key.place
                full = size >= BATCH_BYTES
        self._tell_gone()

    def _tell_gone(self) -> None:
        """Give the hashes of remembered rows that the host has deleted, and forget them."""
        if self._stepping:
            return
        current = {row_hash(key.table, key.id) for key in self._keys}
        gone = sorted(name for name in self._seen if name not in current)
        if gone:
            self.lines.append(gone_line(self._source.name, [name.hex() for name in gone]))
            self._seen = {name: known for name, known in self._seen.items() if name in current}

    def _is_wanted(self, key: Key, name: bytes) -> bool:
        if self._stepping:
            return self._step is None or key.place > self._step
        known = self._seen.get(name)
        if known is not None:
            return known.changed != key.changed
        return key.changed > self.state.floor or name in self.state.held

    def _give(self, key: Key, name: bytes, line: bytes) -> int:
        """Take a line, unless it is the one that was given before; return its size."""
        checksum = zlib.crc32(line)
        known = self._seen.get(name)
        self._seen[name] = Seen(key.changed, checksum)
        if known is not None and known.checksum == checksum:
            return 0
        self.lines.append(line)
        return len(line)

    def _line(self, key: Key, name: bytes) -> bytes | None:
        """Return a row's line; None while it is not final."""
        data = self._source.data(key.table, key.id)
        if key.table == MESSAGE:
            final = False
            line = message_line(key, self._source.name, data)
        else:
            final = _is_final(data)
            of = of_message(self._message(key.message_id))
            line = part_line(key, self._source.name, of, data)
        if final or self._is_over(key) or len(self._held) >= HELD:
            return line
        if self._quiet and self.state.held.get(name) == key.changed:
            return line
        self._held[name] = key.changed
        return None

    def _is_over(self, key: Key) -> bool:
        """Tell whether the host is done with the message of a row: it says so, or has begun to answer again."""
        if self._message(key.message_id).finished:
            return True
        later = False
        for other in self._keys:
            if other.table == MESSAGE:
                if later and self._message(other.id).role == "assistant":
                    return True
                later = later or other.id == key.message_id
        return False

    def _message(self, row: str) -> Message:
        found = self._messages.get(row)
        if found is None:
            try:
                found = _message.decode(self._source.data(MESSAGE, row))
            except (msgspec.DecodeError, RecursionError):
                found = Message()
            self._messages[row] = found
        return found

    def after(self, checksum: int) -> State:
        """Return the memory behind this look."""
        floor, step = self.state.floor, None
        seen = self._seen
        if self._stepping:
            seen = {}
            if self._left:
                step = self._step
            else:  # what changed since the first look began is given once more
                floor = self._begun
        if len(seen) > REMEMBERED:
            times = sorted(known.changed for known in seen.values())
            floor = max(floor, min([times[-REMEMBERED // 2], *(changed - 1 for changed in self._left)]))
            seen = {name: known for name, known in seen.items() if known.changed > floor}
        return State(_pack(seen), floor, step, self._begun, self._held, self._latest, checksum)


def _is_final(data: bytes) -> bool:
    """Tell whether a part by itself says that it is complete."""
    try:
        part = _part.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return True
    if part.type == "tool":
        return part.state is None or part.state.status not in RUNNING
    return part.type not in GROWING or part.time is None or part.time.end is not None


def _pack(seen: dict[bytes, Seen]) -> bytes:
    return b"".join(
        name + known.changed.to_bytes(TIME_BYTES, "big") + known.checksum.to_bytes(SUM_BYTES, "big")
        for name, known in seen.items()
    )


def _unpack(packed: bytes) -> dict[bytes, Seen]:
    found: dict[bytes, Seen] = {}
    for at in range(0, len(packed), ENTRY_BYTES):
        entry = packed[at : at + ENTRY_BYTES]
        changed = int.from_bytes(entry[HASH_BYTES : HASH_BYTES + TIME_BYTES], "big")
        found[entry[:HASH_BYTES]] = Seen(changed, int.from_bytes(entry[-SUM_BYTES:], "big"))
    return found
