"""A session that goes on now behind a gateway, now with what `una install` gives its agent, and with both at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home
from tests.support import provider_anthropic, provider_openai
from tests.support.client_claude import ClaudeCode
from tests.support.client_codex import Codex
from tests.support.client_opencode import MODEL as OPENCODE_MODEL
from tests.support.client_opencode import OpenCode
from tests.support.client_pi import MODEL as PI_MODEL
from tests.support.client_pi import Pi
from tests.support.clients import run_client
from tests.support.installed import Installed, until
from tests.support.provider import Call, Provider, Reply

pytestmark = pytest.mark.real_client

BEHIND = (False, True, False)  # a gateway, in each turn
WORDS = ("osmium", "rhenium", "iridium")  # one for each turn

Words = Callable[[str, bool], Sequence[str | Path]]  # prompt, whether the session goes on


def named(work: Path, name: str, *words: str | Path) -> Path:
    """A program under the name by which its users know it."""
    script = work / "bin" / name
    script.parent.mkdir(parents=True, exist_ok=True)
    line = " ".join(f'"{word}"' for word in words)
    script.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    script.chmod(0o755)
    return script


def claude(work: Path, url: str) -> tuple[Any, Words, Call]:
    client = ClaudeCode(work, url)
    program = named(work, "claude", client.binary)
    call = Call("Bash", {"command": "echo tungsten", "description": "say"})
    return client, lambda prompt, again: [program, "-p", prompt, *["-c"] * again], call


def codex(work: Path, url: str) -> tuple[Any, Words, Call]:
    client = Codex(work, url)
    program = named(work, "codex", client.program)

    def words(prompt: str, again: bool) -> Sequence[str | Path]:
        more = ["resume", "--last"] if again else []
        return [program, "exec", *more[:1], "--skip-git-repo-check", *more[1:], prompt]

    return client, words, Call("exec_command", {"cmd": "echo tungsten"})


def opencode(work: Path, url: str) -> tuple[Any, Words, Call]:
    client = OpenCode(work, url)
    program = named(work, "opencode", client.program)
    call = Call("bash", {"command": "echo tungsten", "description": "say"})
    return (
        client,
        lambda prompt, again: [program, "run", "-m", OPENCODE_MODEL, *["-c"] * again, prompt],
        call,
    )


def pi(work: Path, url: str) -> tuple[Any, Words, Call]:
    client = Pi(work, url)
    program = named(work, "pi", client.node, client.script)
    call = Call("bash", {"command": "echo tungsten"})
    return client, lambda prompt, again: [program, "-p", *["-c"] * again, "--model", PI_MODEL, prompt], call


HOSTS: Mapping[str, Callable[[Path, str], tuple[Any, Words, Call]]] = {
    "claude-code": claude,
    "codex": codex,
    "opencode": opencode,
    "pi": pi,
}


@pytest.mark.parametrize("name", HOSTS)
def test_a_session_that_goes_on_now_behind_a_gateway_now_without_is_archived_once(
    home: Home, tmp_path: Path, name: str
) -> None:
    with Provider([provider_anthropic, provider_openai]) as provider:
        client, words, call = HOSTS[name](tmp_path / "a machine", provider.url)
        installed = Installed(home, client.env, client.project)
        installed.una("install", name, *(["--trust"] if name == "codex" else []))
        client.env |= {"UNABRIDGED_HOME": str(home.folder), "PYTHONPATH": installed.env["PYTHONPATH"]}
        for turn, behind in enumerate(BEHIND):
            provider.then(Reply(f"I look for {WORDS[turn]}.", [call]), Reply(f"It is {WORDS[turn]}7."))
            command = [str(word) for word in words(f"Say what {WORDS[turn]} is.", turn > 0)]
            before = [sys.executable, "-m", "unabridged", "run", "--"] if behind else []
            run_client([*before, *command], client.project, client.env)
        assert provider.refusals == []
        for word in WORDS:
            installed.found(f"{word}7")
        said = [
            text
            for word in WORDS
            for text in (f"Say what {word} is.", f"I look for {word}.", f"It is {word}7.")
        ]
        until(lambda: not wrong(installed, said), "all that was said, once each")
        assert len([one for one in installed.sessions() if not one["parent"]]) == 1
        for word in (
            WORDS
        ):  # what was said before is found by a part of the word, also while the rest is being indexed
            passages = until(partial(saying, installed, f"{word}7", f"It is {word}7."), word)
            assert len(passages) == len(set(passages)) == 1


def saying(installed: Installed, word: str, text: str) -> list[str]:
    """The passages that a search for a word finds and that hold a text."""
    return [hit["snippet"] for hit in installed.found(word) if text in hit["snippet"]]


def wrong(installed: Installed, said: Sequence[str]) -> list[str]:
    """What is in the archive more than once, or not at all."""
    found = list[str]()
    with installed.home.connect(project=str(installed.folder)) as client:
        for text in said:
            hits = client.call("grep", {"pattern": text, "literal": True, "scope": "all"})["hits"]
            keys = {hit["source_keys"][0] for hit in hits}
            if len(keys) != 1:
                found.append(f"{text} {sorted(keys)}")
    return found
