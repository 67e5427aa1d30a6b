"""What takes something back is told by its own words; what does not is not."""

from __future__ import annotations

import pytest

from unabridged.retrieve.conflicts import Said, conflicts


@pytest.mark.parametrize(
    ("earlier", "later", "shared", "cue"),
    [
        ("Use `ring_buffer.c` for it.", "Scrap that: ring_buffer.c is gone.", "ring_buffer.c", "Scrap that"),
        ("DEC-0054: poll.", "DEC-0054 is superseded. Interrupts it is.", "DEC-0054", "superseded"),
        ("Set MAX_RETRY to 3.", "Actually, MAX_RETRY shall be 5.", "MAX_RETRY", "Actually,"),
        ("The docs are in docs/api.md", "We moved away from docs/api.md", "docs/api.md", "moved away from"),
        ("getUserById is cached", "getUserById wird nicht mehr verwendet", "getUserById", "nicht mehr"),
        ("用 ring_buffer 存储", "不再使用 ring_buffer 了", "ring_buffer", "不再"),
    ],
)
def test_a_later_passage_that_takes_a_name_back_is_told(
    earlier: str, later: str, shared: str, cue: str
) -> None:
    (found,) = conflicts([Said("Something else."), Said(earlier), Said("In between."), Said(later)])
    assert (found.earlier, found.later) == (1, 3)
    assert (found.shared, found.cue) == (shared, cue)
    assert later[found.start : found.end] == cue


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use ring_buffer.c.", "ring_buffer.c is fine."),  # nothing is taken back
        ("Use ring_buffer.c.", "Do it on the board instead."),  # no name in common
        ("Use ring_buffer.c.", "ring_buffer.c works.\nThe weather is no longer nice."),  # another sentence
        ("No longer use ring_buffer.c.", "We no longer use ring_buffer.c."),  # both say the same
        ("The flash is slow.", "The flash is no longer slow."),  # a plain word is no name
        ("It took 50 ms.", "It takes 40 ms instead of 50 ms."),  # nor is a number
    ],
)
def test_nothing_is_guessed(earlier: str, later: str) -> None:
    assert conflicts([Said(earlier), Said(later)]) == []


def test_what_a_tool_printed_takes_nothing_back() -> None:
    said = Said("warning: foo_bar() is deprecated", spoken=False)
    assert conflicts([Said("Call foo_bar()."), said]) == []


def test_notes_of_one_subject_are_told() -> None:
    earlier, later = Said("Poll it.", subject="flash.wait"), Said("Interrupts instead.", subject="flash.wait")
    (found,) = conflicts([earlier, later])
    assert (found.by, found.shared, found.cue) == ("subject", "flash.wait", "instead")
    assert conflicts([earlier, Said("Interrupts instead.", subject="other")]) == []


def test_only_so_many_are_told() -> None:
    names = " ".join(f"name_{at}" for at in range(30))
    assert len(conflicts([Said(names), Said(f"no longer {names}")])) == 8
