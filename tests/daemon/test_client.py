"""The client: what it imports, how it reads, what it raises, when it connects again."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.daemon.rig import PATIENCE
from unabridged.daemon import lock, paths, wirejson
from unabridged.daemon.client import Client
from unabridged.errors import (
    DaemonUnavailable,
    DeadlineExceeded,
    DiskLow,
    FrameTooLarge,
    ProtocolError,
    UnknownOperation,
)

# What every start of a command would pay for; each of them costs as much as a whole request or more.
HEAVY = {
    "json",
    "re",
    "socket",
    "typing",
    "dataclasses",
    "pathlib",
    "asyncio",
    "msgspec",
    "subprocess",
    "tomllib",
}


def test_a_client_imports_next_to_nothing() -> None:
    code = "import sys, unabridged.daemon.client; print(*sorted(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _with_path(code)], capture_output=True, text=True, check=True
    )
    assert set(answer.stdout.split()) & HEAVY == set()


def _with_path(code: str) -> str:
    source = str(Path(paths.__file__).parents[2])
    return f"import sys; sys.path.insert(0, {source!r}); {code}"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault of theirs
@given(PLAIN)
def test_the_small_json_reads_and_writes_what_the_large_one_does(value: Any) -> None:
    text = wirejson.dumps(value)
    assert "\n" not in text
    assert json.loads(text) == value
    assert wirejson.loads(text) == value
    assert wirejson.loads(json.dumps(value, indent=1)) == value


@pytest.mark.parametrize("text", ["", "{", "nope", "[1,", '{"a" 1}', '"\\x"', "1 2", "{} {}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        wirejson.loads(text)


def test_what_is_no_json_is_refused_by_a_process_that_has_not_imported_json() -> None:
    code = """
import sys
from unabridged.daemon import wirejson
assert "json.decoder" not in sys.modules
for text in ('{"a', '{"a" 1}', '[1,', '"\\\\x"'):
    try:
        wirejson.loads(text)
    except ValueError:
        continue
    raise SystemExit(text)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_refused(value: float) -> None:
    with pytest.raises(ValueError):
        wirejson.dumps({"a": [value]})


def test_values_that_are_not_plain_are_refused() -> None:
    with pytest.raises(TypeError):
        wirejson.dumps({"a": {1, 2}})


Answer = Callable[[dict[str, Any]], list[Any] | None]


class Fake:
    """A daemon that answers as the test says; None ends the connection."""

    def __init__(self, folder: Path, answers: list[Answer], **shake: Any) -> None:
        self.layout = paths.layout({"UNABRIDGED_HOME": str(folder)})
        Path(self.layout.run).mkdir(mode=0o700, parents=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.layout.socket)
        self._listener.listen()
        self._answers = answers
        self.asked: list[dict[str, Any]] = []
        self.shake: dict[str, Any] = {"version": "0", "pid": 1, "capabilities": ["ping", "note"], **shake}
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    frame = json.loads(line)
                    if frame["method"] == "handshake":
                        said: list[Any] | None = [{"id": frame["id"], "result": self.shake}]
                    else:
                        self.asked.append(frame)
                        said = self._answers.pop(0)(frame)
                    if said is None:
                        break
                    for item in said:
                        data = item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n"
                        try:
                            connection.sendall(data)
                        except BrokenPipeError:
                            break  # the client had enough

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._thread.join(PATIENCE)


MAKE = Callable[..., tuple[Fake, Client]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MAKE]:
    made: list[Fake] = []

    def start(*answers: Answer, **shake: Any) -> tuple[Fake, Client]:
        fake = Fake(tmp_path / "h", list(answers), **shake)
        made.append(fake)
        return fake, Client(fake.layout, start=False, project="/nowhere/here", scope="project")

    (tmp_path / "h").mkdir(mode=0o700)
    yield start
    for fake in made:
        fake.close()


def result(value: Any) -> Answer:
    return lambda frame: [{"jsonrpc": "2.0", "id": frame["id"], "result": value}]


def test_an_answer_is_returned_and_the_deadline_told(make: MAKE) -> None:
    fake, client = make(result({"a": "ü\u2028"}))
    assert client.call("ping", {"x": [1]}, timeout=7) == {"a": "ü\u2028"}
    assert (fake.asked[0]["params"], fake.asked[0]["timeout"]) == ({"x": [1]}, 7)


def test_an_error_is_raised_as_its_own_type(make: MAKE) -> None:
    error = DiskLow(free=3, limit=4).to_dict()
    _, client = make(
        lambda frame: [{"id": frame["id"], "error": {"code": -1, "message": "m", "data": error}}]
    )
    with pytest.raises(DiskLow) as caught:
        client.call("ping")
    assert caught.value.details == {"free": 3, "limit": 4}


