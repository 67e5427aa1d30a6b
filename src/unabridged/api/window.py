"""A bounded window over one conversation with a model, for programs that send their requests themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, TypeVar

import msgspec

from unabridged.api.exchange import Exchange
from unabridged.api.keeping import Keeper
from unabridged.api.plain import plain
from unabridged.errors import InvalidInput
from unabridged.window.execute import Prepared, account, answered, behind
from unabridged.window.gating import Omission
from unabridged.window.limits import Limits
from unabridged.window.notices import Notice
from unabridged.window.providers.contract import Request as Read
from unabridged.window.providers.sidecalls import Aside, aside
from unabridged.window.providers.usage import Usage
from unabridged.window.providers.usage import usage as usage_of

MOST_KEPT = 256  # answers and conversations of a provider of which it is known what they go on from

Given = TypeVar("Given", bound=bytes | bytearray | Mapping[str, Any] | Sequence[Any])


class Rules(Protocol):
    """What a person set for windows."""

    def limits(self, model: str, reserve: int, told: int) -> Limits:
        """Return the limits for `provider/model`."""
        ...

    def redact(self, text: str) -> str:
        """Return a text as it may be stored."""
        ...


class Turn:
    """One request: `request` is what to send."""

    def __init__(
        self,
        window: Window,
        exchange: Exchange,
        made: Prepared,
        limits: Limits,
        side: Aside,
        keys: tuple[str, ...],
    ) -> None:
        """Hold what a window decided; `keys` are those of all that was said up to here."""
        self._window, self.keys = window, keys
        self.exchange, self.made, self.limits, self.side = exchange, made, limits, side
        self.settled = False
        self.request = exchange.result(made)

    def record(self, answer: Any) -> None:
        """Archive the answer, and account for what it cost; None: there was none."""
        self._window.end(self, answer)


class Window:
    """The window of one conversation: what is sent of a history that only grows.

    `apply` archives what is new, then says what to send; `record` takes the answer. Between two cuts what is sent only
    grows at its end, so that the provider's prompt cache holds; what a cut leaves out can be recalled word for word.
    One request after the other: a second `apply` says that the first request was sent.

    Where the archive does not answer, the request is made as small as it last was and no smaller, and `fault` says why;
    with `strict` the error is raised instead.
    """

    def __init__(self, keeper: Keeper, rules: Rules) -> None:
        """Keep a window over a conversation; `Archive.window` makes one."""
        self._keeper, self._rules = keeper, rules
        self._turn: Turn | None = None
        self._lock = threading.RLock()
        self._prepared: Prepared | None = None
        self._limits = Limits()
        # The keys of all up to an answer that the provider keeps, or in a conversation that it does, by its id.
        self._kept_there = dict[str, tuple[str, ...]]()

    # --- what is sent and what came back --------------------------------------------------------------------------

    def apply(self, request: Given, *, format: str = "") -> Given:
        """Return what to send instead of a request, in the form in which it is given.

        `request` is a request's body (bytes), the arguments of a client's call (a mapping), or the list of messages.
        `format` is messages, responses or chat; "": what the window's model and the request say. What comes back is the
        very object that was given where nothing is left out. Raises `InvalidInput` for what is no request.
        """
        with self._lock:
            if self._turn is not None:
                self._settle(self._turn, None)
            self._turn = self.begin(Exchange(request, format, self._keeper.named.model))
            return self._turn.request

    def record(self, answer: Any) -> None:
        """Archive the answer to the last request, and account for what it cost.

        `answer` is what a client returned, its JSON (bytes), or a mapping. What is no answer of the request's format
        is only taken as the end of the request. Raises `InvalidInput` where no request is under way.
        """
        self._under_way("answer").record(answer)

    def usage(self, usage: Any) -> None:
        """Account for what the last request cost, where there is no answer to record.

        `usage` is the `usage` object of a provider's answer. Estimates are corrected by what it counts.
        """
        try:
            counted = usage_of(msgspec.json.encode(plain(usage)))
        except TypeError as error:
            raise InvalidInput(str(error), field="usage") from error
        turn = self._under_way("usage")
        with self._lock:
            self._settle(turn, counted)

    def begin(self, exchange: Exchange) -> Turn:
        """Archive what is new in a request and decide what is sent of it."""
        with self._lock:
            self._keeper.fault = ""
            self._limits = self._limited(exchange)
            read, keys = self._archived(exchange)
            side = aside(read.conversation) if read is not None else Aside.NONE
            limits = self._limits
            if side is not Aside.NONE:
                limits = msgspec.structs.replace(limits, enabled=False)
            made = self._keeper.live.prepare(
                exchange.adapter,
                exchange.body,
                limits,
                redact=self._rules.redact,
                frozen=bool(self._keeper.fault),
                read=read if read is not None and read.body is exchange.body else None,
            )
            self._keeper.live.under_way(made)
            self._prepared = made
            return Turn(self, exchange, made, limits, side, keys)

    def counted(self, exchange: Exchange) -> Any:
        """Return a request that is only to be counted as it would be sent; nothing is archived or remembered of it."""
        with self._lock:
            read = exchange.read(self._keeper.live.known)
            if read is None or read.body is not exchange.body:
                return exchange.given
            limits = self._limited(exchange)
            trial = self._keeper.live.trial(item.key for item in read.conversation.items)
            made = trial.prepare(
                exchange.adapter, exchange.body, limits, redact=self._rules.redact, read=read
            )
            return exchange.result(made)

    def end(self, turn: Turn, answer: Any) -> None:
        """Archive the answer to a request, and account for what it cost; once."""
        with self._lock:
            if turn.settled:
                return
            exchange, found = turn.exchange, turn.exchange.answer(answer)
            if found.items and turn.made.sending.request is not None:
                raws = [msgspec.json.encode(item, order=exchange.order) for item in found.items]
                rows = answered(exchange.adapter, turn.keys, exchange.member, raws, found.message)
                if self._keeper.opened:
                    self._keeper.capture(rows)
                self._remember(turn, found.message, (row.key for row in rows if not row.part))
            self._settle(turn, usage_of(found.usage))

    def rotate(self) -> None:
        """Have the next request begin a new epoch: cut now, at the cost of the prompt cache."""
        with self._lock:
            self._keeper.rotate()

    def close(self) -> None:
        """Keep what the last request came to; the window may go on afterwards."""
        with self._lock:
            if self._turn is not None:
                self._settle(self._turn, None)

    def __enter__(self) -> Window:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    # --- what is known of it ----------------------------------------------------------------------------------------

    @property
    def conversation(self) -> str:
        """The conversation's id: `una window why` and `Archive.window_show` take it."""
        return self._keeper.named.conversation

    @property
    def address(self) -> str:
        """What names begin with that recall what was left out; "" before the first request."""
        return self._keeper.live.state.address

    @property
    def epoch(self) -> int:
        """How often a new beginning was made."""
        return self._keeper.live.state.epoch

    @property
    def tokens(self) -> int:
        """Tokens of the last window, as the provider would count them."""
        plan = self._prepared.sending.plan if self._prepared else None
        return plan.tokens if plan else 0

    @property
    def limits(self) -> Limits:
        """The limits that held for the last request."""
        return self._limits

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know of the last window."""
        plan = self._prepared.sending.plan if self._prepared else None
        return plan.notices if plan else ()

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """Texts that the last window shows as previews or references; turns before the cut are in its catalogue."""
        plan = self._prepared.sending.plan if self._prepared else None
        return plan.omissions if plan else ()

    @property
    def catalogue(self) -> str:
        """The table of contents that stands where the cut is; "" where nothing is cut."""
        return self._keeper.live.state.catalogue

    @property
    def fault(self) -> str:
        """The code of what failed with the last request; "" where nothing did."""
        return self._keeper.fault or (self._prepared.fault if self._prepared else "")

    def goes_on(self, previous: str) -> bool:
        """Tell whether an answer or a conversation that the provider keeps is of this one."""
        return previous in self._kept_there

    def _limited(self, exchange: Exchange) -> Limits:
        """Return the limits for a request; where a setting leaves no window for it, those of the last one."""
        model = self._model(exchange)
        found = self._keeper.guarded(lambda: self._rules.limits(model, exchange.reserve, exchange.told))
        return self._limits if found is None else found

    def _model(self, exchange: Exchange) -> str:
        named = exchange.arguments.get("model")
        return (
            f"{exchange.adapter.provider}/{named}"
            if isinstance(named, str) and named
            else self._keeper.named.model
        )

    def _remember(self, turn: Turn, message: str, answered: Iterable[str]) -> None:
        keys = (*turn.keys, *answered)
        for name in (message, turn.exchange.conversation):
            if name:
                self._kept_there.pop(name, None)
                self._kept_there[name] = keys
        while len(self._kept_there) > MOST_KEPT:
            self._kept_there.pop(next(iter(self._kept_there)))

    def _archived(self, exchange: Exchange) -> tuple[Read | None, tuple[str, ...]]:
        """Make what is new in a request durable, as far as the archive takes it.

        Return the request as it was read, and the keys of all that was said up to its end, as far as it is known.
        """
        keeper = self._keeper
        read, before = exchange.read(keeper.live.known), self._kept_there.get(exchange.previous, ())
        if read is None:
            return None, ()
        read = behind(before, read)
        keeper.open([item.key for item in read.conversation.items], exchange.form)
        if keeper.opened:
            keeper.capture(keeper.live.missing(read))
        return read, (*before, *read.conversation.keys)

    def _under_way(self, field: str) -> Turn:
        turn = self._turn
        if turn is None or turn.settled:
            raise InvalidInput("there is no request that this would belong to", field=field)
        return turn

    def _settle(self, turn: Turn, usage: Usage | None) -> None:
        """Account for a request that was sent; once."""
        if turn.settled:
            return
        turn.settled = True
        if usage is not None:
            self._keeper.live.reported(turn.made, usage)
        side = "" if turn.side is Aside.NONE else turn.side.value
        self._keeper.save(account(turn.made, turn.limits, usage, side))
