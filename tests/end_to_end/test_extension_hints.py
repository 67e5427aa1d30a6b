"""The one frozen hint of a prompt in OpenCode and in Pi: told once, kept in its place, counted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.installed import Installed
from tests.support.provider import Provider, Request

pytestmark = pytest.mark.real_client

SESSIONS = 3  # that may be begun until one is told something: on a busy machine one goes on without
DAY = 86_400  # seconds
ASKED = "How long should the relay of the zirconium pump wait before it starts again?"
ANSWERED = "The relay of the zirconium pump waits 45 seconds, because the valve needs 40 to settle."
AGAIN = "Why did we decide that the relay of the zirconium pump waits 45 seconds?"
OTHER = "What is a ring buffer?"
HINT = "<unabridged-hint"

AGENTS: dict[str, tuple[Callable[[Path, str], OpenCode | Pi], Any]] = {
    "opencode": (OpenCode, provider_openai),
    "pi": (Pi, provider_anthropic),
}


def earlier(path: Path, folder: Path) -> Path:
    """A transcript of yesterday in which the answer was given."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - DAY))
    rows = list[dict[str, Any]]()
    for number, (role, text) in enumerate((("user", ASKED), ("assistant", ANSWERED))):
        message: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}]}
        if role == "assistant":
            message |= {"id": "msg_1", "type": "message", "model": "m", "usage": {}}
        own = f"{SESSION[:8]}-0000-4000-8000-00000000000{number}"
        facts = {"sessionId": SESSION, "cwd": str(folder), "timestamp": when, "version": "2.0.0"}
        rows.append({"parentUuid": None, "uuid": own, "type": role, "message": message, **facts})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def first_with(request: Request, api: Any, mark: str) -> tuple[int, str]:
    """Where in a request's messages a mark stands, and all messages up to there as they were sent."""
    messages = api.messages(request.body)
    at = next(number for number, one in enumerate(messages) if mark in json.dumps(one))
    return at, json.dumps([unmarked(one) for one in messages[: at + 1]])


def unmarked(value: Any) -> Any:
    """A message without the marks that say up to where it is to be cached: they move on with each request."""
    if isinstance(value, dict):
        return {name: unmarked(one) for name, one in value.items() if name != "cache_control"}
    return [unmarked(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", AGENTS)
def test_a_prompt_gets_its_hint_once_and_keeps_it_where_it_stands(
    home: Home, tmp_path: Path, name: str
) -> None:
    make, api = AGENTS[name]
    home.configure(disk={"free_bytes": 0}, hints={"deadline_ms": 10_000})
    with Provider([api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        installed.una("import", str(earlier(tmp_path / "old.jsonl", client.project)))
        installed.una("install", name)
        asked_so_far = list[Request]()
        while len(asked_so_far) < SESSIONS and not any(HINT in one.text() for one in asked_so_far):
            client.say(AGAIN)
            asked_so_far.append(provider.agent_requests()[-1])
        told = asked_so_far[-1]
        assert told.text().count(HINT) == 1
        assert "45 seconds, because the valve" in told.text()
        client.say(OTHER, "-c")
        client.say("Thank you, that is all.", "-c")
        asked, thanked = provider.agent_requests()[-2:]
        place = first_with(told, api, HINT)
        for later in (asked, thanked):
            assert later.text().count(HINT) == 1  # the other prompts were told nothing
            assert first_with(later, api, HINT) == place
        counted = installed.answer("stats")["told"]
        assert (
            1 <= counted["excerpt"] <= len(asked_so_far)
        )  # one that came too late for a session is counted, too
        assert counted["marker"] == 0
        assert counted["tokens"] > 0
