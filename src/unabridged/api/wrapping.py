"""Clients of Anthropic and OpenAI whose calls go through a window, and whose answers are archived.

Nothing of theirs is imported: a client is known by its resources (`messages`, `responses`, `chat.completions`), and
what it returns is its own. An asynchronous client is known by `__aenter__`; for it the archive is asked in a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import copy
import secrets
import threading
from collections.abc import Callable, Generator, Mapping
from os import PathLike
from typing import Any, TypeVar

from unabridged.api.archive import Archive
from unabridged.api.becoming import become, kind_of
from unabridged.api.exchange import Exchange
from unabridged.api.tapping import snapshot, tapped, tapped_async
from unabridged.api.window import Turn, Window
from unabridged.errors import InvalidInput
from unabridged.window.providers.adapters import CHAT_FORMAT, MESSAGES_FORMAT, RESPONSES_FORMAT

Client = TypeVar("Client")

# The places of a client that ask a model, with the format and the provider of what is sent there.
RESOURCES = (
    ("messages", MESSAGES_FORMAT, "anthropic"),
    ("beta.messages", MESSAGES_FORMAT, "anthropic"),
    ("responses", RESPONSES_FORMAT, "openai"),
    ("chat.completions", CHAT_FORMAT, "openai"),
)
COUNTING = "count_tokens"  # method that tells how large a request is
ASKING = ("create", "parse")  # methods that send a request and return its answer or a stream
# Set while a method of a client runs, which may call another one of the same client with what is windowed already.
_INSIDE = contextvars.ContextVar("unabridged.inside", default=False)
WINDOWS = 64  # conversations of one client that are held at once; an older one is read again from the archive


def wrap(
    client: Client,
    *,
    session: str = "",
    archive: Archive | None = None,
    home: str | PathLike[str] | None = None,
    project: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> Client:
    """Return a copy of an Anthropic or OpenAI client (synchronous or not) that sends windows and archives all of it.

    The arguments are those of `Archive.window`, and of `Archive` where none is given. Conversations that share a client
    are told apart by their first message of a user. Raises `InvalidInput` for what is no such client.
    """
    keeper = archive if archive is not None else Archive(home, project=project)
    windows = _Windows(keeper, session or secrets.token_hex(16), settings, strict)
    wrapped: Client = _wrapped(client, windows)
    return wrapped


class _Windows:
    """The windows of one client's conversations."""

    def __init__(
        self, archive: Archive, session: str, settings: Mapping[str, Any] | None, strict: bool
    ) -> None:
        self._archive, self._session, self._settings, self._strict = archive, session, settings, strict
        self._held = dict[str, Window]()
        self._lock = threading.Lock()

    def begin(self, arguments: Mapping[str, Any], form: str, provider: str) -> Turn:
        """Return a call's request as it is to be sent."""
        exchange = Exchange(arguments, form, f"{provider}/{arguments.get('model', '')}")
        return self._window(exchange, provider).begin(exchange)

    def counted(self, arguments: Mapping[str, Any], form: str, provider: str) -> Mapping[str, Any]:
        """Return a call's request as it would be sent, to be counted."""
        exchange = Exchange(arguments, form, f"{provider}/{arguments.get('model', '')}")
        return self._window(exchange, provider).counted(exchange)

    def _window(self, exchange: Exchange, provider: str) -> Window:
        with self._lock:
            chain = self._goes_on(exchange.previous) or exchange.chain
            window = self._held.pop(chain, None)
            if window is None:
                model = f"{provider}/{exchange.arguments.get('model', '')}"
                window = self._archive.window(
                    self._session, model=model, chain=chain, settings=self._settings, strict=self._strict
                )
            self._held[chain] = window
            while len(self._held) > WINDOWS:
                self._held.pop(next(iter(self._held)))
            return window

    def _goes_on(self, previous: str) -> str:
        """Return the chain of the conversation that has what the provider keeps under an id, "" where none is known."""
        found = (chain for chain, window in self._held.items() if previous and window.goes_on(previous))
        return next(found, "")


def _wrapped(client: Any, windows: _Windows) -> Any:
    own = client.with_options() if hasattr(client, "with_options") else copy.copy(client)
    if not _intercepted(own, windows):
        raise InvalidInput("that is neither a client of Anthropic nor of OpenAI", field="client")
    kind = kind_of(own)

    def copied(self: Any, *positional: Any, **named: Any) -> Any:
        made = kind.copy(self, *positional, **named)
        _intercepted(made, windows)
        return made

    if hasattr(kind, "copy"):
        become(own, copy=copied, with_options=copied)
    return own


def _intercepted(client: Any, windows: _Windows) -> bool:
    """Have a client's places ask through windows; tell whether it has any."""
    asynchronous, found = hasattr(client, "__aenter__"), False
    for path, form, provider in RESOURCES:
        resource = _resource(client, path)
        if resource is not None:
            _intercept(resource, windows, form, provider, asynchronous)
            found = True
    return found


def _resource(client: Any, path: str) -> Any:
    """Return a place of a client, None where it has none; one that the client would make anew is kept."""
    place = client
    for name in path.split("."):
        found = getattr(place, name, None)
        if found is None:
            return None
        if getattr(place, name) is not found:
            setattr(place, name, found)
        place = found
    return place if hasattr(place, "create") else None


