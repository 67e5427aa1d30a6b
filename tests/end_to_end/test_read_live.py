"""Real clients without hooks: what they write down is archived as they write it, and our tools are in their hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.support.client_cline import Cline
from tests.support.client_gemini import Gemini
from tests.support.installed import Installed
from tests.support.provider import Provider, Reply

pytestmark = pytest.mark.real_client

CLIENTS: dict[str, type[Gemini | Cline]] = {client.name: client for client in (Gemini, Cline)}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_session_is_archived_as_it_grows_and_its_model_asks_the_archive(
    home: Home, tmp_path: Path, name: str
) -> None:
    make = CLIENTS[name]
    with Provider([make.api]) as provider:
        client = make(tmp_path / "a machine", provider.url)
        before = client.settings.read_bytes() if client.settings.exists() else None
        (client.project / "a.txt").write_text("the niobium file\n")
        installed = Installed(home, client.env, client.project)
        old = transcript(tmp_path / "old.jsonl", SESSION, 6, folder=str(client.project), words="zirconium")
        installed.una("import", str(old))
        installed.una("install", name)
        assert "unabridged" in client.listed()

        provider.then(Reply("I look.", client.looks(), thinking="Hm."), Reply("It is tantalum7."))
        assert "tantalum7" in client.say("What is it?")
        assert len(installed.sessions_with("tantalum7")) == 1  # nobody imported it
        asked = client.ours("search", {"query": "zirconium1", "limit": 2})
        provider.then(Reply("I ask.", [asked]), Reply("It was rhenium8."))
        assert "rhenium8" in client.say("And before?")
        client.end()
        assert "user says zirconium1" in provider.agent_requests()[-1].text()
        assert provider.refusals == []

        check(installed, client)
        installed.una("uninstall", name)
        assert (client.settings.read_bytes() if client.settings.exists() else None) == before


def check(installed: Installed, client: Gemini | Cline) -> None:
    """Each text that stands in the client's file is found and recalled exactly under its key; nothing is twice."""
    (host_session,) = installed.sessions_with("rhenium8")
    said = list(client.said())
    assert {key.split(":")[1] for key, _ in said} == {host_session}
    texts = [text for _, text in said]
    for word in ("What is it?", "tantalum7", "And before?", "rhenium8", "niobium", "hafnium"):
        assert any(word in text for text in texts), word
    paths = list(map(str, client.transcripts()))
    installed.una("import", *paths)  # all of it is there already
    (session,) = [item for item in installed.sessions() if item["host_session"] == host_session]
    assert session["title"] == "What is it?"
    assert session["cwd"] == str(client.project)
    with installed.home.connect(project=str(client.project)) as api:

        def recalled(key: str) -> dict[str, Any]:
            return api.call("recall", {"target": key, "max_tokens": 20_000})

        for key, text in said:
            assert recalled(key)["text"] == text, key
        for word in ("tantalum7", "rhenium8", "niobium"):
            hits = [hit for hit in installed.found(word) if word in hit["snippet"]]
            assert len({hit["handle"] for hit in hits}) == len(hits) == 1, word
            assert set(hits[0]["source_keys"]) & {key for key, text in said if word in text}, word
    assert sorted(session["origins"]) == paths
