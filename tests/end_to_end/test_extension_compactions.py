"""OpenCode and Pi make their history short by themselves, with our extension in them: everything stays to be found."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import Pi
from tests.support.installed import Installed, until
from tests.support.provider import Provider, Reply, Rule

pytestmark = pytest.mark.real_client

WINDOW = 60_000  # tokens, as the host knows its model
FULL = {
    "input_tokens": WINDOW - 500
}  # what the model says that a prompt came to: the host finds its window full
CONTENTS = "[Earlier in this conversation:"  # begins the table of contents
# How they ask a model for a summary.
ASKS = re.compile("Output exactly the Markdown structure|structured context checkpoint summary")
SUMMED = "The user asks for metals one by one."
WORDS = ("osmium", "rhenium", "iridium", "hafnium")
PROSE = "The mill grinds slowly and the river carries what it leaves behind. " * 600  # 10,000 tokens

AGENTS: dict[str, tuple[Callable[..., OpenCode | Pi], Any]] = {
    "opencode": (OpenCode, provider_openai),
    "pi": (Pi, provider_anthropic),
}


def prompt(word: str) -> str:
    return f"Say what {word} is. {PROSE}"


def own_words(installed: Installed, text: str) -> list[dict[str, Any]]:
    """The hits of a text that a person is said to have written."""
    with installed.home.connect(project=str(installed.folder)) as client:
        hits = client.call("grep", {"pattern": text, "literal": True, "scope": "all"})["hits"]
    return [hit for hit in hits if hit["kind"] == "text"]


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_a_host_whose_window_is_full_compacts_and_loses_nothing(
    home: Home, tmp_path: Path, name: str
) -> None:
    make, api = AGENTS[name]
    with Provider([api], rules=[Rule(ASKS.pattern, Reply(SUMMED))]) as provider:
        client = make(tmp_path / "a machine", provider.url, WINDOW)
        installed = Installed(home, client.env, client.project)
        installed.una("install", name)
        for number, word in enumerate(WORDS):
            full = FULL if number == len(WORDS) - 2 else {}
            provider.then(Reply(f"It is {word}7.", usage=full))
            client.say(prompt(word), *["-c"] * (number > 0))
        assert compactions(client) == 1
        final = provider.agent_requests()[-1].text()
        assert CONTENTS in final or SUMMED in final
        assert f"It is {WORDS[0]}7." not in final  # it left the prompt
        asked = [request.text() for request in provider.requests if ASKS.search(request.text())]
        if name == "pi":
            assert asked == []  # no model was asked for a summary
        else:
            assert all(CONTENTS in request for request in asked)
            assert len(asked) == 1
        for word in WORDS:
            installed.found(f"{word}7")
            for said in (f"Say what {word} is.", f"It is {word}7."):
                until(lambda said=said: len(own_words(installed, said)) == 1, f"{said} (there once)")
        assert own_words(installed, SUMMED) == []
        assert own_words(installed, CONTENTS) == []
        assert provider.refusals == []


def compactions(client: OpenCode | Pi) -> int:
    """How often the host has made its history short."""
    if isinstance(client, Pi):
        return sum(path.read_text().count('"type":"compaction"') for path in client.transcripts())
    with closing(sqlite3.connect(client.database)) as connection:
        parts = [json.loads(row[0]) for row in connection.execute("SELECT data FROM part")]
    return sum(part["type"] == "compaction" and part["auto"] for part in parts)
