"""What a text can be found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.index.analysis.fields import GAP, Terms, analyse
from unabridged.index.analysis.letters import GRAM_RUN, normal
from unabridged.index.analysis.matching import matches
from unabridged.index.analysis.query import plan_query


def terms_of(text: str) -> set[str]:
    terms = analyse(text)
    return {*terms.words.split(), *terms.names.split()} - {GAP.strip()}


anything = st.text(st.characters(), max_size=300)
gram_texts = st.text(st.sampled_from("数据库迁移テストﾃｽﾄがﾞ데이터กขあ々ー漢"), min_size=1, max_size=30)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}([./@-][A-Za-z0-9_]{1,10}){0,4}", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("foo_bar.baz()", {"foo", "bar", "baz", "foo_bar.baz", "foo_bar"}),
        ("getUserById", {"getuserbyid", "get", "user", "by", "id"}),
        ("HTTPServer2", {"httpserver2", "http", "server", "httpserver"}),
        ("XMLHttpRequest2", {"xmlhttprequest2", "xml", "http", "request"}),
        ("/usr/lib/x.py:12", {"usr", "lib", "x", "py", "12", "usr/lib/x.py", "x.py"}),
        ("C:\\Users\\node_modules\\x.py", {"users", "node_modules", "x.py"}),
        ("DEC-0054", {"dec", "0054", "dec-0054", "DEC"}),
        ("--no-cache", {"no", "cache", "no-cache", "--no-cache"}),
        ("v1.2.3-rc.1", {"v1.2.3-rc.1", "v1", "rc"}),
        ("3f2a9bc1d4e5f60718293a4b5c6d7e8f90a1b2c3", {"3f2a9bc"}),
        ("user@host:path", {"user@host", "user", "host", "path"}),
        ("python3.11", {"python3.11", "python"}),
        ("self.retry_count", {"retry_count", "retry", "count"}),
        ("C++ and c#", {"c++", "c#"}),
        ("naïve", {"naïve", "naive"}),
        ("größe_max", {"grösse", "max", "grösse_max", "grosse"}),
        ("ﾃｽﾄ", {"テス", "スト", "テ"}),
        ("数据库E0599迁移", {"数据", "据库", "迁移", "库", "e0599", "E0599"}),
        ("МИГРАЦИЯ", {"миграция"}),
        ("done 🚀!", {"done", "🚀"}),
        ("one\\ntwo\\tthree", {"one", "two", "three"}),
        ("“quoted_name”—next", {"quoted_name", "next"}),
    ],
)
def test_a_text_has_its_words_names_and_hidden_words(text: str, terms: set[str]) -> None:
    assert terms <= terms_of(text)


@pytest.mark.parametrize("text", ["foo_bar", "retry_count.total", "a.b.c", "x/y/z.py"])
def test_a_word_stands_as_often_as_in_the_text_and_a_name_once(text: str) -> None:
    terms = analyse(f"{text} then {text} again {text}")
    assert terms.names.split().count(text) == 1
    words = terms.words.split()
    assert words.count("then") == 1
    first = text.replace("_", " ").replace(".", " ").replace("/", " ").split()[0]
    assert words.count(first) == 3


def test_box_drawing_and_rules_are_no_words() -> None:
    assert terms_of("┌──┬──┐ │ ─── ▀▄ … — “”") == set()


def test_words_do_not_run_into_each_other_across_ideographs() -> None:
    assert {"abc", "def"} <= terms_of("abc数据def")


def test_a_long_run_of_data_is_known_by_its_beginning() -> None:
    blob = "a1b2" * 200
    assert blob[:64] in terms_of(blob)
    assert all(len(term) <= 96 for term in terms_of(blob) if term != blob)


def test_what_hides_in_a_name_stands_apart_from_what_follows_it() -> None:
    hidden = analyse("getUser parseHttp").words.removeprefix("getuser parsehttp")
    assert sorted(hidden.strip(GAP).split(GAP)) == ["get user", "parse http"]


@given(anything)
def test_any_string_has_terms_without_an_error(text: str) -> None:
    assert isinstance(analyse(text), Terms)


@given(anything)
def test_equal_texts_have_equal_bags_of_terms(text: str) -> None:
    first, second = analyse(text), analyse("".join(list(text)))
    assert sorted(first.words.split()) == sorted(second.words.split())
    assert sorted(first.names.split()) == sorted(second.names.split())


@given(anything)
def test_a_text_answers_the_query_that_is_the_text_itself(text: str) -> None:
    plan = plan_query(text)
    assert plan.empty or plan.strict or matches(plan, text)


@given(gram_texts, st.integers(0, 40))
def test_every_pair_of_neighbours_finds_a_text_without_spaces(text: str, at: int) -> None:
    text = normal(text)
    pair = text[at % len(text) :][:2]
    for run in GRAM_RUN.findall(pair):
        assert matches(plan_query(run), f"prefix {text} suffix")


@given(names, st.sampled_from(["{}", "call {}() now", "see `{}`, twice", "“{}”", "({})", "数据{}迁移"]))
def test_a_name_in_any_surroundings_is_found_whole(name: str, frame: str) -> None:
    plan = plan_query(name)
    held = terms_of(frame.format(name))
    if not plan.empty:
        assert {clause.forms[0].term for clause in plan.clauses} <= held
