"""What a live window holds, worked out from what is archived of its conversation."""

from __future__ import annotations

import msgspec

from unabridged.archive import windows as kept
from unabridged.archive.captured import Kept, items_of
from unabridged.errors import LimitExceeded, UnabridgedError
from unabridged.schema.windows import Window
from unabridged.service.caller import Call
from unabridged.service.handlers import windowviews
from unabridged.service.live import WindowExplainAnswer, WindowExplainRequest
from unabridged.window import state as states
from unabridged.window.epoch import plan
from unabridged.window.holdings import holdings
from unabridged.window.limits import Limits
from unabridged.window.messages import Conversation, Item, Kind
from unabridged.window.providers.adapters import ADAPTERS, LISTS, MESSAGES_FORMAT
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


def _conversation(window: Window, captured: list[Kept]) -> Conversation:
    """Return the archived items as one conversation, under the keys that they had on the wire.

    A client may write an answer with calls in another way than it came: then it is kept twice, and counts once.
    """
    form = window.format or MESSAGES_FORMAT
    body = b'{"' + LISTS[form].encode() + b'":[' + b",".join(one.raw for one in captured) + b"]}"
    read = ADAPTERS[form].read(body).conversation.items
    sent_back = {
        call for item, one in zip(read, captured, strict=True) if not one.answer for call in _calls(item)
    }
    items = [
        Item(item.role, item.parts, one.key, item.tokens)
        for item, one in zip(read, captured, strict=True)
        if not (one.answer and _calls(item) and sent_back.issuperset(_calls(item)))
    ]
    return Conversation(window.model, tuple(items))


def _calls(item: Item) -> list[str]:
    return [part.call for part in item.parts if part.kind is Kind.CALL and part.call]


def _exact(conversation: Conversation, state: State) -> bool:
    """Tell whether what is archived is what the last request held, in its order: a host may have gone back."""
    return state.shown.count > 0 and state.shown.holds(conversation.items)
