"""Who wrote a text of a request."""

from __future__ import annotations

import pytest

from unabridged.hosts.wire.authors import text_flags
from unabridged.schema.records import ECHO, HUMAN

COMMAND = "<command-message>una:search</command-message>\n<command-name>/una:search</command-name>"


@pytest.mark.parametrize(
    ("text", "side", "flags"),
    [
        (COMMAND, False, HUMAN | ECHO),
        (COMMAND, True, ECHO),
        (COMMAND.replace("una:", "my:"), False, HUMAN),
        (f"What is {COMMAND}?", False, HUMAN),
        ("Why does a log say <unabridged-hint>?", False, HUMAN),
    ],
)
def test_a_command_of_this_product_is_a_persons_and_is_not_searched(
    text: str, side: bool, flags: int
) -> None:
    assert text_flags(text, "user", side=side) == flags
