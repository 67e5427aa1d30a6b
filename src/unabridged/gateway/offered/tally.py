"""What the provider's answers to one request came to: how many, with how many tokens, the last one as it was heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.gateway.offered.contract import Heard, ToolCall
from unabridged.gateway.offered.rounds import Chain, Placed
from unabridged.window.providers.splice import encoded
from unabridged.window.providers.usage import Usage


class Tally:
    """All answers of the provider so far."""

    def __init__(self) -> None:
        """Begin before the first."""
        self.last = Heard()
        self.rounds = 0
        self.before = 0  # tokens written in all answers before the last
        self._output = 0

    @property
    def cut(self) -> bool:
        """Whether the last answer ends in calls of ours alone, which the client does not have."""
        return bool(self.last.asked) and not self.last.mixed

    @property
    def own(self) -> bool:
        """Whether the one answer there is has nothing of ours in it: the client gets the provider's own bytes."""
        return not self.rounds or (self.rounds == 1 and not self.last.asked)

    def take(self, heard: Heard) -> Heard:
        """Take an answer that was heard to its end."""
        self.last, self.before = heard, self._output
        self._output += heard.usage.output
        self.rounds += 1
        return heard

    @property
    def written(self) -> int:
        """Tokens written in all answers."""
        return self.before + self.last.usage.output


class Piece(msgspec.Struct, frozen=True):
    """What a block or an item of an answer is. `asked`: a call of ours; `theirs`: a call of the client's."""

    identity: bytes | None
    asked: ToolCall | None = None
    theirs: bool = False


class Pieces(Tally):
    """Answers that are lists of blocks or items."""

    def __init__(self, seed: str, read: Callable[[bytes], Piece]) -> None:
        """Begin the answer to the item with the key `seed`; `read` says what a piece is."""
        super().__init__()
        self._chain, self._read = Chain(seed), read
        self.shown = list[bytes]()  # pieces that the client has

    def heard(
        self,
        raws: Sequence[bytes],
        said: Callable[[Sequence[bytes]], tuple[bytes, ...]],
        used: Usage,
        *,
        complete: bool,
    ) -> Heard:
        """Take the pieces of one answer of the provider; `said` makes of them what the next request needs."""
        calls, asked, mixed = list[Placed](), list[ToolCall](), False
        for raw in raws:
            piece = self._read(raw)
            if piece.asked is not None:
                calls.append(Placed(self._chain.place, raw))
                asked.append(piece.asked)
                continue
            mixed = mixed or piece.theirs
            self._chain.push(piece.identity)
            self.shown.append(raw)
        end = self._chain.place
        return self.take(Heard(tuple(asked), tuple(calls), said(raws), mixed, complete, end, usage=used))

    def has_theirs(self) -> bool:
        """Tell whether the client has a call to answer."""
        return any(self._read(raw).theirs for raw in self.shown)


def usage_of(raw: bytes, changed: dict[str, object]) -> bytes:
    """Return a usage object that tells other numbers."""
    values: dict[str, object] = msgspec.json.decode(raw)
    return encoded({**values, **changed})


def is_object(raw: bytes) -> bool:
    """Tell whether a member's value is an object: some providers write `null` for what they do not count."""
    return raw[:1] == b"{"
