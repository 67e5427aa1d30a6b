"""Real agents whose model is offered the archive's tools by the gateway: they see nothing of it, and go on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.daemon.living import Home, until
from tests.support import provider_anthropic, provider_openai
from tests.support.provider import Call, Provider, Reply, Turn
from tests.support.talks import HOSTS, PiHost
from tests.support.windowed import Gateway, upstreams

pytestmark = pytest.mark.real_client

SECRET = "The port of the lantern is 8067."
SEARCH = Call("unabridged_search", {"query": "port of the lantern", "scope": "all"})


class Model:
    """Searches the archive for what it is asked, then has the host read a file, then says what it found."""

    def __init__(self) -> None:
        self.show: Call | None = None

    def __call__(self, turn: Turn) -> Reply | None:
        if "Keep in mind" in turn.prompt:
            return Reply("Noted.")
        if "Which port" in turn.prompt:
            found = next((said for said in turn.results if "8067" in said), "")
            if not found:
                return Reply("Let me look.", [SEARCH], thinking="I should search.")
            if len(turn.results) == 1:
                assert self.show is not None
                return Reply("Now the file.", [self.show])
            port = re.search(r"lantern is (\d+)", found)
            return Reply(f"It is {port[1] if port else 'unknown'}.")
        return Reply("All done.") if "Thanks" in turn.prompt else None


@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode", "pi"])
def test_a_real_agent_is_answered_from_the_archive_and_sees_nothing_of_it(
    home: Home, tmp_path: Path, name: str
) -> None:
    home.configure(disk={"free_bytes": 0}, gateway={"tools": "offer"})
    model, folder = Model(), tmp_path / "work"
    folder.mkdir()
    with (
        home.connect(project=str(folder)) as client,
        Provider([provider_anthropic, provider_openai], model=model) as provider,
    ):
        gateway = Gateway(home, folder, *upstreams(provider))
        host = (
            PiHost(folder, gateway.base, extended=True) if name == "pi" else HOSTS[name](folder, gateway.base)
        )
        (host.project / "a.txt").write_text("nothing of interest\n")
        model.show = host.show("a.txt")
        talk = host.talk()
        try:
            assert "Noted" in talk.say(f"Keep in mind: {SECRET}")
            until(lambda: client.call("search", {"query": "lantern 8067"})["hits"], "it was not archived")
            said = talk.say("Which port does it have?")
            assert "It is 8067." in said
            assert "All done." in talk.say("Thanks.")
        finally:
            talk.end()
            gateway.end()
        assert provider.refusals == []
        asked = [request for request in provider.requests if "unabridged_gather" in request.text()]
        tools = {json.dumps(request.body["tools"]) for request in asked}
        assert len(tools) == 1
        # The last request has the search and its result where they stood, between what was said.
        last = asked[-1].text()
        places = [
            last.index(words) for words in ("Let me look.", "<unabridged tool=", "Now the file.", "Thanks.")
        ]
        assert places == sorted(places)
        assert last.count("<unabridged tool=") == 1
        kept = host.kept()
        assert "Let me look." in kept
        assert "unabridged_search" not in kept
        window = next(one for one in client.call("windows", {"scope": "all"})["windows"] if not one["side"])
        assert window["fault"] == ""
