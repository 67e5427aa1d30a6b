"""The connection of one agent to the daemon, against a daemon that the test plays itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from unabridged.daemon import link, paths
from unabridged.daemon.link import Link
from unabridged.daemon.paths import Layout
from unabridged.errors import DaemonUnavailable, DeadlineExceeded, InvalidInput, UnabridgedError

Play = Callable[["Daemon"], Awaitable[None]]

STOPPING = DaemonUnavailable("stopping", stopping=True)  # as a daemon says it that drains


class Daemon:
    """What a link says, and how it is answered; `drop` ends the connection at the next request."""

    def __init__(self) -> None:
        self.heard = asyncio.Queue[dict[str, Any]]()
        self.connections = 0
        self.drop = 0
        self.refuse = 0  # requests that it answers as a daemon does that stops, before any is dropped
        self.silent = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while line := await reader.readline():
            message = json.loads(line)
            if message["method"] != "handshake":
                self.heard.put_nowait(message)
                if self.refuse:
                    self.refuse -= 1
                    writer.write(json.dumps(failure(message, STOPPING)).encode() + b"\n")
                    continue
                if self.drop:
                    self.drop -= 1
                    break
                if self.silent:
                    continue
            writer.write(json.dumps(self.answer(message)).encode() + b"\n")
        writer.close()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request: what it asked for, or an error when it asks to fail."""
        if message["params"].get("fail") or message["params"].get("stopping"):
            refused = InvalidInput("as it was asked to", field="fail")
            return failure(message, refused if "fail" in message["params"] else STOPPING)
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"echo": message["params"]}}


def failure(message: dict[str, Any], error: UnabridgedError) -> dict[str, Any]:
    told = {"code": -32602, "message": "", "data": error.to_dict()}
    return {"jsonrpc": "2.0", "id": message["id"], "error": told}


def played(tmp_path: Path, play: Callable[[Link, Daemon], Awaitable[None]], *, mourns: bool = True) -> Daemon:
    """Run a scene between a link and a daemon."""
    layout: Layout = paths.layout({"UNABRIDGED_HOME": str(tmp_path / "h")})
    Path(layout.run).mkdir(parents=True, mode=0o700)

    async def scene() -> Daemon:
        daemon = Daemon()
        server = await asyncio.start_unix_server(daemon.serve, layout.socket)
        Path(layout.socket).chmod(0o600)
        made = Link(layout, "/a/folder", name="mcp", mourns=mourns)
        try:
            async with asyncio.timeout(20):
                await play(made, daemon)
        finally:
            made.close()
            server.close()
        return daemon

    return asyncio.run(scene())


def test_many_requests_share_one_connection(tmp_path: Path) -> None:
    async def play(made: Link, _: Daemon) -> None:
        found = await asyncio.gather(*(made.call("search", {"n": number}) for number in range(20)))
        assert [item["echo"]["n"] for item in found] == list(range(20))

    assert played(tmp_path, play).connections == 1


def test_what_the_daemon_refuses_is_the_error_that_it_told(tmp_path: Path) -> None:
    async def play(made: Link, _: Daemon) -> None:
        with pytest.raises(InvalidInput, match="as it was asked to") as caught:
            await made.call("search", {"fail": True})
        assert caught.value.details == {"field": "fail"}

    played(tmp_path, play)


def test_a_withdrawn_call_withdraws_its_request(tmp_path: Path) -> None:
    async def play(made: Link, daemon: Daemon) -> None:
        daemon.silent = True
        asking = asyncio.create_task(made.call("search", {}))
        request = await daemon.heard.get()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        told = await daemon.heard.get()
        assert (told["method"], told["params"]) == ("cancel", {"id": request["id"]})
        daemon.silent = False
        assert await made.call("search", {"n": 1}) == {"echo": {"n": 1}}

    played(tmp_path, play)


def test_a_request_that_reads_is_asked_again_over_a_new_connection(tmp_path: Path) -> None:
    async def play(made: Link, daemon: Daemon) -> None:
        daemon.drop = 1
        assert await made.call("search", {"n": 1}) == {"echo": {"n": 1}}

    assert played(tmp_path, play).connections == 2


def test_a_request_that_writes_is_asked_again_only_when_it_may_be(tmp_path: Path) -> None:
    async def play(made: Link, daemon: Daemon) -> None:
        daemon.drop = 1
        with pytest.raises(DaemonUnavailable):
            await made.call("import", {})
        daemon.drop = 1
        assert await made.call("note", {"n": 1}, repeatable=True) == {"echo": {"n": 1}}

    played(tmp_path, play)


def test_what_a_daemon_that_stops_has_not_begun_is_asked_again_and_then_once(tmp_path: Path) -> None:
    async def play(made: Link, daemon: Daemon) -> None:
        daemon.refuse = 1
        assert await made.call("forget", {"n": 1}) == {"echo": {"n": 1}}
        daemon.refuse, daemon.drop = 1, 1
        with pytest.raises(DaemonUnavailable, match="before it answered"):
            await made.call("forget", {"n": 2})  # it may have been carried out
        heard = [daemon.heard.get_nowait()["params"]["n"] for _ in range(daemon.heard.qsize())]
        assert heard == [1, 1, 2, 2]

    played(tmp_path, play, mourns=False)


