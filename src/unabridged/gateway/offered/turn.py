"""One answer to the client, in which the model may ask the archive: bounded, and nothing of it shown."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from unabridged.gateway.offered.contract import Asked, Form, Heard
from unabridged.gateway.offered.offering import appended
from unabridged.gateway.offered.rounds import Round, Rounds
from unabridged.schema.tokens import strict
from unabridged.window.providers.usage import Usage

MOST_ROUNDS = 6  # answers of the model with calls of ours in one answer to the client
MOST_CALLS = 12  # in all of them
MOST_TOKENS = 24_000  # of their results together (strict estimate); the last one may go beyond
MOST_SECONDS = 45.0  # that the archive may take for all of them
MOST_BYTES = 64 << 20  # of all answers of the provider to one request; none is as long
LEAST_TOKENS = 200  # that are left for a call to be worth asking
# Answers with calls that get no more results than that they are too many; the next one ends the client's answer.
REFUSED_ROUNDS = 2
REFUSED = "The archive was asked enough for one answer. Go on with what it gave; ask again in a later turn."


class Told(msgspec.Struct, frozen=True):
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
    """The provider refused in the middle of an answer that cannot say so: the client must see it end unfinished."""


# Asks the archive: the call, and how many tokens its result may have.
Ask = Callable[[Asked, int], Awaitable[Told]]
Again = Callable[[bytes], Awaitable[Reply]]
# Stores the rounds of the answer to an item; none: forgets them.
Keep = Callable[[str, Sequence[Round]], Awaitable[None]]


class Turn:
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
        self.spent = list[Usage]()  # of each answer of the provider

    @property
    def asked(self) -> int:
        """How many calls were answered so far."""
        return self._calls

    async def stream(self, reply: Reply, again: Again) -> AsyncGenerator[bytes]:
        """Yield what the client gets; `again` sends a request like the first one, with another body."""
        if self._rounds.drop(self._seed):  # an answer that nobody took
            await self._keep(self._seed, self._rounds.of(self._seed))
        try:
            while True:
                async for data in reply.chunks():
                    self._took(len(data))
                    if shown := self._answer.feed(data):
                        yield shown
                heard = self._answer.heard()
                self.spent.append(heard.usage)
                if not heard.asked or not heard.complete or not await self._answered(heard):
                    break
                await reply.close()
                reply = await again(self._body)
                if reply.status != 200:
                    yield await self._failed(reply)
                    return
                self._answer.resume()
        finally:
            await reply.close()
        if shown := self._answer.finish():
            yield shown

    def _took(self, size: int) -> None:
        """Bound what is held of an answer that is not streamed, or of what one is built from."""
        self._size += size
        if self._size > MOST_BYTES:
            raise BrokenOff

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
        quoted = tuple(dict.fromkeys(documents))
        self._rounds.add(Round(self._seed, heard.calls, tuple(results), end, heard.beside, quoted))
        await self._keep(self._seed, self._rounds.of(self._seed))
        if heard.mixed:
            return False
        self._body = appended(self._body, [*heard.said, *self._form.between(results)])
        return True

    async def _told(self, asked: Asked) -> Told:
        left = MOST_TOKENS - self._tokens
        enough = self._count > MOST_ROUNDS or self._calls >= MOST_CALLS
        if enough or left < LEAST_TOKENS or self._seconds >= MOST_SECONDS:
            return Told(REFUSED, failed=True)
        told = await self._ask(asked, left)
        self._calls += 1
        self._tokens += strict(told.text.encode("utf-8", "surrogatepass"))
        self._seconds += told.seconds
        return told

    async def _failed(self, reply: Reply) -> bytes:
        body = b"".join([data async for data in reply.chunks()])
        shown = self._answer.failed(body)
        if not shown:
            raise BrokenOff
        return shown
