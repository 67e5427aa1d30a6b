"""A request on its way: read, planned, written, checked, and what is sent when any of that fails.

Who sends first makes durable what `plan.archive` names and asks again with the same state; the state is stored once the
request is under way. It never gets a window that the provider would refuse. Where the wanted one is, the last cut is
made again without new removals; where that is, too, or the bytes are no request of this format, they go as they came.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import msgspec

from unabridged.window.catalogue import as_they_are
from unabridged.window.epoch import NOTHING, Plan, plan
from unabridged.window.groups import PINS
from unabridged.window.limits import Limits
from unabridged.window.providers.contract import Adapter, Problem, Request, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.providers.splice import NotUnderstood, members, with_member, without_member
from unabridged.window.state import State

# Members of a request that builds on what the provider keeps.
PREVIOUS, CONVERSATION = "previous_response_id", "conversation"


class Sending(msgspec.Struct, frozen=True):
    """What to send. `plan` is None where the request is passed on as it came; `problems`: why a window was not sent.

    `understood` is False for bytes that are no request of the adapter's format.
    """

    body: bytes
    request: Request | None = None
    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    understood: bool = True


def sending(
    adapter: Adapter,
    body: bytes,
    state: State,
    limits: Limits,
    durable: Container[str] = NOTHING,
    erased: Container[str] = NOTHING,
    known: Known | None = None,
    pins: Sequence[str] = PINS,
    redact: Callable[[str], str] = as_they_are,
    read: Request | None = None,
) -> Sending:
    """Return what to send of a request. It raises nothing.

    All but `known` and `read` are as `plan` takes them; `read` is the request of this body, where it was read before.
    """
    try:
        request = adapter.read(body, known) if read is None else read
    except NotUnderstood:
        return Sending(body, understood=False)
    if not request.windowed or not request.spans:
        return Sending(body, request)
    found: tuple[Problem, ...] = ()
    for kept in (durable, NOTHING):
        made = plan(request.conversation, state, limits, kept, erased, pins, redact)
        sent = adapter.write(request, made.window, state.shown.count)
        problems = new_problems(adapter, body, sent)
        if not problems:
            return Sending(sent, request, made, found)
        found = found or problems
    return Sending(body, request, None, found)


def whole(adapter: Adapter, body: bytes, known: Known) -> Request:
    """Return a request taken apart for the archive: also one whose list is a text, or only what is new.

    Raises `NotUnderstood`. Its bytes are not those to send.
    """
    request = adapter.read(body, known)
    if request.windowed:
        return request
    found = members(body)
    for name in (PREVIOUS, CONVERSATION):
        if name in found:
            body = without_member(body, name)
    given = bytes(found.get("input", b""))
    if given.startswith(b'"'):
        body = with_member(body, "input", b'[{"role":"user","content":' + given + b"}]")
    return adapter.read(body, known)
