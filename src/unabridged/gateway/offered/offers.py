"""Tools offered in the conversations of a gateway: who gets them, what was asked before, who answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unabridged.errors import DeadlineExceeded, UnabridgedError
from unabridged.gateway.conversations import OpenConversation
from unabridged.gateway.filing import WAIT_SECONDS, Filing
from unabridged.gateway.journal import Journal
from unabridged.gateway.offered import asking
from unabridged.gateway.offered.contract import ToolCall
from unabridged.gateway.offered.offering import Offering, form_of
from unabridged.gateway.offered.passing import Sent, talked
from unabridged.gateway.offered.rounds import Round, Rounds, decode, encode
from unabridged.gateway.offered.toolloop import ToolLoop, ToolResult
from unabridged.window.guard import awaited, tried
from unabridged.window.messages import Role
from unabridged.window.providers.contract import Adapter, Request

if TYPE_CHECKING:
    import httpx2

    from unabridged.gateway.bodies import Send
    from unabridged.gateway.passing import Tap

STREAM, JSON = "text/event-stream", "application/json"
OK = 200
# Seconds after which the archive is asked again what it keeps: what quotes an erased passage is forgotten here, too.
FRESH_SECONDS = 60.0

Operation = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


class Offers:
    """Offers tools, and asks the daemon what models ask."""

    def __init__(self, operation: Operation, filing: Filing, journal: Journal) -> None:
        """Ask with `operation`; `filing` is where a conversation becomes known to the archive."""
        self._operation, self._filing, self._journal = operation, filing, journal

    async def around(
        self, adapter: Adapter, conversation: OpenConversation, request: Request, *, whole: bool
    ) -> tuple[Offering | None, Request]:
        """Return an adapter that offers tools in a conversation, with what was asked in it before, and a request of it.

        None where that fails, as in a conversation in which it has: then it goes on without. `whole`: the request is
        as it came.
        """
        if conversation.unoffered:
            return None, request
        errors = list[Exception]()
        await awaited(lambda: self._learnt(conversation, request), errors)
        for error in errors:
            self.failed(conversation, error)
        return self.beside(adapter, conversation, request, whole=whole)

    def failed(self, conversation: OpenConversation, error: Exception) -> None:
        """Take that offering failed in a conversation."""
        self._journal.failure("offered", error)
        conversation.unoffered = True

    async def _learnt(self, conversation: OpenConversation, request: Request) -> None:
        if conversation.rounds is None and request.windowed:
            begun = any(item.role is Role.ASSISTANT for item in request.conversation.items)
            conversation.rounds = await self._known(conversation) if begun else Rounds()
            conversation.rounds.checked = time.monotonic()
        elif conversation.rounds is not None and conversation.rounds.all():
            await self._checked(conversation, conversation.rounds)

    def beside(
        self, adapter: Adapter, conversation: OpenConversation, request: Request, *, whole: bool
    ) -> tuple[Offering | None, Request]:
        """Return the same with what is known here."""
        form = None if conversation.unoffered else form_of(adapter)
        if form is None:
            return None, request
        offering, errors = Offering(adapter, form, conversation.rounds or Rounds()), list[Exception]()
        taken = tried(lambda: offering.taken(request), errors) if whole else request
        for error in errors:
            self.failed(conversation, error)
        return (None, request) if taken is None else (offering, taken)

    def loop(
        self, conversation: OpenConversation, offering: Offering, body: bytes, answer: httpx2.Response
    ) -> ToolLoop | None:
        """Return what carries out an answer; None for one that is none of a model."""
        kind = str(answer.headers.get("content-type", "")).partition(";")[0].strip().lower()
        if answer.status_code != OK or kind not in (STREAM, JSON):
            return None
        conversation.rounds = conversation.rounds if conversation.rounds is not None else Rounds()

        async def keep(seed: str, rounds: Sequence[Round]) -> None:
            await self._keep(conversation, seed, rounds)

        return ToolLoop(
            offering.form, body, offering.seed, conversation.rounds, self._ask, keep, streamed=kind == STREAM
        )

    async def passed(
        self,
        conversation: OpenConversation,
        loop: ToolLoop,
        answer: httpx2.Response,
        again: Sent,
        send: Send,
        tap: Tap | None,
        fault: str,
    ) -> None:
        """Send on what the client gets of a turn, as `passing.passed` does; what of ours failed in it is logged."""
        try:
            await talked(loop, answer, again, send, tap, fault)
        finally:
            for error in loop.errors:
                self.failed(conversation, error)
            if loop.fault:
                self._journal.fault(loop.fault)

    async def _ask(self, asked: ToolCall, most: int) -> ToolResult:
        return await asking.ask(asked, most, self._operation, time.monotonic)

    async def _known(self, conversation: OpenConversation) -> Rounds:
        """Return what was asked in a conversation that another process, or this one long ago, had."""
        answer = await self._stored(conversation, {})
        rows: list[dict[str, Any]] = answer.get("rows", [])
        return Rounds(one for row in rows for one in decode(row["seed"], row["data"]))

    async def _checked(self, conversation: OpenConversation, rounds: Rounds) -> None:
        if time.monotonic() - rounds.checked >= FRESH_SECONDS:
            rounds.checked = time.monotonic()
            answer = await self._stored(conversation, {})
            if "rows" in answer:
                rounds.only(row["seed"] for row in answer["rows"])

    async def _keep(self, conversation: OpenConversation, seed: str, rounds: Sequence[Round]) -> None:
        data = encode(rounds) if rounds else ""
        if not data:
            await self._stored(conversation, {"drop": [seed]})
            return
        documents = sorted({document for one in rounds for document in one.documents})
        answer = await self._stored(
            conversation, {"put": [{"seed": seed, "data": data, "documents": documents}]}
        )
        if conversation.rounds is not None and seed not in (row["seed"] for row in answer.get("rows", ())):
            conversation.rounds.unkept.add(seed)

    async def _stored(self, conversation: OpenConversation, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the archive for what was asked; what it cannot keep now is known in this process alone."""
        if conversation.settling is not None and await self._filing.within(conversation.settling):
            return {}
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                return await self._operation("window.asked", {"conversation": conversation.id.hex(), **asked})
        except TimeoutError:
            self._journal.fault(DeadlineExceeded.code)
        except UnabridgedError as error:
            self._journal.fault(error.code)
        return {}
