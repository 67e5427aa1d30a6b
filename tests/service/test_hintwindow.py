"""What a live window has left out of the prompt is told of again; what it shows is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.archiving import PROJECT
from tests.support.hinting import HOUR, NOW, Hinting
from unabridged.schema.ids import Micros, session_id
from unabridged.schema.records import EVENT, PATH
from unabridged.schema.windows import WINDOW, WINDOW_ITEM, Window, WindowItem
from unabridged.store.contract import Batch
from unabridged.window.state import Cut, State, encode

ASKED = "Why did we choose the 16 MHz crystal?"
CHOSEN = "We chose the 16 MHz crystal because the radio needs it."
ROWS: list[dict[str, Any]] = [
    {"id": "c0", "text": "Which crystal?", "human": True},
    {"id": "c1", "text": CHOSEN, "role": "assistant"},
    {"id": "c2", "text": "And the housing?", "human": True},
    {"id": "c3", "text": "Steel will do for it.", "role": "assistant"},
]
CONVERSATION = bytes(range(16))


def window(
    hinting: Hinting, state: State, *, session: str = "long", age: int = 0, side: bool = False
) -> None:
    """Give a session a window whose items are `item-0`, `item-1` …, one for each of the rows."""
    name = session_id("toy", "long")
    with hinting.store.snapshot() as reader:
        steps = reader.scan(PATH, (PROJECT, name))
        native = {
            event.ordinal: event.native for event in reader.scan(EVENT, (PROJECT,)) if event.session == name
        }
    batch = Batch()
    for step in steps:
        if native[step.event].startswith("c"):
            key = f"item-{native[step.event][1]}"
            batch.put(WINDOW_ITEM, WindowItem(PROJECT, CONVERSATION, key, 1, 0, 1, [step.event]))
    updated = Micros(int(NOW) - age)
    one = Window(
        PROJECT, CONVERSATION, session_id("toy", session), "toy", session, side=side, updated=updated
    )
    batch.put(
        WINDOW,
        Window(*(getattr(one, field) for field in one.__struct_fields__[:9]), encode(state), updated=updated),
    )
    hinting.store.commit(PROJECT, lambda _: batch)


@pytest.fixture
def talked(hinting: Hinting) -> Hinting:
    hinting.add("long", ROWS, age=HOUR)
    hinting.index()
    return hinting


CUT = State(epoch=1, cut=Cut(2, "item-2", b"digest"))


def test_what_was_cut_is_told_of(talked: Hinting) -> None:
    assert talked.ask(ASKED, "long", key="before").outcome == "nothing"
    window(talked, CUT)
    told = talked.ask(ASKED, "long", key="after")
    assert (told.outcome, "because the radio needs it" in told.text) == ("excerpt", True)


def test_what_stands_behind_the_cut_is_not(talked: Hinting) -> None:
    window(talked, State(epoch=1, cut=Cut(1, "item-0", b"digest")))
    assert talked.ask(ASKED, "long").outcome == "nothing"


def test_what_is_shown_as_a_preview_is_told_of(talked: Hinting) -> None:
    window(talked, State(replaced=("item-1",)))
    assert talked.ask(ASKED, "long").outcome == "excerpt"


def test_what_a_host_takes_for_visible_and_the_window_cut_is_told_of(talked: Hinting) -> None:
    shown = [f"toy:long:c{number}" for number in range(4)]
    assert talked.ask(ASKED, "long", key="before", visible=shown).outcome == "nothing"
    window(talked, CUT)
    assert talked.ask(ASKED, "long", key="after", visible=shown).outcome == "excerpt"


@pytest.mark.parametrize(
    "how",
    [{"age": HOUR}, {"side": True}, {"session": "another"}],
    ids=["the session goes on without it", "it is a subagent's", "it is another session's"],
)
def test_a_window_that_says_nothing_of_the_prompt_is_not_asked(talked: Hinting, how: dict[str, Any]) -> None:
    talked.add("later", [], age=HOUR)
    window(talked, CUT, **{**how, **({"age": 2 * HOUR} if "age" in how else {})})
    assert talked.ask(ASKED, "long").outcome == "nothing"


def test_a_state_that_cannot_be_read_hides_nothing(talked: Hinting) -> None:
    window(talked, CUT)
    with talked.store.snapshot() as reader:
        known = reader.get(WINDOW, (PROJECT, CONVERSATION))
        assert known is not None
        fields = [getattr(known, field) for field in known.__struct_fields__]
    fields[9] = b"\xff"
    batch = Batch()
    batch.put(WINDOW, Window(*fields))
    talked.store.commit(PROJECT, lambda _: batch)
    assert talked.ask(ASKED, "long").outcome == "nothing"
