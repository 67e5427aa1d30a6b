"""Walks the members of objects and lists in text, whose quotes may be escaped once or more."""

from __future__ import annotations

import re

import msgspec

from unabridged.archive.redact.words import closes

MAX_STEPS = (
    192  # strings and brackets that one walk steps over: hostile text has objects in objects in objects
)
MAX_NESTED = 512  # bytes between two of them, backwards

_BACKSLASH = 0x5C
_BLANKS = re.compile(rb"(?:[ \t\r\n]|\\+[nrt])*+")
_BLANKS_BEFORE = re.compile(rb"(?:[ \t\r\n]++|(?<!\\)\\+[nrt])+\Z")
_LOOK_BACK = 64  # bytes of white space before a member
_SCALAR = re.compile(rb"[A-Za-z0-9_.+-]{1,64}+")
_SCALAR_BEFORE = re.compile(rb"[A-Za-z0-9_.+-]{1,64}\Z")
_STEP = re.compile(rb"[\"'{}\[\]]")
_OPENS = frozenset(b"{[")
_PAIRS = {0x7D: b"{", 0x5D: b"["}


class Member(msgspec.Struct, frozen=True):
    """A member of an object: its key and value, or an item of a list, whose key is empty.

    `start`, `end`: the content of a string, all of another value. `opens`: `"`, `{`, `[`, or nothing for a scalar.
    """

    key: bytes
    key_start: int
    start: int
    end: int
    opens: bytes


