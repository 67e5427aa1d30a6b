"""What is done when one request alone is too long: its older results become previews again, smaller ones.

A cut would part calls from results or lose the request, so the cut stays, and so does what the model has not seen.
"""

from __future__ import annotations

import msgspec

from unabridged.window.gating import Gated
from unabridged.window.rotation import WORTHWHILE
from unabridged.window.state import Mark, State, mark
from unabridged.window.view import View

LEAST_GATE = 64  # tokens; below this a preview is not smaller than its marker


def squeezed(view: View, state: State, found: Gated) -> State:
    """Return the state under which a window at its hard limit fits, or is a tenth of the rotation limit smaller."""
    tokens = view.tokens(state, found)
    if tokens < view.limits.hard or view.shape.fresh <= state.cut.index:
        return state
    best, least = state, tokens
    for gate in _gates(view, state):
        tried = msgspec.structs.replace(
            state,
            epoch=state.epoch + 1,
            shown=Mark(),
            regated=mark(view.items, view.shape.fresh),
            regate=gate,
            squeezed=True,
            inline=(),
            replaced=(),
        )
        size = view.tokens(tried, view.gated(tried))
        if size < least:
            best, least = tried, size
        if size <= view.limits.refill:
            break
    return best if tokens - least >= view.limits.rotation * WORTHWHILE else state


def _gates(view: View, state: State) -> list[int]:
    """Return the gates to try, each lower than the one before; what was shown small is not shown larger again."""
    pressure = view.gates(state).pressure
    known = state.regate if state.squeezed else pressure
    wanted = (pressure, pressure // 4, LEAST_GATE)
    return sorted({gate for gate in wanted if LEAST_GATE <= gate <= known} or {known}, reverse=True)
