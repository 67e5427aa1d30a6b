"""What is remembered of a window between requests: small, versioned, and enough to make the same bytes again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.errors import Corrupt, StoreTooNew
from unabridged.window.calibration import Calibration, observed
from unabridged.window.catalogue import Entry
from unabridged.window.limits import Gates
from unabridged.window.messages import Item
from unabridged.window.sent import Sent, sent
from unabridged.window.window import Piece

VERSION = 1


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The place behind the first `count` items, the last of which has that key. A count of 0 is no place."""

    count: int = 0
    key: str = ""

    def holds(self, items: Sequence[Item]) -> bool:
        """Tell whether the items still have it where it was."""
        return self.count == 0 or (self.count <= len(items) and items[self.count - 1].key == self.key)


def mark(items: Sequence[Item], count: int) -> Mark:
    """Return the place behind the first `count` items."""
    return Mark(count, items[count - 1].key if count else "")


class Cut(msgspec.Struct, frozen=True, array_like=True):
    """The first item that stays, by index and key, and the digest of the keys of all before it."""

    index: int = 0
    key: str = ""
    before: bytes = b""


class State(msgspec.Struct, frozen=True):
    """The window of one conversation.

    `epoch` counts rotations and resets. `shown` is the place up to which a provider has seen what was decided;
    `replaced` are keys of parts that were left out of it, `inline` of parts that were shown whole though above their
    gate, because they were not durable. Results up to `regated` stand under the gate `regate` (tokens; 0: none),
    arguments with them if `squeezed`. `retained` of `wanted` turns were kept by the last rotation, when there had been
    `users` user messages. `catalogue` is the text that stands where the cut is, made from `entries`. `address` is what
    names are read under in the archive. `forced`: a person asked for a rotation. `sent`: the window that was sent last,
    None where it was all that came.
    """

    version: int = VERSION
    address: str = ""
    epoch: int = 0
    cut: Cut = Cut()
    shown: Mark = Mark()
    regated: Mark = Mark()
    regate: int = 0
    squeezed: bool = False
    inline: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    retained: int = 0
    wanted: int = 0
    users: int = 0
    entries: tuple[Entry, ...] = ()
    catalogue: str = ""
    gates: Gates | None = None
    calibration: Calibration = Calibration()
    forced: bool = False
    sent: Sent | None = None

    def full_name(self, name: str) -> str:
        """Return an item's or a part's name as the archive reads it."""
        return f"{self.address}:{name}" if self.address else name


def encode(state: State) -> bytes:
    """Return the state as bytes."""
    return bytes((VERSION,)) + msgspec.msgpack.encode(state)


def decode(data: bytes) -> State:
    """Return the state in the bytes; raise `StoreTooNew` for a newer version, `Corrupt` for what is no state."""
    if not data:
        raise Corrupt("a stored window is empty")
    if data[0] > VERSION:
        raise StoreTooNew("a stored window has a newer format", found=data[0], known=VERSION)
    try:
        return msgspec.msgpack.decode(memoryview(data)[1:], type=State)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise Corrupt("a stored window does not decode") from error


def reset(state: State) -> State:
    """Return the state after the host has made its own history short: no old boundary may come back.

    What was archived stays and will be listed again; the next epoch begins with all that the host sends.
    """
    return State(
        address=state.address, epoch=state.epoch + 1, entries=state.entries, calibration=state.calibration
    )


def reported(state: State, estimated: int, tokens: int, size: int = 0) -> State:
    """Return the state after a provider reported `tokens` for a prompt of `size` bytes that was estimated so."""
    calibration = observed(state.calibration, estimated, tokens, size)
    return msgspec.structs.replace(state, calibration=calibration)


def under_way(state: State, window: Sequence[Piece], items: Sequence[Item], before: Sent | None) -> State:
    """Return the state with the window of these items that is sent; `before`: what was kept of the last one."""
    return msgspec.structs.replace(state, sent=sent(window, items, state.cut.index, before))


def forced(state: State) -> State:
    """Return the state with a rotation asked for by a person."""
    return msgspec.structs.replace(state, forced=True)