class Walk:
    """One walk over `text[low:high]`, whose strings stand in `mark` behind `depth` backslashes."""

    def __init__(self, text: bytes, bounds: tuple[int, int], mark: bytes, depth: int) -> None:
        """Begin a walk; see `at_key`."""
        self.text = text
        self.low, self.high = bounds
        self.mark = mark
        self.depth = depth
        self.width = depth + 1  # bytes of a quote
        self._steps = MAX_STEPS
        self.short = False
        """Set when the walk came to `high`: with more text it may see more."""

    @classmethod
    def at_key(cls, text: bytes, at: int, bounds: tuple[int, int]) -> Walk | None:
        """Begin a walk of an object at one of its keys, whose content begins at `at`; None where no quote opens it."""
        mark = text[at - 1 : at]
        if at <= bounds[0] or mark not in (b'"', b"'"):
            return None
        return cls(text, bounds, mark, _backslashes(text, at - 1, bounds[0]))

    def again(self) -> Walk:
        """Return another walk over the same text, which may take as many steps."""
        return Walk(self.text, (self.low, self.high), self.mark, self.depth)

    # --- forward ----------------------------------------------------------------------------------------------

    def members(self, at: int) -> list[Member]:
        """Read members from the key whose quote begins at `at`."""
        found: list[Member] = []
        while self._is_quote(at) and self._steps > 0:
            key_start = at + self.width
            key_end = self.string_end(key_start)
            colon = self.skip(key_end + self.width) if key_end >= 0 else -1
            if colon < 0 or self.text[colon : colon + 1] != b":":
                break
            member = self.value(self.skip(colon + 1), self.text[key_start:key_end], key_start)
            if member is None:
                break
            found.append(member)
            at = self._next(member)
        return found

    def items(self, at: int) -> list[Member]:
        """Read the items of the list that opens before `at`."""
        found: list[Member] = []
        at = self.skip(at)
        while at >= 0 and self._steps > 0:
            item = self.value(at, b"", at)
            if item is None:
                break
            found.append(item)
            at = self._next(item)
        return found

    def value(self, at: int, key: bytes, key_start: int) -> Member | None:
        """Read the value at `at`; None where it is none, or goes on behind the walk's end."""
        if self._is_quote(at):
            end = self.string_end(at + self.width)
            return Member(key, key_start, at + self.width, end, b'"') if end >= 0 else None
        opens = self.text[at : min(self.high, at + 1)]
        if opens in (b"{", b"["):
            end = self._closing(at)
            return Member(key, key_start, at, end, opens) if end >= 0 else None
        scalar = _SCALAR.match(self.text, at, self.high)
        if scalar is None:
            self.short |= at >= self.high
            return None
        return Member(key, key_start, at, scalar.end(), b"")

    def skip(self, at: int) -> int:
        """Return the next place that is no white space, which may be escaped."""
        blanks = _BLANKS.match(self.text, at, self.high)
        return at if blanks is None else blanks.end()

    def string_end(self, at: int) -> int:
        """Return where the content ends that begins at `at`; -1 where its quote is not closed."""
        self._steps -= 1
        place = self.text.find(self.mark, at, self.high)
        while place >= 0:
            before = _backslashes(self.text, place, at)
            if before == self.depth or closes(self.depth, before):
                return place - self.depth if before >= self.depth else -1
            place = self.text.find(self.mark, place + 1, self.high)
        self.short = True
        return -1

    def _next(self, member: Member) -> int:
        """Return where the member behind one begins, -1 where it is the last."""
        at = self.skip(member.end + (self.width if member.opens == b'"' else 0))
        self.short |= at >= self.high
        return self.skip(at + 1) if self.text[at : at + 1] == b"," else -1

    def _closing(self, at: int) -> int:
        """Return the place behind what closes the bracket at `at`; -1 where nothing does."""
        level = 0
        mark = self.mark[0]
        for step in _STEP.finditer(self.text, at, self.high):
            place = step.start()
            if place < at:
                continue  # within a string
            self._steps -= 1
            if self._steps <= 0:
                return -1
            byte = self.text[place]
            if byte in _OPENS:
                level += 1
            elif byte in _PAIRS:
                level -= 1
                if level == 0:
                    return place + 1
            elif byte == mark and _backslashes(self.text, place, self.low) == self.depth:
                at = self.string_end(place + 1) + self.width
                if at < self.width:
                    return -1
        self.short = True
        return -1

    # --- backward ---------------------------------------------------------------------------------------------

    def members_before(self, at: int) -> list[Member]:
        """Read backwards the members that stand before the key whose quote begins at `at`."""
        found: list[Member] = []
        while self._steps > 0:
            at = self._skip_back(at)
            if self.text[max(self.low, at - 1) : at] != b",":
                break
            value = self._value_before(self._skip_back(at - 1))
            if value is None:
                break
            start, end, opens = value
            colon = self._skip_back(start - (self.width if opens == b'"' else 0))
            at = self._skip_back(colon - 1)
            if self.text[max(self.low, colon - 1) : colon] != b":" or not self._is_quote(at - self.width):
                break
            key_end = at - self.width
            key_start = self._string_start(key_end)
            if key_start < 0:
                break
            found.append(Member(self.text[key_start:key_end], key_start, start, end, opens))
            at = key_start - self.width
        return found

    def _value_before(self, at: int) -> tuple[int, int, bytes] | None:
        """Read the value that ends before `at`: where it begins and ends, and what opens it."""
        if self._is_quote(at - self.width):
            start = self._string_start(at - self.width)
            return (start, at - self.width, b'"') if start >= 0 else None
        last = self.text[max(self.low, at - 1) : at]
        if last in (b"}", b"]"):
            start = self._opening(at)
            return (start, at, self.text[start : start + 1]) if start >= 0 else None
        scalar = _SCALAR_BEFORE.search(self.text, max(self.low, at - 64), at)
        return (scalar.start(), at, b"") if scalar is not None else None

    def _skip_back(self, at: int) -> int:
        blanks = _BLANKS_BEFORE.search(self.text, max(self.low, at - _LOOK_BACK), at)
        return at if blanks is None else blanks.start()

    def _string_start(self, end: int) -> int:
        """Return where the content begins that ends at `end`; -1 where no quote opens it."""
        self._steps -= 1
        place = self.text.rfind(self.mark, self.low, end)
        while place >= 0:
            before = _backslashes(self.text, place, self.low)
            if before <= self.depth:
                return place + 1 if before == self.depth else -1
            place = self.text.rfind(self.mark, self.low, place)
        return -1

    def _opening(self, at: int) -> int:
        """Return where the bracket opens that is closed before `at`; -1 where none does."""
        level = 0
        while self._steps > 0:
            self._steps -= 1
            low = max(self.low, at - MAX_NESTED)
            place = max(self.text.rfind(step, low, at) for step in (b"{", b"[", b"}", b"]", self.mark))
            if place < 0:
                return -1
            if self.text[place] in _PAIRS:
                level += 1
            elif self.text[place : place + 1] in (b"{", b"["):
                level -= 1
                if level == 0:
                    return place
            elif closes(self.depth, _backslashes(self.text, place, self.low)):
                place = self._string_start(place - self.depth) - self.width
                if place < 0:
                    return -1
            at = place
        return -1

    def _is_quote(self, at: int) -> bool:
        """Tell whether a quote of this walk begins at `at`."""
        return self.low <= at and self.text.startswith(b"\\" * self.depth + self.mark, at)


def _backslashes(text: bytes, at: int, low: int) -> int:
    """Count the backslashes before `at`."""
    before = at
    while before > low and text[before - 1] == _BACKSLASH:
        before -= 1
    return at - before
