"""Claude Code takes up a session that was deleted and written back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import provider_anthropic
from tests.support.client_claude import ClaudeCode
from tests.support.provider import Call, Provider, Reply
from tests.support.restoring import Kept, keep
from unabridged.hosts.claude_code import HOST

pytestmark = pytest.mark.real_client


def talk(client: ClaudeCode, provider: Provider) -> Kept:
    """A session of two prompts with a tool call, kept and then deleted as the host itself does after some weeks."""
    (client.project / "notes.txt").write_text("The port is 8471.\n")
    read = Call("Read", {"file_path": str(client.project / "notes.txt")})
    provider.then(
        Reply("I read the notes.", [read]), Reply("The port is 8471."), Reply("It listens on loopback.")
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


@pytest.mark.parametrize("by_id", [True, False], ids=("resume", "continue"))
def test_a_session_that_was_written_back_goes_on_with_all_that_was_said(tmp_path: Path, by_id: bool) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        kept = talk(client, provider)
        kept.write_back()
        provider.then(Reply("Still 8471."))
        arguments = ("--resume", kept.session) if by_id else ("-c",)
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
    assert path.stem == kept.session


def test_a_deleted_session_is_not_resumed_without_being_written_back(tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        kept = talk(client, provider)
        with pytest.raises(AssertionError, match=kept.session):
            client.say("What was it again?", "--resume", kept.session)


def test_a_forked_session_that_was_written_back_knows_its_parent(tmp_path: Path) -> None:
    with Provider([provider_anthropic]) as provider:
        client = ClaudeCode(tmp_path, provider.url)
        kept = talk(client, provider)
        kept.write_back()
        provider.then(Reply("In the fork."))
        client.say("Now apart.", "--resume", kept.session, "--fork-session")
        fork = keep(HOST, client.transcripts()[-1], client.sessions)
        assert fork.session != kept.session
        shutil.rmtree(client.sessions)
        fork.write_back()
        provider.then(Reply("Yes."))
        client.say("Is it the same port?", "--resume", fork.session)
        request = sent(provider)
    for words in ("Which port does the server use?", "Now apart.", "In the fork."):
        assert words in request
