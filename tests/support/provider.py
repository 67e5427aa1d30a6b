"""A model provider on the loopback interface that answers real clients from a script.

`Provider` is the server; the form of requests and answers is an `Api`, one module each (`provider_anthropic`, …), so
that a test starts the ones that its client speaks:

    with Provider([provider_anthropic], replies=[Reply("Hello.")]) as provider:
        run_client(base_url=provider.url)
    assert provider.requests[0].body["model"] == "any"

With a `Meter` it has a window and a prompt cache, and with a `model` a mind: a function from a request to a reply.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol

from tests.support.provider_meter import Meter, Segment

MODELS = ("claude-opus-5-5", "claude-sonnet-4-5", "claude-haiku-4-5", "fake-claude", "fake-gpt", "fake-o")
HTTP_ERROR = 400
STOP_WITHIN = 10  # seconds for the server's thread to end


@dataclass(frozen=True)
class Call:
    """A tool call of a reply."""

    name: str
    input: Mapping[str, Any]
    id: str = ""  # made up when empty
    namespace: str = ""
    custom: bool = False  # its input is a text, not JSON


@dataclass(frozen=True)
class Reply:
    """What the model says once."""

    text: str = ""
    calls: Sequence[Call] = ()
    thinking: str = ""
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    stop: str = ""  # stop reason; else it follows from the calls
    error: tuple[int, str, str] | None = None  # status, type, message


@dataclass(frozen=True)
class Rule:
    """A reply to requests whose last message (or whole body) matches a pattern; `times` None: always."""

    pattern: str
    reply: Reply
    times: int | None = None
    whole: bool = False


@dataclass(frozen=True)
class Request:
    """One call that a client made."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    def text(self) -> str:
        """The body as text, to look for what was sent."""
        return json.dumps(self.body, ensure_ascii=False)


@dataclass(frozen=True)
class Answer:
    """What the server sends back."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"


class Api(Protocol):
    """The wire form of one provider; a module with these functions is one."""

    def takes(self, path: str) -> bool:
        """Whether a POST to this path (without `/v1`) is of this API."""
        ...

    def messages(self, body: Any) -> list[Any]:
        """The history in a request."""
        ...

    def has_tools(self, body: Any) -> bool:
        """Whether it is a call of the agent itself; titles and summaries come without tools."""
        ...

    def segments(self, body: Any) -> list[Segment]:
        """The prompt in the order in which it is cached."""
        ...

    def turn(self, body: Any) -> Turn:
        """What the newest request of the user is, and what was done for it so far."""
        ...

    def too_long(self, body: Any, tokens: int, window: int) -> Answer:
        """How a prompt above the model's window is refused."""
        ...

    def answer(self, path: str, body: Any, reply: Reply) -> Answer:
        """The reply in this API's form."""
        ...


@dataclass(frozen=True)
class Turn:
    """The newest text of the user, and the results of calls that were made for it, as the model sees them.

    `find` gives the result of an earlier call by its id, None where it is not in the prompt.
    """

    prompt: str
    results: Sequence[str]
    find: Callable[[str], str | None]
    tools: Sequence[str] = ()


# What the model says to a turn; None leaves it to the script.
Mind = Callable[[Turn], Reply | None]


