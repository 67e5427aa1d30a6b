"""Asks one operation: plain arguments become its request, what comes back becomes its answer."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from unabridged.api.offered import ONCE
from unabridged.api.pages import Pages
from unabridged.errors import DaemonUnavailable, InvalidInput, ProtocolError
from unabridged.service.requests import Answer, Request

Found = TypeVar("Found", bound=Answer)
Item = TypeVar("Item")
Progress = Callable[[Mapping[str, Any]], None]

NO_LIMIT = 0.0  # seconds


class Engine(Protocol):
    """What runs operations: connections to a daemon, or this process. Every method may be called from any thread."""

    def call(self, op: str, request: Request, on_progress: Progress | None, seconds: float) -> dict[str, Any]:
        """Run an operation and return its answer as plain JSON values; `seconds` 0: however long it takes.

        Raises errors of `unabridged.errors`; what `on_progress` raises ends the operation and is raised.
        """
        ...

    def cancel(self) -> None:
        """End what runs now: those calls raise `Cancelled`."""
        ...

    def close(self) -> None:
        """Cancel what runs and let everything go; later calls raise `ArchiveClosed`. Once or more often."""
        ...


class Asking:
    """Runs operations by an engine, with typed requests and answers."""

    def __init__(self, engine: Engine, timeout: float | None) -> None:
        """Ask `engine`; `timeout` is for calls that give none."""
        self._engine = engine
        self._timeout = seconds_of(timeout)

    def _ask(
        self,
        op: str,
        takes: type[Request],
        gives: type[Found],
        asked: Mapping[str, Any],
        timeout: float | None = None,
        on_progress: Progress | None = None,
    ) -> Found:
        """Run an operation. `timeout` None: this archive's own."""
        seconds = self._timeout if timeout is None else seconds_of(timeout)
        once = ONCE.get(op)
        if once is not None and not asked[once]:
            asked = {**asked, once: secrets.token_hex(16)}
        request = request_of(takes, asked)
        try:
            found = self._engine.call(op, request, on_progress, seconds)
        except DaemonUnavailable:
            if once is None:
                raise
            found = self._engine.call(op, request, on_progress, seconds)
        try:
            return msgspec.convert(found, gives)
        except msgspec.ValidationError as error:
            raise ProtocolError(f"the answer to `{op}` is not one: {error}") from error

    def _pages(
        self,
        op: str,
        takes: type[Request],
        gives: type[Found],
        asked: Mapping[str, Any],
        timeout: float | None,
        items: Callable[[Found], Iterable[Item]],
    ) -> Pages[Found, Item]:
        """Run an operation page after page."""

        def ask(cursor: str) -> Found:
            return self._ask(op, takes, gives, {**asked, "cursor": cursor}, timeout)

        def after(page: Any) -> str:
            return page.next

        return Pages(ask, items, after)


def seconds_of(timeout: object) -> float:
    """Return the seconds that a timeout stands for (None: no limit); raise `InvalidInput`."""
    if timeout is None:
        return NO_LIMIT
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise InvalidInput("a timeout is a number of seconds", field="timeout")
    if not 0 <= timeout < math.inf:
        raise InvalidInput("a timeout is a number of seconds from 0 (no limit) on", field="timeout")
    return float(timeout)


def request_of(takes: type[Request], asked: Mapping[str, Any]) -> Request:
    """Return a checked request, equal to what a daemon would read; raise `InvalidInput` with the field.

    A request that is made without this check would be refused by a daemon only, and could differ from it within this
    process: a text that is no Unicode, a number that does not fit.
    """
    try:
        made = msgspec.convert(asked, takes, from_attributes=False)
        return msgspec.json.decode(msgspec.json.encode(made), type=takes)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$.")
        raise InvalidInput(reason, field=place.rstrip("`").removeprefix("filters.")) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidInput("a text is not valid Unicode, or a number too large", field="params") from error
