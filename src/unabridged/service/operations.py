"""The one table of operations: what every surface offers, with one meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from unabridged.service import live, requests
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers import (
    asking,
    capturing,
    care,
    correcting,
    explaining,
    gathering,
    hinting,
    hooking,
    importing,
    reading,
    sessions,
    state,
    windowasked,
    windowexplain,
    windows,
    windowviews,
)
from unabridged.service.requests import Answer, Request

Handler = Callable[[Call, Any], Answer | Pending]

SMALL = 64 << 10  # bytes that an answer of a few numbers may take
LARGE = 4 << 20  # bytes that a page of passages may take
LARGEST = 16 << 20  # bytes of a whole frame

READ, WRITE, ADMIN = "read", "write", "admin"
FILTERED = "filtered"  # the answer holds nothing outside the caller's scope
NO_CONTENT = "none"  # the answer holds no archived content


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    effect: "read" (may be repeated freely), "write" (adds to the archive), "admin" (changes the service).
    scope: "filtered" or "none". streams: sends progress and may run for minutes. immediate: answered on the event loop,
    so it must neither wait nor take longer than a few microseconds. begins: tells of a request whether its handler may
    begin on the event loop, because it leaves all that takes time to a commit. reserve: bytes set aside for its answer.
    """

    name: str
    request: type[Request]
    answer: type[Answer]
    handler: Handler
    effect: str
    scope: str
    doc: str
    streams: bool = False
    immediate: bool = False
    begins: Callable[[Call, Any], bool] | None = None
    reserve: int = LARGE


