"""What a request brings is archived: first it is learnt what of its conversation is, then what is missing is filed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from unabridged.gateway.archive import Names
from unabridged.gateway.conversations import OpenConversation, OpenConversations
from unabridged.gateway.filing import Filing
from unabridged.gateway.folders import folder
from unabridged.gateway.identity import WITH_TOOLS
from unabridged.window.execute import Row
from unabridged.window.identity import chain
from unabridged.window.messages import Role
from unabridged.window.providers.adapters import ADAPTERS
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.sidecalls import Aside

# What the archive calls the formats.
FORMATS: Mapping[Adapter, str] = {adapter: name for name, adapter in ADAPTERS.items()}


NOBODY: frozenset[asyncio.Task[str]] = frozenset()  # is waited for


class Admission:
    """Files requests and answers of conversations."""

    def __init__(self, filing: Filing, conversations: OpenConversations) -> None:
        """File with `filing`; `talks` are told where one of them turns out to have another name."""
        self._filing, self._conversations = filing, conversations

    def request(
        self, conversation: OpenConversation, adapter: Adapter, request: Request, kind: Aside
    ) -> asyncio.Task[str] | None:
        """Have archived what a request brings; returns what ends when it is, None where there is nothing to do."""
        # A copy of a conversation shares with it what the archive has of it by then: also the answer just before.
        before = (
            NOBODY
            if conversation.begun
            else self._conversations.filed_beside(conversation, request.conversation)
        )
        conversation.begun = True
        if conversation.settled:
            rows = _rows(conversation, request, kind)
            return self._filing.capture(conversation, rows, before) if rows else None
        settling = self.settle(conversation, adapter, request, kind)
        size = len(request.body)
        if not self._filing.may_hold(size):
            return self._filing.too_much()
        self._filing.hold(size)

        async def work() -> str:
            try:
                told = await settling
            finally:
                self._filing.let_go(size)
            rows = _rows(conversation, request, kind) if conversation.settled else []
            return await self._filing.capture(conversation, rows, before) if rows else told

        return self._filing.of(conversation, work())

    def settle(
        self, conversation: OpenConversation, adapter: Adapter, request: Request, kind: Aside
    ) -> asyncio.Task[str]:
        """Have the archive say what it knows of a conversation; returns what ends when it has, or could not."""
        if conversation.settling is not None and not conversation.settling.done():
            return conversation.settling
        asked = self._settled(conversation, self._names(conversation, adapter, request, kind), request)

        async def work() -> str:  # it must not hold the request
            told = await asked
            conversation.settled = not told
            return told

        conversation.settling = self._filing.beside(work())
        return conversation.settling

    def answer(self, conversation: OpenConversation, rows: Sequence[Row]) -> None:
        """Have an answer archived."""

        def start() -> asyncio.Task[str] | None:
            missing = [row for row in rows if row.key not in conversation.live.durable]
            return self._filing.capture(conversation, missing) if missing else None

        self.when_settled(conversation, start, sum(len(row.raw) for row in rows))

    def when_settled(
        self, conversation: OpenConversation, start: Callable[[], asyncio.Task[str] | None], size: int = 0
    ) -> None:
        """Start something once the archive knows of a conversation; never where it cannot be asked.

        `size`: bytes that wait with it; where that is too much it is not started.
        """
        settling = conversation.settling
        if conversation.settled or settling is None:
            start()
            return
        if not self._filing.may_hold(size):
            self._filing.too_much()
            return
        self._filing.hold(size)

        async def work() -> str:
            try:
                told = await settling
            finally:
                self._filing.let_go(size)
            filed = start() if conversation.settled else None
            return await filed if filed is not None else told

        self._filing.of(conversation, work())

    def _names(
        self, conversation: OpenConversation, adapter: Adapter, request: Request, kind: Aside
    ) -> Names:
        model = request.conversation.model
        if conversation.cwd is None:
            conversation.cwd = folder(conversation.host, request.body, request.conversation)
        return self._filing.names(
            conversation, format=FORMATS[adapter], model=model, side=kind is Aside.TITLE
        )

    def _settled(self, conversation: OpenConversation, names: Names, request: Request) -> asyncio.Task[str]:
        keys, own = [item.key for item in request.conversation.items], chain(request.conversation)

        def is_another(durable: frozenset[str]) -> bool:
            """Tell whether the session's main conversation, of which that is archived, is another; name this one so."""
            if (
                conversation.own
                or conversation.host not in WITH_TOOLS
                or not durable
                or not durable.isdisjoint(keys)
            ):
                return False
            self._conversations.renamed(conversation, own)
            return True

        return self._filing.settle(conversation, names, keys, is_another)


def has_past(request: Request) -> bool:
    """Tell whether a conversation has begun before this request: its model has said something in it."""
    return any(item.role is Role.ASSISTANT for item in request.conversation.items)


def _rows(conversation: OpenConversation, request: Request, kind: Aside) -> list[Row]:
    """Return what is to be archived of a request: of one beside the conversation not what asks for it."""
    if kind is Aside.TITLE:
        return []
    rows = conversation.live.missing(request)
    if kind is Aside.COMPACTION and request.conversation.items:
        asking = request.conversation.items[-1].key
        rows = [row for row in rows if row.key != asking]
    return rows
