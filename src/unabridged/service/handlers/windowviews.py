"""The live windows, for who looks at them: list, show, rotate."""

from __future__ import annotations

from typing import Any

from unabridged.archive import log as archive_log
from unabridged.archive import windows as kept
from unabridged.errors import AmbiguousName, LimitExceeded, NotFound, UnabridgedError
from unabridged.schema.ids import GLOBAL, ProjectId, SessionId
from unabridged.schema.scope import Scope
from unabridged.schema.windows import (
    WINDOW_DAY,
    WINDOW_ITEM,
    Window,
    WindowDay,
    WindowHome,
    WindowRequest,
    address_of,
)
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers.sessions import session_in
from unabridged.service.live import (
    WindowRotateAnswer,
    WindowRotateRequest,
    WindowRow,
    WindowsAnswer,
    WindowShowAnswer,
    WindowShowRequest,
    WindowsRequest,
)
from unabridged.service.times import iso
from unabridged.store.contract import Reader
from unabridged.window import state as states
from unabridged.window.messages import NAME_CHARS, short_name

MAX_WINDOWS = 1_000  # rows of one answer
MAX_DAYS = 31  # days that are told of
DAYS_READ = 10_000  # rows of a project's days: one a model and day
MIN_DIGITS = 8  # of a conversation's id
HEX = frozenset("0123456789abcdef")


def windows(call: Call, request: WindowsRequest) -> WindowsAnswer:
    """List windows inside the caller's scope, the one used last first."""
    if not 1 <= request.limit <= MAX_WINDOWS:
        raise LimitExceeded("limit is out of range", field="limit", limit=MAX_WINDOWS, value=request.limit)
    with call.services.store.snapshot() as reader:
        scope = call.scope(reader, request.scope, request.project)
        if request.session:
            session = session_in(reader, call.scope(reader), request.session)
            found = kept.of_session(reader, session.project, session.session)
            projects = [session.project]
        else:
            projects = _projects(reader, scope)
            found = [window for project in projects for window in kept.every(reader, project)]
        found = [window for window in found if scope.allows(window.project, window.session)]
        found.sort(key=lambda window: (-window.updated, window.conversation))
        whole = scope.only is None and not request.session
        days = _days(reader, projects, call.now) if whole else []
        return WindowsAnswer([row(reader, window) for window in found[: request.limit]], days)


def _projects(reader: Reader, scope: Scope) -> list[ProjectId]:
    return [item.id for item in archive_log.projects(reader) if scope.only or scope.allows(item.id)]


