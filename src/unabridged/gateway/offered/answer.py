"""What the answers of all formats have in common: streams cut into events, bodies held to their end, both let go."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from unabridged.gateway.offered.sse import Event, Events
from unabridged.gateway.offered.tally import Tally
from unabridged.gateway.offered.tools import MARK, OURS
from unabridged.window.answers.contract import Json

# What the client gets where something of ours failed after a call of ours was taken out of its answer.
FAILED = "(The archive could not be asked; this answer ends here.)"

# A call of one of our tools in an event: in a text the quotation marks would be escaped.
_CALL = re.compile(rb'"name"\s*:\s*"(?:' + b"|".join(re.escape(name.encode()) for name in OURS) + rb')"')


class Streamed:
    """An answer as server-sent events: each of the provider's is read by the format, which says what goes on.

    After `let_go` the events go on as they are, up to a call of ours, which nobody could answer.
    """

    def __init__(self, tally: Tally) -> None:
        """Begin with nothing; `tally` is what the provider's answers come to."""
        self._tally = tally
        self._events = Events(MARK)
        self._held = list[Event]()  # the end of the answer, where it is not known yet whether it is the last
        self._out = list[bytes]()  # of the bytes that are being taken
        self._at: Event | None = None  # that is being read
        self._gone = self.over = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes; return what the client gets."""
        for event in self._events.feed(data):
            self._at = event
            self._out.append(self._as_it_is(event) if self._gone else self._got(event))
        self._at = None
        return self._taken()

    def let_go(self) -> bytes:
        """Return what was held back, the answer's end where something of ours was taken out of it already."""
        self._gone = True
        waiting = [*self._held, *(() if self._at is None else (self._at,))]
        self._held.clear()
        left, self._events = self._events.all(), Events()
        if self._touched:
            self.over = True
            return self._taken() + b"".join(self._end_of_ours())
        for event in waiting:
            self._out.append(self._as_it_is(event))
        return self.feed(left)

    def rest(self) -> bytes:
        """Return what came behind the last whole event of an answer that was let go."""
        return b"" if self.over else self._events.rest()

    def _taken(self) -> bytes:
        found = b"".join(self._out)
        self._out.clear()
        return found

    def _as_it_is(self, event: Event) -> bytes:
        if self.over:
            return b""
        self.over = self._calls_us(event)
        return self.failed(b"") if self.over else event.raw

    def _calls_us(self, event: Event) -> bool:
        """Tell whether an event that was not read has a call of ours."""
        return _CALL.search(event.raw) is not None

    def failed(self, error: bytes) -> bytes:
        """Return what tells the client, in the middle of its answer, that it ends with an error."""
        raise NotImplementedError

    @property
    def _touched(self) -> bool:
        """Whether the client's answer is another one than the provider's, also where all of that was heard."""
        return self._hides and not (self._tally.rounds and self._tally.own)

    @property
    def _hides(self) -> bool:
        """Whether something of ours was taken out of an answer, or what comes follows one that was heard."""
        raise NotImplementedError

    def _got(self, event: Event) -> bytes:
        """Read an event; return what the client gets of it."""
        raise NotImplementedError

    def _end_of_ours(self) -> Iterator[bytes]:
        """Yield how an answer ends that cannot go on, given what the client has of it."""
        raise NotImplementedError


class Whole:
    """An answer as one body: the client gets nothing before its end."""

    def __init__(self, tally: Tally) -> None:
        """Begin with nothing; `tally` is what the provider's answers come to."""
        self._tally = tally
        self._pieces = list[bytes]()
        self._gone = self.over = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes; return what the client gets."""
        if self._gone:
            return b"" if self.over else data
        self._pieces.append(data)
        return b""

    def resume(self) -> None:
        """Go on with another answer."""
        self._pieces.clear()

    def failed(self, error: bytes) -> bytes:
        """Return nothing: an answer that is not streamed cannot say in its middle that it failed."""
        del error
        return b""

    def let_go(self) -> bytes:
        """Return the body; what is of ours is taken out where all of it is there."""
        self._gone, body = True, self._body
        self._pieces.clear()
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            return body
        ended = self._without_ours(value) if isinstance(value, dict) else False  # pyright: ignore[reportUnknownArgumentType]
        if not ended:
            return body
        self.over = True
        return json.dumps(value).encode()

    def rest(self) -> bytes:
        """Return nothing more."""
        return b""

    @property
    def _body(self) -> bytes:
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""

    def _kept(self, pieces: list[Json], shown: list[bytes]) -> list[Json] | None:
        """Return what of an answer is the client's, behind what it is `shown` of those before; None: all of the one."""
        kept = [one for one in pieces if one.get("name") not in OURS]
        if len(kept) == len(pieces) and not self._tally.rounds:
            return None
        before: list[Json] = [json.loads(raw) for raw in shown] if self._tally.rounds else []
        return [*(one for one in before if one not in kept), *kept]

    def _without_ours(self, value: Json) -> bool:
        """Take calls of ours out of the provider's last answer, and put in what it said before; tell whether it did."""
        raise NotImplementedError
