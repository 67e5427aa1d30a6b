"""Answers that stream: recorded as their consumer reads them, in the stream object that the client made.

Whatever ends the reading, what came is recorded once: the end of the stream, a `break`, `close`, the end of a `with`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Protocol

from unabridged.api.becoming import become, kind_of
from unabridged.api.plain import plain
from unabridged.window.answers.builders import builder
from unabridged.window.providers.adapters import ADAPTERS

# Where a client's own helper for streams keeps the answer so far.
SNAPSHOTS = ("current_message_snapshot", "current_completion_snapshot")


class Turn(Protocol):
    """The request that a stream answers."""

    def record(self, answer: Any) -> None:
        """Archive the answer; only the first call counts."""
        ...


class Tap:
    """What came of one stream."""

    def __init__(self, form: str, turn: Turn) -> None:
        """Put an answer of a format together for a request."""
        self._building = builder(ADAPTERS[form])
        self._turn = turn

    def take(self, event: Any) -> None:
        """Take the next event; one that is no JSON says nothing."""
        try:
            found = plain(event)
        except TypeError:
            return
        if isinstance(found, dict):
            self._building.event(found)  # pyright: ignore[reportUnknownArgumentType]

    def end(self) -> None:
        """Record what came."""
        self._turn.record(self._building.answer())


def tapped(stream: Any, form: str, turn: Turn) -> Any:
    """Return the same stream; who reads it has it recorded."""
    tap, kind = Tap(form, turn), kind_of(stream)

    def following(self: Any) -> Any:
        try:
            event = kind.__next__(self)
        except BaseException:
            tap.end()
            raise
        tap.take(event)
        return event

    def iterated(self: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    event = self.__next__()
                except StopIteration:
                    return
                yield event
        finally:
            tap.end()

    def closed(self: Any) -> None:
        kind.close(self)
        tap.end()

    become(stream, __next__=following, __iter__=iterated, close=closed)
    return stream


def tapped_async(stream: Any, form: str, turn: Turn) -> Any:
    """Return the same asynchronous stream; who reads it has it recorded."""
    tap, kind = Tap(form, turn), kind_of(stream)

    async def following(self: Any) -> Any:
        try:
            event = await kind.__anext__(self)
        except BaseException:
            await asyncio.to_thread(tap.end)
            raise
        tap.take(event)
        return event

    async def iterated(self: Any) -> AsyncIterator[Any]:
        try:
            while True:
                try:
                    event = await self.__anext__()
                except StopAsyncIteration:
                    return
                yield event
        finally:
            await asyncio.to_thread(tap.end)

    async def closed(self: Any) -> None:
        await kind.close(self)
        await asyncio.to_thread(tap.end)

    become(stream, __anext__=following, __aiter__=iterated, close=closed)
    return stream


def snapshot(stream: Any) -> Any:
    """Return the answer so far that a client's helper keeps; None where there is none."""
    for name in SNAPSHOTS:
        try:
            return getattr(stream, name)
        except (AttributeError, AssertionError, RuntimeError):  # nothing came yet
            continue
    return None
