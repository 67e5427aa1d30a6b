"""A model behind an address: what is asked, and what a slow, wrong or hostile server can do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from unabridged.errors import InvalidSetting, ModelDamaged, ModelUnavailable
from unabridged.models import remote
from unabridged.models.remote import RemoteEmbedder

Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Server:
    """A loopback server that answers as `reply` says."""

    def __init__(self) -> None:
        self.reply: Reply = answer
        self.seen: list[tuple[dict[str, str], dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((dict(self.headers), body))
                try:
                    outer.reply(self, body)
                except OSError:
                    pass  # the client has gone, as it should

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/embeddings?x=1"

    def embedder(self, timeout: float = 5.0) -> RemoteEmbedder:
        return RemoteEmbedder(self.url, "some-model", "key-of-mine", timeout, time.monotonic)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


def send(handler: BaseHTTPRequestHandler, data: bytes, status: int = 200, length: int | None = None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data) if length is None else length))
    handler.end_headers()
    handler.wfile.write(data)


def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    rows = [{"index": at, "embedding": [1.0, float(len(text)), 0.5]} for at, text in enumerate(body["input"])]
    send(handler, json.dumps({"object": "list", "data": rows[::-1], "model": "m", "usage": {}}).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def test_rows_come_in_the_order_of_the_texts(server: Server) -> None:
    embedder = server.embedder()
    rows = embedder.embed(["a", "bbb", ""])
    assert rows.shape == (3, 3)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert rows[1, 1] > rows[0, 1]
    headers, body = server.seen[-1]
    assert headers["Authorization"] == "Bearer key-of-mine"
    assert body == {"input": ["a", "bbb", " "], "model": "some-model", "encoding_format": "float"}
    assert (embedder.identity.model, embedder.identity.dimensions) == ("some-model", 3)
    assert embedder.tokens("a longword!") == [(0, 1), (2, 6), (6, 10), (10, 11)]


def junk(data: bytes, status: int = 200) -> Reply:
    return lambda handler, _: send(handler, data, status)


@pytest.mark.parametrize(
    "reply",
    [
        junk(b""),
        junk(b"not json"),
        junk(b'{"data": 3}'),
        junk(b'{"data": []}'),
        junk(b'{"data": [{"embedding": []}]}'),
        junk(b'{"data": [{"embedding": ["x"]}]}'),
        junk(b'{"data": [{"embedding": [0.0, 0.0]}]}'),
        junk(b'{"data": [{"embedding": [1e999, 1]}]}'),
        junk(b'{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}'),
        junk(b'{"data": [{"index": 7, "embedding": [1, 2]}]}'),
        junk(b'{"data": [{"embedding": ' + b"[" * 100_000),
        junk(b"{}", 500),
        junk(b"{}", 401),
        junk(b"", 302),
        lambda handler, _: handler.wfile.write(b"HTTP/1.1 what\r\n"),
        lambda handler, _: handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000),
        lambda handler, _: send(handler, b"{}", length=10_000),
        lambda handler, _: None,
    ],
)
def test_a_wrong_answer_is_an_error_of_the_tree(server: Server, reply: Reply) -> None:
    server.reply = reply
    with pytest.raises(ModelUnavailable):
        server.embedder(timeout=1.0)


def test_an_answer_has_a_size(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MAX_ANSWER", 1_000)
    server.reply = junk(b" " * 5_000)
    with pytest.raises(ModelUnavailable, match="too large"):
        server.embedder()


def test_a_server_that_drips_is_left(server: Server) -> None:
    done = threading.Event()

    def drip(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not done.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    server.reply = drip
    try:
        with pytest.raises(ModelUnavailable):
            server.embedder(timeout=0.4)
    finally:
        done.set()


def test_a_server_that_says_nothing_is_left(server: Server) -> None:
    done = threading.Event()
    server.reply = lambda handler, body: done.wait(5) and None
    try:
        with pytest.raises(ModelUnavailable):
            server.embedder(timeout=0.3)
    finally:
        done.set()


def test_a_server_that_changes_its_dimensions_is_refused(server: Server) -> None:
    embedder = server.embedder()
    server.reply = junk(b'{"data": [{"embedding": [1, 2]}]}')
    with pytest.raises(ModelDamaged, match="dimensions"):
        embedder.embed(["x"])


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://x/y",
        "file:///etc/passwd",
        "http://",
        "https://user:pass@host/",
        "http://[::1",
        "http://h:x/",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidSetting):
        RemoteEmbedder(url, "m", "", 1.0, time.monotonic)


def test_a_key_never_leaves_this_machine_in_the_clear() -> None:
    with pytest.raises(InvalidSetting, match="https"):
        RemoteEmbedder("http://embeddings.example/v1", "m", "secret", 1.0, time.monotonic)


def test_nobody_listening_is_an_error_of_the_tree() -> None:
    with pytest.raises(ModelUnavailable):
        RemoteEmbedder("http://127.0.0.1:9/", "m", "", 0.5, time.monotonic)
