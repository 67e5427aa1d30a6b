"""The words of a shell command are those that the standard library finds."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unabridged.archive.redact.shellwords import words_of

COMMANDS = st.text(st.sampled_from([*"ab'\"\\ ;|&<>\n\t\r$#é.\x00", "\ud800"]), max_size=24)


def expected(command: str) -> tuple[list[str], bool]:
    """Return the words, and whether the command breaks off within one."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&\n<>")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    found = list[str]()
    try:
        found.extend(lexer)
    except ValueError:
        return found, True
    return found, False


def found(command: str) -> tuple[list[str], bool]:
    words = list[str]()
    try:
        words.extend(words_of(command))
    except ValueError:
        return words, True
    return words, False


@given(COMMANDS)
@example("cat 'my file' \"a\\\"b\\$\" x\\ y '' \\\n;;&& <<EOF")
def test_words_are_those_of_the_standard_library(command: str) -> None:
    assert found(command) == expected(command)


@pytest.mark.parametrize("command", ["a 'b", 'a "b', "a\\", "x;y\\;'z", "a ; 'b"])
def test_a_quote_that_does_not_close_is_refused_where_the_standard_library_refuses_it(command: str) -> None:
    assert found(command) == expected(command)
    assert found(command)[1]
