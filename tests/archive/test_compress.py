"""Compressed payload comes back, as a whole or from its beginning."""

from __future__ import annotations

import random
from hashlib import sha256

import msgspec
import pytest

from unabridged.archive.compress import pack, unpack, unpack_first
from unabridged.archive.resolve import Unpacked
from unabridged.errors import Corrupt
from unabridged.schema.ids import Digest, OriginId, ProjectId
from unabridged.schema.records import Segment

ROLL = random.Random(4)
LONG = "".join(f"{ROLL.random():.3f} of a line\n" for _ in range(20_000)).encode()


def segment_at(start: int) -> Segment:
    codec, dictionary, packed = pack(LONG)
    digest = Digest(sha256(LONG).digest())
    return Segment(
        ProjectId(bytes(16)), OriginId(bytes(16)), 1, start, len(LONG), digest, codec, dictionary, packed
    )


@pytest.mark.parametrize("data", [b"", b"short", LONG[:3_000], ROLL.randbytes(9_000), LONG])
def test_the_beginning_of_a_payload_is_what_the_whole_begins_with(data: bytes) -> None:
    codec, dictionary, packed = pack(data)
    assert unpack(codec, dictionary, packed, len(data)) == data
    for count in {0, 1, len(data) // 3, max(0, len(data) - 1), len(data)}:
        assert unpack_first(codec, dictionary, packed, len(data), min(count, len(data))) == data[:count]


def test_a_beginning_that_is_not_there_is_corrupt() -> None:
    codec, dictionary, packed = pack(LONG)
    for damaged in (packed[:100], b"no frame at all", b""):
        with pytest.raises(Corrupt):
            unpack_first(codec, dictionary, damaged, len(LONG), len(LONG) // 2)


def test_a_segment_is_unpacked_as_far_as_it_is_asked_for() -> None:
    kept, segment = Unpacked(), segment_at(0)
    assert kept.first_of(segment, 10) == LONG[:10]
    assert kept.first_of(segment, 9) == LONG[:10]
    assert kept.first_of(segment, 11) == LONG
    assert kept.first_of(segment, 1) == LONG


def test_noted_segments_are_known_where_they_stand() -> None:
    kept, origin = Unpacked(), segment_at(0).origin
    for start in (500, 0, 1_000, 500):
        kept.note(msgspec.structs.replace(segment_at(start), size=400))
    assert [kept.start_of(origin, 1, at) for at in (0, 399, 400, 499, 500, 1_399, 1_400)] == [
        0,
        0,
        None,
        None,
        500,
        1_000,
        None,
    ]
    assert kept.start_of(origin, 2, 0) is None
    kept.note(msgspec.structs.replace(segment_at(0), size=450))  # it was provisional, and has grown
    assert kept.start_of(origin, 1, 420) == 0
