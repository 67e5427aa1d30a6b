"""What each operation takes and gives, as plain typed values.

Times in answers are ISO 8601 in UTC; ids are lowercase hexadecimal. Fields that `docs/reference/operations.md` lists
are stable; more may be added.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of all requests: an unknown field is refused."""


class Answer(msgspec.Struct, frozen=True):
    """The base of all answers."""


# --- asking -------------------------------------------------------------------------------------------------------


class Filters(Request, frozen=True):
    """What to look at: everything is optional and narrows. Times are ISO 8601 or a relative span like `7d`."""

    kinds: list[str] = []  # event kinds (text, tool-call, …) or document kinds
    roles: list[str] = []
    tools: list[str] = []
    hosts: list[str] = []
    path: str = ""  # a file path, or the end of one, that the event names
    since: str = ""
    until: str = ""
    session: str = ""  # any name of a session
    branch: str = "all"  # "all", or "current": the lineage of the session's current leaf
    exclude: list[str] = []  # source keys visible in the live window, at most 1,000
    side: bool = True  # include subagents
    superseded: bool = False  # include notes that were replaced


class SearchRequest(Request, frozen=True):
    """Search: any string is a valid query.

    With a `relation` only what stands in it is given, the latest first: exact sentences, about the query's words if it
    has any. `account.relation` says whether that is resolved, ambiguous or not-found, and how far it looked.
    """

    query: str
    limit: int = 10
    scope: str = ""  # session, project, all; empty: what is granted
    project: str = ""  # a path or project id; empty: the handshake's project
    filters: Filters = Filters()
    semantic: str = "auto"
    operators: bool = False  # explicit query mode
    cursor: str = ""
    explain: bool = False
    expansion: list[
        str
    ] = []  # likely synonyms of a question without exact names, at most 16; they count less
    working_set: list[
        str
    ] = []  # files (or passages) that the asker has in hand, at most 16: they decide near-ties
    session_context: str = ""  # what is talked of just now, at most 16,384 characters: it decides near-ties
    per_session: int = 0  # at most so many hits of one session; 0: no limit
    relation: str = ""  # latest-question, -request, -correction, -answer, -decision or -failure


class Hit(Answer, frozen=True):
    """One passage. `bytes` is the range of UTF-8 bytes in the document's text."""

    document: str
    version: int
    kind: str
    score: float
    band: str  # high, moderate, some, low
    match: list[str]  # exact, lexical, phrase, …; beside: it stands beside messages that match
    snippet: str
    locator: str
    handle: str
    session: str
    host: str
    host_session: str
    source_keys: list[str]
    time: str
    bytes: tuple[int, int]
    title: str = ""
    role: str = ""
    tool: str = ""
    event: str = ""
    terms: list[str] = []
    expanded: list[str] = []
    margin: float = 0.0
    tokens: int = 0  # what recalling it costs
    similar: int = 0  # near-duplicates collapsed into it
    superseded: bool = False  # a note that was replaced, or a message that was corrected
    replaced_by: str = ""  # handle of what stands now, where it was superseded
    completeness: str = "complete"
    project: str = ""
    excerpt: str = ""  # of a relation: its sentences as they stand, which are at `bytes`
    cue: str = ""  # the words by which it is told


class SearchAnswer(Answer, frozen=True):
    """What was found, and how complete that is. status: ok, empty, index-behind, partial, failed."""

    status: str
    hits: list[Hit]
    next: str
    account: dict[str, Any]
    explain: list[dict[str, Any]] = []


