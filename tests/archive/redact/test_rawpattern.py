"""A screen for a user's patterns in JSON as it is written misses nothing that they match."""

from __future__ import annotations

import json

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unabridged.archive.redact import Redactor
from unabridged.archive.redact.pattern import text_finder
from unabridged.archive.redact.rawpattern import ODD_ESCAPE, raw_pattern

MEMORY = 8 << 20  # bytes

PATTERNS = (
    r"ACME-[0-9]{6}",
    r"(?i)\bcustomer[ _-]?id\s*[:=]\s*(?P<secret>[a-z0-9]{3,})",
    r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b",
    r"key[\"']?\s*=>?\s*[\"'][^\"']{2,}",
    r"a\"b|c\\d|e/f|g\.h",
    r"^begin\b.*\bend$",
    r"x\ny\tz",
    r"[^a-z\s]{3}q",
    r"[[:upper:]]{2}-\d+|[]x]u|[^]]v",
    r"(?s)m.{2,4}n",
    r"k.s\W\S\D",
    r"ö[ü-]é?x",
)
WORDS = (
    *[
        "ACME-123456",
        "Customer_ID",
        "customerid",
        ":",
        "=",
        "=>",
        "abc12",
        "123-45-6789",
        'key"=>"ab',
        "key='cd",
        'a"b',
        "c\\d",
        "e/f",
        "g.h",
        "begin",
        "end",
        "xyz",
        "!!!q",
        "AB-12",
        "]u",
        "xv",
        "mééén",
        "kßs",
        "k.s",
        ".é1",
        "öüx",
        "ö-éx",
        "K",
        "ſ",
    ],
    *(
        "x\ny\tz",
        "m\n\nn",
        "\n",
        "\t",
        " ",
        '"',
        "\\",
        "\\\\",
        "\r\n",
        "\x1b[1m",
        "\x00",
        "\u2028",
        "é",
        "😀",
        "n",
        "u",
        "-",
        "'",
    ),
)
FOUND = {pattern: re2.compile(pattern) for pattern in PATTERNS}
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map("".join)


@given(TEXTS, st.booleans(), st.booleans())
@example("x\ny\tz", False, False)
@example("customerid\n=\tabc12", False, False)
@example("\n123-45-6789\t", False, False)
@example("k.s\n\\!", False, False)
@example("e/f", False, True)
@example('key"=>"ab', True, True)
def test_what_a_pattern_finds_in_a_string_is_found_in_its_json(
    text: str, ascii_only: bool, slashes: bool
) -> None:
    line = json.dumps({"text": text, "n": 1}, ensure_ascii=ascii_only)
    line = line.replace("/", "\\/") if slashes else line
    for pattern in PATTERNS:
        raw = raw_pattern(pattern)
        assert raw is not None, pattern
        find = text_finder(f"{raw}|{ODD_ESCAPE}", MEMORY)
        if FOUND[pattern].search(text) or FOUND[pattern].search(text + "\n"):
            assert find(line.encode(), 0, len(line.encode())) >= 0, (pattern, line)
            assert find(f"{text}\n".encode(), 0, len(text.encode()) + 1) >= 0, (pattern, text)


def test_it_finds_nothing_in_most_lines() -> None:
    line = json.dumps({"text": 'say "well"\n\tand /go/ on \\ \x1b[1m', "id": "2026-01-01T00:00:00"}).encode()
    for pattern in PATTERNS[:7]:
        raw = raw_pattern(pattern)
        assert raw is not None
        assert text_finder(f"{raw}|{ODD_ESCAPE}", MEMORY)(line, 0, len(line)) < 0, pattern


@pytest.mark.parametrize("pattern", [r"\pN{3}", r"\x41", r"\Qa.b\E", "a\tb", r"(?x) a", r"[a", r"\101"])
def test_what_is_not_understood_is_told(pattern: str) -> None:
    assert raw_pattern(pattern) is None


@settings(deadline=None)  # rules are compiled when they are first looked for
@given(st.lists(TEXTS, min_size=1, max_size=6), st.booleans())
def test_lines_with_a_users_patterns_are_redacted_alike_alone_and_together(
    texts: list[str], ascii_only: bool
) -> None:
    lines = [json.dumps({"text": text}, ensure_ascii=ascii_only).encode() + b"\n" for text in texts]
    lines.append(texts[0].encode())
    assert REDACTOR.lines(lines) == [REDACTOR.line(line) for line in lines]
    for line, text in zip(lines, texts, strict=False):
        matched = any(FOUND[pattern].search(text) for pattern in PATTERNS)
        assert matched <= (REDACTOR.line(line)[0] != line)


REDACTOR = Redactor.compile(patterns=PATTERNS)
