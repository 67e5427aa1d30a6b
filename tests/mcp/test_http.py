"""MCP over HTTP: the SDK's own client, and requests that nobody should send."""

from __future__ import annotations

import contextlib
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client, types
from mcp.client.context import ClientRequestContext

from tests.daemon.living import PATIENCE, SESSION, Home, kill, transcript, until
from tests.mcp.listener import Listener, shown

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}
MODES = ("legacy", "2026-07-28", "auto")


@pytest.fixture(scope="module")
def listener(shared: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    """One for the tests of this module that leave it alone; its folder has a conversation."""
    folder = tmp_path_factory.mktemp("http") / "project"
    path = transcript(folder.parent / "t.jsonl", SESSION, 3, folder=str(folder), words="zirconium")
    with shared.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)
    made = Listener(shared, folder)
    yield made
    made.end()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("whole", [False, True])
def test_a_client_finds_and_reads(listener: Listener, mode: str, whole: bool) -> None:
    async def act(client: Client) -> None:
        if mode != MODES[1]:  # who takes a version without asking for it is told nothing
            assert "past conversations" in (client.instructions or "")
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"search", "recall", "remember"} <= set(names)
        hits = shown(await client.call_tool("search", {"query": "zirconium1", "limit": 2}))["hits"]
        passage = shown(await client.call_tool("recall", {"target": hits[0]["handle"]}))
        assert "user says zirconium1" in passage["text"]

    listener.run(act, whole=whole, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_notes_of_different_clients_are_different_notes(listener: Listener, mode: str) -> None:
    # Both clients number their requests alike.
    kept: list[str] = []
    for word in ("first", "second"):

        async def act(client: Client, word: str = word) -> None:
            answer = shown(await client.call_tool("remember", {"text": f"the {word} over {mode}"}))
            kept.append(answer["document"])

        listener.run(act, mode=mode)
    assert len(set(kept)) == 2


def test_an_error_is_a_result_that_a_model_can_act_on(listener: Listener) -> None:
    async def act(client: Client) -> None:
        result = await client.call_tool("recall", {"target": "nothing-like-it"})
        assert result.is_error
        assert isinstance(result.structured_content, dict)
        assert result.structured_content["error"]["hint"]

    listener.run(act)


def test_a_client_that_names_its_roots_works_there(listener: Listener, shared: Home, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    path = transcript(tmp_path / "o.jsonl", "7" * 8 + SESSION[8:], 2, folder=str(other), words="hafnium")
    with shared.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)

    async def roots(_: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult.model_validate({"roots": [{"uri": other.as_uri()}]})

    async def there(client: Client) -> None:
        assert shown(await client.call_tool("search", {"query": "hafnium1"}))["hits"]
        assert not shown(await client.call_tool("search", {"query": "zirconium1"}))["hits"]

    async def here(client: Client) -> None:
        assert not shown(await client.call_tool("search", {"query": "hafnium1"}))["hits"]
        assert shown(await client.call_tool("search", {"query": "zirconium1"}))["hits"]

    listener.run(there, mode="legacy", list_roots_callback=roots)
    listener.run(there, headers={"Unabridged-Folder": str(other)})
    listener.run(here, mode="legacy")
    listener.run(here)


def test_what_the_user_does_not_grant_cannot_be_asked_for(home: Home, tmp_path: Path) -> None:
    home.configure(disk={"free_bytes": 0}, read={"scope": "project"})
    path = transcript(tmp_path / "o.jsonl", SESSION, 2, folder=str(tmp_path / "other"), words="hafnium")
    with home.connect() as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)
    made = Listener(home, tmp_path / "project")

    async def act(client: Client) -> None:
        found = shown(await client.call_tool("search", {"query": "hafnium1", "scope": "all"}))
        assert found["hits"] == []

    try:
        made.run(act)
    finally:
        made.end()


HOSTILE: dict[str, tuple[tuple[str, ...], str, str, int]] = {
    "another host": (("Host: evil.example",), "POST", "/mcp", 421),
    "no host": (("Host: -",), "POST", "/mcp", 400),
    "two hosts": (("Host: 127.0.0.1", "Host: evil.example"), "POST", "/mcp", 400),
    "another origin": (("Origin: http://evil.example",), "POST", "/mcp", 403),
    "a file's origin": (("Origin: null",), "POST", "/mcp", 403),
    "no token": (("Authorization: -",), "POST", "/mcp", 401),
    "a wrong token": (("Authorization: Bearer wrong",), "POST", "/mcp", 401),
    "a wrong token in the path": (("Authorization: -",), "POST", "/wrong/mcp", 401),
    "a path that climbs": ((), "POST", "/mcp/../../../etc/passwd", 404),
    "a path that climbs in disguise": ((), "GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
    "a whole address": ((), "POST", "http://evil.example/mcp", 404),
    "a form": (("Content-Type: text/plain",), "POST", "/mcp", 415),
    "a question for permission": (("Origin: http://evil.example",), "OPTIONS", "/mcp", 403),
    "a question from nobody": ((), "OPTIONS", "/mcp", 405),
    "an announced giant": (("Content-Length: 99999999999",), "POST", "/mcp", 413),
    "a length that is none": (("Content-Length: -5",), "POST", "/mcp", 400),
    "a strange transfer": (("Content-Length: -", "Transfer-Encoding: gzip"), "POST", "/mcp", 400),
    "two lengths": (("Content-Length: 2", "Content-Length: 3"), "POST", "/mcp", 400),
    "a head without an end": (("X-Filler: " + "x" * 1_000_000,), "POST", "/mcp", 400),
    "another session": (("Mcp-Session-Id: 0123456789abcdef0123456789abcdef",), "POST", "/mcp", 404),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests_are_refused_and_nothing_else_happens(listener: Listener, name: str) -> None:
    headers, method, path, status = HOSTILE[name]
    found, answer = listener.request(INITIALIZE, *headers, method=method, path=path)
    head = answer.lower()
    assert found == status
    assert b"access-control-" not in head
    assert b"mcp-session-id" not in head
    assert listener.token.encode() not in answer
    assert listener.request(INITIALIZE)[0] == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 50_000, b'{"jsonrpc":"2.0","id":1,"method":7}'],
)
def test_a_body_that_is_no_message_costs_itself_alone(listener: Listener, body: bytes) -> None:
    assert 400 <= listener.request(body)[0] < 500
    assert listener.request(INITIALIZE)[0] == 200


def test_bytes_that_are_no_http_cost_themselves_alone(listener: Listener) -> None:
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"\0" * 100_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ):
        assert b" 200 " not in listener.raw(data)[:20]
    assert listener.request(INITIALIZE)[0] == 200


