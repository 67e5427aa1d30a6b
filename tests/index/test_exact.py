"""Anchors of texts and of queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.matching import matches
from unabridged.index.exact import anchor_plan, anchors


@pytest.mark.parametrize(
    ("text", "kind", "anchor"),
    [
        ("see https://example.com/a?b=c.", "url", "https://example.com/a?b=c"),
        ("in src/index/exact.py:12 again", "path", "src/index/exact.py"),
        ("in C:\\Users\\x\\y.py again", "path", "C:\\Users\\x\\y.py"),
        ("since 3f2a9bc it fails", "commit", "3f2a9bc"),
        ("with E0599, as before", "error", "E0599"),
        ("SQLSTATE 42P01 came", "error", "SQLSTATE 42P01"),
        ("failed with ENOENT", "error", "ENOENT"),
        ("raises ValueError here", "error", "ValueError"),
        ('it says "no such file" now', "quoted", "no such file"),
        ("run `git push` now", "quoted", "git push"),
        ("calls foo_bar.baz() twice", "symbol", "foo_bar.baz()"),
        ("calls getUserById twice", "symbol", "getUserById"),
        ("with --no-cache set", "symbol", "--no-cache"),
        ("set max_retries=5, then", "value", "max_retries=5"),
        ("pinned v1.2.3-rc.1 here", "value", "v1.2.3-rc.1"),
        ("at 0x7ffe here", "value", "0x7ffe"),
        ("DEC-0054 says", "value", "DEC-0054"),
        ("took 30 ms there", "value", "30 ms"),
    ],
)
def test_an_anchor_is_found_with_its_kind(text: str, kind: str, anchor: str) -> None:
    assert [(found.kind, found.text) for found in anchors(text)] == [(kind, anchor)]


def test_plain_prose_has_no_anchor() -> None:
    assert anchors("We talked about the plan, and then we went home. It was fine!") == []


@given(st.text(st.characters(), max_size=300))
def test_anchors_are_ranges_of_their_text(text: str) -> None:
    for anchor in anchors(text):
        assert text[anchor.start : anchor.end] == anchor.text


@pytest.mark.parametrize(
    "name", ["foo_bar.baz()", "src/index/exact.py", "E0599", "--no-cache", "3f2a9bc", '"no such file"']
)
def test_the_plan_of_an_anchor_matches_what_names_it_and_nothing_that_does_not(name: str) -> None:
    plan = anchor_plan(f"why does {name} come up")
    assert matches(plan, f"here: {name} again")
    assert not matches(plan, "why does foo come up in a bar, no file of src, no cache such as that")


def test_a_query_without_anchors_has_an_empty_anchor_plan() -> None:
    assert anchor_plan("what did we decide about locks").empty
