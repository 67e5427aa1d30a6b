"""A window carried out: what has to be archived before a request is cut, what is sent, what is accounted for.

Who sends asks `Live` what is to be captured, tells it what became durable, and lets it prepare the request. Nothing is
asked or stored here; nothing leaves a request but what was told durable. Whatever fails, a request can be sent: with
the last cut made again, or as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

import msgspec

from unabridged.window import state as states
from unabridged.window.catalogue import as_they_are
from unabridged.window.epoch import NOTHING, Plan
from unabridged.window.groups import PINS
from unabridged.window.guard import tried
from unabridged.window.limits import Limits
from unabridged.window.messages import KEY_CHARS, Conversation, Item, Keys
from unabridged.window.providers.again import again, nearest
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending, sending
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.providers.usage import Usage
from unabridged.window.state import State

SLICE_BYTES = (
    4 << 20
)  # of one row: a frame of the daemon's protocol takes 16 MiB, in which JSON is quoted once more
BATCH_BYTES = 6 << 20  # of the rows of one call
BATCH_ROWS = 2_000
KNOWN_BYTES = 8 << 20  # of requests whose history is not read again

NAME_BYTES = 300  # of one key, preview or entry of a state, about

ROTATED = "rotated"  # the notice of a request with which a new epoch began
REFUSED, NOT_UNDERSTOOD, PLANNER, ARCHIVE = "refused", "not-understood", "planner", "archive"
INTERNAL = "internal-error"
# The archive took an item for none that can be kept, or did not say that it has it, though it was sent several times.
INVALID, INCOMPLETE = "archive-invalid", "archive-incomplete"
CAPTURES = 3  # times that an item is sent until the archive says that it has it


class Row(msgspec.Struct, frozen=True):
    """An item to archive, or one slice of a long one; `raw` is its JSON as it is on the wire."""

    key: str
    raw: bytes
    origin: str = "request"
    message: str = ""
    part: int = 0
    more: bool = False


class Account(msgspec.Struct, frozen=True):
    """What one request came to; `sent` and `whole` are estimates as the provider would count, the rest it reported."""

    model: str = ""
    epoch: int = 0
    rotated: bool = False
    sent: int = 0
    whole: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    cut: int = 0
    omissions: int = 0
    notices: tuple[tuple[str, str], ...] = ()
    fault: str = ""
    side: str = ""
    limit: int = 0
    hard: int = 0
    window: int = 0
    users: int = 0
    turns: int = 0


class Prepared(msgspec.Struct, frozen=True):
    """A request ready to be sent, the code of what failed on the way ("": nothing), and what of ours raised there."""

    sending: Sending
    fault: str = ""
    error: Exception | None = None

    @property
    def body(self) -> bytes:
        """The bytes to send."""
        return self.sending.body


class Live:
    """What a process remembers of one conversation between its requests; one request at a time."""

    def __init__(
        self, state: State | None = None, durable: Iterable[str] = (), erased: Iterable[str] = ()
    ) -> None:
        """Go on from a state with what is known durable and erased."""
        self.state = state or State()
        self.durable, self.erased = set(durable), set(erased)
        self.invalid = set[
            str
        ]()  # of items that the archive cannot keep: not sent to it again, and never cut
        self.known = Known(KNOWN_BYTES)
        self._unsaved = False  # a rotation that the archive has not heard of

    def told(
        self,
        durable: Iterable[str] = (),
        erased: Iterable[str] = (),
        invalid: Iterable[str] = (),
        *,
        forced: bool = False,
    ) -> None:
        """Take what the archive acknowledged.

        `forced`: a rotation was asked for; until `saved`, it may be the one that has been made already.
        """
        self.durable.update(durable)
        erased = set(erased)
        if not erased <= self.erased:  # previews that stood may be of what must not leave any more
            self.state = msgspec.structs.replace(self.state, sent=None)
        self.erased |= erased
        self.invalid.update(invalid)
        self.durable -= erased | self.invalid
        if forced and not self._unsaved:
            self.state = states.forced(self.state)

    def missing(self, request: Request) -> list[Row]:
        """Return the items of a request that are neither archived nor erased nor invalid, long ones in slices."""
        body, rows, durable, never = request.body, list[Row](), self.durable, self.erased | self.invalid
        keys = request.conversation.keys
        new = set(keys) - durable - never
        for key, (start, stop) in zip(keys, request.spans, strict=False) if new else ():
            if key in new:
                rows.extend(sliced(Row(key, body[start:stop])))
        return rows

    def prepare(
        self,
        adapter: Adapter,
        body: bytes,
        limits: Limits,
        pins: Sequence[str] = PINS,
        redact: Callable[[str], str] = as_they_are,
        *,
        frozen: bool = False,
        read: Request | None = None,
    ) -> Prepared:
        """Return what to send of a request with what is durable now. It raises nothing, and changes no state.

        `frozen`: the archive does not answer, so the last cut is made again and nothing more leaves. `read` is the
        request of this body, where it was read before.
        """

        def planned(durable: Container[str]) -> Sending:
            return sending(
                adapter, body, self.state, limits, durable, self.erased, self.known, pins, redact, read
            )

        errors = list[Exception]()
        made = tried(lambda: planned(NOTHING if frozen else self.durable), errors)
        if made is not None and not made.understood:
            return Prepared(made, NOT_UNDERSTOOD)
        if made is not None and not made.problems:
            return Prepared(made)
        fault = REFUSED if made is not None else PLANNER
        made = made or tried(lambda: planned(NOTHING), errors)
        if made is None or made.plan is None:
            made = tried(lambda: again(adapter, body, self.known, self.state), errors) or made
        return Prepared(made or Sending(body, understood=False), fault, next(iter(errors), None))

    def repeated(self, adapter: Adapter, body: bytes, fault: str, read: Request | None = None) -> Prepared:
        """Return what to send of a request where no window can be planned: the last one again, else what came."""
        errors = list[Exception]()
        made = tried(lambda: again(adapter, body, self.known, self.state, read), errors)
        return Prepared(made or Sending(body, read), fault, next(iter(errors), None))

    def trial(self, keys: Iterable[str]) -> Live:
        """Return a copy to try a request on, as if all of it were durable."""
        made = Live(self.state, self.durable.union(keys) - self.erased - self.invalid, self.erased)
        made.known = self.known
        return made

    def held_up(self, made: Prepared) -> str:
        """Return why something stays in a request that would be left out, "" where nothing does.

        Without another fault that is an item which the archive cannot keep, or of which it has not said that it does.
        """
        plan = made.sending.plan
        if made.fault or plan is None or not plan.archive:
            return ""
        return INVALID if any(wanted.key in self.invalid for wanted in plan.archive) else INCOMPLETE

    def unsettled(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of which the archive has not said what became of them."""
        said = (self.durable, self.erased, self.invalid)  # not put together: they hold a whole history
        return [row for row in rows if not any(row.key in keys for keys in said)]

    def under_way(self, made: Prepared) -> None:
        """Take the state of a request that is sent."""
        plan, request = made.sending.plan, made.sending.request
        if plan is None or request is None:
            return
        items, before = request.conversation.items, self.state.sent
        self.state = states.under_way(plan.state, plan.window, items, before)
        self._unsaved = self._unsaved or plan.rotated

    def state_bytes(self) -> int:
        """Return about how many bytes the state takes."""
        state = self.state
        kept = state.sent
        names = len(state.inline) + len(state.replaced) + (len(kept.pieces) + len(kept.tail) if kept else 0)
        return len(state.catalogue) + NAME_BYTES * (names + len(state.entries))

    def saved(self) -> None:
        """Take that the archive has the state."""
        self._unsaved = False

    def reported(self, made: Prepared, usage: Usage) -> None:
        """Learn from what the provider counted for a request."""
        plan = made.sending.plan
        if plan is not None:
            self.state = states.reported(self.state, plan.estimate, usage.prompt, len(made.body))


