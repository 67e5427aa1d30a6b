"""What the gateway asks of the archive: three calls, each answered when what it brought is durable."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from unabridged.daemon.link import Link
from unabridged.window.execute import Account, Row

OPENING_KEYS = 20_000  # of one call
CALL_SECONDS = 30.0  # that one call may take; nobody who is asked for an answer waits that long


class Names(msgspec.Struct, frozen=True):
    """A conversation: its id, and what it is called by."""

    id: bytes
    host: str
    host_session: str
    cwd: str = ""
    format: str = ""
    model: str = ""
    side: bool = False


class Opened(msgspec.Struct, frozen=True):
    """What the archive knows of a conversation; `state` is b"" where it has none."""

    address: str = ""
    state: bytes = b""
    durable: frozenset[str] = frozenset()
    erased: frozenset[str] = frozenset()
    forced: bool = False


class Told(msgspec.Struct, frozen=True):
    """What became durable, and what can never be kept; the rest is to be sent again, from its first slice on."""

    durable: frozenset[str] = frozenset()
    erased: frozenset[str] = frozenset()
    forced: bool = False
    invalid: frozenset[str] = frozenset()


class Archive(Protocol):
    """The archive. Each call raises an `UnabridgedError`; each may be repeated, and says the same twice."""

    async def wake(self) -> None:
        """Be ready to answer."""
        ...

    async def open(self, names: Names, keys: Sequence[str]) -> Opened:
        """Begin or go on with a conversation; tells which of these keys are archived."""
        ...

    async def capture(self, conversation: bytes, rows: Sequence[Row], time: str) -> Told:
        """Archive rows, which have come at `time` (ISO 8601)."""
        ...

    async def save(self, conversation: bytes, state: bytes, request: Account, time: str) -> bool:
        """Keep a state (b"": keep the one before) and what a request came to; tells whether a rotation is wanted."""
        ...


class DaemonArchive:
    """The archive behind a daemon, which is started where none runs."""

    def __init__(self, link: Link) -> None:
        """Ask over a connection."""
        self._link = link

    async def wake(self) -> None:
        """Start the daemon where none runs."""
        await self._link.connect()

    async def open(self, names: Names, keys: Sequence[str]) -> Opened:
        """Begin or go on with a conversation."""
        asked = {
            "conversation": names.id.hex(),
            **{
                name: getattr(names, name)
                for name in ("host", "host_session", "cwd", "format", "model", "side")
            },
        }
        found = Opened()
        for start in range(0, max(1, len(keys)), OPENING_KEYS):
            some = list(keys[start : start + OPENING_KEYS])
            answer = await self._call("window.open", {**asked, "keys": some})
            found = Opened(
                answer["address"],
                base64.b64decode(answer["state"]),
                found.durable | frozenset(answer["durable"]),
                found.erased | frozenset(answer["erased"]),
                bool(answer["forced"]),
            )
        return found

    async def capture(self, conversation: bytes, rows: Sequence[Row], time: str) -> Told:
        """Archive rows."""
        asked = [
            {
                "key": row.key,
                "raw": row.raw.decode(),
                "origin": row.origin,
                "message": row.message,
                "time": time,
                "part": row.part,
                "more": row.more,
            }
            for row in rows
        ]
        answer = await self._call("capture", {"conversation": conversation.hex(), "rows": asked})
        return Told(
            frozenset(answer["durable"]),
            frozenset(answer["erased"]),
            bool(answer["forced"]),
            frozenset(answer.get("invalid", ())),
        )

    async def save(self, conversation: bytes, state: bytes, request: Account, time: str) -> bool:
        """Keep a state and what a request came to."""
        told = {**msgspec.to_builtins(request), "time": time}
        asked = {
            "conversation": conversation.hex(),
            "state": base64.b64encode(state).decode(),
            "request": told,
        }
        return bool((await self._call("window.save", asked)).get("forced"))

    async def _call(self, op: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self._link.call(op, params, repeatable=True, seconds=CALL_SECONDS)
