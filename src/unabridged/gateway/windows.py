"""A request given its window, and what is filed of it and of its answer.

Whatever fails here, the request goes out: with the last cut made again, or as it came. What is waited for is bounded,
and only waited for where something is to be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from unabridged.daemon.origins import Headers
from unabridged.gateway.admission import Admission, has_past
from unabridged.gateway.bounds import Bounds, told_window
from unabridged.gateway.conversations import OpenConversation, OpenConversations
from unabridged.gateway.filing import Filing, Patience
from unabridged.gateway.going import Going, going, list_name, outside
from unabridged.gateway.identity import Who, beside, who
from unabridged.gateway.longwork import LongWork
from unabridged.window import execute, state
from unabridged.window.answers.contract import Answer
from unabridged.window.answers.shapes import as_sent_back
from unabridged.window.catalogue import as_they_are
from unabridged.window.limits import Limits
from unabridged.window.providers import sidecalls
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.known import Known
from unabridged.window.providers.sending import Sending, whole
from unabridged.window.providers.splice import NotUnderstood
from unabridged.window.providers.usage import Usage, summed, usage

if TYPE_CHECKING:
    from unabridged.gateway.offered.offers import Offers

KNOWN_BYTES = 16 << 20  # of the last requests of all conversations: what is sent again is not read again

Redact = Callable[[str], str]


class Windows:
    """The windows of all conversations of a process."""

    def __init__(
        self,
        filing: Filing,
        bounds: Bounds,
        default: Who,
        redact: Redact = as_they_are,
        offers: Offers | None = None,
    ) -> None:
        """File with `filing`; `bounds` says how much may be sent, `redact` masks what the archive masks.

        `default` says whose requests are that do not say it. `offers`: models are offered tools of ours.
        """
        self.offers = offers
        self._filing = filing
        self._bounds, self._default, self._redact = bounds, default, redact
        self._known = Known(KNOWN_BYTES)
        self._conversations = OpenConversations(self._known, filing.place)
        self._admission = Admission(filing, self._conversations)
        self._long = LongWork()

    async def window(self, adapter: Adapter, body: bytes, headers: Headers) -> Going:
        """Return what to send of a request that a model is to answer."""
        patience, size = Patience(), len(body)
        try:
            request = await self._long.run(size, lambda: whole(adapter, body, self._known))
        except NotUnderstood:
            return Going(body, execute.NOT_UNDERSTOOD)
        said = beside(outside(request, body))
        kind = sidecalls.aside(request.conversation)
        conversation = self._conversations.find(
            who(headers, said, self._default), request.conversation, said, kind
        )
        before = conversation.before(said.previous)
        request = execute.behind(before, request)
        limits, fault = self._bounds(request.conversation.model, said.reserve, told_window(headers))
        late = await self._remembered(conversation, adapter, request, kind, limits, patience)
        filed = self._admission.request(conversation, adapter, request, kind)
        if kind is not sidecalls.Aside.NONE:
            made = await self._long.run(
                size, lambda: self._beside(adapter, body, conversation, request, limits, kind)
            )
            return going(adapter, conversation, request, made, limits, fault, kind, before)
        chosen, unoffered, offering, read = adapter, "", None, request if request.body is body else None
        if self.offers is not None:
            offering, taken = await self.offers.around(adapter, conversation, request, whole=read is not None)
            chosen, read = offering or adapter, taken if read is not None else None

        def prepared(*, frozen: bool = False) -> execute.Prepared:
            if fault:  # the settings leave no window
                return conversation.live.repeated(chosen, body, fault, read)
            return conversation.live.prepare(
                chosen, body, limits, redact=self._redact, frozen=frozen, read=read
            )

        made = await self._long.run(size, prepared)
        if made.error is not None and self.offers is not None and offering is not None:
            self.offers.failed(conversation, made.error)
            chosen, offering, read = adapter, None, request if request.body is body else None
            made, unoffered = await self._long.run(size, prepared), execute.PLANNER
        if filed is not None and made.sending.plan is not None and made.sending.plan.archive:
            # Where no cut was made before, it would go out as it came.
            takes = limits.window or limits.hard
            refused = not conversation.live.state.cut.index and request.conversation.tokens > takes
            told = late or await self._filing.within(filed, patience, longer=refused)
            frozen = told not in ("", execute.INVALID)  # then all but what it cannot keep is durable
            made = await self._long.run(size, lambda: prepared(frozen=frozen))
            late = told
        conversation.live.under_way(made)
        late = late or conversation.live.held_up(made)
        fault, conversation.fault = late or fault or unoffered or conversation.fault, ""
        return going(adapter, conversation, request, made, limits, fault, kind, before, offering)

    async def again(self, adapter: Adapter, body: bytes) -> Going:
        """Return a request, of which something of ours raised, with the last window of its conversation.

        As it came where none is known here. It raises nothing.
        """
        states = self._conversations.states()
        made = await self._long.run(len(body), lambda: execute.repeated(adapter, body, states))
        return Going(made.body, made.fault)

    async def counted(self, adapter: Adapter, body: bytes, headers: Headers) -> bytes:
        """Return the body of a request that is only to be counted, as it would be sent; nothing is remembered of it."""
        try:
            request = await self._long.run(len(body), lambda: adapter.read(body, self._known))
        except NotUnderstood:
            return body
        said = beside(outside(request, body))
        limits, _ = self._bounds(request.conversation.model, said.reserve, told_window(headers))
        whose = who(headers, said, self._default)
        conversation = self._conversations.peek(whose, request.conversation, said, sidecalls.Aside.NONE)
        trial = conversation.live.trial(item.key for item in request.conversation.items)
        offering, read = None, request
        if self.offers is not None:
            offering, read = self.offers.beside(adapter, conversation, request, whole=True)
        made = await self._long.run(
            len(body),
            lambda: trial.prepare(offering or adapter, body, limits, redact=self._redact, read=read),
        )
        return made.body

    def answered(self, sent: Going, answer: Answer, spent: Sequence[Usage] = ()) -> None:
        """Take the answer to a request: archive it, count it, keep the state.

        `spent` is what each of the provider's answers used, where there were several.
        """
        conversation, adapter, account = sent.conversation, sent.adapter, sent.account
        if conversation is None or adapter is None:
            return
        self._conversations.answered(conversation, answer.message)
        counted = usage(answer.usage) if answer.usage else None
        first, counted = (spent[0], summed(spent)) if spent else (counted, counted)
        if first is not None and counted is not None:
            if sent.estimate and not account.side:
                known = conversation.live.state
                conversation.live.state = state.reported(known, sent.estimate, first.prompt, sent.size)
            account = msgspec.structs.replace(
                account,
                input=counted.input,
                cache_read=counted.cache_read,
                cache_write=counted.cache_write,
                output=counted.output,
            )
        back = as_sent_back(answer.items, conversation.host)
        if back and not account.side:
            rows = execute.answered(adapter, sent.keys, list_name(adapter), back, answer.message)
            self._admission.answer(conversation, rows)
            if list_name(adapter) == "input":
                conversation.kept = answer.message, (*sent.keys, *(row.key for row in rows if not row.part))
        self._admission.when_settled(conversation, lambda: self._filing.save(conversation, account))

    def unanswered(self, sent: Going) -> None:
        """Take that a provider did not answer a request with a message: it is accounted for all the same."""
        conversation = sent.conversation
        if conversation is not None:
            self._admission.when_settled(conversation, lambda: self._filing.save(conversation, sent.account))

    def _beside(
        self,
        adapter: Adapter,
        body: bytes,
        conversation: OpenConversation,
        request: Request,
        limits: Limits,
        kind: sidecalls.Aside,
    ) -> execute.Prepared:
        """Return a request that is beside the conversation, as it came.

        A host that wants its own summary of more than the model takes gets one of the window: the last cut is made.
        """
        tokens = conversation.live.state.calibration.scaled(request.conversation.tokens)
        if kind is sidecalls.Aside.COMPACTION and tokens > (limits.window or limits.hard):
            return conversation.live.prepare(adapter, body, limits, redact=self._redact, frozen=True)
        return execute.Prepared(Sending(body, request))

    async def _remembered(
        self,
        conversation: OpenConversation,
        adapter: Adapter,
        request: Request,
        kind: sidecalls.Aside,
        limits: Limits,
        patience: Patience,
    ) -> str:
        """Wait for what the archive remembers of a conversation that has begun before; return why it is not known.

        Without it the last cut would not be made again: a provider's cache would not hold, and where all that was said
        is too long by now, there would be no answer. That is worth a longer wait.
        """
        if conversation.settled or kind is sidecalls.Aside.TITLE or not has_past(request):
            return ""
        asked = self._admission.settle(conversation, adapter, request, kind)
        too_long = request.conversation.tokens > limits.hard
        return await self._filing.within(asked, patience, longer=too_long)
