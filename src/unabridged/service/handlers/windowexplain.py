"""What a live window holds, worked out from what is archived of its conversation."""

from __future__ import annotations

import msgspec

from unabridged.archive import windows as kept
from unabridged.archive.captured import items_of
from unabridged.errors import LimitExceeded, UnabridgedError
from unabridged.schema.windows import Window
from unabridged.service.caller import Call
from unabridged.service.handlers import windowviews
from unabridged.service.live import WindowExplainAnswer, WindowExplainRequest
from unabridged.window import state as states
from unabridged.window.epoch import plan
from unabridged.window.holdings import holdings
from unabridged.window.limits import Limits
from unabridged.window.messages import Conversation, Item
from unabridged.window.providers.answers import ADAPTERS, LISTS, MESSAGES_FORMAT
from unabridged.window.state import State

MAX_PARTS = 1_000  # that are told of one by one
NEVER = 1 << 40  # tokens or turns; the window is shown as it is, so nothing makes it rotate


def window_explain(call: Call, request: WindowExplainRequest) -> WindowExplainAnswer:
    """Tell what a window holds by role and tool, its largest parts, and how long its table of contents is."""
    if not 0 <= request.limit <= MAX_PARTS:
        raise LimitExceeded("limit is out of range", field="limit", limit=MAX_PARTS, value=request.limit)
    with call.services.store.snapshot() as reader:
        home = windowviews.named(call, reader, request.target)[0]
        window = kept.window_at(reader, home)
        items = items_of(reader, window)
        row = windowviews.row(reader, window)
    state = _state(window)
    conversation = _conversation(window, items)
    durable = frozenset(item.key for item in conversation.items)
    unbounded = Limits(rotation=NEVER, hard=NEVER, rotation_turns=NEVER, gates=state.gates or Limits().gates)
    made = plan(conversation, msgspec.structs.replace(state, forced=False), unbounded, durable)
    found = holdings(conversation, made, request.limit)
    entries = state.entries if state.catalogue else ()
    return WindowExplainAnswer(
        window=row,
        exact=_exact(conversation, state) and made.state.epoch == state.epoch,
        tokens=found.tokens,
        held=[msgspec.structs.asdict(one) for one in found.held],
        largest=[msgspec.structs.asdict(one) for one in found.largest],
        catalogue={
            "entries": len(entries),
            "turns": sum(entry.turns for entry in entries),
            "tokens": sum(entry.tokens for entry in entries),
        },
        omissions=windowviews.omissions(window),
    )


def _state(window: Window) -> State:
    try:
        return states.decode(window.state) if window.state else State()
    except UnabridgedError:  # of a newer version: nothing is known of its cut
        return State()


def _conversation(window: Window, kept_items: list[tuple[str, bytes]]) -> Conversation:
    """Return the archived items as one conversation, under the keys that they had on the wire."""
    form = window.format or MESSAGES_FORMAT
    body = b'{"' + LISTS[form].encode() + b'":[' + b",".join(raw for _, raw in kept_items) + b"]}"
    read = ADAPTERS[form].read(body).conversation
    items = tuple(
        Item(item.role, item.parts, key, item.tokens)
        for item, (key, _) in zip(read.items, kept_items, strict=True)
    )
    return Conversation(window.model, items)


def _exact(conversation: Conversation, state: State) -> bool:
    """Tell whether what is archived is what the last request held, in its order: a host may have gone back."""
    return state.shown.count > 0 and state.shown.holds(conversation.items)