def _days(reader: Reader, projects: list[ProjectId], now: int) -> list[dict[str, Any]]:
    """Return what the requests of the last days came to, by day and model."""
    first = max(0, now // kept.DAY - MAX_DAYS + 1)
    sums = dict[tuple[int, str], list[WindowDay]]()
    for project in projects:
        for day in reader.scan(WINDOW_DAY, (project,), start=(first,), limit=DAYS_READ):
            sums.setdefault((day.day, day.model), []).append(day)
    fields = [name for name in WindowDay.__struct_fields__ if name not in ("project", "day", "model")]
    return [
        {"day": iso(max(1, day * kept.DAY))[:10], "model": model}
        | {name: sum(getattr(item, name) for item in items) for name in fields}
        for (day, model), items in sorted(sums.items())
    ]


def row(reader: Reader, window: Window) -> WindowRow:
    """Return a window as answers show it."""
    return WindowRow(
        conversation=window.conversation.hex(),
        address=address_of(window.conversation),
        session=window.session.hex(),
        host=window.host,
        host_session=window.host_session,
        project=window.project.hex(),
        cwd=window.cwd,
        format=window.format,
        model=window.model,
        side=window.side,
        epoch=window.epoch,
        tokens=window.sent,
        whole=window.whole,
        rotation=window.rotation,
        hard=window.hard,
        window=window.window,
        users=window.users,
        turns=window.rotation_turns,
        requests=window.requests,
        totals={
            "sent": window.total_sent,
            "whole": window.total_whole,
            "input": window.total_input,
            "cache_read": window.total_cache_read,
            "cache_write": window.total_cache_write,
            "output": window.total_output,
            "rotations": window.rotations,
            "faults": window.faults,
        },
        items=reader.count(WINDOW_ITEM, (window.project, window.conversation)),
        forced=window.forced,
        fault=window.fault,
        notices=window.notices,
        created=iso(window.created),
        updated=iso(window.updated),
    )


def window_show(call: Call, request: WindowShowRequest) -> WindowShowAnswer:
    """Tell about one window without archived text."""
    if not 1 <= request.limit <= kept.KEPT_REQUESTS:
        raise LimitExceeded(
            "limit is out of range", field="limit", limit=kept.KEPT_REQUESTS, value=request.limit
        )
    with call.services.store.snapshot() as reader:
        home = named(call, reader, request.target)[0]
        window = kept.window_at(reader, home)
        sent = kept.requests_of(reader, home)
        return WindowShowAnswer(
            row(reader, window),
            [_request(item) for item in sent[-request.limit :]],
            _epochs(sent),
            omissions(window),
        )


def _request(item: WindowRequest) -> dict[str, Any]:
    shown = {name: getattr(item, name) for name in WindowRequest.__struct_fields__}
    del shown["project"], shown["conversation"]
    return shown | {"time": iso(item.time)}


def _epochs(sent: list[WindowRequest]) -> list[dict[str, Any]]:
    """Return where each epoch of the kept requests began, and the notices that were told there."""
    found, epoch = list[dict[str, Any]](), -1
    for item in sent:
        if item.epoch == epoch:
            continue
        epoch = item.epoch
        why = [code for code, *_ in item.notices]
        found.append(
            {
                "epoch": epoch,
                "request": item.number,
                "time": iso(item.time),
                "why": why,
                "tokens": item.sent,
                "whole": item.whole,
                "cut": item.cut,
            }
        )
    return found


def omissions(window: Window) -> list[dict[str, Any]]:
    """Return what the window leaves out, by name."""
    if not window.state:
        return []
    try:
        state = states.decode(window.state)
    except UnabridgedError:
        return []  # of a newer version: it says nothing here
    address = address_of(window.conversation)
    turns = [
        {
            "name": f"{address}:{entry.name}",
            "last": f"{address}:{entry.last}" if entry.last else "",
            "what": "turns",
            "turns": entry.turns,
            "tokens": entry.tokens,
        }
        for entry in state.entries
    ]
    texts = [{"name": f"{address}:{_part_name(key)}", "what": "text"} for key in state.replaced]
    return turns + texts


def _part_name(key: str) -> str:
    item, mark, part = key.partition("#")
    return short_name(item) + mark + part


def window_rotate(call: Call, request: WindowRotateRequest) -> Pending:
    """Have the next request of a conversation, or of all of a session, begin a new epoch."""
    with call.services.store.snapshot() as reader:
        homes = named(call, reader, request.target)
    commit = call.services.store.submit(homes[0].home, kept.plan_force(homes, call.now))
    return Pending(commit, lambda _: WindowRotateAnswer([home.conversation.hex() for home in homes]))


def named(call: Call, reader: Reader, target: str) -> list[WindowHome]:
    """Return the conversations that a name means, all of one project; raise `NotFound`, `OutOfScope`."""
    scope, name = call.scope(reader), target.strip()
    digits = name.removeprefix(kept.ADDRESS).lower()
    if MIN_DIGITS <= len(digits) <= 2 * kept.CONVERSATION_BYTES and set(digits) <= HEX:
        found = [
            home for home in kept.homes_beginning(reader, digits) if scope.allows(home.home, home.session)
        ]
        if len(found) > 1:
            raise AmbiguousName("more than one conversation begins so", target=name[:NAME_CHARS])
        if found:
            return found
    session = session_in(reader, scope, name)
    return _of_session(reader, session.project, session.session)


def _of_session(reader: Reader, project: ProjectId, session: SessionId) -> list[WindowHome]:
    found = sorted(kept.of_session(reader, project, session), key=lambda window: -window.updated)
    if not found:
        raise NotFound("nothing of that session passed through a window")
    return [WindowHome(GLOBAL, window.conversation, project, session) for window in found]