class GrepRequest(Request, frozen=True):
    """A regular expression (RE2) or literal over the archive's text, in log order."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    limit: int = 50
    scope: str = ""
    project: str = ""
    filters: Filters = Filters()
    cursor: str = ""


class GatherRequest(Request, frozen=True):
    """A question over several turns: exact evidence with what was said around it, in the order of time."""

    query: str
    intent: str = (
        "auto"  # auto: what was said around a hit; state: the hits alone; workflow: all that was done
    )
    limit: int = 5  # hits whose surroundings are gathered, at most 10
    max_tokens: int = 6_000  # of all texts with 96 for each piece, by the strict estimate; 150 to 100,000
    max_evidence: int = 12  # pieces of text, at most 24
    before: int | None = None  # steps before each hit, at most 8; null: as the intent says
    after: int | None = None  # steps behind each hit, at most 16; null: as the intent says
    scope: str = ""  # session, project, all; empty: what is granted
    project: str = ""
    filters: Filters = Filters()  # of the hits; what stands around them keeps to the times and the branch
    semantic: str = "auto"
    operators: bool = False
    expansion: list[
        str
    ] = []  # likely synonyms of a question without exact names, at most 16; they count less
    working_set: list[
        str
    ] = []  # files (or passages) that the asker has in hand, at most 16: they decide near-ties
    session_context: str = ""  # what is talked of just now, at most 16,384 characters: it decides near-ties
    cursor: str = ""  # `next` of an earlier packet of the same question: what was not given yet
    explain: bool = False
    relation: str = ""  # as of a search: the latest of its kind, with what was said around it


class Evidence(Hit, frozen=True):
    """An exact piece of text: `text` is what stands at `bytes`, and what `locator` and `handle` recall.

    What a hit tells of its search is empty for a neighbour. `tokens` is what `text` costs, by the strict estimate and
    no less than its quoted lines.
    """

    text: str = ""
    hit: int = 1  # the rank of the hit that it belongs to
    distance: int = 0  # 0: the hit itself; below 0: steps before it (on this page); above: behind it
    omitted: dict[str, int] = {}  # bytes of the same message that are not in `text`: before, after


class Conflict(Answer, frozen=True):
    """Two pieces of evidence, by their handles: the later one has words that take something back."""

    earlier: str
    later: str
    # correction, subject (of notes), or what kind of name both have: symbol, path, error, url, commit, quoted, value
    by: str
    shared: str  # the name or subject
    cue: str  # the words, as they stand in the later one


class GatherAnswer(Answer, frozen=True):
    """A packet, oldest first. status: as of a search. truncated: something of these hits was cut or left for `next`."""

    status: str
    evidence: list[Evidence]
    truncated: bool
    next: str  # cursor to what was not given: the rest of these hits, then further ones
    account: dict[str, Any]
    conflicts: list[Conflict] = []
    explain: list[dict[str, Any]] = []


class TraverseRequest(Request, frozen=True):
    """A conversation before and behind one place: a locator, a short handle, an id or a source key."""

    target: str
    before: int = 5  # steps, at most 128
    after: int = 5  # steps, at most 128
    max_tokens: int = 4_000  # of all texts with 96 for each step, by the strict estimate; 150 to 100,000
    cursor: str = ""  # `before` or `next` of an earlier page: only that side goes on
    kinds: list[str] = []  # which kinds of steps count: text, tool-call, …
    roles: list[str] = []
    scope: str = ""
    project: str = ""


class TraverseAnswer(Answer, frozen=True):
    """A page of a conversation in its order. status: as of a recall."""

    status: str
    steps: list[Evidence]
    before: str  # cursor to what lies before the page, "" at the beginning
    next: str  # cursor to what lies behind it, "" at the end
    session: str
    account: dict[str, Any]
    host: str = ""
    host_session: str = ""
    title: str = ""


class RecallRequest(Request, frozen=True):
    """Exact text around one place: a locator, a short handle, a document or event id, a name that a window
    gave out, or a source key."""

    target: str
    neighbors: int = 0  # windows before and after, at most 32
    max_tokens: int = 4_000  # at most 100,000; a hit's `tokens` are enough for it
    cursor: str = ""
    project: str = ""
    scope: str = ""
    envelope: bool = False  # also rendered for a model, as delimited quoted data
    whole: bool = False  # prefer the complete turn when it fits
    counts: bool = True  # as a use of a passage that a search showed (see `feedback`)


class RecallAnswer(Answer, frozen=True):
    """An exact passage. status: resolved, expired, superseded, missing, locator-invalid, lease-expired, erased,
    out-of-scope."""

    status: str
    text: str
    document: str
    version: int
    bytes: tuple[int, int]
    source_keys: list[str]
    session: str
    time: str
    omitted: dict[str, Any]
    next: str
    host: str = ""
    host_session: str = ""
    kind: str = ""
    title: str = ""
    digest: str = ""
    redactions: int = 0
    tokens: int = 0
    before: str = ""  # continuation towards earlier text
    envelope: str = ""
    events: list[dict[str, Any]] = []
    replaced_by: str = ""  # document that stands now, where this was superseded
    replaced_by_handle: str = ""
    chain: list[dict[str, Any]] = []  # what replaced it, oldest first: document, handle, reason, time


# --- hints --------------------------------------------------------------------------------------------------------


class HintRequest(Request, frozen=True):
    """What to tell an agent beside one message of a person. Asked again, it answers the same."""

    message: str
    session: str  # any name of an archived session, or the host's id of one that is not archived yet
    key: str = ""  # the host's id of the message, at most 512 characters; empty: its own text names it
    host: str = ""  # which host's id `session` is; empty: whichever session has that name
    project: str = ""
    scope: str = ""  # session, project, all: how far to look; empty: project
    visible: list[str] | None = (
        None  # source keys in the live window, at most 1,000; null: behind the last compaction
    )
    active: list[str] | None = None  # keys of the messages in the live window, at most 2,000; null: the same
    frozen: bool = False  # only answer what was decided before, and decide nothing


class HintAnswer(Answer, frozen=True):
    """A decision. outcome: nothing, marker, excerpt; `reason` is a code. `text` is for the model, as it is."""

    outcome: str
    reason: str
    text: str
    tokens: int  # of the text, by the strict estimate
    session: str
    key: str  # the name that the message was decided under
    replayed: bool  # it was decided before, here or in a session that this one goes on from
    cache_break: bool = (
        False  # an erasure took a text that the model was given: a cached prompt ends before it
    )
    left: int = 0  # tokens that further hints of the conversation may have


class HookRequest(Request, frozen=True):
    """An event of a host's session, as the host tells it to its hooks."""

    host: str
    input: dict[str, Any]  # what the host writes to the hook's standard input, at most 8 MiB
    cwd: str = ""  # where the hook ran
    machine: str = ""
    sequence: str = ""  # names the event among those of its machine


