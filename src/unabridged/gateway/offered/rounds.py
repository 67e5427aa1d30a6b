"""What was said between the model and the archive, unseen by the client, and where it belongs in the client's history.

A client sends its own history again: without our calls. A place in it is named by what the client sees before it: a
digest chained over the pieces of the answer so far, from the item that was answered. Reasoning is not part of the
chain, since clients drop it when it is old; how much of it stood behind the last piece is a number beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

DIGEST = 16  # bytes
MOST_BYTES = 4 << 20  # of rounds that are kept for one conversation; the oldest go


class Place(msgspec.Struct, frozen=True, array_like=True):
    """A place in an answer: behind the piece whose chained digest is `anchor`, and `skip` reasoning blocks more.

    In Chat Completions, whose answers are one text, `anchor` is of the text before the place, `skip` its characters.
    """

    anchor: bytes
    skip: int = 0


class Placed(msgspec.Struct, frozen=True, array_like=True):
    """A call of ours, in the provider's form, where it stood, and behind how many calls of the client (`order`)."""

    place: Place
    raw: bytes
    order: int = 0


class Round(msgspec.Struct, frozen=True, array_like=True):
    """Calls of one answer of the model with their results, in the provider's form.

    `seed` is the key of the item that was answered. `end`: where the answer went on behind the results; None where the
    client had calls in it too, and its results stand beside ours. `beside`: members of the message that the client does
    not send back (JSON object). `documents`: what of the archive the results quote.
    """

    seed: str
    calls: tuple[Placed, ...]
    results: tuple[bytes, ...]
    end: Place | None = None
    beside: bytes = b""
    documents: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of what is inserted."""
        return sum(len(call.raw) for call in self.calls) + sum(map(len, self.results)) + len(self.beside)


class Chain:
    """Where one stands in an answer."""

    def __init__(self, seed: str) -> None:
        """Stand before an answer to the item with this key."""
        self._anchor = sha256(seed.encode()).digest()[:DIGEST]
        self._skip = 0

    @property
    def place(self) -> Place:
        """This place."""
        return Place(self._anchor, self._skip)

    def push(self, identity: bytes | None) -> None:
        """Go on behind a piece."""
        if identity is None:
            self._skip += 1
        elif identity:
            self._anchor = sha256(self._anchor + sha256(identity).digest()).digest()[:DIGEST]
            self._skip = 0


def borders(seed: str, identities: Iterable[bytes | None]) -> list[Place]:
    """Return the places before each piece and behind the last."""
    chain = Chain(seed)
    found = [chain.place]
    for identity in identities:
        chain.push(identity)
        found.append(chain.place)
    return found


def found_at(places: Sequence[Place], wanted: Place) -> int | None:
    """Return the border at which a place is, None where the history is another one."""
    best: int | None = None
    for at, place in enumerate(places):
        fits = place.anchor == wanted.anchor and place.skip <= wanted.skip
        if fits and (best is None or place.skip > places[best].skip):
            best = at
    return best


class Rounds:
    """The rounds of one conversation by the item that was answered."""

    def __init__(self, known: Iterable[Round] = ()) -> None:
        """Begin with those that were kept."""
        self._rounds = dict[str, tuple[Round, ...]]()
        self._size = 0
        self.unkept = set[str]()  # seeds of which the archive keeps nothing: they are known here alone
        self.checked = 0.0  # seconds of a clock at which the archive was last asked
        for one in known:
            self.add(one)

    def __contains__(self, seed: object) -> bool:
        return seed in self._rounds

    def of(self, seed: str) -> tuple[Round, ...]:
        """Return the rounds of the answer to an item, in order."""
        return self._rounds.get(seed, ())

    def only(self, seeds: Iterable[str]) -> None:
        """Forget what the archive keeps no more: `seeds` are those that it keeps."""
        for seed in self._rounds.keys() - set(seeds) - self.unkept:
            self.drop(seed)

    def all(self) -> list[Round]:
        """Return all of them."""
        return [one for several in self._rounds.values() for one in several]

    def add(self, one: Round) -> None:
        """Keep a round behind the others of its answer; the oldest go where there is no room."""
        self._rounds[one.seed] = (*self._rounds.pop(one.seed, ()), one)
        self._size += one.size
        while self._size > MOST_BYTES and len(self._rounds) > 1:
            self.drop(next(iter(self._rounds)))

    def drop(self, seed: str) -> bool:
        """Forget the rounds of an answer: it is asked for anew. Return whether there were any."""
        gone = self._rounds.pop(seed, ())
        self.unkept.discard(seed)
        self._size -= sum(one.size for one in gone)
        return bool(gone)


class _Kept(msgspec.Struct, array_like=True):
    """A round as it is kept: texts as texts, so that a credential in one is seen."""

    calls: list[tuple[str, int, int, str]]  # anchor, skip, order, call
    results: list[str]
    end: tuple[str, int] | None = None
    beside: str = ""
    documents: list[str] = []


_kept = msgspec.json.Decoder(list[_Kept])


def encode(rounds: Sequence[Round]) -> str:
    """Return rounds of one answer as text, empty where they cannot be written as one."""
    try:
        made = [
            _Kept(
                [
                    (call.place.anchor.hex(), call.place.skip, call.order, call.raw.decode())
                    for call in one.calls
                ],
                [result.decode() for result in one.results],
                None if one.end is None else (one.end.anchor.hex(), one.end.skip),
                one.beside.decode(),
                list(one.documents),
            )
            for one in rounds
        ]
    except UnicodeDecodeError:
        return ""
    return msgspec.json.encode(made).decode()


def decode(seed: str, data: str) -> list[Round]:
    """Return the rounds of the answer to the item `seed` from text; none of a text that is none."""
    try:
        return [
            Round(
                seed,
                tuple(
                    Placed(Place(bytes.fromhex(anchor), skip), raw.encode(), order)
                    for anchor, skip, order, raw in one.calls
                ),
                tuple(result.encode() for result in one.results),
                None if one.end is None else Place(bytes.fromhex(one.end[0]), one.end[1]),
                one.beside.encode(),
                tuple(one.documents),
            )
            for one in _kept.decode(data)
        ]
    except (msgspec.DecodeError, msgspec.ValidationError, ValueError):
        return []