class Provider:
    """The server: `replies` answer the agent's calls in order, then `default`; `side` answers calls without tools."""

    def __init__(
        self,
        apis: Iterable[Any],
        replies: Sequence[Reply] = (),
        *,
        rules: Sequence[Rule] = (),
        default: Reply = Reply("done."),
        side: Reply = Reply("side."),
        model: Mind | None = None,
        meter: Meter | None = None,
        keep: bool = True,
    ) -> None:
        self.requests: list[Request] = []
        self.refusals: list[tuple[int, str]] = []  # status and body of each answer that is an error
        self._model, self._meter, self._keep = model, meter, keep
        self._apis: list[Api] = list(apis)
        self._replies = list(replies)
        self._rules = list(rules)
        self._used = [0] * len(self._rules)
        self._default, self._side = default, side
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, without `/v1`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(STOP_WITHIN)

    def then(self, *replies: Reply) -> None:
        """Add replies to the script."""
        with self._lock:
            self._replies.extend(replies)

    def agent_requests(self) -> list[Request]:
        """The requests of the agent itself, without titles, summaries and counts."""
        return [
            request
            for request in self.requests
            if request.method == "POST"
            and any(api.takes(plain(request.path)) and api.has_tools(request.body) for api in self._apis)
            and "count_tokens" not in request.path
        ]

    def handle(self, request: Request) -> Answer:
        """Answer one request."""
        if self._keep:
            with self._lock:
                self.requests.append(request)
        path = plain(request.path)
        if request.method != "POST":
            return _listing(path)
        for api in self._apis:
            if api.takes(path):
                answer = self._answer(api, path, request.body)
                if answer.status >= HTTP_ERROR:
                    with self._lock:
                        self.refusals.append((answer.status, answer.body.decode("utf-8", "replace")))
                return answer
        return Answer(b'{"error":{"type":"not_found_error","message":"no such route"}}', 404)

    def _answer(self, api: Api, path: str, body: Any) -> Answer:
        reply, own = self._pick(api, body)
        usage: dict[str, int] = {}
        if self._meter is not None and not path.endswith("count_tokens"):
            size = self._meter.measured(api.segments(body), body.get("model", ""), side=not own)
            window = self._meter.window
            if window and size.tokens > window:
                return api.too_long(body, size.tokens, window)
            usage = size.usage()
        return api.answer(path, body, replace(reply, usage={**usage, **reply.usage}))

    def _pick(self, api: Api, body: Any) -> tuple[Reply, bool]:
        """The reply, and whether it is one to the agent itself."""
        messages = api.messages(body)
        said = self._model(api.turn(body)) if self._model is not None else None
        if said is not None:
            return said, True
        with self._lock:
            for number, rule in enumerate(self._rules):
                if rule.times is not None and self._used[number] >= rule.times:
                    continue
                where = body if rule.whole else messages[-1:]
                if re.search(rule.pattern, json.dumps(where, ensure_ascii=False), re.DOTALL):
                    self._used[number] += 1
                    return rule.reply, api.has_tools(body)
            if not api.has_tools(body):
                return self._side, False
            return self._replies.pop(0) if self._replies else self._default, True


def plain(path: str) -> str:
    """A path without its query and `/v1`."""
    return path.partition("?")[0].removeprefix("/v1").rstrip("/")


def sse(events: Iterable[tuple[str | None, Any]]) -> Answer:
    """Server-sent events: each with a name (or None) and JSON data (a string is sent as it is)."""
    parts: list[str] = []
    for name, data in events:
        if name is not None:
            parts.append(f"event: {name}\n")
        parts.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return Answer("".join(parts).encode("utf-8"), content_type="text/event-stream")


def as_json(data: Any, status: int = 200) -> Answer:
    """A JSON answer."""
    return Answer(json.dumps(data).encode("utf-8"), status)


def _listing(path: str) -> Answer:
    entries = [
        {
            "id": model,
            "object": "model",
            "type": "model",
            "display_name": model,
            "created": 0,
            "owned_by": "x",
        }
        for model in MODELS
    ]
    if path == "/models":
        return as_json({"object": "list", "data": entries, "has_more": False})
    if path.startswith("/models/"):
        return as_json({**entries[0], "id": path.removeprefix("/models/")})
    return as_json({"ok": True}) if path == "" else as_json({"error": {"message": "no such route"}}, 404)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        self._serve(json.loads(self._body() or b"null"))

    def do_GET(self) -> None:
        if self.headers.get("upgrade", "").lower() == "websocket":
            self._send(Answer(b"", 426))
            return
        self._serve(None)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _serve(self, body: Any) -> None:
        headers = {key.lower(): value for key, value in self.headers.items()}
        self._send(self.provider.handle(Request(self.command, self.path, headers, body)))

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            parts: list[bytes] = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            data = b"".join(parts)
        else:
            data = self.rfile.read(int(self.headers.get("content-length", "0")))
        coding = self.headers.get("content-encoding", "").lower()
        if coding == "gzip":
            return gzip.decompress(data)
        return zlib.decompress(data) if coding == "deflate" else data

    def _send(self, answer: Answer) -> None:
        try:
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
