"""When meaning is asked, how it is joined to what words found, and what is said when it is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.retrieve.conftest import Archive
from tests.retrieve.test_search import Engine
from tests.support.archiving import PROJECT
from unabridged.archive.forget import plan_retire
from unabridged.retrieve import meaning
from unabridged.retrieve.candidate import Candidate
from unabridged.retrieve.context import Context
from unabridged.retrieve.filters import Filters
from unabridged.retrieve.judging import Judging
from unabridged.retrieve.meaning import join
from unabridged.retrieve.places import document_of
from unabridged.retrieve.rank import Ranked
from unabridged.retrieve.search import Search, Searched, search
from unabridged.schema.ids import Ordinal, ProjectId
from unabridged.schema.records import EVENT, Event
from unabridged.schema.scope import Level
from unabridged.vectors.asked import Near, Nearest, Where


class Meanings:
    """Answers as it was told to, and remembers what it was asked."""

    def __init__(self, answer: Nearest | str, behind: int = 0) -> None:
        self.answer = answer
        self.left = behind
        self.asked: list[tuple[str, Where, int, float]] = []
        self.named: list[list[tuple[bytes, int]]] = []
        self.judgements: list[float] | str | None = None
        self.read: list[tuple[str, list[str]]] = []

    def ask(
        self, text: str, where: Where, limit: int, patience: float, also: Sequence[tuple[bytes, int]] = ()
    ) -> Nearest | str:
        self.asked.append((text, where, limit, patience))
        self.named.append(list(also))
        return self.answer

    def judges(self) -> bool:
        return self.judgements is not None

    def judge(self, question: str, passages: Sequence[str]) -> list[float] | str:
        self.read.append((question, list(passages)))
        assert self.judgements is not None
        return self.judgements

    def behind(self) -> int:
        return self.left


class Asking(Engine):
    """An archive with its index and with vectors that are made up."""

    def ordinal(self, native: str) -> int:
        with self.archive.store.snapshot() as reader:
            events = reader.scan(EVENT, (PROJECT,), limit=1_000)
        return next(event.ordinal for event in events if event.native == native)

    def near(self, *natives: str, lead: float = 6.0, project: bytes = PROJECT) -> Nearest:
        spans = [Near(project, self.ordinal(name), 0, 5, 0.5, lead - at) for at, name in enumerate(natives)]
        return Nearest(spans, {PROJECT: 3}, 100)

    def ask(
        self, meanings: Meanings | None, query: str, semantic: str = "always", **options: Any
    ) -> Searched:
        context = replace(self.archive.context(options.pop("level", Level.ALL)), meanings=meanings)
        return search(context, self.finder(), Search(query, semantic=semantic, **options))


@pytest.fixture
def asking(archive: Archive, tmp_path: Path) -> Asking:
    made = Asking(archive, tmp_path / "g1")
    made.index()
    return made


def found(answer: Searched) -> list[str]:
    return [hit.event.native for hit in answer.hits]


def test_what_no_word_finds_is_found_by_meaning(asking: Asking) -> None:
    assert found(asking.ask(None, "horticulture", "never")) == []
    answer = asking.ask(Meanings(asking.near("b1")), "horticulture")
    assert found(answer) == ["b1"]
    assert answer.hits[0].match == ["semantic"]
    assert answer.hits[0].band in ("some", "low")
    assert answer.account["semantic"] == "used"
    assert answer.hits[0].text == "unrel"


def test_meaning_and_words_add_up(asking: Asking) -> None:
    plain = found(asking.ask(None, "migrate rollback script gardens", "never"))
    near = Nearest([*asking.near("b1", lead=30.0).spans, *asking.near("a2", lead=1.0).spans], {}, 10)
    answer = asking.ask(Meanings(near), "migrate rollback script gardens")
    assert plain[0] != "b1"
    assert found(answer)[0] == "b1"
    assert {"lexical", "semantic"} <= set(answer.hits[0].match)


def test_auto_asks_only_where_words_say_little(asking: Asking) -> None:
    meanings = Meanings(asking.near("b1"))
    strong = asking.ask(meanings, "unrelated talk about gardens", "auto")
    assert (meanings.asked, strong.account["semantic"]) == ([], "not-needed")
    weak = asking.ask(meanings, "horticulture of talk and something else entirely", "auto")
    assert (len(meanings.asked), weak.account["semantic"]) == (1, "used")
    asking.ask(meanings, "unrelated talk about gardens", "always")
    assert len(meanings.asked) == 2
    never = asking.ask(meanings, "horticulture", "never")
    assert (len(meanings.asked), "semantic" in never.account) == (2, False)


def test_an_expression_is_not_asked_by_meaning(asking: Asking) -> None:
    meanings = Meanings(asking.near("b1"))
    assert found(asking.ask(meanings, "gardens AND nothing", operators=True)) == []
    assert found(asking.ask(meanings, " ", "always")) == []
    assert meanings.asked == []


@pytest.mark.parametrize("why", ["starting", "late", "worker-died", "failed: index-corrupt"])
def test_without_an_answer_words_alone_answer_and_the_account_says_so(asking: Asking, why: str) -> None:
    plain = asking.ask(None, "gardens of the past", "never")
    answer = asking.ask(Meanings(why), "gardens of the past")
    assert found(answer) == found(plain)
    assert (answer.status, answer.account["semantic"]) == ("ok", why)


def test_no_model_is_said_to_who_asked_for_meaning(asking: Asking) -> None:
    assert asking.ask(None, "gardens of the past", "always").account["semantic"] == "not-installed"
    assert "semantic" not in asking.ask(None, "gardens of the past", "auto").account
    assert "semantic" not in asking.ask(Meanings("not-installed"), "gardens of the past", "auto").account


def test_the_account_says_how_far_the_vectors_are_behind(asking: Asking) -> None:
    assert asking.ask(Meanings(asking.near("b1"), behind=7), "horticulture").account["semantic_behind"] == 7
    assert "semantic_behind" not in asking.ask(Meanings(asking.near("b1")), "horticulture").account


def test_the_archive_judges_what_meaning_finds(asking: Asking) -> None:
    near = asking.near("b1", "a3", "q1")
    assert found(
        asking.ask(Meanings(near), "horticulture", filters=Filters(roles=frozenset({"assistant"})))
    ) == ["a3"]
    stranger = Nearest([Near(b"x" * 16, 1, 0, 5, 0.9, 9.0), Near(PROJECT, 999_999, 0, 5, 0.9, 9.0)], {}, 2)
    assert found(asking.ask(Meanings(stranger), "horticulture")) == []
    with asking.archive.store.snapshot() as reader:
        event = reader.get(EVENT, (PROJECT, Ordinal(asking.ordinal("b1"))))
        assert event is not None
        document = document_of(reader, event)
    assert document is not None
    asking.archive.store.commit(
        PROJECT, plan_retire(PROJECT, document.ordinal, "retired", asking.archive.context().now)
    )
    answer = asking.ask(Meanings(near), "horticulture")
    assert "b1" not in found(answer)
    assert answer.account["left_out"]["retired"] == 1


def test_what_is_asked_is_narrowed_to_the_scope(asking: Asking) -> None:
    meanings = Meanings(asking.near("b1"))
    asking.ask(
        meanings, "horticulture", level=Level.PROJECT, filters=Filters(hosts=frozenset({"toy"}), side=False)
    )
    assert meanings.asked[0][1] == Where([PROJECT], hosts=["toy"], side=False)
    asking.ask(meanings, "horticulture", filters=Filters(path="a/b.py"))
    assert meanings.asked[1][1] == Where()
    assert meanings.asked[1][2] > meanings.asked[0][2]


def test_pages_are_cut_from_one_order(asking: Asking) -> None:
    rows: list[dict[str, object]] = [
        {"id": f"n{at}", "text": f"number {at} tells of weather {'x' * at}", "human": True}
        for at in range(60)
    ]
    asking.archive.add("many", rows)
    asking.index()
    meanings = Meanings(asking.near(*(f"n{at}" for at in range(0, 60, 2)), lead=40.0))
    whole = found(asking.ask(meanings, "weather forecasts of tomorrow", limit=50))
    pages: list[str] = []
    cursor = ""
    while len(pages) < 50:
        page = asking.ask(meanings, "weather forecasts of tomorrow", limit=7, cursor=cursor)
        pages += found(page)
        cursor = page.next
        if not cursor:
            break
    assert pages[: len(whole)] == whole[: len(pages)]
    assert len(set(pages)) == len(pages)


def candidates(*scores: float) -> Sequence[Candidate]:
    return [Candidate(PROJECT, Ordinal(at), 0, 9, score) for at, score in enumerate(scores, 1)]


def test_leads_count_in_units_of_the_best_score() -> None:
    answer = Nearest([Near(PROJECT, 2, 0, 4, 0.6, 5.0), Near(PROJECT, 9, 1, 4, 0.5, 3.0)], {}, 10)
    joined = {int(item.event): item for item in join(candidates(10.0, 4.0), answer)}
    assert joined[2].meaning == pytest.approx(meaning.LEAD_WEIGHT * 10 * 2)
    assert joined[1].meaning == joined[9].meaning == 0.0, "as far as the farthest of the nearest"
    assert (joined[9].score, joined[9].start, joined[9].meant) == (0.0, 1, True)
    assert not joined[1].meant
    assert join(candidates(3.0), Nearest([], {}, 0))[0].meaning == 0.0
    only = join([], answer)
    assert [item.meaning for item in only] == sorted((item.meaning for item in only), reverse=True)
    assert ProjectId(only[0].project) == PROJECT


def test_tokens_count_beside_spans_and_for_what_words_found() -> None:
    spans = [Near(PROJECT, 2, 0, 4, 0.6, 5.0, 1.5), Near(PROJECT, 9, 1, 4, 0.5, 3.0, -2.0)]
    beside = [Near(PROJECT, 1, 0, 4, 0.1, 0.5, 2.0)]
    joined = {int(item.event): item for item in join(candidates(10.0, 4.0), Nearest(spans, {}, 10, beside))}
    of_span, of_token = meaning.LEAD_WEIGHT_BESIDE, meaning.MATCH_WEIGHT
    assert joined[2].meaning == pytest.approx(10 * (2 * of_span + 1.5 * of_token))
    assert joined[1].meaning == pytest.approx(10 * 2.0 * of_token), (
        "it is nearer by its tokens than by its span"
    )
    assert joined[9].meaning == 0.0
    assert joined[1].meant


def test_what_words_found_is_asked_about_by_name(asking: Asking) -> None:
    meanings = Meanings(asking.near("b1"))
    asking.ask(meanings, "horticulture of talk and something else entirely")
    assert meanings.named
    assert {project for project, _ in meanings.named[0]} == {bytes(PROJECT)}
    assert len(meanings.named[0]) <= meaning.BESIDE_MEANING


def test_a_cross_encoder_orders_what_it_read(asking: Asking) -> None:
    plain = found(asking.ask(None, "gardens of the past", "never"))
    assert len(plain) >= 2
    meanings = Meanings("not-installed")
    meanings.judgements = [float(at) for at in range(len(plain))]
    answer = asking.ask(meanings, "gardens of the past", "always", explain=True)
    assert found(answer) == plain[::-1]
    assert (answer.account["reranker"], answer.account["reranked"]) == ("used", len(plain))
    assert [len(texts) for _, texts in meanings.read] == [len(plain)], "each passage is read once"
    assert answer.explain[0]["stages"]["judged"] == float(len(plain) - 1)


def test_what_was_not_read_in_time_stays_behind_what_was(asking: Asking) -> None:
    plain = found(asking.ask(None, "gardens of the past", "never"))
    meanings = Meanings("not-installed")
    meanings.judgements = [1.0]
    answer = asking.ask(meanings, "gardens of the past", "always")
    assert (found(answer), answer.account["reranked"]) == (plain, 1)


@pytest.mark.parametrize("why", ["starting", "late", "failed: model-missing"])
def test_without_judgements_the_order_stays_and_the_account_says_why(asking: Asking, why: str) -> None:
    plain = found(asking.ask(None, "gardens of the past", "never"))
    meanings = Meanings("not-installed")
    meanings.judgements = why
    answer = asking.ask(meanings, "gardens of the past", "always")
    assert (found(answer), answer.account["reranker"]) == (plain, why)


def test_nothing_is_judged_where_words_suffice_or_models_are_not_wanted(asking: Asking) -> None:
    meanings = Meanings("not-installed")
    meanings.judgements = [1.0]
    for how, query in (("auto", "unrelated talk about gardens"), ("never", "gardens of the past")):
        assert "reranker" not in asking.ask(meanings, query, how).account
    assert meanings.read == []


def test_a_name_that_is_held_exactly_is_not_passed() -> None:
    def item(name: str, exact: float) -> Ranked:
        event = cast("Event", SimpleNamespace(id=name.encode(), project=PROJECT, ordinal=1))
        return Ranked(event, 0, 1, 1.0, "high", (), {"exact": exact})

    judging = Judging(cast("Context", None), "q", wanted=True)
    ranked = [item("a", 1.0), item("b", 0.0), item("c", 1.0), item("d", 0.0)]
    judging._scores = {b"a": 0.1, b"b": 0.2, b"c": 0.3, b"d": 9.0}
    assert [one.event.id for one in judging.order(ranked)] == [b"c", b"d", b"a", b"b"]


def test_what_the_user_said_counts_the_more_where_the_question_is_in_the_first_person() -> None:
    def pair(role: str, value: float) -> tuple[Candidate, Event]:
        event = cast("Event", SimpleNamespace(role=role))
        return Candidate(PROJECT, Ordinal(1), 0, 4, 1.0, meaning=value), event

    def counted(question: str) -> list[float]:
        pairs = [pair("user", 1.0), pair("assistant", 1.0), pair("tool", 1.0), pair("user", 0.0)]
        return [candidate.meaning for candidate, _ in meaning.weighed(pairs, question)]

    assert counted("which database did they choose") == [meaning.OF_USER, 1.0, meaning.OF_TOOL, 0.0]
    for question in ("Which database did I choose?", "my database", "what do WE use"):
        assert counted(question)[0] == pytest.approx(meaning.OF_USER * meaning.OF_ASKER)
        assert counted(question)[1:] == [1.0, meaning.OF_TOOL, 0.0]
    assert counted("the index of Mississippi")[0] == meaning.OF_USER
