"""What a wire format does for offered tools: its answers read as they stream, its history filled up again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from unabridged.gateway.offered.rounds import Place, Placed, Round
from unabridged.window.providers.usage import Usage

# What the client gets of an answer that is cut before anything else of it was shown.
SAID = "(The archive was asked too often in one answer; it ends here.)"


class ToolCall(msgspec.Struct, frozen=True):
    """A call of one of our tools: its id, the tool's offered name, its arguments as JSON."""

    id: str
    name: str
    arguments: bytes


class Heard(msgspec.Struct, frozen=True):
    """One answer of the model, heard to its end.

    `asked` are the calls of ours, `calls` the same as they are put back, `said` what the next request needs of this
    answer (elements of its list, ours among them). `mixed`: the client has calls in it, too. `complete`: it ended in
    calls, and all of it is known well enough to be sent again; else calls of ours in it come to nothing. `end` is the
    place behind it. `beside`: members of the message that the client does not send back.
    """

    asked: tuple[ToolCall, ...] = ()
    calls: tuple[Placed, ...] = ()
    said: tuple[bytes, ...] = ()
    mixed: bool = False
    complete: bool = False
    end: Place = Place(b"")
    beside: bytes = b""
    usage: Usage = Usage()


class ClientAnswer(Protocol):
    """One answer to the client, made of one or more answers of the provider."""

    @property
    def over(self) -> bool:
        """Whether the client has all of it, whatever else the provider says."""
        ...

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes from the provider; return what the client gets of them now."""
        ...

    def heard(self) -> Heard:
        """Return what the provider's answer came to, at its end."""
        ...

    def resume(self) -> None:
        """Be ready for the provider's next answer, which goes on where our results were put in."""
        ...

    def finish(self) -> bytes:
        """Return what was held back of the last answer: how it ended, with what all of them used."""
        ...

    def let_go(self) -> bytes:
        """Return what was held back, in order: something of ours failed, and what comes now goes on as it is.

        Where something of ours was taken out of the answer already, it is the answer's end as the format has it.
        """
        ...

    def rest(self) -> bytes:
        """Return what is left at the end of an answer that was let go."""
        ...

    def failed(self, error: bytes) -> bytes:
        """Return what tells the client, in the middle of its answer, that the provider refused: `error` is its body."""
        ...


class Form(Protocol):
    """A wire format."""

    @property
    def tools(self) -> bytes:
        """The tools, as elements of the request's list."""
        ...

    def offers(self, body: bytes) -> bool:
        """Tell whether tools can be added to a request: whether all of its history is in it."""
        ...

    def answer(self, seed: str, *, streamed: bool) -> ClientAnswer:
        """Return an empty answer to the item with the key `seed`."""
        ...

    def result(self, asked: ToolCall, text: str, *, failed: bool) -> bytes:
        """Return the result of a call as it is put into the history."""
        ...

    def between(self, results: Sequence[bytes]) -> list[bytes]:
        """Return elements of the list that hold the results of calls that were all ours."""
        ...

    def filled(
        self, raws: Sequence[bytes], start: int, stop: int, rounds: Sequence[Round]
    ) -> Mapping[int, list[bytes]]:
        """Return what stands in place of some elements when rounds are put back into the answer `start` to `stop`.

        Rounds whose place is not there are left out, and all behind the first such.
        """
        ...
