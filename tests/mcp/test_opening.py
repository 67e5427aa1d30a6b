"""What the pipe answers by itself is what the SDK would answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from unabridged.daemon import paths
from unabridged.mcp import opening
from unabridged.mcp.conversation import Conversation
from unabridged.schema import tokens

CLIENT = {"name": "a test", "version": "1"}


def sdk(tmp_path: Path, method: str, params: Any) -> dict[str, Any]:
    """The SDK's own answer to the first request of a conversation."""

    async def ask() -> dict[str, Any]:
        server = Conversation(paths.layout({"UNABRIDGED_HOME": str(tmp_path)}), "", "").server()
        inbox, requests = anyio.create_memory_object_stream[SessionMessage | Exception](1)
        replies, outbox = anyio.create_memory_object_stream[SessionMessage](1)
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        async with anyio.create_task_group() as group:
            group.start_soon(server.run, requests, replies, server.create_initialization_options())
            await inbox.send(SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False)))
            reply = await outbox.receive()
            group.cancel_scope.cancel()
        for stream in (inbox, requests, replies, outbox):
            stream.close()
        return json.loads(reply.message.model_dump_json(by_alias=True, exclude_unset=True))

    return asyncio.run(ask())


def envelope(version: str) -> dict[str, Any]:
    return {
        "_meta": {
            opening.VERSION_KEY: version,
            opening.CLIENT_KEY: CLIENT,
            opening.ABILITIES_KEY: {"roots": {"listChanged": True}},
        }
    }


@pytest.mark.parametrize(
    "version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS, "1999-01-01", ""]
)
def test_a_handshake_is_answered_as_the_sdk_answers_it(tmp_path: Path, version: str) -> None:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    assert opening.initialize(params) == sdk(tmp_path, "initialize", params)["result"]


def test_a_discovery_is_answered_as_the_sdk_answers_it(tmp_path: Path) -> None:
    for version in MODERN_PROTOCOL_VERSIONS:
        assert (
            opening.discover(envelope(version))
            == sdk(tmp_path, "server/discover", envelope(version))["result"]
        )


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"protocolVersion": 3, "capabilities": {}, "clientInfo": CLIENT},
        {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": CLIENT},
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x"}},
    ],
)
def test_a_handshake_that_is_not_one_is_left_to_the_sdk(tmp_path: Path, params: Any) -> None:
    assert opening.initialize(params) is None
    assert opening.discover(params) is None
    if params is None or isinstance(params, dict):
        assert "error" in sdk(tmp_path, "initialize", params or {})


def test_a_discovery_of_an_unknown_version_is_left_to_the_sdk(tmp_path: Path) -> None:
    assert opening.discover(envelope("2099-01-01")) is None
    assert "error" in sdk(tmp_path, "server/discover", envelope("2099-01-01"))


def test_the_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == opening.HANDSHAKES
    assert tuple(MODERN_PROTOCOL_VERSIONS) == opening.ENVELOPES


def test_the_instructions_say_which_evidence_answers_which_question() -> None:
    said = opening.INSTRUCTIONS
    for words in ("search the archive", "live state, not the archive", "neither", "then the live state"):
        assert words in said
    assert tokens.by_script(said.encode()) < 400
