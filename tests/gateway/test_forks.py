"""A conversation that is copied while its last answer is being archived: that is archived before the copy is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.gateway.memory import Memory
from tests.gateway.serving import Stand
from tests.gateway.wire import MESSAGES, answers, body, run, talk
from unabridged.gateway.archive import Told
from unabridged.window.execute import Row

ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "The answer."}]}


class Slow(Memory):
    """Takes its time with what one session said."""

    def __init__(self) -> None:
        super().__init__()
        self.order = list[str]()

    async def capture(self, conversation: bytes, rows: Sequence[Row], time: str) -> Told:
        name = self.names[conversation].host_session
        for _ in range(20 if name == "first" else 0):
            await asyncio.sleep(0.01)
        self.order.append(name)
        return await super().capture(conversation, rows, time)


async def asked(stand: Stand, session: str, said: list[Any]) -> None:
    answer = await stand.post(MESSAGES, body(said), **{"x-session-id": session})
    assert (answer.status_code, answer.headers.get("x-unabridged-fault", "")) == (200, "")


def test_a_fork_made_at_once_is_archived_behind_the_answer_that_it_has_in_common(tmp_path: Path) -> None:
    memory = Slow()

    async def check(stand: Stand) -> None:
        said = talk(2)
        await asked(stand, "first", said)
        await asked(stand, "fork", [*said, ANSWER, {"role": "user", "content": "another way"}])
        await asked(stand, "fork", [*said, ANSWER, {"role": "user", "content": "another way"}])
        await stand.filed()
        assert memory.order[:2] == ["first", "first"]
        assert set(memory.order[2:]) == {"fork"}

    run(tmp_path, answers, check, memory=memory)


def test_a_conversation_of_its_own_waits_for_nobody(tmp_path: Path) -> None:
    memory = Slow()

    async def check(stand: Stand) -> None:
        await asked(stand, "first", talk(2))
        await asked(stand, "other", [{"role": "user", "content": "something else"}])
        await stand.filed()
        assert memory.order[0] == "other"

    run(tmp_path, answers, check, memory=memory)