class HookAnswer(Answer, frozen=True):
    """What the hook prints for the host, "" for nothing; `moment` is "" for an event that nothing follows from."""

    output: str
    moment: str
    reason: str  # ignored, read, silent; or the outcome of a hint, orientation, catalogue
    tokens: int = 0  # that are added to the conversation, by the strict estimate


class WhyRequest(Request, frozen=True):
    """The last decisions on what to tell, and their reasons; no archived text."""

    session: str = ""  # only of this session
    limit: int = 10  # at most 200
    host: str = ""  # which host's id `session` is
    project: str = ""
    scope: str = ""


class Why(Answer, frozen=True):
    """One decision. Each of `considered`: id, share (of the message's weight that it holds, 0-1), score, marks."""

    kind: str  # hint
    time: str
    session: str
    key: str
    outcome: str
    reason: str
    explanation: str  # the reason in words
    tokens: int
    budget: int  # tokens that it could have
    considered: list[dict[str, Any]] = []
    rests: list[dict[str, Any]] = []  # each source that rests because of it: id, until
    copied: str = ""  # the session that it was taken over from
    emptied: str = ""  # when an erasure took its text


class WhyAnswer(Answer, frozen=True):
    """The last decisions, newest first. limits: what hints may cost and how old their sources may be, as it is set."""

    decisions: list[Why]
    limits: dict[str, Any]
    left: int | None = None  # tokens that further hints of the session may have, where one was named


# --- sessions -----------------------------------------------------------------------------------------------------


class SessionsRequest(Request, frozen=True):
    """Archived sessions, newest first."""

    host: str = ""
    project: str = ""
    limit: int = 1_000
    cursor: str = ""
    scope: str = ""  # session, project, all; empty: what is granted


