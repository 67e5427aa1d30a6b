"""What goes to the archive beside the requests: in order for each conversation, bounded, never waited for too long."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any

from unabridged.daemon.logs import iso
from unabridged.errors import Corrupt, Overloaded, StoreTooNew, UnabridgedError
from unabridged.gateway.archive import Archive, Names
from unabridged.gateway.conversations import OpenConversation
from unabridged.gateway.journal import Journal
from unabridged.window.execute import CAPTURES, INCOMPLETE, INVALID, Account, Row, batches
from unabridged.window.state import decode, encode

WAIT_SECONDS = 2.0  # that a request may wait for the archive, in all, where something of it is to be left out
LONGER_SECONDS = 10.0  # the same where the provider would refuse the request as it is
ILL_SECONDS = 15.0  # that nobody waits for an archive which has just been too slow
AT_ONCE = 2  # captures at once: requests go before, and the daemon serves others, too
BRIEF_BYTES, BRIEF_AT_ONCE = 256 << 10, 4  # short ones do not wait behind long ones of other conversations
MOST_HELD = (
    32 << 20
)  # bytes that wait for the archive; what comes beyond is archived when the client sends it again
MOST_TASKS = 4_096  # calls that wait for it; so many come together only where it has not answered for long

Settle = Callable[[frozenset[str]], bool]  # gets the keys that are archived; whether the name was another one


class Patience:
    """How many seconds one request has waited for the archive so far."""

    def __init__(self) -> None:
        """Begin with none."""
        self.waited = 0.0

    async def wait(self, seconds: float) -> None:
        """Wait so long."""
        await asyncio.sleep(seconds)
        self.waited += seconds


class Filing:
    """Files what belongs to conversations."""

    def __init__(
        self,
        archive: Archive,
        journal: Journal,
        cwd: str = "",
        waits: tuple[float, float] = (WAIT_SECONDS, LONGER_SECONDS),
    ) -> None:
        """Use an archive; `cwd` is where the clients work, "" where that is not known.

        waits: seconds that a request may wait for the archive, and those where it would be refused as it is.
        """
        self._archive, self._journal, self._cwd = archive, journal, cwd
        self._waits = waits
        self._tasks = set[asyncio.Task[str]]()
        self._held = 0
        self._ill_until = 0.0
        self._turns, self._brief = asyncio.Semaphore(AT_ONCE), asyncio.Semaphore(BRIEF_AT_ONCE)

    @property
    def place(self) -> str:
        """Where the clients work."""
        return self._cwd

    @property
    def held(self) -> int:
        """Bytes that wait."""
        return self._held

    def wake(self) -> None:
        """Have the archive ready before somebody waits for it: to start one takes longer than a request may wait."""

        async def work() -> str:
            try:
                await self._archive.wake()
            except UnabridgedError as error:
                self._journal.fault(error.code)
                return error.code
            return ""

        self.beside(work())

    def settle(
        self, conversation: OpenConversation, names: Names, keys: Sequence[str], settle: Settle
    ) -> asyncio.Task[str]:
        """Have the archive say what it knows of a conversation, before anything else is filed of it."""
        return self._start(conversation, lambda: self._settled(conversation, names, keys, settle))

    def capture(
        self, conversation: OpenConversation, rows: Sequence[Row], after: Collection[asyncio.Task[str]] = ()
    ) -> asyncio.Task[str]:
        """Have rows archived `after` others; the task gives "" once they are durable, else the code of what failed."""
        size = sum(len(row.raw) for row in rows)
        if not self.may_hold(size):
            return self.too_much()

        async def work() -> str:
            if after:
                await asyncio.wait(after)
            told = await self._captured(conversation, rows)
            conversation.fault = told or conversation.fault
            return told

        return self._start(conversation, work, size)

    def _turn(self, batch: Sequence[Row]) -> asyncio.Semaphore:
        size = sum(len(row.raw) for row in batch)
        return self._brief if size <= BRIEF_BYTES else self._turns

    def may_hold(self, size: int) -> bool:
        """Tell whether so many more bytes may wait for the archive: one alone may, however long it is."""
        return not self._held or self._held + size <= MOST_HELD

    def hold(self, size: int) -> None:
        """Count bytes among those that wait, until they are let go."""
        self._held += size

    def let_go(self, size: int) -> None:
        """Count them no longer."""
        self._held -= size

    def too_much(self) -> asyncio.Task[str]:
        """Tell that something is not taken: the client sends it again with its next request."""

        async def work() -> str:
            self._journal.fault(Overloaded.code)
            return Overloaded.code

        return self.beside(work())

    async def _captured(self, conversation: OpenConversation, rows: Sequence[Row]) -> str:
        """Have rows archived, those again that the archive does not say it has; return what cannot be."""
        when, fault = iso(time.time()), ""
        for _ in range(CAPTURES):
            for batch in batches(rows):
                async with self._turn(batch):
                    told = await self._archive.capture(conversation.id, batch, when)
                conversation.live.told(told.durable, told.erased, told.invalid, forced=told.forced)
                fault = INVALID if told.invalid else fault
            rows = conversation.live.unsettled(rows)
            if not rows:
                return fault
        return INCOMPLETE

    def save(self, conversation: OpenConversation, account: Account) -> asyncio.Task[str]:
        """Have a conversation's state kept, and what a request came to."""

        async def work() -> str:
            state = encode(conversation.live.state) if conversation.keeps_state else b""
            forced = await self._archive.save(conversation.id, state, account, iso(time.time()))
            if account.epoch >= conversation.live.state.epoch:  # else a newer one has begun meanwhile
                conversation.live.saved()
            conversation.live.told(forced=forced)
            return ""

        return self._start(conversation, work)

    def beside(self, work: Coroutine[Any, Any, str]) -> asyncio.Task[str]:
        """Run something beside the requests."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def of(self, conversation: OpenConversation, work: Coroutine[Any, Any, str]) -> asyncio.Task[str]:
        """Run something beside the requests that files of a conversation."""
        task = self.beside(work)
        conversation.filed.add(task)
        task.add_done_callback(conversation.filed.discard)
        return task

    async def within(
        self, task: asyncio.Task[str], patience: Patience | None = None, *, longer: bool = False
    ) -> str:
        """Wait for a task as long as a request may; return "" or why it is not done.

        `patience` is the request's, which waits so long in all, whatever it asks of the archive.
        """
        patience = patience or Patience()
        begun = time.monotonic()
        if begun < self._ill_until and not task.done():
            return "archive-ill"
        left = self._waits[longer] - patience.waited
        done, _ = await asyncio.wait((task,), timeout=max(0.0, left))
        patience.waited += time.monotonic() - begun
        if done:
            return task.result()
        self._ill_until = time.monotonic() + ILL_SECONDS
        return "archive-slow"

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def end(self, seconds: float) -> None:
        """Let what is under way come to its end, for so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.idle()
        for task in self._tasks:
            task.cancel()

    async def _settled(
        self, conversation: OpenConversation, names: Names, keys: Sequence[str], settle: Settle
    ) -> str:
        opened = await self._archive.open(names, keys)
        if settle(opened.durable):
            names = Names(
                conversation.id,
                conversation.host,
                conversation.session,
                names.cwd,
                names.format,
                names.model,
                True,
            )
            opened = await self._archive.open(names, keys)
        if opened.state:
            self._remember(conversation, opened.state)
        conversation.live.told(opened.durable, opened.erased, forced=opened.forced)
        return ""

    def _remember(self, conversation: OpenConversation, stored: bytes) -> None:
        """Go on from a stored state, without one where it cannot be read; over a newer one nothing is written."""
        try:
            conversation.live.state = decode(stored)
        except (Corrupt, StoreTooNew) as error:
            conversation.keeps_state = not isinstance(error, StoreTooNew)
            conversation.fault = error.code
            self._journal.fault(error.code)

    def names(self, conversation: OpenConversation, *, format: str, model: str, side: bool) -> Names:
        """Return what a conversation is called."""
        cwd = conversation.cwd or self._cwd
        return Names(
            conversation.id,
            conversation.host,
            conversation.session,
            cwd,
            format,
            model,
            side or bool(conversation.own),
        )

    def _start(
        self, conversation: OpenConversation, work: Callable[[], Awaitable[str]], size: int = 0
    ) -> asyncio.Task[str]:
        if len(self._tasks) >= MOST_TASKS:
            return self.too_much()
        self.hold(size)
        return self.of(conversation, self._filed(conversation, work, size))

    async def _filed(
        self, conversation: OpenConversation, work: Callable[[], Awaitable[str]], size: int
    ) -> str:
        try:
            return await self._in_turn(conversation, work)
        finally:
            self.let_go(size)

    async def _in_turn(self, conversation: OpenConversation, work: Callable[[], Awaitable[str]]) -> str:
        async with conversation.filing:
            try:
                fault = await work()
            except UnabridgedError as error:
                self._journal.fault(error.code)
                return error.code
            except Exception as error:  # noqa: BLE001 - whatever is wrong with the archive must not reach an agent
                self._journal.failure("filing", error)
                return "internal-error"
        self._ill_until = 0.0
        if fault:
            self._journal.fault(fault)
        return fault
