"""What a request brings is archived: first it is learnt what of its conversation is, then what is missing is filed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from unabridged.gateway.archive import Names
from unabridged.gateway.filing import Filing
from unabridged.gateway.folders import folder
from unabridged.gateway.identity import WITH_TOOLS
from unabridged.gateway.talks import Talk, Talks
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

    def __init__(self, filing: Filing, talks: Talks) -> None:
        """File with `filing`; `talks` are told where one of them turns out to have another name."""
        self._filing, self._talks = filing, talks

    def request(
        self, talk: Talk, adapter: Adapter, request: Request, kind: Aside
    ) -> asyncio.Task[str] | None:
        """Have archived what a request brings; returns what ends when it is, None where there is nothing to do."""
        # A copy of a conversation shares with it what the archive has of it by then: also the answer just before.
        before = NOBODY if talk.begun else self._talks.filed_beside(talk, request.conversation)
        talk.begun = True
        if talk.settled:
            rows = _rows(talk, request, kind)
            return self._filing.capture(talk, rows, before) if rows else None
        settling = self.settle(talk, adapter, request, kind)
        size = len(request.body)
        if not self._filing.may_hold(size):
            return self._filing.too_much()
        self._filing.hold(size)

        async def work() -> str:
            try:
                told = await settling
            finally:
                self._filing.let_go(size)
            rows = _rows(talk, request, kind) if talk.settled else []
            return await self._filing.capture(talk, rows, before) if rows else told

        return self._filing.of(talk, work())

    def settle(self, talk: Talk, adapter: Adapter, request: Request, kind: Aside) -> asyncio.Task[str]:
        """Have the archive say what it knows of a conversation; returns what ends when it has, or could not."""
        if talk.settling is not None and not talk.settling.done():
            return talk.settling
        asked = self._settled(talk, self._names(talk, adapter, request, kind), request)

        async def work() -> str:  # it must not hold the request
            told = await asked
            talk.settled = not told
            return told

        talk.settling = self._filing.beside(work())
        return talk.settling

    def answer(self, talk: Talk, rows: Sequence[Row]) -> None:
        """Have an answer archived."""

        def start() -> asyncio.Task[str] | None:
            missing = [row for row in rows if row.key not in talk.live.durable]
            return self._filing.capture(talk, missing) if missing else None

        self.when_settled(talk, start, sum(len(row.raw) for row in rows))

    def when_settled(self, talk: Talk, start: Callable[[], asyncio.Task[str] | None], size: int = 0) -> None:
        """Start something once the archive knows of a conversation; never where it cannot be asked.

        `size`: bytes that wait with it; where that is too much it is not started.
        """
        settling = talk.settling
        if talk.settled or settling is None:
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
            filed = start() if talk.settled else None
            return await filed if filed is not None else told

        self._filing.of(talk, work())

    def _names(self, talk: Talk, adapter: Adapter, request: Request, kind: Aside) -> Names:
        model = request.conversation.model
        if talk.cwd is None:
            talk.cwd = folder(talk.host, request.body, request.conversation)
        return self._filing.names(talk, format=FORMATS[adapter], model=model, side=kind is Aside.TITLE)

    def _settled(self, talk: Talk, names: Names, request: Request) -> asyncio.Task[str]:
        keys, own = [item.key for item in request.conversation.items], chain(request.conversation)

        def is_another(durable: frozenset[str]) -> bool:
            """Tell whether the session's main conversation, of which that is archived, is another; name this one so."""
            if talk.own or talk.host not in WITH_TOOLS or not durable or not durable.isdisjoint(keys):
                return False
            self._talks.renamed(talk, own)
            return True

        return self._filing.settle(talk, names, keys, is_another)


def has_past(request: Request) -> bool:
    """Tell whether a conversation has begun before this request: its model has said something in it."""
    return any(item.role is Role.ASSISTANT for item in request.conversation.items)


def _rows(talk: Talk, request: Request, kind: Aside) -> list[Row]:
    """Return what is to be archived of a request: of one beside the conversation not what asks for it."""
    if kind is Aside.TITLE:
        return []
    rows = talk.live.missing(request)
    if kind is Aside.COMPACTION and request.conversation.items:
        asking = request.conversation.items[-1].key
        rows = [row for row in rows if row.key != asking]
    return rows
