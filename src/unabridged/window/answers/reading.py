"""An answer read beside its way to the client: streamed or whole, compressed or not, up to a bound."""

from __future__ import annotations

import zlib
from typing import Any, Protocol

import msgspec

from unabridged.window.answers.contract import MOST, Answer, Builder
from unabridged.window.answers.sse import Events
from unabridged.window.guard import tried

DONE = b"[DONE]"
AT_ONCE = 8 << 10  # bytes that are read at once: some seventy small events, in less than a millisecond
STREAM, JSON = b"text/event-stream", b"application/json"
# zlib reads both of its formats so.
_EITHER = 32 + zlib.MAX_WBITS

_decoder = msgspec.json.Decoder(dict[str, Any])


class _Inflater(Protocol):
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


class Reading:
    """Takes the bytes of an answer as they pass."""

    def __init__(self, building: Builder, kind: bytes, coding: bytes = b"") -> None:
        """Read an answer of a content type and coding; one that cannot be read gives an answer without items."""
        self._building = building
        self._streamed = kind.partition(b";")[0].strip().lower() == STREAM
        self._events = Events()
        self._whole = bytearray()
        self._held, self._waiting = list[bytes](), 0
        self._size = 0
        self.error: Exception | None = None
        self._inflater: _Inflater | None = None
        if coding in (b"gzip", b"x-gzip", b"deflate"):
            self._inflater = zlib.decompressobj(_EITHER)
        self._given_up = bool(coding) and coding != b"identity" and self._inflater is None

    def feed(self, piece: bytes) -> None:
        """Take the next bytes. It raises nothing: what cannot be read is given up, and `error` says why."""
        if self._given_up:
            return
        self._held.append(piece)
        self._waiting += len(piece)
        if self._waiting >= AT_ONCE:
            self._read()

    def _read(self) -> None:
        """Read what waits."""
        piece, errors = b"".join(self._held), list[Exception]()
        self._held.clear()
        self._waiting = 0
        tried(lambda: self._take(piece), errors)
        if errors:
            self.error = errors[0]
            self._give_up()

    def _take(self, piece: bytes) -> None:
        if self._inflater is not None:
            piece = self._inflated(piece)
        self._size += len(piece)
        if self._size > MOST:
            self._give_up()
        elif self._streamed:
            for data in self._events.feed(piece):
                self._event(data)
        else:
            self._whole += piece

    def answer(self, *, complete: bool) -> Answer:
        """Return the answer; not `complete`: the bytes ended before the answer did."""
        if self._held and not self._given_up:
            self._read()
        if self._given_up:
            return Answer(partial=True)
        if self._streamed:
            for data in self._events.end():
                self._event(data)
        else:
            decoded = _decoded(bytes(self._whole))
            if decoded is None:
                return Answer(partial=True)
            self._building.whole(decoded)
        found = self._building.answer()
        return found if complete else msgspec.structs.replace(found, partial=True)

    def _event(self, data: bytes) -> None:
        if data == DONE:
            return
        decoded = _decoded(data)
        if decoded is not None:
            self._building.event(decoded)

    def _inflated(self, piece: bytes) -> bytes:
        assert self._inflater is not None
        try:
            return self._inflater.decompress(piece, MOST)
        except zlib.error:
            self._give_up()
            return b""

    def _give_up(self) -> None:
        self._given_up = True
        self._whole.clear()
        self._held.clear()


def _decoded(data: bytes) -> dict[str, Any] | None:
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