class SessionRow(Answer, frozen=True):
    """One session."""

    session: str
    host: str
    host_session: str
    parent: str
    project: str
    title: str
    started: str
    ended: str
    events: int
    origins: list[str]
    relation: str = ""
    cwd: str = ""
    redactions: int = 0


class SessionsAnswer(Answer, frozen=True):
    """A page of sessions."""

    sessions: list[SessionRow]
    next: str = ""


class ShowRequest(Request, frozen=True):
    """The events of a session in order (or one document or event)."""

    target: str
    limit: int = 200
    cursor: str = ""
    max_bytes: int = 1_048_576
    reasoning: bool = False


class ShowAnswer(Answer, frozen=True):
    """A page of events: dicts with seq, event, role, kind, tool, time, source_key, text, bytes, flags."""

    session: SessionRow
    events: list[dict[str, Any]]
    next: str = ""


class OriginalRequest(Request, frozen=True):
    """A page of a session's original bytes."""

    session: str
    origin: str = ""  # path or id; empty: the session's main transcript
    offset: int = 0
    limit: int = 4_194_304
    allow_gaps: bool = False
    listing: bool = False  # only the list of origins, no bytes
    generation: int = 0  # of a file that was rewritten, the number of an older content; 0: the newest


class OriginalAnswer(Answer, frozen=True):
    """Base64 of the bytes at `offset`; `done` when they reach the end; `identical` when nothing was redacted."""

    origins: list[dict[str, Any]]
    origin: str
    path: str
    name: str  # where the host itself would look for it, below its sessions root
    size: int
    offset: int
    data: str
    done: bool
    redactions: int
    identical: bool
    generation: int = 1
    generations: list[int] = []  # numbers of all contents of this file that are kept, oldest first


# --- importing ----------------------------------------------------------------------------------------------------


class ImportRequest(Request, frozen=True):
    """Paths to import; none: every host's own places. Progress comes as notifications."""

    paths: list[str] = []
    host: str = ""
    dry_run: bool = False
    verify: bool = False  # re-hash unchanged files
    env: dict[
        str, str
    ] = {}  # the caller's overrides of where hosts keep sessions (names that host packages declare)


class ImportAnswer(Answer, frozen=True):
    """What an import did, with every line accounted for."""

    sessions: int
    events: int
    documents: int
    lines: dict[str, int]  # read, new, known, unreadable
    bytes: int
    seconds: float
    problems: list[dict[str, Any]]  # path, line, code, message
    files: int = 0
    skipped: int = 0  # unchanged files
    redactions: int = 0
    hosts: dict[str, int] = {}
    found: list[dict[str, Any]] = []  # dry run: what would be read
    searchable: bool = True
    problems_omitted: int = 0
    durable_seconds: float = 0.0  # until all was durable; `seconds`: until it was searchable, too


class NotifyRequest(Request, frozen=True):
    """A host says that a transcript grew (from a hook or a tail); returns at once."""

    path: str
    host: str = ""
    event: str = ""
    session: str = ""


class NoteRequest(Request, frozen=True):
    """Admit a note. `request` makes a retry answer the first outcome."""

    text: str
    request: str = ""
    project: str = ""
    title: str = ""
    subject_key: str = ""
    supersedes: str = ""
    searchable: bool = True  # answer when a search finds it; false: when it is durable


class NoteAnswer(Answer, frozen=True):
    """The note's document."""

    document: str
    version: int
    event: str
    position: int
    replayed: bool = False
    handle: str = ""  # names it to every tool


class CorrectRequest(Request, frozen=True):
    """Correct a note or a message: a locator, a short handle, an id or a source key. Both are kept.

    `request` makes a retry answer the first outcome.
    """

    target: str
    text: str  # what is true instead, to be understood by itself
    title: str = ""  # empty: that of the note which it corrects
    request: str = ""
    project: str = ""
    scope: str = ""
    searchable: bool = True  # answer when a search finds it; false: when it is durable


class CorrectAnswer(NoteAnswer, frozen=True):
    """The correction's document, and what it corrects: the id of a note's document or of a message, and its handle."""

    corrects: str = ""
    corrects_handle: str = ""


