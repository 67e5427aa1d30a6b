"""The process that speaks MCP: when it ends, and whom it lets in."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from unabridged.daemon import paths
from unabridged.daemon.channel import Channel, ChannelClosed
from unabridged.daemon.speaking import Orders, Standing
from unabridged.mcp import serving

PATIENCE = 30.0  # seconds


class Played:
    """The daemon's end of the channel, with the process's work in a thread."""

    def __init__(self, folder: Path) -> None:
        layout = paths.layout({"UNABRIDGED_HOME": str(folder)})
        folder.mkdir(mode=0o700)
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        self.socket = layout.mcp_socket
        self.thread = threading.Thread(target=serving.work, args=(theirs,), daemon=True)
        self.thread.start()
        orders = Orders(layout.mcp_socket, layout.data, layout.config, layout.state)
        self.channel.send(msgspec.msgpack.encode(orders))

    def standing(self) -> int:
        """How many agents there are, as soon as that is told."""
        return msgspec.msgpack.decode(self.channel.receive(), type=Standing).sessions

    def enter(self, *lines: bytes) -> socket.socket:
        """Connect as a pipe does."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(PATIENCE)
        sock.connect(self.socket)
        sock.sendall(b"".join(line + b"\n" for line in lines))
        return sock

    def ended(self) -> bool:
        """Wait for the end of the process's work."""
        self.thread.join(PATIENCE)
        return not self.thread.is_alive()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Played]:
    made = Played(tmp_path / "h")
    assert made.standing() == 0
    yield made
    made.channel.close()
    assert made.ended()


def test_only_its_own_user_reaches_the_socket(process: Played) -> None:
    assert Path(process.socket).stat().st_mode & 0o777 == 0o600
    assert Path(process.socket).parent.stat().st_mode & 0o777 == 0o700


def test_it_tells_how_many_agents_there_are(process: Played) -> None:
    with process.enter(b'{"unabridged": 1}'):
        assert process.standing() == 1
    assert process.standing() == 0


@pytest.mark.parametrize("line", [b"hello", b'{"unabridged": 99}', b"{}", b"\xff", b"[]"])
def test_who_is_no_pipe_is_let_go(process: Played, line: bytes) -> None:
    with process.enter(line) as sock:
        assert sock.recv(1) == b""


def test_it_ends_with_the_channel_whoever_is_connected(process: Played) -> None:
    with process.enter(b'{"unabridged": 1}') as sock:
        assert process.standing() == 1
        process.channel.close()
        assert process.ended()
        assert sock.recv(1) == b""


def test_it_ends_when_nobody_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "IDLE_SECONDS", 0.05)
    made = Played(tmp_path / "h")
    assert made.standing() == 0
    with pytest.raises(ChannelClosed):
        made.standing()
    assert made.ended()
