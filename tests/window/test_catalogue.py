"""The table of contents: bounded whatever it lists, stable, and never a failure."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window.build import conversation, result, said, user
from unabridged.schema.tokens import strict
from unabridged.window.catalogue import KEPT_ENTRIES, Entry, entry, joined, render
from unabridged.window.limits import CATALOGUE_ENTRIES, CATALOGUE_TOKENS
from unabridged.window.terms import salient, topic


def lines(
    count: int, topic: str = "why does `retry_limit` fail", terms: tuple[str, ...] = ("a_b", "src/x.py")
) -> list[Entry]:
    return [Entry(f"{number:016x}", f"{topic} {number}", terms, tokens=100) for number in range(count)]


ENTRIES = st.lists(
    st.builds(
        Entry,
        st.text("0123456789abcdef", min_size=16, max_size=16),
        st.text(max_size=80),
        st.lists(st.text(min_size=3, max_size=60), max_size=8).map(tuple),
        st.integers(1, 500),
        st.just("ffffffffffffffff"),
        st.integers(0, 100_000),
    ),
    max_size=120,
)


@settings(max_examples=100, deadline=None)
@given(entries=ENTRIES, address=st.sampled_from(["", "gateway:0a1b-2c3d"]))
def test_whatever_it_lists_it_stays_within_its_budget(entries: list[Entry], address: str) -> None:
    text = render(entries, address)
    assert strict(text.encode("utf-8", "surrogatepass")) <= CATALOGUE_TOKENS
    assert text.count("\n- ") <= CATALOGUE_ENTRIES
    assert render(entries, address) == text
    assert bool(text) == bool(entries)


def test_few_turns_are_listed_with_all_that_is_known_of_them() -> None:
    text = render(lines(3), "gateway:s")
    assert text.count("\n- ") == 3
    assert '- 0000000000000001 "why does `retry_limit` fail 1" · a_b, src/x.py' in text
    assert "`gateway:s:ID`" in text
    assert "3 turns (about 300 tokens)" in text


def test_many_turns_are_folded_the_older_the_coarser() -> None:
    text = render(lines(500), "gateway:s")
    found = [line for line in text.split("\n") if line.startswith("- ")]
    sizes = [int(line.split("(")[1].split(" ")[0]) if " … " in line else 1 for line in found]
    assert sum(sizes) == 500
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_a_budget_of_nothing_leaves_the_first_line() -> None:
    text = render(lines(80), "gateway:s", tokens=1)
    assert text.startswith("[Earlier in this conversation: 80 turns")
    assert "\n" not in text


def test_a_state_remembers_no_more_lines_than_its_limit_and_no_turn_twice() -> None:
    known = joined((), lines(40))
    assert joined(known, lines(40)) == known
    many = joined((), lines(1_000))
    assert len(many) == KEPT_ENTRIES
    assert sum(one.turns for one in many) == 1_000


def test_a_turn_is_known_by_what_was_asked_and_by_the_names_in_it() -> None:
    group = conversation(
        user("\n  --- \n\nFix `load_config` in src/app/main.py\nplease"),
        said("It is HttpRequestParser."),
        result("1", "x_y"),
    ).items
    found = entry(group)
    assert found.topic == "Fix `load_config` in src/app/main.py"
    assert set(found.terms) == {"load_config", "src/app/main.py", "HttpRequestParser"}
    assert found.name == group[0].key[:16]


def test_terms_are_names_and_not_words() -> None:
    text = (
        "The `flag` of foo_bar.baz() in /usr/lib/x.py, E0599 and getUserById; see v1.2 (mostly) and/or 3.14"
    )
    found = salient([text])
    assert {"flag", "foo_bar.baz", "/usr/lib/x.py", "E0599", "getUserById"} <= set(found)
    assert not {"The", "mostly", "see"} & set(found)
    assert len(salient([" ".join(f"name_{number}" for number in range(50))])) == 8


def test_a_topic_is_one_short_line() -> None:
    assert topic("a" * 200) == "a" * 79 + "…"
    assert topic("") == ""
    assert topic("***\n\t\n") == ""
