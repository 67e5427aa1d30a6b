"""Reads the lines of an extension, has each answered beside the others, and writes the answers as they come.

What happened in a host is answered without what makes windows: a prompt waits for that, and loading takes longer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from unabridged.daemon.link import Link
from unabridged.errors import UnabridgedError
from unabridged.gateway.journal import Journal
from unabridged.gateway.shims import asked, events
from unabridged.gateway.shims.asked import Asked, Planned, Told

if TYPE_CHECKING:
    from unabridged.gateway.shims.hosted import Hosted

AT_ONCE = 64  # requests under way; a host that sends more waits
EVENT_SECONDS = 2.0  # that the daemon may take for what happened in a host
END_SECONDS = (
    1.0  # for what is under way when the input ends: a host tells that a session is over, and is gone
)
TOO_LONG, NOT_UNDERSTOOD, INTERNAL = "line-too-long", "not-understood", "internal-error"

Write = Callable[[bytes], None]


class Serving:
    """Answers one host's extension."""

    def __init__(self, hosted: Awaitable[Hosted], link: Link, journal: Journal) -> None:
        """Make windows with `hosted`, once it is there; tell the daemon what happens over `link`."""
        self._link, self._journal = link, journal
        self._hosted = asyncio.ensure_future(hosted)
        self._tasks = set[asyncio.Task[None]]()

    async def serve(self, reader: asyncio.StreamReader, write: Write) -> None:
        """Answer until the input ends."""
        try:
            while line := await _line(reader):
                self._start(line, write)
                if len(self._tasks) >= AT_ONCE:
                    await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        except ValueError:
            self._journal.fault(TOO_LONG)  # what follows a line that is too long cannot be told apart from it
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=END_SECONDS)
        (await self._hosted).close()

    def _start(self, line: bytes, write: Write) -> None:
        given = asked.asked(line)
        if given is None:
            self._journal.fault(NOT_UNDERSTOOD)
            return
        task = asyncio.create_task(self._answer(given, write))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, given: Asked, write: Write) -> None:
        try:
            answer = await self._answered(given)
        except UnabridgedError as error:
            answer = Told(given.id, fault=error.code)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with us must not stop an agent
            self._journal.failure(given.op, error)
            answer = Told(given.id, fault=INTERNAL)
        with contextlib.suppress(BrokenPipeError):  # the host has gone, and our input ends with it
            write(msgspec.json.encode(answer) + b"\n")

    async def _answered(self, given: Asked) -> msgspec.Struct:
        if given.op == "event":
            return await self._event(given)
        hosted = await asyncio.shield(self._hosted)
        if not hosted.knows(given.host) or not given.session:
            return Planned(given.id, fault=NOT_UNDERSTOOD)
        if given.op == "plan":
            return await hosted.plan(given)
        if given.op == "compact":
            return await hosted.compact(given)
        if given.op == "answered":
            hosted.answered(given)
            return Told(given.id)
        return Told(given.id, fault=NOT_UNDERSTOOD)

    async def _event(self, given: Asked) -> Told:
        """Tell the daemon what happened; return what the model is to be told."""
        said = events.said(given)
        answer = await self._link.call("hook", {"host": given.host, "input": said}, seconds=EVENT_SECONDS)
        return Told(given.id, events.context(str(answer.get("output", ""))))


async def _line(reader: asyncio.StreamReader) -> bytes:
    """Return the next line, b"" where the input has ended; raise `ValueError` for one that is too long."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError:
        return b""
    except asyncio.LimitOverrunError as error:
        raise ValueError(TOO_LONG) from error
