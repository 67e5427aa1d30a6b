"""Which events a byte range of a text touches, and what lies beside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unabridged.retrieve.slices import WINDOW_BYTES, Slice, Span, Text
from unabridged.schema.ids import Ordinal, ProjectId

GAP = 2  # bytes between two events


def text_of(sizes: list[int]) -> Text:
    spans, at = list[Span](), 0
    for number, size in enumerate(sizes):
        spans.append(Span(Ordinal(number + 1), at, size, at + size))
        at += size + GAP
    return Text(ProjectId(bytes(16)), None, spans, max(0, at - GAP), 0)


SIZES = st.lists(st.integers(1, 9_000), min_size=1, max_size=12)
PLACES = st.tuples(st.integers(0, 110_000), st.integers(0, 110_000)).map(sorted)


@given(SIZES, PLACES)
def test_a_range_touches_what_begins_before_its_end_and_ends_behind_its_beginning(
    sizes: list[int], places: list[int]
) -> None:
    text, chosen = text_of(sizes), Slice(*places)
    touched = [span for span in text.spans if span.start < chosen.end and span.end > chosen.start]
    assert text.inside(chosen) == (touched or text.spans[:1])


@given(SIZES, PLACES)
def test_what_lies_beside_a_range_is_the_nearest_event_or_the_rest_of_its_own(
    sizes: list[int], places: list[int]
) -> None:
    text, chosen = text_of(sizes), Slice(*places)
    after = next((span for span in text.spans if span.end > chosen.end), None)
    before = next((span for span in reversed(text.spans) if span.start < chosen.start), None)
    found = text.after(chosen)
    assert (found[0] if found else None) == after
    if found and found[1]:  # the rest of an event is given a window at a time
        assert found[0].start + found[1] == chosen.end
        assert found[2] - found[1] <= WINDOW_BYTES
    found = text.before(chosen)
    assert (found[0] if found else None) == before
    if found and found[2] < found[0].size:
        assert found[0].start + found[2] == chosen.start
        assert found[2] - found[1] <= WINDOW_BYTES
