"""What the archive keeps of one conversation, for the window over it: opened, captured, saved.

Where the archive fails, `fault` has the code of it, and the window goes on with what is known.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from unabridged.errors import Incomplete, UnabridgedError
from unabridged.service import live as taken
from unabridged.service.requests import Answer, Request
from unabridged.window import state as states
from unabridged.window.execute import ARCHIVE, CAPTURES, INCOMPLETE, INVALID, Account, Live, Row, batches
from unabridged.window.state import State

MOST_KEYS = 20_000  # that one call of `window.open` takes

Found = TypeVar("Found", bound=Answer)
Asked = TypeVar("Asked")


class Ask(Protocol):
    """Runs an operation of the archive."""

    def __call__(
        self, op: str, takes: type[Request], gives: type[Found], asked: Mapping[str, Any], /
    ) -> Found:
        """Return the operation's answer; raise errors of the tree."""
        ...


class Named(msgspec.Struct, frozen=True):
    """Which conversation it is: its id in hexadecimal, and what the archive is told of it when it is opened."""

    conversation: str
    host: str
    session: str
    cwd: str
    model: str


class Keeper:
    """One conversation in the archive. `live` is what is known of it here."""

    def __init__(self, ask: Ask, named: Named, strict: bool) -> None:
        """Ask by `ask`; with `strict` what fails is raised."""
        self._ask, self.named, self._strict = ask, named, strict
        self.live = Live()
        self.opened = False
        self.fault = ""

    def guarded(self, ask: Callable[[], Asked]) -> Asked | None:
        """Return what is asked for; None where that fails, which `fault` tells."""
        try:
            return ask()
        except UnabridgedError as error:
            if self._strict:
                raise
            self.fault = error.code or ARCHIVE
            return None

    def open(self, keys: list[str], form: str = "") -> None:
        """Begin or go on with the conversation, and learn which of the keys are durable; once."""
        if self.opened:
            return
        named = self.named
        for start in range(0, len(keys), MOST_KEYS) or (0,):
            asked: dict[str, Any] = {
                "conversation": named.conversation,
                "host": named.host,
                "host_session": named.session,
                "cwd": named.cwd,
                "format": form,
                "model": named.model,
                "keys": keys[start : start + MOST_KEYS],
            }

            def ask(asked: Mapping[str, Any] = asked) -> taken.WindowOpenAnswer:
                return self._ask("window.open", taken.WindowOpenRequest, taken.WindowOpenAnswer, asked)

            found = self.guarded(ask)
            if found is None:
                return
            if not self.live.state.address:
                self.live.state = _stored(found)
            self.live.told(found.durable, found.erased, forced=found.forced)
        self.opened = True

    def capture(self, rows: Iterable[Row]) -> None:
        """Make items durable, those sent again of which the archive does not say that it has them."""
        left = list(rows)
        for _ in range(CAPTURES):
            for batch in batches(left):
                found = self.guarded(lambda batch=batch: self._captured(batch))
                if found is None:
                    return
                self.live.told(found.durable, found.erased, found.invalid, forced=found.forced)
                if found.invalid:
                    self._told(INVALID, "an item is no JSON object that the archive can keep")
            left = self.live.unsettled(left)
            if not left:
                return
        self._told(INCOMPLETE, "the archive misses slices of an item")

    def _captured(self, batch: Iterable[Row]) -> taken.CaptureAnswer:
        rows = [{**msgspec.structs.asdict(row), "raw": row.raw.decode()} for row in batch]
        asked = {"conversation": self.named.conversation, "rows": rows}
        return self._ask("capture", taken.CaptureRequest, taken.CaptureAnswer, asked)

    def _told(self, fault: str, message: str) -> None:
        if self._strict:
            raise Incomplete(message)
        self.fault = fault

    def save(self, account: Account) -> None:
        """Keep the state, and what a request came to."""
        came_to = msgspec.structs.asdict(account)
        came_to["notices"] = [list(notice) for notice in account.notices]
        came_to["fault"] = self.fault or account.fault
        asked = {
            "conversation": self.named.conversation,
            "state": base64.b64encode(states.encode(self.live.state)).decode(),
            "request": came_to,
        }

        def ask() -> taken.WindowSaveAnswer:
            return self._ask("window.save", taken.WindowSaveRequest, taken.WindowSaveAnswer, asked)

        found = self.guarded(ask) if self.opened else None
        if found is not None:
            self.live.saved()
            self.live.told(forced=found.forced)

    def rotate(self) -> None:
        """Have the next request begin a new epoch."""
        self.open([])
        self.live.told(forced=True)
        asked = {"target": self.named.conversation}

        def ask() -> taken.WindowRotateAnswer:
            return self._ask("window.rotate", taken.WindowRotateRequest, taken.WindowRotateAnswer, asked)

        self.guarded(ask)


def _stored(found: taken.WindowOpenAnswer) -> State:
    """Return the state that the archive keeps; a new one under its address where it keeps none, or none of ours."""
    try:
        state = states.decode(base64.b64decode(found.state)) if found.state else State()
    except UnabridgedError:
        state = State()
    return msgspec.structs.replace(state, address=found.address)
