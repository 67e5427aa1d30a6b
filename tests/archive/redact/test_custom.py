"""The user's own literals and patterns."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.archive.redact.secrets import GITHUB, PASSWORD, line
from unabridged.archive.redact import Redactor
from unabridged.errors import InvalidPattern, LimitExceeded


def test_a_literal_is_redacted_wherever_it_stands() -> None:
    redactor = Redactor.compile(literals=["Projekt Größe", 'say "hi"\n', "Acme/Corp", "日本"])
    for literal in ("Projekt Größe", 'say "hi"\n', "Acme/Corp", "日本"):
        assert redactor.text(f"a{literal}b")[0] == "a[redacted:literal]b"
        for ascii_only in (True, False):
            data = line({"text": f"x {literal} y", literal: 1}, ascii_only=ascii_only)
            assert json.loads(redactor.line(data)[0]) == {
                "text": "x [redacted:literal] y",
                "[redacted:literal]": 1,
            }
            nested = line({"text": json.dumps({"t": f"x {literal}"}, ensure_ascii=ascii_only)})
            assert "[redacted:literal]" in json.loads(redactor.line(nested)[0])["text"]


def test_a_literal_in_a_line_that_is_no_json_is_redacted() -> None:
    redactor = Redactor.compile(literals=["Größe"])
    assert redactor.line("x Größe\r\n".encode())[0] == b"x [redacted:literal]\r\n"
    assert redactor.line(b'{"a": "Gr\xc3\xb6\xc3\x9fe')[0] == b'{"a": "[redacted:literal]'


def test_a_pattern_sees_decoded_text_with_its_own_ends() -> None:
    redactor = Redactor.compile(
        patterns=[r"^ticket \d+$", r"\bemp-[0-9]{4}\b", r"kürzel:\s(?P<secret>\w+)", r"\Awhole\z"]
    )
    value = {
        "a": "ticket 12",
        "b": "a ticket 12",
        "c": "x\temp-1234\n",
        "d": "kürzel:\tqqq!",
        "e": "whole",
        "f": "the whole",
        "g": "xemp-1234",
    }
    for ascii_only in (True, False):
        kept = json.loads(redactor.line(line(value, ascii_only=ascii_only))[0])
        assert kept == value | {
            "a": "[redacted:pattern]",
            "c": "x\t[redacted:pattern]\n",
            "d": "kürzel:\t[redacted:pattern]!",
            "e": "[redacted:pattern]",
        }


def test_a_pattern_that_matches_nothing_at_all_redacts_nothing() -> None:
    redactor = Redactor.compile(patterns=["x*"])
    assert redactor.line(line({"a": "bcd"})) == (line({"a": "bcd"}), ())
    assert redactor.text("axb")[0] == "a[redacted:pattern]b"


def test_own_rules_do_not_reach_into_placeholders_or_sealed_fields() -> None:
    redactor = Redactor.compile(literals=["redacted", "password", " y"], patterns=["[a-z]+:", ".*token.*"])
    for text in (f"password={PASSWORD}", "redacted", "x e y", f"the token {GITHUB} is"):
        once, _ = redactor.text(text)
        assert redactor.text(once) == (once, ())
    data = line({"signature": "e redacted token"})
    assert redactor.line(data)[0] == data


def test_own_rules_work_beside_the_built_in_ones() -> None:
    redactor = Redactor.compile(literals=["Acme"], patterns=["emp-[0-9]+"])
    kept, found = redactor.line(line({"a": f"Acme {GITHUB} emp-77", "password": PASSWORD}))
    assert json.loads(kept) == {
        "a": "[redacted:literal] [redacted:github-token] [redacted:pattern]",
        "password": "[redacted:password]",
    }
    assert sorted(finding.rule for finding in found) == [
        "assigned-password",
        "github-token",
        "literal",
        "pattern",
    ]


@pytest.mark.parametrize(
    "pattern", ["(", "a{2,1}", r"(a)\1", "(?=a)", "[z-a]", "", "x" * 5_000, "\ud800", "(?P<n>a){1001}"]
)
def test_a_pattern_that_is_not_valid_or_not_linear_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidPattern):
        Redactor.compile(patterns=[pattern])


def test_an_empty_literal_and_too_many_rules_are_refused() -> None:
    with pytest.raises(InvalidPattern):
        Redactor.compile(literals=[""])
    with pytest.raises(LimitExceeded):
        Redactor.compile(literals=["x"] * 5_000)


def test_a_pattern_that_would_hang_other_engines_does_not_hang_this_one() -> None:
    redactor = Redactor.compile(patterns=[r"(a+)+$", r"(x|xx)*y"])
    text = "a" * 50_000 + "b" + "x" * 50_000
    assert redactor.text(text) == (text, ())


_TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6)


@given(_TEXT, st.lists(_TEXT, max_size=4), st.booleans())
def test_any_literal_is_found_in_any_spelling_of_json(
    literal: str, parts: list[str], ascii_only: bool
) -> None:
    redactor = Redactor.compile(literals=[literal])
    value = literal.join(["", *parts, ""])
    kept = json.loads(redactor.line(line([value], ascii_only=ascii_only))[0])[0]
    assert literal not in kept.replace("[redacted:literal]", "\x00") or literal in "[redacted:literal]\x00"