_TABLE = (
    Operation(
        "ping",
        requests.Empty,
        requests.PingAnswer,
        state.ping,
        READ,
        NO_CONTENT,
        "Answer at once.",
        immediate=True,
        reserve=SMALL,
    ),
    Operation(
        "status",
        requests.Empty,
        requests.StatusAnswer,
        state.status,
        READ,
        NO_CONTENT,
        "Tell how the archive, the index, the daemon and the hosts are.",
    ),
    Operation(
        "stats",
        requests.StatsRequest,
        requests.StatsAnswer,
        state.stats,
        READ,
        NO_CONTENT,
        "Count what is kept and what it takes.",
    ),
    Operation(
        "import",
        requests.ImportRequest,
        requests.ImportAnswer,
        importing.import_,
        WRITE,
        NO_CONTENT,
        "Read transcripts into the archive; answers when they are searchable.",
        streams=True,
    ),
    Operation(
        "notify",
        requests.NotifyRequest,
        requests.PingAnswer,
        importing.notify,
        WRITE,
        NO_CONTENT,
        "Tell that a transcript grew; answers at once.",
        reserve=SMALL,
    ),
    Operation(
        "note",
        requests.NoteRequest,
        requests.NoteAnswer,
        importing.note,
        WRITE,
        NO_CONTENT,
        "Admit a note; a repeated request id answers the first outcome.",
        begins=importing.is_brief,
        reserve=SMALL,
    ),
    Operation(
        "correct",
        requests.CorrectRequest,
        requests.CorrectAnswer,
        correcting.correct,
        WRITE,
        FILTERED,
        "Correct a note or a message by a note that takes its place; both are kept.",
        reserve=SMALL,
    ),
    Operation(
        "sessions",
        requests.SessionsRequest,
        requests.SessionsAnswer,
        sessions.sessions,
        READ,
        FILTERED,
        "List archived sessions, the one that ended last first.",
    ),
    Operation(
        "original",
        requests.OriginalRequest,
        requests.OriginalAnswer,
        sessions.original,
        READ,
        FILTERED,
        "Give a page of a session's original bytes.",
        reserve=LARGEST,
    ),
    Operation(
        "show",
        requests.ShowRequest,
        requests.ShowAnswer,
        reading.show,
        READ,
        FILTERED,
        "Give a page of a session's events in order.",
        reserve=LARGEST,
    ),
    Operation(
        "search",
        requests.SearchRequest,
        requests.SearchAnswer,
        asking.search,
        READ,
        FILTERED,
        "Find passages; any text is a valid query.",
    ),
    Operation(
        "grep",
        requests.GrepRequest,
        requests.SearchAnswer,
        asking.grep,
        READ,
        FILTERED,
        "Find a regular expression or a literal, in the order of the log.",
        streams=True,
    ),
    Operation(
        "recall",
        requests.RecallRequest,
        requests.RecallAnswer,
        asking.recall,
        READ,
        FILTERED,
        "Give an exact passage back.",
    ),
    Operation(
        "gather",
        requests.GatherRequest,
        requests.GatherAnswer,
        gathering.gather,
        READ,
        FILTERED,
        "Gather exact evidence for a question over several turns, oldest first, within a budget.",
    ),
    Operation(
        "traverse",
        requests.TraverseRequest,
        requests.TraverseAnswer,
        gathering.traverse,
        READ,
        FILTERED,
        "Give a conversation before and behind one place, page by page.",
    ),
    Operation(
        "hint",
        requests.HintRequest,
        requests.HintAnswer,
        hinting.hint,
        WRITE,
        FILTERED,
        "Decide what to tell an agent beside a message: mostly nothing; asked again, the same.",
        reserve=SMALL,
    ),
    Operation(
        "hook",
        requests.HookRequest,
        requests.HookAnswer,
        hooking.hook,
        WRITE,
        FILTERED,
        "Do what an event of a host's session asks for, and tell what its hook prints.",
        reserve=SMALL,
    ),
    Operation(
        "why",
        requests.WhyRequest,
        requests.WhyAnswer,
        explaining.why,
        READ,
        FILTERED,
        "Tell why the last hints were given or not, without archived text.",
    ),
    Operation(
        "window.open",
        live.WindowOpenRequest,
        live.WindowOpenAnswer,
        windows.window_open,
        WRITE,
        FILTERED,
        "Begin a conversation with a provider, or go on with it: what is remembered, what is durable.",
    ),
    Operation(
        "capture",
        live.CaptureRequest,
        live.CaptureAnswer,
        capturing.capture,
        WRITE,
        FILTERED,
        "Admit items of a conversation as they passed on the wire; answers when they are durable.",
    ),
    Operation(
        "window.save",
        live.WindowSaveRequest,
        live.WindowSaveAnswer,
        windows.window_save,
        WRITE,
        FILTERED,
        "Keep a window's state, and what a request came to.",
        reserve=SMALL,
    ),
    Operation(
        "window.asked",
        live.WindowAskedRequest,
        live.WindowAskedAnswer,
        windowasked.window_asked,
        WRITE,
        FILTERED,
        "Keep what a model asked the archive in a conversation, unseen by its client, and give it back.",
        reserve=SMALL,
    ),
    Operation(
        "windows",
        live.WindowsRequest,
        live.WindowsAnswer,
        windowviews.windows,
        READ,
        FILTERED,
        "List the windows of conversations, the one used last first.",
    ),
    Operation(
        "window.show",
        live.WindowShowRequest,
        live.WindowShowAnswer,
        windowviews.window_show,
        READ,
        FILTERED,
        "Tell about one window: its requests, its epochs, what it leaves out by name.",
    ),
    Operation(
        "window.explain",
        live.WindowExplainRequest,
        live.WindowExplainAnswer,
        windowexplain.window_explain,
        READ,
        FILTERED,
        "Tell what a window holds by role and tool, its largest parts, its table of contents.",
    ),
    Operation(
        "window.rotate",
        live.WindowRotateRequest,
        live.WindowRotateAnswer,
        windowviews.window_rotate,
        WRITE,
        FILTERED,
        "Have the next request of a conversation begin a new epoch.",
        reserve=SMALL,
    ),
    Operation(
        "verify",
        requests.VerifyRequest,
        requests.VerifyAnswer,
        care.verify,
        READ,
        NO_CONTENT,
        "Check every invariant of the archive.",
        streams=True,
    ),
    Operation(
        "doctor",
        requests.DoctorRequest,
        requests.DoctorAnswer,
        care.doctor,
        ADMIN,
        NO_CONTENT,
        "Look for what is wrong with the installation; repair it when asked to.",
    ),
    Operation(
        "index",
        requests.IndexRequest,
        requests.IndexAnswer,
        care.index,
        ADMIN,
        NO_CONTENT,
        "Show, rebuild or verify the search index.",
        streams=True,
    ),
    Operation(
        "feedback",
        requests.FeedbackRequest,
        requests.FeedbackAnswer,
        care.feedback,
        ADMIN,
        NO_CONTENT,
        "Tell how much is counted of what was recalled, or forget it.",
        reserve=SMALL,
    ),
    Operation(
        "outbox",
        requests.OutboxRequest,
        requests.OutboxAnswer,
        care.outbox,
        ADMIN,
        NO_CONTENT,
        "List the events of hosts that could not be applied, try them again, or drop them.",
    ),
    Operation(
        "project",
        requests.ProjectRequest,
        requests.ProjectAnswer,
        care.project,
        ADMIN,
        NO_CONTENT,
        "List, show, link or unlink projects.",
    ),
    Operation(
        "daemon.status",
        requests.Empty,
        requests.DaemonAnswer,
        state.daemon_status,
        READ,
        NO_CONTENT,
        "Tell about the daemon's process.",
    ),
    Operation(
        "mcp",
        requests.Empty,
        requests.McpAnswer,
        state.mcp,
        ADMIN,
        NO_CONTENT,
        "Have the process that speaks MCP run, and tell where it listens.",
        streams=True,
        reserve=SMALL,
    ),
    Operation(
        "shutdown",
        requests.ShutdownRequest,
        requests.PingAnswer,
        state.shutdown,
        ADMIN,
        NO_CONTENT,
        "Let the daemon finish its work and stop.",
        reserve=SMALL,
    ),
)

OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _TABLE}
