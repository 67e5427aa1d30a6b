"""What the pipe answers by itself is what the SDK would answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import types
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from unabridged.daemon import paths
from unabridged.mcp import opening
from unabridged.mcp.conversation import alone
from unabridged.schema import tokens

CLIENT = {"name": "a test", "version": "1"}
SHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


def envelope(version: str) -> dict[str, Any]:
    return {
        "_meta": {
            opening.VERSION_KEY: version,
            opening.CLIENT_KEY: CLIENT,
            opening.ABILITIES_KEY: {"roots": {"listChanged": True}},
        }
    }


def sdk(tmp_path: Path, *asked: tuple[str, Any]) -> list[dict[str, Any]]:
    """The SDK's own answers to the first requests of a conversation: results, or errors."""

    async def ask() -> list[dict[str, Any]]:
        server = alone(paths.layout({"UNABRIDGED_HOME": str(tmp_path)}), "", "").server()
        inbox, requests = anyio.create_memory_object_stream[SessionMessage | Exception](1)
        replies, outbox = anyio.create_memory_object_stream[SessionMessage](1)
        found: list[dict[str, Any]] = []
        async with anyio.create_task_group() as group:
            group.start_soon(server.run, requests, replies, server.create_initialization_options())
            for number, (method, params) in enumerate(asked):
                body = {"jsonrpc": "2.0", "id": number, "method": method}
                line = json.dumps(body if params is None else {**body, "params": params})
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                await inbox.send(SessionMessage(message))
                reply = (await outbox.receive()).message.model_dump_json(by_alias=True, exclude_unset=True)
                told = json.loads(reply)
                found.append(told.get("result") or told["error"])
            group.cancel_scope.cancel()
        for stream in (inbox, requests, replies, outbox):
            stream.close()
        return found

    return asyncio.run(ask())


# https://github.com/doobidoo/mcp-memory-service/issues/474 and
# https://github.com/anthropics/claude-code/issues/84136: a model is loaded inside the handshake.
@pytest.mark.parametrize(
    "version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS, "1999-01-01", ""]
)
def test_a_handshake_is_answered_as_the_sdk_answers_it(tmp_path: Path, version: str) -> None:
    shake = {**SHAKE, "protocolVersion": version}
    answered = opening.answer("initialize", shake, shaken=False)
    assert [answered] == sdk(tmp_path, ("initialize", shake))


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_a_request_of_the_newest_protocol_is_answered_as_the_sdk_answers_it(
    tmp_path: Path, method: str
) -> None:
    for version in MODERN_PROTOCOL_VERSIONS:
        asked = envelope(version)
        assert [opening.answer(method, asked, shaken=False)] == sdk(tmp_path, (method, asked))


@pytest.mark.parametrize("params", [None, {}, {"_meta": {"progressToken": 3}}])
def test_tools_are_listed_as_the_sdk_lists_them(tmp_path: Path, params: Any) -> None:
    given = opening.answer("tools/list", params, shaken=True)
    assert given is not None
    assert sdk(tmp_path, ("initialize", SHAKE), ("tools/list", params))[1] == given


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", None),
        ("initialize", []),
        ("initialize", {}),
        ("initialize", {**SHAKE, "protocolVersion": 3}),
        ("initialize", {**SHAKE, "capabilities": []}),
        ("initialize", {**SHAKE, "clientInfo": {"name": "x"}}),
        ("server/discover", None),
        ("server/discover", {"_meta": {}}),
        ("server/discover", envelope("2099-01-01")),
        ("tools/list", {}),
        ("tools/list", envelope("2099-01-01")),
    ],
)
def test_what_the_sdk_refuses_is_left_to_it(tmp_path: Path, method: str, params: Any) -> None:
    assert opening.answer(method, params, shaken=False) is None
    if params is None or isinstance(params, dict):
        assert "code" in sdk(tmp_path, (method, params))[0]


@pytest.mark.parametrize("params", [{"cursor": "x"}, envelope("2026-07-28")])
def test_an_unusual_listing_is_left_to_the_sdk(params: Any) -> None:
    given = opening.answer("tools/list", params, shaken=True)
    assert (given is None) == ("cursor" in params)
    assert opening.answer("tools/call", {"name": "status"}, shaken=True) is None


def test_the_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == opening.HANDSHAKES
    assert tuple(MODERN_PROTOCOL_VERSIONS) == opening.ENVELOPES


def test_the_instructions_say_which_evidence_answers_which_question() -> None:
    said = opening.INSTRUCTIONS
    for words in ("search the archive", "live state, not the archive", "neither", "then the live state"):
        assert words in said
    assert tokens.by_script(said.encode()) < 400
