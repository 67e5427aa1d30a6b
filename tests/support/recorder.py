"""Stands between a client and a server: passes everything on, both ways and as it comes, and keeps what was sent.

The bodies of its requests are bytes.
"""

from __future__ import annotations

import http.client
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.support.provider import STOP_WITHIN, Request

ANSWERS_WITHIN = 120  # seconds
PIECE = 65_536  # bytes read at once
# Headers that belong to one connection.
OWN = frozenset({"host", "connection", "transfer-encoding", "content-length", "keep-alive"})


class Recorder:
    """The server; `target` is the base URL of the one behind it, which may change."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.requests: list[Request] = []
        self.statuses: list[int] = []
        handler = type("Handler", (_Handler,), {"recorder": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL for the client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Recorder:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(STOP_WITHIN)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    recorder: Recorder

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        self._pass_on(self._body())

    def do_GET(self) -> None:
        self._pass_on(b"")

    def do_HEAD(self) -> None:
        self._pass_on(b"")

    def _pass_on(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        if self.command == "POST" and "content-encoding" not in headers:
            self.recorder.requests.append(Request(self.command, self.path, headers, body))
        target = urllib.parse.urlsplit(self.recorder.target)
        connection = http.client.HTTPConnection(target.netloc, timeout=ANSWERS_WITHIN)
        try:
            kept = {name: value for name, value in headers.items() if name not in OWN}
            connection.request(self.command, target.path.rstrip("/") + self.path, body, kept)
            self._send(connection.getresponse())
        except OSError:
            self.close_connection = True  # the client sees what it would see: a connection that ends
        finally:
            connection.close()

    def _send(self, answer: http.client.HTTPResponse) -> None:
        self.recorder.statuses.append(answer.status)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OWN:
                self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        while piece := answer.read1(PIECE):
            self.wfile.write(piece)
            self.wfile.flush()

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        parts = list[bytes]()
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