def test_progress_comes_before_the_answer_and_only_that_of_this_request(make: MAKE) -> None:
    def answer(frame: dict[str, Any]) -> list[Any]:
        return [
            {"method": "progress", "params": {"id": frame["id"], "done": 1}},
            {"method": "progress", "params": {"id": 999, "done": 2}},
            {"id": 998, "result": {"late": True}},
            {"id": frame["id"], "result": {}},
        ]

    _, client = make(answer)
    seen: list[Any] = []
    assert client.call("ping", on_progress=seen.append) == {}
    assert seen == [{"id": 1 + 1, "done": 1}]


def test_an_answer_in_pieces_is_put_together(make: MAKE) -> None:
    def answer(frame: dict[str, Any]) -> list[Any]:
        line = json.dumps({"id": frame["id"], "result": {"text": "x" * 300_000}}).encode() + b"\n"
        return [line[at : at + 1000] for at in range(0, len(line), 1000)]

    _, client = make(answer)
    assert len(client.call("ping")["text"]) == 300_000


def test_a_broken_connection_is_made_again_once_for_what_may_be_repeated(make: MAKE) -> None:
    fake, client = make(lambda _: None, result({"second": True}))
    assert client.call("ping") == {"second": True}
    assert len(fake.asked) == 2


def test_a_broken_connection_is_an_error_for_what_may_not_be_repeated(make: MAKE) -> None:
    fake, client = make(lambda _: None)
    with pytest.raises(DaemonUnavailable, match="broke before it answered"):
        client.call("note", {"text": "once"})
    assert len(fake.asked) == 1


def test_a_connection_that_breaks_twice_is_an_error(make: MAKE) -> None:
    _, client = make(lambda _: None, lambda _: None)
    with pytest.raises(DaemonUnavailable, match="twice"):
        client.call("ping")


def test_a_daemon_that_does_not_answer_is_given_up_in_time(
    make: MAKE, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = make(lambda _: [])
    monkeypatch.setattr("unabridged.daemon.client.GRACE_SECONDS", 0.0)
    with pytest.raises(DeadlineExceeded):
        client.call("ping", timeout=0.05)


@pytest.mark.parametrize("line", [b"[1]\n", b"nonsense\n", b'"text"\n'])
def test_an_answer_that_is_no_object_is_a_protocol_error(make: MAKE, line: bytes) -> None:
    _, client = make(lambda _: [line])
    with pytest.raises(ProtocolError):
        client.call("ping")


def test_an_endless_answer_is_refused(make: MAKE, monkeypatch: pytest.MonkeyPatch) -> None:
    _, client = make(lambda _: [b"x" * 600_000])
    monkeypatch.setattr("unabridged.daemon.client.MAX_FRAME", 100_000)
    with pytest.raises(ProtocolError):
        client.call("ping")


def test_a_request_larger_than_a_frame_is_not_sent(make: MAKE, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, client = make()
    monkeypatch.setattr("unabridged.daemon.client.MAX_FRAME", 1_000)
    with pytest.raises(FrameTooLarge):
        client.call("ping", {"text": "x" * 1_000})
    assert fake.asked == []


def test_an_operation_that_a_daemon_of_this_build_lacks_is_unknown(make: MAKE) -> None:
    fake, client = make()
    with pytest.raises(UnknownOperation):
        client.call("no.such")
    assert fake.asked == []


def test_a_daemon_of_another_build_is_replaced_once_when_it_lacks_an_operation(
    make: MAKE, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replacement itself is a stand-in: what is asked of whom, and how often, is what counts here."""
    fake, client = make(result({"ok": True}), result({"answer": 1}))
    owner = lock.acquire(fake.layout.lock)
    monkeypatch.setattr(client, "_start", True)

    def ended(*_: object, **__: object) -> bool:
        fake.shake["capabilities"].append("new.operation")
        owner.release()
        return True

    monkeypatch.setattr("unabridged.daemon.starting.await_end", ended)
    assert client.call("new.operation") == {"answer": 1}
    assert [frame["method"] for frame in fake.asked] == ["shutdown", "new.operation"]
    assert "new.operation" in fake.asked[0]["params"]["reason"]
    with pytest.raises(UnknownOperation):
        client.call("another.one")


def test_nobody_is_started_when_that_is_not_wanted(tmp_path: Path) -> None:
    with pytest.raises(DaemonUnavailable):
        Client(paths.layout({"UNABRIDGED_HOME": str(tmp_path / "none")}), start=False)
    assert not (tmp_path / "none").exists()