# --- the service itself -------------------------------------------------------------------------------------------


class Empty(Request, frozen=True):
    """Nothing to say."""


class StatusAnswer(Answer, frozen=True):
    """How things are, in a few numbers."""

    ok: bool
    version: str
    store: dict[str, Any]
    index: dict[str, Any]
    daemon: dict[str, Any]
    hosts: list[dict[str, Any]]
    problems: list[dict[str, Any]] = []


class StatsAnswer(Answer, frozen=True):
    """Counts and sizes."""

    ok: bool
    totals: dict[str, Any]
    projects: list[dict[str, Any]]
    disk: dict[str, Any]
    operations: list[dict[str, Any]] = []
    feedback: dict[str, Any] = {}  # what is counted of recalled passages (see `feedback`)
    window: dict[str, Any] = {}  # what requests through the gateway came to: all, by model, by session
    told: dict[
        str, Any
    ] = {}  # what models were told unasked: orientation, catalogue, marker, excerpt, tokens, sessions


class StatsRequest(Request, frozen=True):
    """Count what is kept; or, with a session, what its requests came to."""

    session: str = ""  # any name of a session
    limit: int = 20  # sessions under `window`, the one used last first; at most 1,000


class VerifyRequest(Request, frozen=True):
    """Check every invariant; `deep` also decompresses and re-hashes everything."""

    deep: bool = True
    project: str = ""


class VerifyAnswer(Answer, frozen=True):
    """Every violation found (at most `limit` listed)."""

    ok: bool
    checked: dict[str, int]
    violations: list[dict[str, Any]]
    seconds: float


class FeedbackRequest(Request, frozen=True):
    """An action on the counts of passages that a search showed and that were recalled: status, clear."""

    action: str = "status"


class FeedbackAnswer(Answer, frozen=True):
    """feedback: on, passages (with a count), recalls, file. cleared: passages whose counts were forgotten just now."""

    ok: bool
    feedback: dict[str, Any]
    cleared: int = 0


class OutboxRequest(Request, frozen=True):
    """An action on the events that hooks left and that could not be applied: list, replay, drop."""

    action: str = "list"
    ids: list[str] = []  # of entries, at most 1,000; replay: none means all


class OutboxAnswer(Answer, frozen=True):
    """outbox: waiting, quarantined, applied, hooks. entries: id, state, code, message, attempts, host, event, session,
    transcript, time. changed: entries that were replayed or dropped just now."""

    ok: bool
    outbox: dict[str, Any]
    entries: list[dict[str, Any]]
    changed: int = 0


class DoctorRequest(Request, frozen=True):
    """Look for what is wrong; `fix` repairs what can be repaired safely."""

    fix: bool = False


class DoctorAnswer(Answer, frozen=True):
    """Each check with its result: dicts with check, ok, detail, hint, fixed."""

    ok: bool
    checks: list[dict[str, Any]]


class IndexRequest(Request, frozen=True):
    """An action on the index: status, rebuild, verify."""

    action: str = "status"
    wait: bool = True


class IndexAnswer(Answer, frozen=True):
    """The index's state."""

    ok: bool
    status: dict[str, Any]


class ProjectRequest(Request, frozen=True):
    """An action on projects: list, show, link, unlink."""

    action: str = "list"
    path: str = ""
    other: str = ""


class ProjectAnswer(Answer, frozen=True):
    """The projects that the action concerns."""

    projects: list[dict[str, Any]]


class DaemonAnswer(Answer, frozen=True):
    """The process itself, with its last slow requests."""

    ok: bool
    daemon: dict[str, Any]
    slow: list[dict[str, Any]] = []


class ShutdownRequest(Request, frozen=True):
    """Ask the daemon to drain and stop."""

    reason: str = ""


class McpAnswer(Answer, frozen=True):
    """Where the process that speaks MCP listens: the path of its Unix socket."""

    socket: str
    pid: int


class PingAnswer(Answer, frozen=True):
    """The daemon is there."""

    ok: bool
    pid: int
    version: str
