"""The window that was sent last, made again without a planner: what stands in for one that fails."""

from __future__ import annotations

from collections.abc import Iterable

from unabridged.window.providers.contract import Adapter, Request, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.sent import again as pieces_again
from unabridged.window.state import State


def again(
    adapter: Adapter, body: bytes, known: Known | None, state: State, read: Request | None = None
) -> Sending | None:
    """Return a request with the last window of a state, and all that has come since as it is.

    None where that cannot be: all was sent, the history is another one by now, or a provider would refuse it. `read` is
    the request of this body, where it was read before.
    """
    if state.sent is None:
        return None
    try:
        request = adapter.read(body, known) if read is None else read
    except NotUnderstood:
        return None
    if not request.windowed:
        return None
    items = request.conversation.items
    window, same = pieces_again(state.sent, items, state.catalogue, state.full_name)
    if not window:
        return None
    found = adapter.write(request, window, same)
    return None if new_problems(adapter, body, found) else Sending(found, request)


def nearest(adapter: Adapter, body: bytes, states: Iterable[State]) -> Sending | None:
    """Return the same with the state whose window has most in common with a request."""
    request = adapter.read(body)
    items, most, found = request.conversation.items, 0, State()
    for state in states:
        if state.sent is None:
            continue
        _, same = pieces_again(state.sent, items, state.catalogue, state.full_name)
        if same > most:
            most, found = same, state
    return again(adapter, body, None, found, request)
