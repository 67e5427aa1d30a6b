"""One answer to the client, in which the model may ask the archive: bounded, and nothing of it shown."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from unabridged.gateway.offered.contract import Form, Heard, ToolCall
from unabridged.gateway.offered.offering import appended
from unabridged.gateway.offered.rounds import Round, Rounds
from unabridged.schema.tokens import strict
from unabridged.window.guard import awaited, tried
from unabridged.window.providers.usage import Usage

MOST_ROUNDS = 6  # answers of the model with calls of ours in one answer to the client
MOST_CALLS = 12  # in all of them
MOST_TOKENS = 24_000  # of their results together (strict estimate); the last one may go beyond
MOST_SECONDS = 45.0  # that the archive may take for all of them
MOST_BYTES = 64 << 20  # that are looked into of all answers of the provider to one request
LEAST_TOKENS = 200  # that are left for a call to be worth asking
# Answers with calls that get no more results than that they are too many; the next one ends the client's answer.
REFUSED_ROUNDS = 2
# Why an answer goes on without us.
INTERNAL, TOO_LONG = "internal-error", "answer-too-long"
UNASKED = "The archive could not be asked: a fault of its own. Go on without it."
REFUSED = "The archive was asked enough for one answer. Go on with what it gave; ask again in a later turn."


class ToolResult(msgspec.Struct, frozen=True):
    """What the archive said to a call. `documents`: what it quotes."""

    text: str
    failed: bool = False
    documents: tuple[str, ...] = ()
    seconds: float = 0.0


class Reply(Protocol):
    """A provider's answer."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes, decoded; ends with it."""
        ...

    async def close(self) -> None:
        """Let it go."""
        ...


class BrokenOff(Exception):
    """The provider refused in the middle of an answer that cannot say so: the client must see it end unfinished.

    `body` is what it said to that.
    """

    def __init__(self, body: bytes = b"") -> None:
        """Say how."""
        super().__init__()
        self.body = body


# Asks the archive: the call, and how many tokens its result may have.
Ask = Callable[[ToolCall, int], Awaitable[ToolResult]]
Again = Callable[[bytes], Awaitable[Reply]]
# Stores the rounds of the answer to an item; none: forgets them.
Keep = Callable[[str, Sequence[Round]], Awaitable[None]]


class ToolLoop:
    """The answer to one request that offers tools."""

    def __init__(
        self, form: Form, body: bytes, seed: str, rounds: Rounds, ask: Ask, keep: Keep, *, streamed: bool
    ) -> None:
        """Answer `body`, as it was sent, whose last item has the key `seed`. `keep` stores the rounds."""
        self._form = form
        self._body = body
        self._seed = seed
        self._rounds = rounds
        self._ask = ask
        self._keep = keep
        self._answer = form.answer(seed, streamed=streamed)
        self._count = self._calls = self._tokens = self._size = 0
        self._seconds = 0.0
        self._gone = self._unheard = False
        self._fault = ""
        self.streamed = streamed
        self.spent = list[Usage]()  # of each answer of the provider
        self.errors = list[Exception]()  # what of ours raised

    @property
    def fault(self) -> str:
        """Why the answer went on without us, or with less of us; "" where it did not."""
        return self._fault or (INTERNAL if self.errors else "")

    @property
    def asked(self) -> int:
        """How many calls were answered so far."""
        return self._calls

    async def stream(self, reply: Reply, again: Again) -> AsyncGenerator[bytes]:
        """Yield what the client gets; `again` sends a request like the first one, with another body.

        What raises is the provider's. Where something of ours fails the client gets the rest as it comes, or, where a
        call of ours was taken out of it, an end.
        """
        if self._rounds.drop(self._seed):  # an answer that nobody took
            await self._kept()
        try:
            while True:
                async for data in reply.chunks():
                    if shown := self._fed(data):
                        yield shown
                    if self._answer.over:
                        break
                if not await self._goes_on():
                    break
                await reply.close()
                following = await awaited(lambda: again(self._body), self.errors)
                if following is None or following.status != 200:
                    reply = following or reply
                    yield await self._failed(following)
                    return
                reply = following
                self._answer.resume()
        finally:
            await reply.close()
        if shown := self._finished():
            yield shown

    def _fed(self, data: bytes) -> bytes:
        """Return what the client gets of some bytes; what is held of an answer is bounded."""
        self._size += len(data)
        shown = tried(lambda: self._answer.feed(data), self.errors)
        if self._gone:
            return shown or b""
        if shown is None:
            return self._let_go(INTERNAL)
        return shown + self._let_go(TOO_LONG) if self._size > MOST_BYTES else shown

    def _finished(self) -> bytes:
        if not self._gone and not self._unheard:
            shown = tried(self._answer.finish, self.errors)
            if shown is not None:
                return shown
        return self._let_go(INTERNAL) + (tried(self._answer.rest, self.errors) or b"")

    def _let_go(self, fault: str) -> bytes:
        """Have the answer go on without us; once. Raises `BrokenOff` where not even that can be done."""
        if self._gone:
            return b""
        self._gone, self._fault = True, fault
        shown = tried(self._answer.let_go, self.errors)
        if shown is None:
            raise BrokenOff
        return shown

    async def _goes_on(self) -> bool:
        """Hear an answer to its end; tell whether the model is asked to go on."""
        if self._gone:
            return False
        heard = tried(self._answer.heard, self.errors)
        if heard is None:
            self._unheard = True
            return False
        self.spent.append(heard.usage)
        if not heard.asked or not heard.complete:
            return False
        goes_on = await awaited(lambda: self._answered(heard), self.errors)
        self._unheard = goes_on is None
        return goes_on or False

    async def _answered(self, heard: Heard) -> bool:
        """Have the archive answer; tell whether the model is asked to go on."""
        self._count += 1
        if self._count > MOST_ROUNDS + REFUSED_ROUNDS and not heard.mixed:
            return False
        results, documents = list[bytes](), list[str]()
        for asked in heard.asked:
            told = await self._told(asked)
            results.append(self._form.result(asked, told.text, failed=told.failed))
            documents += told.documents
        end = None if heard.mixed else heard.end
        body = (
            self._body if heard.mixed else appended(self._body, [*heard.said, *self._form.between(results)])
        )
        quoted = tuple(dict.fromkeys(documents))
        self._rounds.add(Round(self._seed, heard.calls, tuple(results), end, heard.beside, quoted))
        await self._kept()
        self._body = body
        return not heard.mixed

    async def _kept(self) -> None:
        """Have the rounds kept; where that fails they are known as long as this process runs."""
        await awaited(lambda: self._keep(self._seed, self._rounds.of(self._seed)), self.errors)

    async def _told(self, asked: ToolCall) -> ToolResult:
        left = MOST_TOKENS - self._tokens
        enough = self._count > MOST_ROUNDS or self._calls >= MOST_CALLS
        if enough or left < LEAST_TOKENS or self._seconds >= MOST_SECONDS:
            return ToolResult(REFUSED, failed=True)
        told = await awaited(lambda: self._ask(asked, left), self.errors) or ToolResult(UNASKED, failed=True)
        self._calls += 1
        self._tokens += strict(told.text.encode("utf-8", "surrogatepass"))
        self._seconds += told.seconds
        return told

    async def _failed(self, reply: Reply | None) -> bytes:
        body = b"" if reply is None else b"".join([data async for data in reply.chunks()])
        shown = tried(lambda: self._answer.failed(body), self.errors)
        if not shown:
            raise BrokenOff(body)
        return shown
