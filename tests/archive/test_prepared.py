"""An event that a worker prepared has the stored value that the codec gives."""

from __future__ import annotations

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from unabridged.archive.prepared import rest_of, stored
from unabridged.schema.codec import MARK
from unabridged.schema.ids import Digest, EventId, Micros, Ordinal, OriginId, ProjectId, SessionId
from unabridged.schema.records import EVENT, Event, Media

PROJECT, SESSION, NAME = ProjectId(b"p" * 16), SessionId(b"s" * 16), EventId(b"e" * 20)
TEXTS = st.text(st.sampled_from([*"ab\0é文", "\ud800", "\udfff", MARK, "\U0010fffe"]), max_size=6)
NUMBERS = st.sampled_from([0, 1, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**63 - 1])


def event(text: str, time: int) -> Event:
    return Event(
        PROJECT, Ordinal(0), NAME, SessionId(b""), 0, "host", text, "text", "user", 1, Micros(time), -90, text, "call",
        [text], "", Digest(b"d" * 32), 1, 2, 3, 4, OriginId(b"o" * 16), 1, 2**40, 7, [text, [0, text, 3]],
        [Media("image/png", 4, "", [0], text)], "", text,
    )  # fmt: skip


@given(TEXTS, NUMBERS, NUMBERS, st.integers(-(2**60), 2**60))
@example("", 1, 1, 0)
def test_a_prepared_event_is_stored_as_the_whole_record_would_be(
    text: str, ordinal: int, seq: int, time: int
) -> None:
    draft = event(text, time)
    whole = msgspec.structs.replace(draft, ordinal=Ordinal(ordinal), session=SESSION, seq=seq)
    made = stored(PROJECT, Ordinal(ordinal), NAME, SESSION, seq, rest_of(draft))
    assert made.value == EVENT.encode(whole)
    assert EVENT.decode(made.value) == whole
