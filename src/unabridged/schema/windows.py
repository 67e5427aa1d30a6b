"""The records of the live window: what of a conversation passed on the wire, and what its requests sent."""

from __future__ import annotations

import msgspec

from unabridged.schema.ids import DocumentId, Micros, Ordinal, ProjectId, SessionId
from unabridged.schema.keys import FIXED16, TEXT, UINT
from unabridged.schema.kinds import Index, Kind

ADDRESS = "window:"  # begins the names of items
ADDRESS_DIGITS = 12  # hexadecimal digits of a conversation that its address has


def address_of(conversation: bytes) -> str:
    """Return what the names of a conversation's items begin with: in the archive, and where a model reads them."""
    return ADDRESS + conversation.hex()[:ADDRESS_DIGITS]


class WindowHome(msgspec.Struct, frozen=True, array_like=True):
    """Which project and session a conversation of the wire belongs to."""

    project: ProjectId  # GLOBAL
    conversation: bytes  # 16 bytes
    home: ProjectId
    session: SessionId


class Window(msgspec.Struct, frozen=True, array_like=True):
    """The window of one conversation. Sums are over all its requests; tokens are estimates but for what is reported.

    side: a subagent's or side conversation's. forced: a person asked for a rotation that has not been made yet. sent,
    whole, hard: tokens of the newest request, of it without a window, and the limit that it must keep to.
    """

    project: ProjectId
    conversation: bytes
    session: SessionId
    host: str
    host_session: str
    cwd: str = ""
    format: str = ""  # messages, responses, chat
    model: str = ""
    side: bool = False
    state: bytes = b""  # as `window/state` encodes it
    forced: bool = False
    created: Micros = Micros(0)
    updated: Micros = Micros(0)
    epoch: int = 0
    sent: int = 0
    whole: int = 0
    rotation: int = 0
    hard: int = 0
    window: int = 0
    users: int = 0
    requests: int = 0
    total_sent: int = 0
    total_whole: int = 0
    total_input: int = 0
    total_cache_read: int = 0
    total_cache_write: int = 0
    total_output: int = 0
    rotations: int = 0
    faults: int = 0
    fault: str = ""  # of the newest request
    notices: list[list[str]] = []  # of the newest request: code, text
    line: int = 0  # tokens of the newest request without a window, no side call
    total_whole_read: int = 0  # tokens that a cache would have given, had all been sent
    rotation_turns: int = 0  # user messages with which an epoch ends; 0: not told


class WindowRequest(msgspec.Struct, frozen=True, array_like=True):
    """One request as it was sent; of a conversation the last ones are kept."""

    project: ProjectId
    conversation: bytes
    number: int  # from 1, never reused
    time: Micros
    model: str
    epoch: int = 0
    rotated: bool = False
    sent: int = 0
    whole: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cut: int = 0  # items left out
    omissions: int = 0  # texts replaced by a preview or a reference
    rotation: int = 0
    hard: int = 0
    window: int = 0
    side: str = ""  # title, compaction, or empty
    fault: str = ""
    notices: list[list[str]] = []


class WindowDay(msgspec.Struct, frozen=True, array_like=True):
    """What the requests of one day (UTC) to one model came to."""

    project: ProjectId
    day: int  # since 1970-01-01
    model: str
    requests: int = 0
    sent: int = 0
    whole: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    rotations: int = 0
    faults: int = 0
    whole_read: int = 0  # tokens that a cache would have given, had all been sent


class WindowItem(msgspec.Struct, frozen=True, array_like=True):
    """An item of a conversation that is durable: where it stands in the kept stream, and its parts' events.

    events: one for each part, 0 for a part that says nothing.
    """

    project: ProjectId
    conversation: bytes
    key: str
    generation: int
    offset: int  # of its line in the kept original
    length: int
    events: list[Ordinal] = []


class WindowAsked(msgspec.Struct, frozen=True, array_like=True):
    """What a model asked the archive in the answer to one item, unseen by its client, and what it was told.

    data: as `gateway/offered/rounds` encodes it. documents: what it quotes.
    """

    project: ProjectId
    conversation: bytes
    seed: str  # key of the item that was answered
    data: str
    documents: list[DocumentId] = []
    time: Micros = Micros(0)


class Twin(msgspec.Struct, frozen=True, array_like=True):
    """What was said so, each time that it was: events in order, and by which captures each was seen.

    `seen` adds up 1 for a host's own transcript and 2, 4, 8, 16, 32 for the wire in each of its formats. `same` is
    another key under which it stands, for one that has none of its own.
    """

    key: bytes  # 16 bytes: of a call or result its id, else what is said
    events: list[Ordinal] = []
    seen: list[int] = []
    same: bytes = b""


class Twins(msgspec.Struct, frozen=True, array_like=True):
    """A part of what was said in a session and its subagents, so that both captures of it become one event."""

    project: ProjectId
    session: SessionId  # the one that the others belong to
    bucket: int  # first byte of the keys
    twins: list[Twin] = []


_P = ("project", FIXED16)
_C = ("conversation", FIXED16)

WINDOW_HOME = Kind(34, "window_home", WindowHome, (_P, _C))
WINDOW = Kind(35, "window", Window, (_P, _C), (Index(1, "session", (_P, ("session", FIXED16))),))
WINDOW_REQUEST = Kind(36, "window_request", WindowRequest, (_P, _C, ("number", UINT)))
WINDOW_DAY = Kind(37, "window_day", WindowDay, (_P, ("day", UINT), ("model", TEXT)))
WINDOW_ITEM = Kind(
    38, "window_item", WindowItem, (_P, _C, ("key", TEXT)), (Index(1, "key", (_P, ("key", TEXT))),)
)
WINDOW_ASKED = Kind(39, "window_asked", WindowAsked, (_P, _C, ("seed", TEXT)))
TWINS = Kind(40, "twins", Twins, (_P, ("session", FIXED16), ("bucket", UINT)))

WINDOW_KINDS = (WINDOW_HOME, WINDOW, WINDOW_REQUEST, WINDOW_DAY, WINDOW_ITEM, WINDOW_ASKED, TWINS)
