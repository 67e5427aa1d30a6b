"""The one hint of a prompt reaches the model of Claude Code and of Codex, and stays where it was, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.support.equipped import EQUIPPED, Equipped
from tests.support.provider import Provider, Reply, Request

pytestmark = pytest.mark.real_client

PAST = "How does the flash driver wait for the chip?"
CHOSEN = "We chose polling for the flash driver because the interrupt line of the board is not wired."
ASKED = "Why did we choose polling for the flash driver?"
HINT = re.compile(r"<unabridged-hint.*?</unabridged-hint>", re.DOTALL)


def history(request: Request) -> list[Any]:
    """The messages of a request, without the marks of a cache, which move, and in one of both forms of a text."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            made = {key: plain(inner) for key, inner in value.items() if key != "cache_control"}
            if isinstance(made.get("content"), str):
                made["content"] = [{"type": "text", "text": made["content"]}]
            return made
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    return [plain(message) for message in request.body.get("messages") or request.body["input"]]


def hints(messages: Sequence[Any]) -> list[str]:
    """The hints in some messages."""
    return HINT.findall(json.dumps(messages, ensure_ascii=False))


def told(agent: Equipped) -> dict[str, int]:
    """What the archive says that it told."""
    return agent.installed.answer("stats")["told"]


@pytest.mark.parametrize("name", EQUIPPED)
def test_a_prompt_gets_one_hint_that_stays_as_it_is_while_the_session_goes_on(
    home: Home, tmp_path: Path, name: str
) -> None:
    make, api = EQUIPPED[name]
    with Provider([api]) as provider:
        agent = make(home, tmp_path, provider)
        provider.then(Reply(CHOSEN))
        agent.client.say(PAST)
        assert agent.installed.found("polling flash driver interrupt line")
        before = told(agent)

        provider.then(Reply("Because of the interrupt line."))
        agent.client.say(ASKED)
        first = history(provider.agent_requests()[-1])
        (hint,) = hints(first)
        assert CHOSEN in hint
        session = agent.session()
        agent.resume("Thanks!", session)
        later = history(provider.agent_requests()[-1])
        assert hints(later) == [hint]
        assert later[: len(first)] == first  # what the provider has cached stays what it was
        agent.fork("And apart?", session)
        forked = provider.agent_requests()[-1]
        assert hints(history(forked)) == [hint]
        assert forked.text().count("<unabridged-archive>") == 1

        after = told(agent)
        assert (before.get("excerpt", 0), after["excerpt"]) == (0, 1)
        decisions = agent.installed.answer("why")["decisions"]
        assert [one["outcome"] for one in decisions].count("excerpt") == 1
        # What it was told is no evidence of its own: the source is still the session in which it was said.
        (hit, *_) = agent.installed.found(CHOSEN)
        assert hit["host_session"] != session