def _intercept(resource: Any, windows: _Windows, form: str, provider: str, asynchronous: bool) -> None:
    kind = kind_of(resource)
    asking, streaming = (_asking_async, _streaming_async) if asynchronous else (_asking, _streaming)

    def begin(arguments: Mapping[str, Any]) -> Turn:
        return windows.begin(arguments, form, provider)

    methods = {name: asking(getattr(kind, name), begin, form) for name in ASKING if hasattr(kind, name)}
    if hasattr(kind, COUNTING):
        methods[COUNTING] = _counting(
            getattr(kind, COUNTING), lambda arguments: windows.counted(arguments, form, provider)
        )
    if hasattr(kind, "stream"):
        methods["stream"] = streaming(kind.stream, begin, form)
    become(resource, **methods)


Begin = Callable[[Mapping[str, Any]], Turn]


@contextlib.contextmanager
def _inside() -> Generator[None]:
    token = _INSIDE.set(True)
    try:
        yield
    finally:
        _INSIDE.reset(token)


def _counting(count: Any, counted: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Any:
    def told(self: Any, *positional: Any, **named: Any) -> Any:  # of an asynchronous client: what it awaits
        return count(self, *positional, **counted(named))

    return told


def _asking(ask: Any, begin: Begin, form: str) -> Any:
    def asked(self: Any, *positional: Any, **named: Any) -> Any:
        if _INSIDE.get():
            return ask(self, *positional, **named)
        turn = begin(named)
        try:
            with _inside():
                answer = ask(self, *positional, **turn.request)
        except BaseException:
            turn.record(None)
            raise
        if named.get("stream") is True and hasattr(answer, "__next__"):
            return tapped(answer, form, turn)
        turn.record(answer)
        return answer

    return asked


def _asking_async(ask: Any, begin: Begin, form: str) -> Any:
    async def asked(self: Any, *positional: Any, **named: Any) -> Any:
        if _INSIDE.get():
            return await ask(self, *positional, **named)
        turn = await asyncio.to_thread(begin, named)
        try:
            with _inside():
                answer = await ask(self, *positional, **turn.request)
        except BaseException:
            await asyncio.to_thread(turn.record, None)
            raise
        if named.get("stream") is True and hasattr(answer, "__anext__"):
            return tapped_async(answer, form, turn)
        await asyncio.to_thread(turn.record, answer)
        return answer

    return asked


def _streaming(stream: Any, begin: Begin, form: str) -> Any:
    def streamed(self: Any, *positional: Any, **named: Any) -> Entered:
        return Entered(lambda arguments: stream(self, *positional, **arguments), named, begin, form)

    return streamed


def _streaming_async(stream: Any, begin: Begin, form: str) -> Any:
    def streamed(self: Any, *positional: Any, **named: Any) -> EnteredAsync:
        return EnteredAsync(lambda arguments: stream(self, *positional, **arguments), named, begin, form)

    return streamed


class Entered:
    """What a client's helper for streams returns: entered, it sends, and gives the client's own stream."""

    def __init__(
        self, make: Callable[[Mapping[str, Any]], Any], named: Mapping[str, Any], begin: Begin, form: str
    ) -> None:
        """Make the client's own manager from the arguments of a call once they are windowed."""
        self._make, self._named, self._begin, self._form = make, named, begin, form

    def __enter__(self) -> Any:
        """Send the request, and return the stream."""
        self._turn = self._begin(self._named)
        try:
            self._manager = self._make(self._turn.request)
            with _inside():
                self._stream = self._manager.__enter__()
        except BaseException:
            self._turn.record(None)
            raise
        if self._form == RESPONSES_FORMAT:
            tapped(self._stream, self._form, self._turn)
        return self._stream

    def __exit__(self, *error: Any) -> Any:
        """End the stream, and record what came."""
        try:
            return self._manager.__exit__(*error)
        finally:
            self._turn.record(snapshot(self._stream))


class EnteredAsync:
    """The same of an asynchronous client."""

    def __init__(
        self, make: Callable[[Mapping[str, Any]], Any], named: Mapping[str, Any], begin: Begin, form: str
    ) -> None:
        """Make the client's own manager from the arguments of a call once they are windowed."""
        self._make, self._named, self._begin, self._form = make, named, begin, form

    async def __aenter__(self) -> Any:
        """Send the request, and return the stream."""
        self._turn = await asyncio.to_thread(self._begin, self._named)
        try:
            with _inside():
                self._manager = self._make(self._turn.request)
                self._stream = await self._manager.__aenter__()
        except BaseException:
            await asyncio.to_thread(self._turn.record, None)
            raise
        if self._form == RESPONSES_FORMAT:
            tapped_async(self._stream, self._form, self._turn)
        return self._stream

    async def __aexit__(self, *error: Any) -> Any:
        """End the stream, and record what came."""
        try:
            return await self._manager.__aexit__(*error)
        finally:
            await asyncio.to_thread(self._turn.record, snapshot(self._stream))
