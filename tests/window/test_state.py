"""What is stored of a window: its version, and what is no state."""

from __future__ import annotations

import pytest

from unabridged.errors import Corrupt, StoreTooNew
from unabridged.window.calibration import Calibration
from unabridged.window.catalogue import Entry
from unabridged.window.limits import Gates
from unabridged.window.state import VERSION, Cut, Mark, State, decode, encode

FULL = State(
    address="gateway:s",
    epoch=3,
    cut=Cut(30, "ab" * 16, b"\x01" * 16),
    shown=Mark(40, "cd" * 16),
    regated=Mark(35, "ef" * 16),
    regate=1_000,
    squeezed=True,
    inline=("ab#1",),
    replaced=("cd",),
    retained=4,
    wanted=5,
    users=20,
    entries=(Entry("0123456789abcdef", "asked", ("a_b",), 2, "fedcba9876543210", 99),),
    catalogue="[…]",
    gates=Gates(),
    calibration=Calibration(1.25, 7),
    forced=True,
)


def test_a_state_comes_back_as_it_was() -> None:
    assert decode(encode(FULL)) == FULL
    assert decode(encode(State())) == State()


def test_a_state_of_version_one_is_read_as_it_was_written() -> None:
    """Bytes that this version wrote: a change that cannot read them needs a new version."""
    stored = encode(State(address="a", epoch=1, cut=Cut(2, "k", b"\x00")))
    assert stored[:1] == b"\x01"
    older = bytes((1,)) + b"\x83\xa7address\xa1a\xa5epoch\x01\xa3cut\x93\x02\xa1k\xc4\x01\x00"
    assert decode(older) == State(address="a", epoch=1, cut=Cut(2, "k", b"\x00"))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", Corrupt),
        (bytes((VERSION + 1,)) + b"\x80", StoreTooNew),
        (b"\x01\xff", Corrupt),
        (b"\x01\x93\x01", Corrupt),
    ],
)
def test_what_is_no_state_is_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode(data)
