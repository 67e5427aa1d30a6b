"""What the socket does with clients that are fast, slow, wrong, many or dead."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.rig import Rig, code
from unabridged.daemon import connection, transport, wire
from unabridged.errors import DaemonUnavailable

MAKE = Callable[..., Rig]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MAKE]:
    rigs: list[Rig] = []

    def start(**limits: Any) -> Rig:
        folder = tmp_path / str(len(rigs))
        folder.mkdir(mode=0o700)
        rigs.append(Rig(folder, **limits))
        return rigs[-1]

    yield start
    for rig in rigs:
        rig.close()


def test_a_handshake_opens_a_connection_that_answers(make: MAKE) -> None:
    client = make().connect(shake=False)
    assert client.shake(project="/somewhere")["protocol"] == wire.PROTOCOL
    assert client.call("ping", 7, text="a") == {"jsonrpc": "2.0", "id": 7, "result": {"text": "a"}}
    assert client.call("echo", "seven", text="b") == {
        "jsonrpc": "2.0",
        "id": "seven",
        "result": {"text": "b"},
    }


def test_the_socket_is_for_its_owner_alone(make: MAKE) -> None:
    rig = make()
    assert stat.S_IMODE(os.lstat(rig.path).st_mode) == 0o600


def test_a_request_before_the_handshake_is_refused_with_a_reason(make: MAKE) -> None:
    client = make().connect(shake=False)
    assert code(client.call("echo", 1, text="a")) == "protocol-error"
    assert client.ended()


def test_another_protocol_is_refused_as_incompatible(make: MAKE) -> None:
    client = make().connect(shake=False)
    assert code(client.call("handshake", 1, protocol=99)) == "daemon-incompatible"
    assert client.ended()


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"[1,2]\n",
        b"null\n",
        b'{"jsonrpc":"1.0","method":"ping","id":1}\n',
        b"\xff\xfe\n",
        b"{}\n",
    ],
)
def test_garbage_is_answered_and_does_not_end_a_connection(make: MAKE, line: bytes) -> None:
    client = make().connect()
    client.raw(line)
    answer = client.receive()
    assert (answer["id"], code(answer)) == (None, "protocol-error")
    assert client.call("echo", 2, text="still here")["result"] == {"text": "still here"}


def test_garbage_instead_of_a_handshake_ends_the_connection(make: MAKE) -> None:
    client = make().connect(shake=False)
    client.raw(b"GET / HTTP/1.1\r\n\r\n")
    assert code(client.receive()) == "protocol-error"
    assert client.ended()


def test_a_connection_without_a_handshake_is_closed_in_time(make: MAKE) -> None:
    rig = make(handshake_seconds=0.05)
    silent, half = rig.connect(shake=False), rig.connect(shake=False)
    half.raw(b'{"jsonrpc":"2.0","id":0,"meth')
    assert code(silent.receive()) == "deadline-exceeded"
    assert silent.ended()
    assert half.ended()
    rig.until(lambda: rig.server.connections == 0)


def test_an_unknown_operation_has_its_own_error(make: MAKE) -> None:
    answer = make().connect().call("no.such", 3)
    assert (answer["id"], code(answer), answer["error"]["code"]) == (3, "unknown-operation", -32601)


@pytest.mark.parametrize(
    ("params", "field"),
    [(b'{"text":1}', "text"), (b'{"size":"a"}', "size"), (b"[]", ""), (b'{"other":1}', "")],
)
def test_wrong_parameters_name_their_field(make: MAKE, params: bytes, field: str) -> None:
    client = make().connect()
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"echo","params":%b}\n' % params)
    answer = client.receive()
    assert (code(answer), answer["error"]["code"]) == ("invalid-input", -32602)
    assert answer["error"]["data"]["details"]["field"] == field


def test_errors_keep_their_type_and_faults_keep_their_text_to_themselves(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    typed = client.call("fail", 1, text="typed")["error"]["data"]
    assert (typed["code"], typed["retryable"], typed["details"]) == (
        "disk-low",
        True,
        {"free": 1, "limit": 2},
    )
    fault = client.call("fail", 2, text="the secret of the test")
    assert code(fault) == "internal-error"
    assert "secret" not in json.dumps(fault)
    assert "secret" not in Path(rig.folder, "logs", "daemon.log").read_text()


def test_a_store_that_failed_ends_the_daemon_after_its_answer(make: MAKE) -> None:
    rig = make()
    assert code(rig.connect().call("fail", 1, text="store")) == "store-failed"
    assert rig.stopped == ["the store failed"]


def test_a_request_larger_than_a_frame_is_refused_and_the_connection_goes_on(make: MAKE) -> None:
    client = make().connect()
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"' + b"a" * wire.MAX_FRAME)
    answer = client.receive()
    assert (answer["id"], code(answer)) == (None, "frame-too-large")
    client.raw(b'and so on"}}\n')
    assert client.call("echo", 2, text="b")["result"] == {"text": "b"}


def test_an_answer_larger_than_a_frame_becomes_an_error(make: MAKE) -> None:
    client = make().connect()
    answer = client.call("large", 1, size=wire.MAX_FRAME)
    assert code(answer) == "frame-too-large"
    assert client.call("echo", 2, text="b")["result"] == {"text": "b"}


def test_one_connection_more_than_allowed_is_told_so(make: MAKE) -> None:
    rig = make(connections=16)
    clients = [rig.connect() for _ in range(16)]
    extra = rig.connect(shake=False)
    answer = extra.call("handshake", 0, protocol=wire.PROTOCOL)
    assert (code(answer), answer["error"]["data"]["details"]) == ("too-many-connections", {"limit": 16})
    assert extra.ended()
    clients[0].close()
    rig.until(lambda: rig.server.clients == 15)
    rig.connect()
    assert all(client.call("echo", 1, text="a")["result"] == {"text": "a"} for client in clients[1:])


def test_a_crowd_without_handshakes_does_not_keep_others_out(make: MAKE) -> None:
    rig = make(connections=2)
    for _ in range(4):
        rig.connect(shake=False)
    rig.until(lambda: rig.server.connections == 4)
    turned_away = rig.connect(shake=False)
    assert code(turned_away.receive()) == "too-many-connections"
    rig.until(lambda: rig.server.connections == 4)


def test_requests_of_one_connection_are_answered_as_they_end(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1, text="late")
    client.send("echo", 2, text="early")
    assert client.receive()["id"] == 2
    rig.operations.gate.set()
    assert client.receive() == {"jsonrpc": "2.0", "id": 1, "result": {"text": "late"}}


def test_a_second_request_of_one_id_is_refused_while_the_first_is_active(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1)
    assert rig.operations.entered.acquire(timeout=10)
    assert code(client.call("echo", 1)) == "protocol-error"


def test_two_requests_in_one_block_and_one_request_in_many_are_the_same(make: MAKE) -> None:
    client = make().connect()
    line = b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"a"}}\n'
    client.raw(line + line.replace(b":1,", b":2,"))
    assert sorted((client.receive()["id"], client.receive()["id"])) == [1, 2]
    for byte in line:
        client.raw(bytes((byte,)))
    assert client.receive()["result"] == {"text": "a"}


def test_a_cancelled_request_is_answered_at_once_and_ends(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1)
    assert rig.operations.entered.acquire(timeout=10)
    client.send("cancel", id=1)
    assert code(client.receive()) == "cancelled"
    rig.until(lambda: rig.operations.ended == ["Cancelled"] and rig.server.active == 0)


def test_a_request_that_waits_for_its_turn_can_be_cancelled(make: MAKE) -> None:
    rig = make(requests=1)
    client = rig.connect()
    client.send("wait", 1)
    assert rig.operations.entered.acquire(timeout=10)
    client.send("echo", 2)
    client.send("cancel", id=2)
    answer = client.receive()
    assert (answer["id"], code(answer)) == (2, "cancelled")


def test_an_operation_with_progress_answers_its_cancellation_when_it_has_ended(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("progress", 5)
    assert client.receive() == {"jsonrpc": "2.0", "method": "progress", "params": {"id": 5, "done": 1}}
    client.send("cancel", id=5)
    assert code(client.receive()) == "cancelled"
    assert rig.operations.ended == ["Cancelled"]


def test_a_request_past_its_deadline_is_answered_so(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1, timeout=0.02)
    answer = client.receive()
    assert (code(answer), answer["error"]["data"]["details"]) == ("deadline-exceeded", {"seconds": 0.02})
    rig.until(lambda: rig.operations.ended == ["DeadlineExceeded"] and rig.server.active == 0)


def test_a_lost_connection_ends_what_ran_for_it(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1)
    assert rig.operations.entered.acquire(timeout=10)
    client.close()
    rig.until(lambda: rig.operations.ended == ["Cancelled"] and rig.server.active == 0)
    assert rig.connect().call("echo", 1, text="a")["result"] == {"text": "a"}


def test_one_client_cannot_take_every_place(make: MAKE) -> None:
    rig = make(readers=32)
    greedy, other = rig.connect(), rig.connect()
    for number in range(40):
        greedy.send("wait", number)
    for _ in range(connection.ACTIVE):
        assert rig.operations.entered.acquire(timeout=10)
    assert other.call("echo", 1, text="a")["result"] == {"text": "a"}
    assert rig.on_loop(lambda: rig.server.active) == connection.ACTIVE
    rig.operations.gate.set()
    assert sorted(greedy.receive()["id"] for _ in range(40)) == list(range(40))


def test_no_more_requests_than_allowed_are_active(make: MAKE) -> None:
    rig = make(requests=3, readers=8)
    clients = [rig.connect() for _ in range(4)]
    for client in clients:
        client.send("wait", 1)
        client.send("wait", 2)
    for _ in range(3):
        assert rig.operations.entered.acquire(timeout=10)
    assert rig.on_loop(lambda: rig.server.active) == 3
    rig.operations.gate.set()
    assert [sorted((client.receive()["id"], client.receive()["id"])) for client in clients] == [[1, 2]] * 4


def test_a_client_that_never_reads_does_not_slow_another_one(make: MAKE) -> None:
    rig = make(stall_seconds=3600.0)
    deaf, other = rig.connect(), rig.connect()
    for number in range(200):
        deaf.send("large", number, size=1 << 20)
        if number % 20 == 0:
            assert other.call("echo", number, text="a")["result"] == {"text": "a"}
        if rig.on_loop(lambda: any(item.blocked for item in rig.server._all)):
            break
    else:
        pytest.fail("the deaf client was never noticed")
    assert other.call("large", 1, size=1 << 20)["result"]["text"] == "x" * (1 << 20)
    held = rig.on_loop(lambda: max(item.unsent + item.reserved for item in rig.server._all))
    assert held <= connection.OUTPUT + (16 << 20)


def test_a_client_that_takes_no_answers_is_dropped_after_a_time(make: MAKE) -> None:
    rig = make(stall_seconds=0.1)
    deaf, other = rig.connect(), rig.connect()
    for number in range(6):
        deaf.send("large", number, size=1 << 20)
    rig.until(lambda: rig.server.clients == 1)
    assert other.call("echo", 1, text="a")["result"] == {"text": "a"}


def test_a_request_that_does_not_end_is_given_up_after_a_time(make: MAKE) -> None:
    rig = make(stall_seconds=0.1)
    client = rig.connect()
    client.raw(b'{"jsonrpc":"2.0","id":1,"method":"echo"')
    assert client.ended()
    rig.until(lambda: rig.on_loop is not None and rig.server._retained == 0)


def test_a_client_that_waits_for_a_long_answer_is_not_taken_for_dead(make: MAKE) -> None:
    rig = make(stall_seconds=0.05)
    client = rig.connect()
    client.send("wait", 1, text="patience")
    assert rig.operations.entered.acquire(timeout=10)
    started = rig.on_loop(rig.loop.time)
    rig.until(lambda: rig.loop.time() - started > 0.3)
    rig.operations.gate.set()
    assert client.receive()["result"] == {"text": "patience"}


def test_unread_answers_in_the_way_of_others_cost_their_client_its_connection(
    make: MAKE, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "OUTPUT", 18 << 20)
    rig = make(stall_seconds=3600.0, readers=4)
    deaf, other, third = rig.connect(), rig.connect(), rig.connect()
    for number in range(12):
        deaf.send("large", number, size=4 << 20)
    rig.until(lambda: any(item.blocked for item in rig.server._all))
    third.send("wait", 1)
    assert rig.operations.entered.acquire(timeout=10)
    assert len(other.call("large", 1, size=1 << 20)["result"]["text"]) == 1 << 20
    rig.until(lambda: rig.server.clients == 2)
    assert deaf.ended()


def test_half_sent_large_requests_of_many_clients_do_not_lock_each_other_out(
    make: MAKE, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_FRAME", 1 << 20)
    monkeypatch.setattr(transport, "RETAINED", 2 << 20)
    rig = make(connections=16)
    line = b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"%b"}}\n' % (b"a" * 700_000)
    clients = [rig.connect() for _ in range(8)]
    half = len(line) // 2
    for client in clients:
        client.raw(line[:150_000])
    for client in clients:
        client.socket.setblocking(False)
    pending = {number: memoryview(line)[150_000:] for number in range(8)}
    answered: set[int] = set()
    most = 0
    while len(answered) < 8:
        most = max(most, rig.on_loop(lambda: rig.server._retained))
        for number, client in enumerate(clients):
            try:
                if pending[number]:
                    pending[number] = pending[number][client.socket.send(pending[number][:half]) :]
                elif number not in answered:
                    assert client.receive()["id"] == 1
                    answered.add(number)
            except BlockingIOError:
                continue
    rig.until(lambda: rig.server._retained == 0)
    assert 1 << 20 < most <= (2 << 20) + (1 << 20), "one frame over the limit at most"


def test_another_users_process_is_turned_away_even_if_it_can_connect() -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    rig = Rig(folder)
    try:
        Path(rig.path).chmod(0o666)
        asking = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(10);"
            "print(s.recv(65536).decode())"
        )
        command = ["/usr/bin/env", "python3", "-c", asking, rig.path]
        said = subprocess.run(command, user=65534, capture_output=True, text=True, check=False, cwd="/")
        if said.returncode:
            pytest.skip(f"no interpreter for that user: {said.stderr[-200:]}")
        assert json.loads(said.stdout)["error"]["data"]["code"] == "refused"
        assert rig.connect().call("echo", 1, text="a")["result"] == {"text": "a"}
    finally:
        rig.close()
        shutil.rmtree(folder)


def test_a_draining_server_finishes_what_it_has_and_refuses_the_rest(make: MAKE) -> None:
    rig = make()
    client = rig.connect()
    client.send("wait", 1, text="mine")
    assert rig.operations.entered.acquire(timeout=10)
    rig.on_loop(rig.server.drain)
    assert code(client.call("echo", 2)) == DaemonUnavailable.code
    assert client.call("ping", 3, text="a")["result"] == {"text": "a"}
    rig.operations.gate.set()
    assert client.receive()["result"] == {"text": "mine"}


def test_slow_requests_are_remembered_without_what_they_asked(make: MAKE) -> None:
    rig = make(slow_ms=0)
    client = rig.connect()
    for number in range(105):
        client.call("echo", number, text="what was asked")
    kept = rig.slow.listed()
    assert len(kept) == 100
    assert set(kept[-1]) == {"operation", "milliseconds", "waited", "ended", "outcome"}
    assert "what was asked" not in json.dumps(kept)


def test_a_request_that_its_client_gave_up_is_not_a_slow_one(make: MAKE) -> None:
    rig = make(slow_ms=0)
    client = rig.connect()
    client.send("wait", 1, text="a")
    assert rig.operations.entered.acquire(timeout=10)
    client.close()
    rig.until(lambda: rig.operations.ended == ["Cancelled"])
    other = rig.connect()
    for number in range(20):  # on whichever thread: the one that was given up has ended by then
        other.call("echo", number, text="b")
    assert {row["operation"] for row in rig.slow.listed()} == {"echo"}


def test_a_listener_takes_the_place_of_a_stale_socket(make: MAKE, tmp_path: Path) -> None:
    folder = tmp_path / "0"
    folder.mkdir(mode=0o700)
    (folder / "s").write_text("left over")
    rig = Rig(folder)
    try:
        assert rig.connect().call("echo", 1, text="a")["result"] == {"text": "a"}
    finally:
        rig.close()
    assert not Path(rig.path).exists()
