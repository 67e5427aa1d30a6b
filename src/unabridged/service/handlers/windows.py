"""The live window, for who sends it: open, capture, save."""

from __future__ import annotations

import base64
import binascii

import msgspec

from unabridged.archive import windows as kept
from unabridged.errors import InvalidInput, LimitExceeded, UnabridgedError
from unabridged.hosts.times import from_iso
from unabridged.schema.ids import GLOBAL, Micros, ProjectId, project_id, session_id
from unabridged.schema.records import HOME
from unabridged.schema.windows import (
    ADDRESS_DIGITS,
    Window,
    WindowHome,
    WindowItem,
    WindowRequest,
    address_of,
)
from unabridged.service.caller import Call, Pending
from unabridged.service.handlers.conversations import (
    MAX_KEYS,
    check_format,
    check_key,
    check_name,
    check_scope,
    conversation_id,
    open_conversation,
    root_at,
)
from unabridged.service.live import (
    SentRequest,
    WindowOpenAnswer,
    WindowOpenRequest,
    WindowSaveAnswer,
    WindowSaveRequest,
)
from unabridged.store.contract import Reader
from unabridged.window import state as states
from unabridged.window.forgetting import forgotten

MAX_PATH = 4_096  # characters
MAX_STATE = 1 << 20  # bytes; a state with a full table of contents has a tenth of it
MAX_NOTICES = 20
MAX_NOTICE = 400  # characters
MAX_COUNT = 1 << 40  # of tokens or items


def window_open(call: Call, request: WindowOpenRequest) -> WindowOpenAnswer | Pending:
    """Begin a conversation or go on with one."""
    conversation = conversation_id(request.conversation)
    _checked_open(request)
    call.services.daemon.admit()
    with call.services.store.snapshot() as reader:
        draft = _draft(call, reader, request, conversation)
        home = WindowHome(GLOBAL, conversation, draft.project, draft.session)
        items = [item for item in kept.items_at(reader, home, request.keys) if item is not None]
        erased = kept.erased_of(reader, draft.project, items)
    plan = kept.plan_open(draft, root_at(call, draft.cwd, draft.host), call.now)
    commit = call.services.store.submit(draft.project, plan)
    return Pending(commit, lambda window: _opened(request, window, items, erased))


def _checked_open(request: WindowOpenRequest) -> None:
    for field in ("host", "host_session", "model"):
        check_name(field, getattr(request, field))
    if not request.host:
        raise InvalidInput("a conversation has a host", field="host")
    if "\0" in request.cwd or len(request.cwd) > MAX_PATH:
        raise InvalidInput("that is not the path of a folder", field="cwd", limit=MAX_PATH)
    check_format(request.format)
    if len(request.keys) > MAX_KEYS:
        raise LimitExceeded("too many keys", field="keys", limit=MAX_KEYS, size=len(request.keys))
    for key in request.keys:
        check_key(key)


def _draft(call: Call, reader: Reader, request: WindowOpenRequest, conversation: bytes) -> Window:
    """Return the window that a conversation has or would have, inside the caller's scope."""
    known = kept.home_of(reader, conversation)
    if known is not None:
        check_scope(call, reader, known)
        found = kept.window_at(reader, known)
        return msgspec.structs.replace(found, format=request.format, model=request.model)
    name, main = _session_name(request, conversation)
    session = session_id(request.host, name)
    home = reader.get(HOME, (GLOBAL, session)) or reader.get(HOME, (GLOBAL, session_id(request.host, main)))
    project = home.home if home is not None else project_id(root_at(call, request.cwd, request.host))
    check_scope(call, reader, WindowHome(GLOBAL, conversation, project, session))
    return Window(
        project,
        conversation,
        session,
        request.host,
        name,
        request.cwd,
        request.format,
        request.model,
        request.side,
    )


def _session_name(request: WindowOpenRequest, conversation: bytes) -> tuple[str, str]:
    """Return the host's id of a conversation's session, and of the one that it is beside.

    What a host sends beside its own conversation is a session of its own, as a subagent's transcript is.
    """
    main = request.host_session or conversation.hex()
    if not request.side or "/" in main:
        return main, main.partition("/")[0] if request.side else main
    return f"{main}/side-{conversation.hex()[:ADDRESS_DIGITS]}", main


def _opened(
    request: WindowOpenRequest, window: Window, items: list[WindowItem], erased: set[str]
) -> WindowOpenAnswer:
    return WindowOpenAnswer(
        address=address_of(window.conversation),
        session=window.session.hex(),
        state=base64.b64encode(_without(window.state, erased)).decode(),
        durable=[item.key for item in items if item.key not in erased],
        erased=[key for key in request.keys if key in erased],
        forced=window.forced,
    )


def _without(state: bytes, erased: set[str]) -> bytes:
    """Return a state without words of what was erased; one that is of no known form as it is."""
    if not state or not erased:
        return state
    try:
        return states.encode(forgotten(states.decode(state), erased))
    except UnabridgedError:
        return b""  # its words cannot be taken out, so none of them is given


def window_save(call: Call, request: WindowSaveRequest) -> Pending:
    """Keep a window's state and count a request."""
    conversation = conversation_id(request.conversation)
    try:
        state = base64.b64decode(request.state, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("a state is base64", field="state") from error
    if len(state) > MAX_STATE:
        raise LimitExceeded("a state is too long", field="state", limit=MAX_STATE, size=len(state))
    with call.services.store.snapshot() as reader:
        home = open_conversation(call, reader, conversation)
    sent = _sent(home.home, conversation, request.request, call.now) if request.request else None
    asked = request.request
    counts = kept.Turns(asked.users, asked.turns) if asked else kept.Turns()
    commit = call.services.store.submit(home.home, kept.plan_save(home, state, sent, counts, call.now))
    return Pending(commit, lambda window: WindowSaveAnswer(window.forced))


def _sent(project: ProjectId, conversation: bytes, sent: SentRequest, now: Micros) -> WindowRequest:
    for field in ("model", "fault", "side"):
        check_name(field, getattr(sent, field))
    for field, value in msgspec.structs.asdict(sent).items():
        if isinstance(value, int) and not 0 <= value <= MAX_COUNT:
            raise InvalidInput(f"`{field}` is out of range", field=field, value=value)
    return WindowRequest(
        project,
        conversation,
        0,
        from_iso(sent.time).micros or now,
        sent.model,
        sent.epoch,
        sent.rotated,
        sent.sent,
        sent.whole,
        sent.input,
        sent.cache_read,
        sent.cache_write,
        sent.output,
        sent.cut,
        sent.omissions,
        sent.limit,
        sent.hard,
        sent.window,
        sent.side,
        sent.fault,
        [[text[:MAX_NOTICE] for text in notice[:2]] for notice in sent.notices[:MAX_NOTICES]],
    )
