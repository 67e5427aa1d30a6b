"""Pi takes up a session that was deleted and written back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import provider_anthropic
from tests.support.client_pi import Pi
from tests.support.provider import Call, Provider, Reply
from tests.support.restoring import Kept, keep
from unabridged.hosts.pi import HOST

pytestmark = pytest.mark.real_client


def talk(client: Pi, provider: Provider) -> Kept:
    """A session of two prompts with a tool call, kept and then deleted."""
    (client.project / "notes.txt").write_text("The port is 8471.\n")
    provider.then(
        Reply("I read the notes.", [Call("read", {"path": "notes.txt"})]),
        Reply("The port is 8471."),
        Reply("It listens on loopback."),
    )
    client.say("Which port does the server use?")
    client.say("And on which address?", "-c")
    (path,) = client.transcripts()
    kept = keep(HOST, path, client.sessions)
    shutil.rmtree(client.sessions)
    return kept


def sent(provider: Provider) -> str:
    """The last request of the agent itself, as text."""
    return provider.agent_requests()[-1].text()


@pytest.mark.parametrize("by_id", [True, False], ids=("session", "continue"))
def test_a_session_that_was_written_back_goes_on_with_all_that_was_said(tmp_path: Path, by_id: bool) -> None:
    with Provider([provider_anthropic]) as provider:
        client = Pi(tmp_path, provider.url)
        kept = talk(client, provider)
        kept.write_back()
        provider.then(Reply("Still 8471."))
        arguments = ("--session", kept.session) if by_id else ("-c",)
        assert "Still 8471." in client.say("What was it again?", *arguments)
        request = sent(provider)
    for words in (
        "Which port does the server use?",
        "The port is 8471.",
        "And on which address?",
        "on loopback",
    ):
        assert words in request
    (path,) = client.transcripts()
    assert path.read_bytes().startswith(kept.data)


def test_a_deleted_session_is_not_continued_without_being_written_back(tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = Pi(tmp_path, provider.url)
        talk(client, provider)
        client.say("What was it again?", "-c")
        assert "Which port does the server use?" not in sent(provider)


def test_a_session_under_the_name_that_we_give_it_is_found(tmp_path: Path) -> None:
    """When the place that a file had is unknown, its name comes from its header."""
    with Provider([provider_anthropic]) as provider:
        client = Pi(tmp_path, provider.url)
        kept = talk(client, provider)
        name = HOST.restore_name(kept.head, "elsewhere.jsonl")
        # The time in the name is that in the id, which can be some milliseconds off.
        assert Path(name).parent == Path(kept.name).parent
        kept.write_back(name)
        client.say("What was it again?", "-c")
        assert "Which port does the server use?" in sent(provider)
