"""The tail answers as the index will when it has committed the same windows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.filling import HEAP, OTHER_PROJECT, PROJECT, Shelf, docs_of
from unabridged.index.analysis.expression import plan_expression
from unabridged.index.analysis.plan import Plan
from unabridged.index.analysis.query import plan_query
from unabridged.index.layout import LexicalFilter
from unabridged.index.lexical import LexicalIndex
from unabridged.index.tail import BYTES_MOST, WINDOWS_MOST, Tail, merged

WORDS = (
    *(
        "ledger",
        "entry",
        "retry",
        "loop",
        "lock",
        "queue",
        "foo_bar.baz",
        "getUserById",
        "数据库",
        "миграция",
    ),
    *("naïve", "E0599", "the", "of", "a", "v1.2.3"),
)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tail")


class Pair:
    """The same windows once committed and once in a tail over an index of other windows."""

    def __init__(self, folder: Path, committed: list[str], fresh: list[str]) -> None:
        self.before = Shelf(folder / "before", committed)
        self.after = Shelf(folder / "after", [*committed, *fresh])
        self.tail = Tail()
        for ordinal, text in enumerate(fresh, len(committed) + 1):
            self.tail.add(docs_of(text, ordinal), ordinal)

    def both(self, plan: Plan, limit: int = 50) -> tuple[dict[int, float], dict[int, float]]:
        """Return the scores by ordinal: over index and tail, and after a commit."""
        index = self.before.index
        answer = index.search(plan, limit=limit)
        together = merged(answer, self.tail.held().search(plan, index.state, limit=limit), limit)
        later = self.after.index.search(plan, limit=limit)
        return (
            {hit.ordinal: hit.score for hit in together},
            {hit.ordinal: hit.score for hit in later},
        )


@settings(max_examples=12)
@given(
    st.lists(sentences, max_size=8),
    st.lists(sentences, min_size=1, max_size=6),
    sentences,
)
def test_index_and_tail_find_what_the_index_finds_after_a_commit(
    base: Path, committed: list[str], fresh: list[str], query: str
) -> None:
    pair = Pair(Path(tempfile.mkdtemp(dir=base)), committed, fresh)
    for plan in (plan_query(query), plan_query(f'"{query}"'), plan_expression(query.replace(" ", " OR "))):
        together, later = pair.both(plan)
        assert together.keys() == later.keys()
    pair.before.index.close()
    pair.after.index.close()


def test_a_window_of_the_tail_scores_as_it_does_after_a_commit(tmp_path: Path) -> None:
    texts = [f"the ledger keeps entry {chr(97 + at % 26)}x in order of the log" for at in range(40)]
    fresh = ["the retry loop takes the lock of the ledger", "apply_secrets runs before the ledger, RETRY it"]
    pair = Pair(tmp_path, texts, fresh)
    for query in ("retry ledger", "apply_secrets", "retrying ledgers lock", "RETRY"):
        together, later = pair.both(plan_query(query))
        for ordinal in (41, 42):
            assert together.get(ordinal, 0) == pytest.approx(later.get(ordinal, 0), rel=0.02)


def test_coverage_and_exactness_agree_with_the_index(tmp_path: Path) -> None:
    pair = Pair(tmp_path, ["other words"], ["apply_secrets runs late", "secrets apply late"])
    plan = plan_query("apply_secrets late")
    fresh = {hit.ordinal: hit for hit in pair.tail.held().search(plan, pair.before.index.state)}
    later = {hit.ordinal: hit for hit in pair.after.index.search(plan)}
    for ordinal in (2, 3):
        assert fresh[ordinal].matched == later[ordinal].matched
        assert fresh[ordinal].coverage == pytest.approx(later[ordinal].coverage)
        assert fresh[ordinal].exact == pytest.approx(later[ordinal].exact)
        assert fresh[ordinal].fresh


def test_filters_mean_the_same_in_the_tail(tmp_path: Path) -> None:
    fields = (
        {"role": "user", "time": 10},
        {"role": "tool", "tool": "My Tool", "time": 20, "paths": ("/a/b.py",), "side": True},
    )
    wheres = (
        LexicalFilter(roles=frozenset(["user"])),
        LexicalFilter(tools=frozenset(["My Tool"])),
        LexicalFilter(path="b.py"),
        LexicalFilter(path="/a"),
        LexicalFilter(since=20),
        LexicalFilter(until=20),
        LexicalFilter(side=False),
        LexicalFilter(projects=frozenset([OTHER_PROJECT])),
        LexicalFilter(exclude=frozenset([(PROJECT, 1)])),
    )
    tail = Tail()
    with LexicalIndex.open(tmp_path / "index", True, HEAP) as index:
        empty = index.state
        for ordinal, field in enumerate(fields, 1):
            tail.add(docs_of("the ledger", ordinal, **field), ordinal)
            index.add(docs_of("the ledger", ordinal, **field))
        tail.add(docs_of("the ledger", 3, OTHER_PROJECT), 1)
        index.add(docs_of("the ledger", 3, OTHER_PROJECT))
        index.commit("first")
        plan = plan_query("ledger")
        for where in wheres:
            fresh = {hit.ordinal for hit in tail.held().search(plan, empty, where)}
            assert fresh == {hit.ordinal for hit in index.search(plan, where)}, where


def test_what_a_commit_covers_leaves_the_tail(tmp_path: Path) -> None:
    with LexicalIndex.open(tmp_path / "index", True, HEAP) as index:
        tail = Tail()
        for position in (1, 2, 3):
            tail.add(docs_of("the ledger", position), position)
        tail.add(docs_of("the ledger", 1, OTHER_PROJECT), 1)
        tail.drop_through(PROJECT, 2)
        found = {(hit.project, hit.ordinal) for hit in tail.held().search(plan_query("ledger"), index.state)}
        assert found == {(PROJECT, 3), (OTHER_PROJECT, 1)}


def test_a_window_that_both_have_comes_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "index", ["the ledger"])
    tail = Tail()
    tail.add(docs_of("the ledger", 1), 1)
    plan = plan_query("ledger")
    answer = merged(shelf.index.search(plan), tail.held().search(plan, shelf.index.state), 10)
    assert [hit.fresh for hit in answer] == [False]


def test_a_retired_event_leaves_the_tail(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "index", [])
    tail = Tail()
    tail.add(docs_of("the ledger", 1), 1)
    tail.add(docs_of("the ledger", 2), 2)
    tail.discard(PROJECT, [1])
    assert [hit.ordinal for hit in tail.held().search(plan_query("ledger"), shelf.index.state)] == [2]


def test_a_full_tail_says_so_until_a_commit_covers_what_it_left_out() -> None:
    tail = Tail()
    for position in range(1, WINDOWS_MOST + 3):
        tail.add(docs_of("x", position), position)
    assert (len(tail), tail.overflowed) == (WINDOWS_MOST, True)
    tail.drop_through(PROJECT, WINDOWS_MOST + 1)
    assert tail.overflowed
    tail.drop_through(PROJECT, WINDOWS_MOST + 2)
    assert (len(tail), tail.overflowed) == (0, False)


def test_a_tail_holds_only_so_much_text() -> None:
    tail = Tail()
    tail.add(docs_of("word " * (BYTES_MOST // 5), 1), 1)
    assert tail.overflowed
    assert sum(len(doc.text) for doc in docs_of("word " * (BYTES_MOST // 5), 1)) > BYTES_MOST


def test_an_empty_tail_finds_nothing(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "index", ["the ledger"])
    assert Tail().held().search(plan_query("ledger"), shelf.index.state) == []
