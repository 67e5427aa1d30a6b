"""What was read before, so that a history which is sent again is not read again."""

from __future__ import annotations

import threading

import msgspec

from unabridged.window.messages import Item

Span = tuple[int, int]  # first byte, byte behind the last

PROBED = 64  # bytes that are compared before all of a beginning is
NEAR = 8  # items by which a request may leave the one before that it goes on with: a client moves its cache marks
_ENDED = b'}]"'  # ends a value that nothing behind it makes a longer one


class Past(msgspec.Struct, frozen=True):
    """A request that was read: by which reader, where its list begins and its items stand, what they say."""

    reader: str
    body: bytes
    array: int
    spans: tuple[Span, ...]
    items: tuple[Item, ...]
    keys: tuple[str, ...]

    def shared(self, body: bytes) -> int:
        """Return how many items stand in another body as they do here, behind the same bytes: some, if not all."""
        at, step = len(self.spans), 1
        if not at or not self._same(body, 1):
            return 0
        while at > 0:
            if self._same(body, at):
                return at
            at, step = at - step, step * 2
        return 1

    def _same(self, body: bytes, count: int) -> bool:
        stop = self.spans[count - 1][1]
        probe = max(0, stop - PROBED)
        if body[probe:stop] != self.body[probe:stop] or self.body[stop - 1] not in _ENDED:
            return False
        return body.startswith(self.body[:stop])


class Known:
    """The last request of each conversation: a client sends its whole history each time.

    It holds at most so many bytes of them, the last that came. Reading is the same with and without it.
    """

    def __init__(self, most: int) -> None:
        """Hold at most `most` bytes of requests; what is made of them takes about as much again."""
        self._most, self._size = most, 0
        self._pasts = list[Past]()
        self._lock = threading.Lock()  # long requests are read beside the others

    def nearest(self, reader: str, body: bytes) -> tuple[Past, int] | None:
        """Return the request with which a body has most in common, and how many items that are; None for nothing."""
        found, most = None, 0
        for past in reversed(self._held()):
            count = past.shared(body) if past.reader == reader else 0
            if count > most:
                found, most = past, count
                if len(past.spans) - count <= NEAR:
                    break
        return (found, most) if found is not None else None

    def alike(self, reader: str, raws: list[bytes]) -> tuple[Past, int] | None:
        """Return the request whose items begin with most of these, and how many: what stands around them may differ."""
        found, most = None, 0
        for past in reversed(self._held()):
            count = _common(past, raws) if past.reader == reader else 0
            if count > most:
                found, most = past, count
                if len(past.spans) - count <= NEAR:
                    break
        return (found, most) if found is not None else None

    def put(self, past: Past) -> None:
        """Remember a request, in place of one that it goes on with; the oldest go where there is no room."""
        if len(past.body) > self._most:
            return
        with self._lock:
            self._put(past)

    def _held(self) -> list[Past]:
        with self._lock:
            return list(self._pasts)

    def _put(self, past: Past) -> None:
        first = past.items[0].key if past.items else ""
        for at in range(len(self._pasts) - 1, -1, -1):
            one = self._pasts[at]
            if one.reader == past.reader and one.items[0].key == first and _goes_on(one, past):
                self._size -= len(self._pasts.pop(at).body)
                break
        self._pasts.append(past)
        self._size += len(past.body)
        while self._size > self._most:
            self._size -= len(self._pasts.pop(0).body)


def _common(past: Past, raws: list[bytes]) -> int:
    body, count = past.body, 0
    for raw, (start, stop) in zip(raws, past.spans, strict=False):
        if stop - start != len(raw) or not body.startswith(raw, start):
            break
        count += 1
    return count


def _goes_on(one: Past, past: Past) -> bool:
    """Tell whether a request is the other's conversation, some items further."""
    last = len(one.items) - NEAR
    if last <= 0:
        last = 1
    return len(past.items) >= len(one.items) and one.items[last - 1].key == past.items[last - 1].key
