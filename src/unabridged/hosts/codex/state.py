"""What a reader of a rollout remembers between lines; bounded, since it is stored with every batch of lines."""

from __future__ import annotations

import msgspec

from unabridged.hosts.codex.place import Place
from unabridged.hosts.contract import Head
from unabridged.schema.ids import Micros

CALLS = 96  # open calls: the tool of each, for its result; more are forgotten, since no turn has that many
ECHOES = 32  # messages given from events, whose items may follow


class State(msgspec.Struct):
    """A reader's memory, in use and (as MessagePack) in stored form."""

    place: Place
    thread: str  # the reader's own thread
    headed: bool = False  # the own header has been read
    leading: bool = True  # nothing but headers so far
    side: bool = False  # a subagent's rollout
    side_parent: bool = False  # whose parent is a subagent too
    copied: bool = False  # begins with a copy of the parent's rows
    copied_until: int = 0  # ordinal at which a subagent's own rows begin; 0: not told
    born: Micros = Micros(0)  # time of the header
    cwd: str = ""
    model: str = ""
    items: bool = False  # messages stand as response items; their events repeat them
    echoes: list[bytes] = []
    calls: dict[str, str] = {}  # call id → tool; "!" in front: of this product

    def open_call(self, call: str, tool: str, own: bool) -> None:
        """Remember a call until its result comes."""
        if call:
            if len(self.calls) >= CALLS:
                self.calls = {}
            self.calls[call] = f"!{tool}" if own else tool

    def close_call(self, call: str | None) -> tuple[str, bool]:
        """Return the tool that a result is of, and whether it was a call of this product."""
        tool = self.calls.pop(call, "") if call else ""
        return (tool[1:], True) if tool.startswith("!") else (tool, False)

    def is_echo(self, digest: bytes) -> bool:
        """Tell whether an event gave a message before, and forget it."""
        if digest not in self.echoes:
            return False
        self.echoes.remove(digest)
        return True

    def echo(self, digest: bytes) -> None:
        """Remember a message that an event gave."""
        self.echoes.append(digest)
        del self.echoes[:-ECHOES]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(State)


def encode(state: State) -> bytes:
    """Return the stored form."""
    return _encoder.encode(state)


def decode(data: bytes, head: Head) -> State:
    """Return the memory in stored form; a new one for b""."""
    if data:
        return _decoder.decode(data)
    thread = head.host_session
    return State(Place(root=thread), thread, side=head.relation == "subagent", cwd=head.cwd)
