"""Codex takes up a session that was deleted and written back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import provider_openai
from tests.support.client_codex import Codex, thread_of
from tests.support.provider import Call, Provider, Reply
from tests.support.restoring import Kept, keep
from unabridged.hosts.codex import HOST

pytestmark = pytest.mark.real_client

SAID = ("Which port does the server use?", "The port is 8471.", "And on which address?", "on loopback")


def talk(client: Codex, provider: Provider) -> Kept:
    """A session of two prompts with a tool call, kept and then deleted, with what the host knows of it."""
    (client.project / "notes.txt").write_text("The port is 8471.\n")
    provider.then(
        Reply("I read the notes.", [Call("exec_command", {"cmd": "cat notes.txt"})]),
        Reply("The port is 8471."),
        Reply("It listens on loopback."),
    )
    client.say("Which port does the server use?")
    (path,) = client.transcripts()
    client.say("And on which address?", "resume", thread_of(path))
    kept = keep(HOST, path, client.root)
    assert kept.data == path.read_bytes()
    path.unlink()
    for state in client.root.glob("*.sqlite*"):
        state.unlink()
    return kept


def sent(provider: Provider) -> str:
    """The last request of the agent itself, as text."""
    return provider.agent_requests()[-1].text()


def test_a_session_that_was_written_back_goes_on_with_all_that_was_said(tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client = Codex(tmp_path, provider.url)
        kept = talk(client, provider)
        kept.write_back()
        provider.then(Reply("Still 8471."))
        assert "Still 8471." in client.say("What was it again?", "resume", kept.session)
        request = sent(provider)
    for words in SAID:
        assert words in request
    (path,) = client.transcripts()
    assert path.read_bytes().startswith(kept.data)


def test_a_deleted_session_is_not_continued_without_being_written_back(tmp_path: Path) -> None:
    with Provider([provider_openai]) as provider:
        client = Codex(tmp_path, provider.url)
        talk(client, provider)
        client.say("What was it again?", "resume", "--last")
        assert SAID[0] not in sent(provider)


def test_a_session_under_the_name_that_we_give_it_is_found(tmp_path: Path) -> None:
    """When the place that a file had is unknown, its name comes from its header."""
    with Provider([provider_openai]) as provider:
        client = Codex(tmp_path, provider.url)
        kept = talk(client, provider)
        name = HOST.restore_name(kept.head, "elsewhere.jsonl")
        kept.write_back(name)
        client.say("What was it again?", "resume", kept.session)
        assert SAID[0] in sent(provider)


def test_a_fork_goes_on_from_the_written_back_parent(tmp_path: Path) -> None:
    """A fork holds only its own rows; its history is the parent's file."""
    with Provider([provider_openai]) as provider:
        client = Codex(tmp_path, provider.url)
        kept = talk(client, provider)
        parent = kept.write_back()
        client.say("Is that so?", "fork", kept.session)
        (fork,) = [path for path in client.transcripts() if path != parent]
        own = keep(HOST, fork, client.root)
        assert (own.head.relation, own.head.parent) == ("fork", kept.session)
        fork.unlink()
        own.write_back()
        client.say("What was it again?", "resume", own.session)
        assert all(words in sent(provider) for words in (*SAID, "Is that so?"))
