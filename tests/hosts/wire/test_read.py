"""Who says what on the wire."""

from __future__ import annotations

import json

from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head
from unabridged.hosts.wire import Wire
from unabridged.hosts.wire.items import CHAT
from unabridged.schema.records import HUMAN, META

EXAMPLES = [
    ("user", "Change get_factorial() to use math.factorial"),
    ("assistant", "To make this change we need to modify `mathweb/flask/app.py`"),
    (
        "user",
        "I switched to a new code base. Please don't consider the above files or try to edit them any longer.",
    ),
    ("assistant", "Ok."),
]
FILES = [
    ("user", "I have *added these files to the chat* so you can go ahead and edit them.\n\na.py\n"),
    ("assistant", "Ok, any changes I propose will be to those files."),
]
TALK = [("user", "Change the greeting."), ("assistant", "Done."), ("user", "Thanks."), ("assistant", "Ok.")]


def read(host: str, talk: list[tuple[str, str]], *, anew: bool = False) -> list[Block]:
    """The blocks of a conversation; `anew`: with a new reader for each line."""
    wire, head, state = Wire(host, b"c" * 16, CHAT, side=False), Head("s"), b""
    reader = wire.reader("", head, state, 1)
    found = list[Block]()
    for number, (role, text) in enumerate(talk, 1):
        item = {"item": f"i{number}", "format": CHAT, "raw": {"role": role, "content": text}}
        found += reader.read(json.dumps(item).encode(), number).blocks
        if anew:
            reader = wire.reader("", head, reader.state(), 1)
    return found


def test_what_aider_says_for_both_sides_is_no_prompt_and_no_answer() -> None:
    for anew in (False, True):
        blocks = read("aider", [*EXAMPLES, *FILES, *TALK], anew=anew)
        assert [bool(block.flags & META) for block in blocks] == [True] * 6 + [False] * 4
        assert [index for index, block in enumerate(blocks) if block.flags & HUMAN] == [6, 8]


def test_the_same_words_of_a_person_elsewhere_are_theirs() -> None:
    blocks = read("api", EXAMPLES)
    assert [bool(block.flags & HUMAN) for block in blocks] == [True, False, True, False]
    assert not any(block.flags & META for block in blocks)


def test_a_prompt_of_aiders_is_read_without_the_reminder_that_its_system_prompt_ends_with() -> None:
    reminder = "# *SEARCH/REPLACE block* Rules:\n\nEvery block must use this format."
    talk = [
        ("system", f"Act as an expert software developer.\n{reminder}"),
        ("user", f"Change it.\n\nAnd that.\n\n{reminder}"),
        ("assistant", f"Done. {reminder}"),
        ("user", "Change it.\n\nAnd that."),
        ("user", f"What is this?\n\n{reminder} It is mine."),  # not the host's, for it goes on
    ]
    said = [text for _, text in talk]
    said[1] = said[3]
    for anew in (False, True):
        assert [text_of(block) for block in read("aider", talk, anew=anew)] == said
    assert [text_of(block) for block in read("api", talk)] == [text for _, text in talk]