def test_a_connection_that_breaks_at_every_attempt_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "GONE_SECONDS", 0.001)
    monkeypatch.setattr(link, "AGAIN_SECONDS", (0.0, 0.001, 0.002))

    async def play(made: Link, daemon: Daemon) -> None:
        daemon.drop = 4
        with pytest.raises(DaemonUnavailable, match="several times"):
            await made.call("search", {})
        daemon.drop = 3  # one that was killed, until it is gone
        assert await made.call("search", {"n": 1}) == {"echo": {"n": 1}}

    played(tmp_path, play)


def test_a_daemon_that_is_stopping_is_told_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes this process along in the meantime, and the pipe asks the next one: nobody hears of it."""
    monkeypatch.setattr(link, "GONE_SECONDS", 0.3)

    async def play(made: Link, _: Daemon) -> None:
        asking = asyncio.create_task(made.call("search", {"stopping": True}))
        done, _waiting = await asyncio.wait([asking], timeout=0.1)
        assert not done
        with pytest.raises(DaemonUnavailable, match="stopping"):
            await asking

    played(tmp_path, play)


def test_an_unused_connection_is_given_back_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "IDLE_SECONDS", 0.01)

    async def play(made: Link, daemon: Daemon) -> None:
        await made.call("search", {})
        while made.connected:
            await asyncio.sleep(0.005)
        await made.call("search", {})

    assert played(tmp_path, play).connections == 2


class Unstartable(Link):
    """A link whose daemon does not start; it counts the attempts."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.starts = 0

    def _start(self) -> Any:
        self.starts += 1
        raise DaemonUnavailable("it ends while it starts")


def test_a_daemon_that_does_not_start_is_not_started_for_each_call_and_one_that_is_there_is_found(
    tmp_path: Path,
) -> None:
    layout: Layout = paths.layout({"UNABRIDGED_HOME": str(tmp_path / "h")})
    Path(layout.run).mkdir(parents=True, mode=0o700)
    now = [50.0]

    async def scene() -> None:
        made = Unstartable(layout, "", name="gateway", starts=True, mourns=False, clock=lambda: now[0])
        for expected in (1, 2, 3):
            for _ in range(10):
                with pytest.raises(DaemonUnavailable):
                    await made.call("window.open", {})
            assert made.starts == expected
            now[0] += 2.0**expected  # longer than the pause
        with pytest.raises(DaemonUnavailable):
            await made.call("window.open", {})
        server = await asyncio.start_unix_server(Daemon().serve, layout.socket)
        Path(layout.socket).chmod(0o600)
        assert await made.call("window.open", {"n": 1}) == {"echo": {"n": 1}}
        made.close()
        server.close()
        await server.wait_closed()
        Path(layout.socket).unlink(missing_ok=True)
        with pytest.raises(DaemonUnavailable):  # the one before had succeeded: it is tried at once
            await made.call("window.open", {})
        assert made.starts == 5

    asyncio.run(scene())


def test_a_daemon_that_says_nothing_is_let_go_with_all_that_was_written_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped process (SIGSTOP) takes connections and reads none: frames would wait in this process for ever."""
    monkeypatch.setattr(link, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(link.client, "CONNECT_SECONDS", 0.05)
    layout: Layout = paths.layout({"UNABRIDGED_HOME": str(tmp_path / "h")})
    Path(layout.run).mkdir(parents=True, mode=0o700)
    now, stopped, taken = [50.0], asyncio.Event(), list[int]()

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(1)
        shake = json.loads(await reader.readline())
        if not stopped.is_set():
            writer.write(json.dumps({"jsonrpc": "2.0", "id": shake["id"], "result": {}}).encode() + b"\n")
        writer.transport.pause_reading()  # pyright: ignore[reportAttributeAccessIssue]

    async def scene() -> None:
        server = await asyncio.start_unix_server(deaf, layout.socket)
        Path(layout.socket).chmod(0o600)
        made = Link(layout, "", name="gateway", mourns=False, clock=lambda: now[0])
        await made.connect()
        writer = made._writer  # pyright: ignore[reportPrivateUsage]
        assert writer is not None
        stopped.set()
        with pytest.raises(DeadlineExceeded):
            await made.call("capture", {"rows": "x" * (4 << 20)}, seconds=0.05)
        assert (made.connected, writer.transport.is_closing()) == (False, True)
        await asyncio.sleep(0)
        assert writer.transport.get_write_buffer_size() == 0
        with pytest.raises(DeadlineExceeded):
            await made.call("capture", {}, seconds=0.05)
        reached = len(taken)
        with pytest.raises(DaemonUnavailable, match="a moment ago"):
            await made.call("capture", {}, seconds=0.05)
        assert len(taken) == reached
        stopped.clear()
        now[0] += 1.0
        await made.connect()
        made.close()
        server.close()

    asyncio.run(scene())
