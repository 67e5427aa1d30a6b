"""One conversation between a client, offered tools, and a scripted provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tests.gateway.offered.provider import Block, Reply
from unabridged.gateway.offered.contract import ToolCall
from unabridged.gateway.offered.offering import Offering, form_of
from unabridged.gateway.offered.rounds import Round, Rounds, decode, encode
from unabridged.gateway.offered.toolloop import ToolLoop, ToolResult
from unabridged.window.limits import Limits
from unabridged.window.providers.adapters import adapter_for
from unabridged.window.providers.sending import sending
from unabridged.window.state import State

WHOLE = Limits(0, 1 << 40, 1 << 40, rotation_turns=1 << 30)


class Everything:
    def __contains__(self, key: object) -> bool:
        return True


class Talk:
    """Keeps what the client keeps, and all that was sent to the provider. `broken` answers of it are refusals."""

    def __init__(self, provider: Any, *, streamed: bool = True, size: int = 1 << 20) -> None:
        self.provider, self.streamed, self.size = provider, streamed, size
        self.history = list[Any]()
        self.rounds = Rounds()
        self.kept = dict[str, str]()
        self.sent = list[bytes]()
        self.asked = list[ToolCall]()
        self.replies = list[Reply]()
        self.raw = b""
        self.offering: Offering | None = None
        self.turn: ToolLoop | None = None
        self.limits, self.state = WHOLE, State(address="window:test")
        self.plan: Any = None
        self.unreached: Exception | None = None  # is raised where the provider is asked again

    def made(self, turn: ToolLoop) -> ToolLoop:
        """Return what carries out the next answer."""
        return turn

    async def _ask(self, asked: ToolCall, most: int) -> ToolResult:
        assert most > 0
        self.asked.append(asked)
        return ToolResult(f"found {len(self.asked)}", documents=("d1",))

    async def _keep(self, seed: str, rounds: Sequence[Round]) -> None:
        self.kept[seed] = encode(rounds)

    def send(self, tools: Sequence[str] = ("read",), **more: Any) -> bytes:
        """Return what is sent upstream for the history as it is."""
        body = json.dumps(self.provider.request(self.history, tools, **more)).encode()
        adapter = adapter_for(self.provider.path)
        assert adapter is not None
        form = form_of(adapter)
        assert form is not None
        self.offering = Offering(adapter, form, self.rounds)
        made = sending(self.offering, body, self.state, self.limits, Everything())
        assert not made.problems
        self.plan = made.plan
        if made.plan is not None:
            self.state = made.plan.state
        return made.body

    def answer(self, *answers: Sequence[Block] | bytes, stop: str = "", **more: Any) -> Any:
        """Send the history, let the provider give its answers in turn; return what the client saw of them."""
        body = self.send(**more)
        self.sent.append(body)
        write = self.provider.stream if self.streamed else self.provider.whole
        prompts = iter(range(1_000, 99_000, 1_000))
        made = [
            Reply(one, self.size, 529)
            if isinstance(one, bytes)
            else Reply(write(one, stop if at == len(answers) - 1 else "", next(prompts)), self.size)
            for at, one in enumerate(answers)
        ]
        self.replies = list(made)
        assert self.offering is not None
        assert self.offering.offered
        self.turn = self.made(
            ToolLoop(
                self.offering.form,
                body,
                self.offering.seed,
                self.rounds,
                self._ask,
                self._keep,
                streamed=self.streamed,
            )
        )
        first = made.pop(0)

        async def again(body: bytes) -> Reply:
            self.sent.append(body)
            if self.unreached is not None:
                made.clear()
                raise self.unreached
            return made.pop(0)

        async def run() -> bytes:
            assert self.turn is not None
            return b"".join([data async for data in self.turn.stream(first, again)])

        self.raw = asyncio.run(run())
        assert not made or self.turn.fault
        seen = self.provider.seen(self.raw, streamed=self.streamed)
        if "error" not in seen:
            self.history += seen["history"]
        return seen

    def says(self, text: str) -> None:
        """Have the user say something."""
        self.history.append(self.provider.user(text))

    def restart(self) -> None:
        """Forget all but what was kept."""
        self.rounds = Rounds(one for seed, data in self.kept.items() for one in decode(seed, data))