def test_the_log_holds_nothing_that_was_sent(home: Home, tmp_path: Path) -> None:
    made = Listener(home, tmp_path)
    secret = "an-unusual-word"

    async def act(client: Client) -> None:
        await client.call_tool("search", {"query": secret})

    try:
        made.run(act)
        made.request(secret.encode(), f"X-Told: {secret}")
        made.request(INITIALIZE, f"Origin: http://{secret}.example", path=f"/{secret}")
        made.request(INITIALIZE, f"Authorization: Bearer {secret}")
    finally:
        status, said = made.end()
    assert status == 0
    assert secret not in said
    assert made.token not in said
    assert '"event": "refused", "pid"' in said
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_signal_whoever_listens(home: Home, tmp_path: Path, number: int) -> None:
    file = tmp_path / "port"
    made = Listener(home, tmp_path, "--port-file", str(file))
    assert file.read_text() == made.whole_url + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    async def act(client: Client) -> None:
        await client.list_tools()
        made.process.send_signal(number)
        until(lambda: made.process.poll() is not None)

    with contextlib.suppress(Exception):  # whatever a client makes of it
        made.run(act, mode="legacy")
    assert made.end()[0] == 0
    assert not file.exists()


def test_each_run_has_a_token_of_its_own(home: Home, tmp_path: Path) -> None:
    first, second = (Listener(home, tmp_path) for _ in range(2))
    try:
        assert first.token != second.token
        assert len(first.token) >= 43  # 256 bits
        assert second.request(INITIALIZE, f"Authorization: Bearer {first.token}")[0] == 401
    finally:
        first.end()
        second.end()


def test_it_listens_at_the_loopback_address_alone(listener: Listener) -> None:
    ports = [
        line.split()[1]
        for file in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(file).exists()
        for line in Path(file).read_text().splitlines()
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{listener.port:04X}")
    ]
    assert ports == [f"0100007F:{listener.port:04X}"]


def test_a_killed_daemon_is_replaced_when_somebody_asks_again(home: Home, tmp_path: Path) -> None:
    made = Listener(home, tmp_path)

    async def act(client: Client) -> None:
        assert shown(await client.call_tool("status", {}))["ok"]
        before = home.pid
        home.pids.add(before)
        kill(before)
        assert shown(await client.call_tool("status", {}))["ok"]
        home.pids.add(home.pid)
        assert home.pid != before

    try:
        made.run(act)
    finally:
        made.end()


def test_a_port_that_is_taken_is_said_to_be(listener: Listener, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unabridged", "mcp", "--http", "--port"]
    alone = subprocess.run(
        [*command[:-2], "--port", "0"], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
    )
    assert (alone.returncode, "goes with --http" in alone.stderr) == (2, True)
    for port in (str(listener.port), "70000", "-1"):
        done = subprocess.run(
            [*command, port], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
        )
        assert done.returncode == 2
        assert "port" in done.stderr
        assert "Traceback" not in done.stderr
