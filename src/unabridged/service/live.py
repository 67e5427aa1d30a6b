"""What the operations of the live window take and give: conversations of the wire, their items, their requests.

Conversations are 16 bytes in hexadecimal. An item is one element of a provider's list, named by the key that
`window/messages` gives it. Tokens are estimates, but for what a provider reported.
"""

from __future__ import annotations

from typing import Any

from unabridged.service.requests import Answer, Request

# --- for who sends a window ---------------------------------------------------------------------------------------


class WindowOpenRequest(Request, frozen=True):
    """Begin a conversation, or go on with one, and learn what of it is durable."""

    conversation: str
    host: str = "unknown"
    host_session: str = ""  # the host's own id of its session; empty: the conversation's
    cwd: str = ""  # the folder that the host works in, by which the session's project is found
    format: str = ""  # of the list: messages, responses or chat
    model: str = ""  # provider/model
    side: bool = False  # of a subagent, or beside the session's own conversation
    keys: list[str] = []  # of items, at most 20,000


class WindowOpenAnswer(Answer, frozen=True):
    """What is remembered of a conversation."""

    address: str  # begins the names of its items: `recall` takes `ADDRESS:NAME`, with `#PART` for one part
    session: str
    state: str  # base64, as it was saved; empty where none was
    durable: list[str]  # those of the keys that are archived
    erased: list[str]  # those of the keys whose text was erased; they are never archived again
    forced: bool  # a rotation was asked for


class CaptureRow(Request, frozen=True):
    """An item, or one slice of a long one."""

    key: str
    raw: str  # the item's JSON, exactly as it is on the wire; of a slice, the next piece of that text
    origin: str = "request"  # request, or answer
    message: str = ""  # the provider's id of an answer
    time: str = ""  # ISO 8601; empty: now
    part: int = 0  # number of the slice, from 0
    more: bool = False  # further slices follow, in this call or a later one


class CaptureRequest(Request, frozen=True):
    """Items of a conversation, in order. What was captured before is not captured again."""

    conversation: str
    rows: list[CaptureRow]


class CaptureAnswer(Answer, frozen=True):
    """All that the answer calls durable is."""

    durable: list[str]
    erased: list[str]
    forced: bool
    position: int  # in the project's log; 0 where nothing was new
    missing: list[str] = []  # items of which earlier slices are not here: to be sent again from the first one
    invalid: list[str] = []  # items that are not one JSON object: they cannot be kept, and must not be cut


class SentRequest(Request, frozen=True):
    """One request as it was sent, and what it came to."""

    time: str = ""  # ISO 8601; empty: now
    model: str = ""  # provider/model
    epoch: int = 0
    rotated: bool = False  # a new epoch began with it
    sent: int = 0  # tokens of the window
    whole: int = 0  # tokens that would have been sent without one
    input: int = 0  # reported: tokens read neither from nor into the cache
    cache_read: int = 0  # reported
    cache_write: int = 0  # reported
    output: int = 0  # reported
    cut: int = 0  # items left out
    omissions: int = 0  # texts replaced by a preview or a reference
    notices: list[list[str]] = []  # code, text
    fault: str = ""  # code of what failed
    side: str = ""  # title, compaction, or empty
    limit: int = 0  # tokens at which the window rotates
    hard: int = 0  # tokens that it keeps below
    window: int = 0  # tokens of the model's input
    users: int = 0  # messages of a person
    turns: int = 0  # of them with which the window rotates


class WindowSaveRequest(Request, frozen=True):
    """Keep a window's state, and what a request came to."""

    conversation: str
    state: str = ""  # base64; empty: as it is
    request: SentRequest | None = None


class WindowSaveAnswer(Answer, frozen=True):
    """Whether a rotation was asked for and not made yet."""

    forced: bool


class AskedRow(Request, frozen=True):
    """What a model asked the archive in the answer to one item, and was told."""

    seed: str  # key of the item that was answered
    data: str  # the caller's own; kept as it is, or not at all where a credential is in it
    documents: list[str] = []  # ids of what it quotes


class WindowAskedRequest(Request, frozen=True):
    """Keep what a model asked in a conversation, forget some of it, and learn all that is kept."""

    conversation: str
    put: list[AskedRow] = []
    drop: list[str] = []  # seeds


class WindowAskedAnswer(Answer, frozen=True):
    """What is kept, without what quotes a passage that was erased."""

    rows: list[AskedRow]


# --- for who looks at windows -------------------------------------------------------------------------------------


class WindowsRequest(Request, frozen=True):
    """Windows, the one used last first."""

    session: str = ""  # any name of a session
    limit: int = 50  # at most 1,000
    project: str = ""
    scope: str = ""


class WindowRow(Answer, frozen=True):
    """One conversation's window: its newest request, and sums over all of them."""

    conversation: str
    address: str
    session: str
    host: str
    host_session: str
    project: str
    cwd: str
    format: str
    model: str
    side: bool
    epoch: int
    tokens: int  # of the newest request's window
    whole: int  # of the newest request without a window
    rotation: int  # tokens at which it rotates
    hard: int
    window: int
    users: int
    turns: int  # messages of a person with which it rotates; 0: not told
    requests: int
    totals: dict[str, int]  # sent, whole, input, cache_read, cache_write, output, rotations, faults
    items: int  # that are durable
    forced: bool
    fault: str  # of the newest request
    notices: list[list[str]]
    created: str
    updated: str


class WindowsAnswer(Answer, frozen=True):
    """Windows, and what all requests of each day and model came to."""

    windows: list[WindowRow]
    days: list[
        dict[str, Any]
    ] = []  # day, model, requests, sent, whole, input, cache_read, …: the last 31 days


class WindowShowRequest(Request, frozen=True):
    """One window: a conversation (or 8 or more of its digits, or its address), or a session with its newest one."""

    target: str
    limit: int = 200  # requests, at most 200


class WindowShowAnswer(Answer, frozen=True):
    """A window without archived text. Each of `epochs`: epoch, first request, time, why, tokens, whole."""

    window: WindowRow
    requests: list[dict[str, Any]]  # the newest last
    epochs: list[dict[str, Any]]
    omissions: list[dict[str, Any]]  # name (`recall` takes it), what: turns or text, tokens


class WindowExplainRequest(Request, frozen=True):
    """What one window holds; the target is as for `window.show`."""

    target: str
    limit: int = 10  # of its largest parts, at most 1,000


class WindowExplainAnswer(Answer, frozen=True):
    """A window's contents by size, without archived text; tokens are estimates as the provider would count.

    exact: what is archived is what the last request held. held: role, kind, tool, parts, tokens, previews; `outside` of
    the list (system prompt, tools) is not archived, and so not counted. largest: name (`recall` takes it), role, kind,
    tool, tokens, whole.
    """

    window: WindowRow
    exact: bool
    tokens: int
    held: list[dict[str, Any]]
    largest: list[dict[str, Any]]
    catalogue: dict[str, int]  # entries, turns, tokens that they stand for
    omissions: list[dict[str, Any]]  # as `window.show` has them


class WindowRotateRequest(Request, frozen=True):
    """Have the next request begin a new epoch: of a conversation, or of all conversations of a session."""

    target: str


class WindowRotateAnswer(Answer, frozen=True):
    """The conversations that will rotate."""

    conversations: list[str]
