"""A conversation outlives the daemon and the process behind it."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import Home, alive, kill, until
from tests.mcp.agent import CLIENT, VERSION
from tests.mcp.conftest import Enter

pytestmark = pytest.mark.slow  # each starts several daemons


def pids(home: Home) -> tuple[int, int]:
    """The daemon and the process that speaks MCP."""
    with home.connect() as client:
        return client.server["pid"], client.call("mcp")["pid"]


def test_a_killed_daemon_is_replaced_when_the_agent_asks_again(home: Home, enter: Enter) -> None:
    agent = enter(home)
    agent.data("remember", text="The pump runs at 50 Hz.")
    daemon, speaker = pids(home)
    kill(daemon)
    until(lambda: not alive(speaker), "the process outlived its daemon")
    until(lambda: bool(agent.data("search", query="pump")["hits"]))
    assert pids(home)[0] != daemon
    assert agent.end() == 0


def test_a_request_that_a_killed_daemon_left_unanswered_is_answered_by_the_next(
    home: Home, enter: Enter
) -> None:
    agent = enter(home)
    agent.data("remember", text="The pump runs at 50 Hz.")
    daemon, _ = pids(home)
    os.kill(daemon, signal.SIGSTOP)
    number = agent.request("tools/call", {"name": "search", "arguments": {"query": "pump"}})
    agent.ask("ping")  # so that the request has been read
    kill(daemon)
    assert agent.answer(number)["result"]["structuredContent"]["status"] in ("ok", "index-behind", "empty")


def test_a_daemon_that_was_asked_to_end_is_replaced_too(home: Home, enter: Enter) -> None:
    agent = enter(home)
    agent.data("status")
    daemon, speaker = pids(home)
    with home.connect() as client:
        client.call("shutdown")
    until(lambda: not alive(daemon) and not alive(speaker))
    assert agent.data("status")["ok"] is True


def test_a_killed_process_is_replaced_by_the_same_daemon(home: Home, enter: Enter) -> None:
    agent = enter(home)
    agent.data("status")
    daemon, speaker = pids(home)
    kill(speaker)
    assert agent.data("status")["ok"] is True
    assert pids(home)[0] == daemon
    assert pids(home)[1] != speaker


def test_a_note_that_is_sent_again_is_kept_once(home: Home, enter: Enter, tmp_path: Path) -> None:
    enter(home).data("status")
    with home.connect() as client:
        path = client.call("mcp")["socket"]
    first, second = (remember(path, str(tmp_path)) for _ in range(2))
    assert first["document"] == second["document"]
    assert (first["replayed"], second["replayed"]) == (False, True)


def remember(path: str, folder: str) -> dict[str, Any]:
    """Ask as a pipe does that was given to another process: under the same name, with the same id."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.connect(path)
        sock.settimeout(30)
        shake = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": CLIENT}
        note = {"name": "remember", "arguments": {"text": "Once."}}
        for message in (
            {"unabridged": 1, "folder": folder, "nonce": "0123456789abcdef"},
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": shake},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": note},
        ):
            sock.sendall(json.dumps(message).encode() + b"\n")
        with sock.makefile("rb") as lines:
            for line in lines:
                message = json.loads(line)
                if message.get("id") == 2:
                    return message["result"]["structuredContent"]
    raise AssertionError("no answer came")


def test_without_a_daemon_that_starts_the_agent_is_told_why(home: Home, enter: Enter) -> None:
    home.folder.mkdir(exist_ok=True)
    (home.folder / "store").write_text("not a folder")
    agent = enter(home)
    error = agent.refusal("search", query="x")
    assert error["code"]
    assert error["message"]
    answer = agent.ask("ping")
    assert answer["error"]["data"]["code"] == error["code"]
    assert agent.end() == 0