def repeated(adapter: Adapter, body: bytes, known: Sequence[State]) -> Prepared:
    """Return what to send of a request of which something of ours raised before it was known whose it is.

    The last window of the conversation of `known` states that it goes on with, else what came. It raises nothing.
    """
    made = tried(lambda: nearest(adapter, body, known), [])
    return Prepared(made or Sending(body, understood=False), INTERNAL)


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in order, as many as one call takes."""
    batch, size = list[Row](), 0
    for row in rows:
        if batch and (size + len(row.raw) > BATCH_BYTES or len(batch) >= BATCH_ROWS):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row.raw)
    if batch:
        yield batch


def sliced(row: Row, most: int = SLICE_BYTES) -> Iterator[Row]:
    """Yield a row in slices of at most so many bytes, each of them whole characters."""
    raw, start, part = row.raw, 0, 0
    while True:
        stop = _character_end(raw, min(start + most, len(raw)))
        yield Row(row.key, raw[start:stop], row.origin, row.message, part, stop < len(raw))
        if stop >= len(raw):
            return
        start, part = stop, part + 1


def _character_end(raw: bytes, stop: int) -> int:
    """Return the last end of a character at or before `stop`."""
    while stop < len(raw) and raw[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop


def following(keys: Iterable[str], items: Iterable[Item]) -> list[Item]:
    """Return items with the keys that they will have behind those of a request."""
    coming = [Item(item.role, item.parts, item.key[:KEY_CHARS], item.tokens) for item in items]
    return list(map(Keys.behind(keys, coming).keyed, coming))


def behind(keys: Sequence[str], request: Request) -> Request:
    """Return a request of what is new with the keys that its items have behind those that came before."""
    if not keys:
        return request
    said = request.conversation
    made = Conversation(said.model, tuple(following(keys, said.items)), said.fixed)
    return msgspec.structs.replace(request, conversation=made)


def answered(
    adapter: Adapter, keys: Sequence[str], member: str, raws: Sequence[bytes], message: str
) -> list[Row]:
    """Return the rows of an answer: its items as the client will send them back, under the keys they will have then.

    `keys` are those of the request's items, `member` is what the format calls its list, `message` the provider's id of
    the answer.
    """
    body = b'{"' + member.encode() + b'":[' + b",".join(raws) + b"]}"
    try:
        read = adapter.read(body)
    except NotUnderstood:
        return []
    items = following(keys, read.conversation.items)
    rows = list[Row]()
    for item, (start, stop) in zip(items, read.spans, strict=False):
        rows.extend(sliced(Row(item.key, body[start:stop], "answer", message)))
    return rows


def account(made: Prepared, limits: Limits, usage: Usage | None = None, side: str = "") -> Account:
    """Return what a request came to, with what the provider reported where it did."""
    plan, request, counted = made.sending.plan, made.sending.request, usage or Usage()
    conversation = request.conversation if request else None
    whole = conversation.tokens if conversation else 0
    calibration = plan.state.calibration if plan else states.State().calibration
    return Account(
        model=conversation.model if conversation else "",
        epoch=plan.state.epoch if plan else 0,
        rotated=plan.rotated if plan else False,
        sent=plan.tokens if plan else whole,
        whole=calibration.scaled(whole),
        input=counted.input,
        cache_read=counted.cache_read,
        cache_write=counted.cache_write,
        output=counted.output,
        cut=plan.state.cut.index if plan else 0,
        omissions=len(plan.omissions) if plan else 0,
        notices=_told(plan) if plan else (),
        fault=made.fault,
        side=side,
        limit=limits.rotation,
        hard=limits.hard,
        window=limits.window,
        users=plan.users if plan else 0,
        turns=limits.rotation_turns,
    )


def _told(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return notices by code and text; why a new epoch began is one of them."""
    found = tuple((notice.code.value, notice.text) for notice in plan.notices)
    return ((ROTATED, f"a new epoch: {plan.why}"), *found) if plan.why else found
