"""The cursor of a packet: which question it belongs to, how far the log had come, and what was given already.

It is a list of ranges and not a number of pages, so that a continuation neither repeats nor skips anything when the
index has come further meanwhile. It grants nothing: whoever forges one hides text from himself.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from unabridged.errors import InvalidCursor
from unabridged.schema.ids import ProjectId

PREFIX = "g1_"
DIGEST_BYTES = 6  # of the question
PROJECT_BYTES = 4  # of a project's id
MAX_RANGES = 512  # given in all; the packet ends with them
MAX_CURSOR = 16_384  # characters

Range = tuple[int, int]
Place = tuple[ProjectId, int]  # project, ordinal of the event


@dataclass(slots=True)
class Given:
    """Last ordinals of projects when the first packet was made, and the ranges of events that were given since."""

    heads: dict[ProjectId, int] = field(default_factory=dict[ProjectId, int])
    ranges: dict[Place, list[Range]] = field(default_factory=dict[Place, list[Range]])

    @property
    def count(self) -> int:
        """How many ranges there are."""
        return sum(len(ranges) for ranges in self.ranges.values())

    def add(self, place: Place, start: int, end: int) -> None:
        """Note a range as given, joined with those that touch it."""
        joined, kept = (start, end), list[Range]()
        for one in self.ranges.get(place, []):
            if one[0] <= joined[1] and joined[0] <= one[1]:
                joined = (min(one[0], joined[0]), max(one[1], joined[1]))
            else:
                kept.append(one)
        self.ranges[place] = sorted([*kept, joined])

    def left(self, place: Place, start: int, end: int) -> list[Range]:
        """Return the parts of a range that were not given."""
        found, at = list[Range](), start
        for low, high in self.ranges.get(place, []):
            if low > at and at < end:
                found.append((at, min(low, end)))
            at = max(at, high)
        if at < end:
            found.append((at, end))
        return [(low, high) for low, high in found if low < high]


def digest_of(question: bytes) -> bytes:
    """Return what a cursor remembers of a question."""
    return hashlib.sha256(question).digest()[:DIGEST_BYTES]


def write(given: Given, digest: bytes) -> str:
    """Return the cursor."""
    out = bytearray(digest)
    projects = sorted({*given.heads, *(project for project, _ in given.ranges)})
    _put(out, len(projects))
    for project in projects:
        out += project[:PROJECT_BYTES]
        _put(out, given.heads.get(project, 0))
        events = sorted(
            (ordinal, ranges) for (owner, ordinal), ranges in given.ranges.items() if owner == project
        )
        _put(out, sum(len(ranges) for _, ranges in events))
        last = 0
        for ordinal, ranges in events:
            for start, end in ranges:
                _put(out, ordinal - last)
                _put(out, start)
                _put(out, end - start)
                last = ordinal
    out += hashlib.sha256(out).digest()[:2]
    return PREFIX + base64.urlsafe_b64encode(out).decode().rstrip("=")


def read(cursor: str, digest: bytes, projects: Iterable[ProjectId]) -> Given:
    """Return what a cursor says of the projects in scope; raise `InvalidCursor`.

    A project that the first packet did not know counts as one of which nothing was there.
    """
    data = _decoded(cursor)
    if data[:DIGEST_BYTES] != digest:
        raise InvalidCursor(
            "the cursor belongs to another question",
            field="cursor",
            hint="Give it with the same question, filters and scope as before.",
        )
    try:
        said = _read(data)
    except IndexError as error:
        raise InvalidCursor("the cursor is not valid", field="cursor") from error
    found = Given()
    for project in projects:
        head, ranges = said.get(project[:PROJECT_BYTES], (0, {}))
        found.heads[project] = head
        for ordinal, pieces in ranges.items():
            for start, end in pieces:
                found.add((project, ordinal), start, end)
    return found


def _decoded(cursor: str) -> bytes:
    data = b""
    if cursor.startswith(PREFIX) and len(cursor) <= MAX_CURSOR:
        try:
            data = base64.urlsafe_b64decode(cursor[len(PREFIX) :] + "==")
        except (binascii.Error, ValueError):
            data = b""
    if len(data) < DIGEST_BYTES + 3 or hashlib.sha256(data[:-2]).digest()[:2] != data[-2:]:
        raise InvalidCursor("the cursor is not valid", field="cursor")
    return data[:-2]


def _read(data: bytes) -> Mapping[bytes, tuple[int, dict[int, list[Range]]]]:
    at = DIGEST_BYTES
    count, at = _take(data, at)
    found = dict[bytes, tuple[int, dict[int, list[Range]]]]()
    for _ in range(count):
        project = data[at : at + PROJECT_BYTES]
        head, at = _take(data, at + PROJECT_BYTES)
        size, at = _take(data, at)
        ranges, ordinal = dict[int, list[Range]](), 0
        for _ in range(size):
            step, at = _take(data, at)
            start, at = _take(data, at)
            length, at = _take(data, at)
            ordinal += step
            ranges.setdefault(ordinal, []).append((start, start + length))
        found[project] = (head, ranges)
    return found


def _put(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _take(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = data[at]  # an end that comes too early is an IndexError
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise IndexError(at)
