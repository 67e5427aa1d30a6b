"""The pipe against a process that the test plays itself."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from unabridged.daemon import paths
from unabridged.mcp import pipe
from unabridged.mcp.pipe import ATTEMPTS, MAX_LINE, Lines, Pipe

SHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}


class Stage:
    """A home with a listening socket where the process that speaks MCP would listen, and a pipe to it."""

    def __init__(self, folder: Path) -> None:
        self.layout = paths.layout({"UNABRIDGED_HOME": str(folder)})
        Path(self.layout.run).mkdir(parents=True, mode=0o700)
        folder.chmod(0o700)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.layout.mcp_socket)
        Path(self.layout.mcp_socket).chmod(0o600)
        self.listener.listen()
        self.listener.settimeout(20)
        inner, self._to = os.pipe()
        self._from, outer = os.pipe()
        self._closing = [inner, outer]
        self.host = os.fdopen(self._from, "rb")
        served = Pipe(self.layout, inner, outer, "/a/folder")
        self.thread = threading.Thread(target=served.serve, daemon=True)
        self.thread.start()

    def send(self, *messages: Any) -> None:
        """Speak as the host."""
        os.write(self._to, b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def heard(self) -> Any:
        """The next message that the host gets."""
        return json.loads(self.host.readline())

    @contextmanager
    def process(self) -> Iterator[Any]:
        """Be the process for the next connection: a file to read lines from and to write them to."""
        connection, _ = self.listener.accept()
        connection.settimeout(20)
        with connection, connection.makefile("rwb") as stream:
            yield stream

    def close(self) -> None:
        """End the host's side, and with it the pipe."""
        os.close(self._to)
        self.listener.close()
        self.thread.join(20)
        assert not self.thread.is_alive()
        for descriptor in self._closing:
            os.close(descriptor)
        self.host.close()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(pipe, "PAUSE_SECONDS", 0.001)
    made = Stage(tmp_path / "h")
    yield made
    made.close()


def read(stream: Any) -> Any:
    return json.loads(stream.readline())


def write(stream: Any, message: Any) -> None:
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def opened(stage: Stage) -> None:
    """Shake hands as a host does; the answer comes without the process."""
    stage.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": SHAKE})
    assert stage.heard()["result"]["protocolVersion"] == "2025-11-25"


def greeted(stream: Any) -> dict[str, Any]:
    """Read what a pipe says first; returns its preamble."""
    hello = read(stream)
    assert read(stream)["method"] == "initialize"
    write(stream, {"jsonrpc": "2.0", "id": 0, "result": {"of": "the process"}})
    return hello


def test_the_handshake_reaches_the_host_once_and_the_process_too(stage: Stage) -> None:
    opened(stage)
    with stage.process() as stream:
        hello = greeted(stream)
        assert hello["folder"] == "/a/folder"
        stage.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert read(stream)["method"] == "notifications/initialized"
        stage.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert read(stream)["id"] == 1
        write(stream, {"jsonrpc": "2.0", "id": 1, "result": {}})
        assert stage.heard() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_another_process_is_told_the_opening_and_what_was_not_answered(stage: Stage) -> None:
    opened(stage)
    with stage.process() as stream:
        first = greeted(stream)
        stage.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        stage.send({"jsonrpc": "2.0", "id": "a", "method": "ping"})
        assert [read(stream)["method"] for _ in range(2)] == ["notifications/initialized", "ping"]
    with stage.process() as stream:
        assert greeted(stream) == first  # the same name: what is repeated is known to be the same
        assert [read(stream)["method"] for _ in range(2)] == ["notifications/initialized", "ping"]
        write(stream, {"jsonrpc": "2.0", "id": "a", "result": {}})
        assert stage.heard()["id"] == "a"


def test_a_request_that_ends_every_process_is_given_up(stage: Stage) -> None:
    opened(stage)
    with stage.process() as stream:
        greeted(stream)
        stage.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "x"}})
        assert read(stream)["id"] == 7
    for _ in range(ATTEMPTS - 1):
        with stage.process() as stream:
            greeted(stream)
            assert read(stream)["id"] == 7
    result = stage.heard()["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "daemon-unavailable"
    stage.send({"jsonrpc": "2.0", "id": 8, "method": "ping"})
    with stage.process() as stream:
        greeted(stream)
        assert read(stream)["id"] == 8


def test_nothing_but_whole_answers_reaches_the_host(stage: Stage) -> None:
    opened(stage)
    stage.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    with stage.process() as stream:
        greeted(stream)
        read(stream)
        stream.write(b"Traceback (most recent call last):\n[1]\n")
        write(stream, {"jsonrpc": "2.0", "id": 99, "result": "an answer that nobody waits for"})
        stream.write(b'{"jsonrpc": "2.0", "id": 1, "res')
        stream.flush()
    with stage.process() as stream:
        greeted(stream)
        read(stream)
        write(stream, {"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        write(stream, {"jsonrpc": "2.0", "id": 1, "result": {}})
        assert stage.heard()["method"] == "notifications/message"
        assert stage.heard() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_cancelled_request_is_not_asked_again(stage: Stage) -> None:
    opened(stage)
    with stage.process() as stream:
        greeted(stream)
        stage.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})
        stage.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert [read(stream)["method"] for _ in range(2)] == ["tools/call", "notifications/cancelled"]
    stage.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    with stage.process() as stream:
        greeted(stream)
        assert read(stream)["id"] == 2
        write(stream, {"jsonrpc": "2.0", "id": 2, "result": {}})
        assert stage.heard()["id"] == 2


def test_lines_are_cut_wherever_the_blocks_end() -> None:
    lines = Lines()
    assert lines.cut(b"a") == []
    assert lines.cut(b"b\nc\n\nd") == [b"ab", b"c", b""]
    assert lines.cut(b"\n") == [b"d"]


def test_of_a_line_that_is_too_long_nothing_is_kept() -> None:
    lines = Lines()
    assert lines.cut(b"x" * MAX_LINE) == []
    assert lines.cut(b"x") == []
    assert lines.cut(b"x\nnext\n") == [None, b"next"]
