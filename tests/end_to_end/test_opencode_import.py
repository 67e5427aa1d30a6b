"""OpenCode takes up a session that was deleted and imported again from what was kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support import provider_openai
from tests.support.client_opencode import OpenCode
from tests.support.provider import Call, Provider, Reply
from unabridged.hosts.conformance import text_of
from unabridged.hosts.opencode import HOST

pytestmark = pytest.mark.real_client

SAID = ("Which port does the server use?", "The port is 8471.", "And on which address?", "on loopback")


def kept_lines(client: OpenCode, session: str) -> list[bytes]:
    """All rows of a session."""
    lines: list[bytes] = []
    state = b""
    while True:
        more, state = HOST.rows(client.database, session, state)
        if not more:
            return lines
        lines += more


def events(lines: list[bytes]) -> list[tuple[str, str]]:
    """What identifies each block, and its text."""
    head = HOST.head(Path("x"), lines)
    assert head is not None
    reader = HOST.reader("x", head, b"", 1)
    return [
        (block.identity, text_of(block))
        for number, line in enumerate(lines, 1)
        for block in reader.read(line.rstrip(b"\n"), number).blocks
    ]


def test_a_session_that_was_imported_again_goes_on_with_all_that_was_said(tmp_path: Path) -> None:
    with Provider([provider_openai], side=Reply("Ports")) as provider:
        client = OpenCode(tmp_path, provider.url)
        (client.project / "notes.txt").write_text("The port is 8471.\n")
        provider.then(
            Reply("I read the notes.", [Call("read", {"filePath": str(client.project / "notes.txt")})]),
            Reply("The port is 8471."),
            Reply("It listens on loopback."),
        )
        client.say(SAID[0])
        client.say(SAID[2], "-c")
        (stream,) = HOST.streams(client.database)
        lines = kept_lines(client, stream.name)
        document = b"".join(HOST.restore(lines))
        assert json.loads(document) == json.loads(client.run("export", stream.name))

        shutil.rmtree(client.data)
        assert client.sessions() == []
        head = HOST.head(client.database, lines)
        assert head is not None
        path = tmp_path / HOST.restore_name(head, str(client.database))
        path.write_bytes(document)
        client.run("import", path)

        provider.then(Reply("Still 8471."))
        assert "Still 8471." in client.say("What was it again?", "-s", stream.name)
        request = provider.agent_requests()[-1].text()
        again = kept_lines(client, stream.name)
    for words in SAID:
        assert words in request
    # What was imported has the ids that it had, so that nothing is new but the last turn.
    before, after = events(lines), events(again)
    assert after[: len(before)] == before
    assert [text for _, text in after[len(before) :]] == ['"What was it again?"', "Still 8471."]
