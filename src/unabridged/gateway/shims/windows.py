"""Windows for a host's own extension: besides the gateway's, what stands for a history that the host makes short."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.daemon.origins import Headers
from unabridged.gateway.conversations import OpenConversation
from unabridged.gateway.filing import Patience
from unabridged.gateway.going import Going, list_name, outside
from unabridged.gateway.identity import beside, who
from unabridged.gateway.windows import Windows
from unabridged.window import execute
from unabridged.window.answers.contract import Answer
from unabridged.window.handover import Handover, handover
from unabridged.window.limits import Limits
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.sidecalls import Aside
from unabridged.window.providers.splice import NotUnderstood

AGAIN_AFTER, AGAIN_FOR = 0.3, 7.0  # seconds
SLOW = frozenset({"archive-slow", "archive-ill"})  # it was waited for already


class HostWindows(Windows):
    """The windows of one host's sessions."""

    async def _remembered(
        self,
        conversation: OpenConversation,
        adapter: Adapter,
        request: Request,
        kind: Aside,
        limits: Limits,
        patience: Patience,
    ) -> str:
        """Wait as the gateway does; where the provider would refuse the request as it is, also for another daemon.

        This process begins with its host: it knows no cut yet, and a daemon that was killed is away for a moment.
        """
        takes = limits.window or limits.hard
        bounds = msgspec.structs.replace(limits, hard=takes)
        late = await super()._remembered(conversation, adapter, request, kind, bounds, patience)
        refused = request.conversation.tokens > takes
        while late and late not in SLOW and refused and patience.waited < AGAIN_FOR:
            await patience.wait(AGAIN_AFTER)
            late = await super()._remembered(conversation, adapter, request, kind, bounds, patience)
        return late

    async def cut_again(self, adapter: Adapter, body: bytes, headers: Headers) -> bytes:
        """Return a request beside the conversation with the last cut made again; nothing is remembered of it."""
        try:
            request, conversation, limits = self._looked_up(adapter, body, headers)
        except NotUnderstood:
            return body
        await self._remembered(conversation, adapter, request, Aside.NONE, limits, Patience())
        return conversation.live.prepare(
            adapter, body, limits, redact=self._redact, frozen=True, read=request
        ).body

    async def handover(self, adapter: Adapter, body: bytes, headers: Headers) -> tuple[Handover | None, str]:
        """Return what stands for a conversation that its host makes short, and why it must not ("": it may).

        All of it is archived first. The state behind the compaction is kept once it is asked for.
        """
        patience = Patience()
        try:
            request, conversation, limits = self._looked_up(adapter, body, headers, remember=True)
        except NotUnderstood:
            return None, execute.NOT_UNDERSTOOD
        late = await self._remembered(conversation, adapter, request, Aside.NONE, limits, patience)
        filed = self._admission.request(conversation, adapter, request, Aside.NONE)
        if filed is not None and not late:
            late = await self._filing.within(filed, patience)
        if late:
            return None, late
        durable = frozenset(conversation.live.durable)
        made = handover(request.conversation, conversation.live.state, durable, redact=self._redact)
        if not made.archive:
            conversation.live.state = made.state
            account = execute.Account(
                request.conversation.model, side=Aside.COMPACTION.value, window=limits.window
            )
            self._admission.when_settled(conversation, lambda: self._filing.save(conversation, account))
        return made, ""

    def heard(self, sent: Going, raws: Sequence[bytes], usage: bytes) -> None:
        """Take what came of a request: the messages that the host has of it now, and what it cost."""
        if raws and sent.conversation is not None and sent.adapter is not None:
            rows = execute.answered(sent.adapter, sent.keys, list_name(sent.adapter), raws, "")
            self._admission.answer(sent.conversation, rows)
        self.answered(sent, Answer(usage=usage))

    def _looked_up(
        self, adapter: Adapter, body: bytes, headers: Headers, *, remember: bool = False
    ) -> tuple[Request, OpenConversation, Limits]:
        """Return a request taken apart, its conversation and its limits; raise `NotUnderstood`."""
        request = adapter.read(body, self._known)
        said = beside(outside(request, body))
        limits, _ = self._bounds(request.conversation.model, said.reserve, 0)
        find = self._conversations.find if remember else self._conversations.peek
        return (
            request,
            find(who(headers, said, self._default), request.conversation, said, Aside.NONE),
            limits,
        )
