"""The lexical index: what it takes, gives back, keeps apart and survives."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.index.filling import HEAP, OTHER_PROJECT, PROJECT, SESSION, Shelf, docs_of
from unabridged.errors import IndexBusy, IndexCorrupt, IndexTooNew, LimitExceeded, ReadOnly
from unabridged.index import layout, searching
from unabridged.index.analysis.expression import plan_expression
from unabridged.index.analysis.query import plan_query
from unabridged.index.layout import LexicalDoc, LexicalFilter
from unabridged.index.lexical import EVERYTHING, LexicalIndex
from unabridged.index.scoring import ASSISTANT, DECISION, K1, TOOL, USER, WORD_BYTES, B, evened

TEXTS = [
    "the ledger keeps every entry in order",
    "a ledger of ledgers, and one more ledger",
    "the retry loop takes the lock before it reads the queue",
    "nothing of interest here",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def ordinals(
    index: LexicalIndex, query: str, where: LexicalFilter = EVERYTHING, limit: int = 10
) -> list[int]:
    return [hit.ordinal for hit in index.search(plan_query(query), where, limit)]


def test_nothing_is_seen_before_it_is_committed(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        index.add(docs_of(TEXTS[0], 1))
        assert ordinals(index, "ledger") == []
        index.commit("first")
        assert ordinals(index, "ledger") == [1]


def test_a_reader_sees_a_commit_after_it_reloads(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index, LexicalIndex.open(folder) as reader:
        index.add(docs_of(TEXTS[0], 1))
        index.commit("first")
        assert (ordinals(reader, "ledger"), reader.payload) == ([], "")
        reader.reload()
        assert (ordinals(reader, "ledger"), reader.payload) == ([1], "first")


def test_windows_and_payload_are_there_after_reopening(folder: Path) -> None:
    payload = json.dumps({"positions": {"a": 7}, "text": 'é"\n数'})
    with LexicalIndex.open(folder, True, HEAP) as index:
        index.add(docs_of(TEXTS[0], 1))
        index.commit(payload)
        index.add(docs_of(TEXTS[1], 2))
    with LexicalIndex.open(folder, True, HEAP) as index:
        assert index.payload == payload
        assert index.count() == 1


def test_a_rollback_forgets_what_was_not_committed(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        index.add(docs_of(TEXTS[0], 1))
        index.commit("first")
        index.add(docs_of(TEXTS[1], 2))
        index.delete(PROJECT, [1])
        index.rollback()
        index.commit("second")
        assert ordinals(index, "ledger") == [1]


def test_deleting_takes_every_window_of_the_event_and_of_no_other(folder: Path) -> None:
    long = "the ledger keeps every entry in order\n" * 400
    with LexicalIndex.open(folder, True, HEAP) as index:
        for ordinal in (1, 2, 3):
            index.add(docs_of(long, ordinal))
        index.add(docs_of(long, 2, OTHER_PROJECT))
        index.commit("first")
        windows = index.count() // 4
        index.delete(PROJECT, [2])
        index.commit("second")
        left = [(row.place[0], row.place[1]) for row in index.documents()]
        assert windows > 3
        assert left == [(PROJECT, 1)] * windows + [(PROJECT, 3)] * windows + [(OTHER_PROJECT, 2)] * windows


def test_what_was_only_added_can_be_deleted_too(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        index.add(docs_of(TEXTS[0], 1))
        index.delete(PROJECT, [1])
        index.add(docs_of(TEXTS[1], 1))
        index.commit("first")
        assert [row.place for row in index.documents()] == [(PROJECT, 1, 0)]
        assert ordinals(index, "entry") == []


def test_a_hit_has_the_coordinates_of_its_window(folder: Path) -> None:
    text = (
        "é"
        + "a line of filler text that fills the window\n" * 300
        + "the needle stands here\n"
        + "more filler\n" * 300
    )
    shelf = Shelf(folder, [text])
    hits = shelf.index.search(plan_query("needle"))
    assert hits
    assert all("needle" in shelf.text_of(hit) for hit in hits)
    assert {hit.place for hit in hits} < {row.place for row in shelf.index.documents()}


def test_every_filter_keeps_what_it_names_and_nothing_else(folder: Path) -> None:
    other_session = bytes(16)
    fields: list[dict[str, object]] = [
        {"role": "user", "kind": "text", "host": "pi", "time": 10},
        {"role": "tool", "kind": "tool-result", "host": "codex", "tool": "Bash", "time": 20},
        {
            "role": "tool",
            "kind": "tool-call",
            "host": "codex",
            "tool": "My Tool",
            "time": 30,
            "paths": ("/a/B c/d.py",),
        },
        {
            "role": "assistant",
            "kind": "text",
            "host": "pi",
            "time": 40,
            "side": True,
            "paths": ("x\\y\\d.py", "z"),
        },
    ]
    with LexicalIndex.open(folder, True, HEAP) as index:
        for ordinal, field in enumerate(fields, 1):
            index.add(docs_of("the ledger", ordinal, **field))
        index.add(docs_of("the ledger", 5, OTHER_PROJECT))
        index.add([LexicalDoc(PROJECT, other_session, 6, 0, 0, 10, "the ledger")])
        index.commit("first")

        def found(**where: object) -> list[int]:
            return sorted(ordinals(index, "ledger", LexicalFilter(**where)))  # type: ignore[arg-type]

        assert found() == [1, 2, 3, 4, 5, 6]
        assert found(projects=frozenset([PROJECT])) == [1, 2, 3, 4, 6]
        assert found(projects=frozenset([PROJECT, OTHER_PROJECT])) == [1, 2, 3, 4, 5, 6]
        assert found(sessions=frozenset([other_session])) == [6]
        assert found(roles=frozenset(["user", "assistant"])) == [1, 4]
        assert found(kinds=frozenset(["tool-call"])) == [3]
        assert found(hosts=frozenset(["codex"])) == [2, 3]
        assert found(tools=frozenset(["Bash"])) == [2]
        assert found(tools=frozenset(["My Tool"])) == [3]
        assert found(hosts=frozenset(["codex"]), roles=frozenset(["user"])) == []
        assert found(since=20) == [2, 3, 4]
        assert found(until=20) == [1, 5, 6]
        assert found(since=20, until=40) == [2, 3]
        assert found(side=False) == [1, 2, 3, 5, 6]
        assert found(path="d.py") == [3, 4]
        assert found(path="/a/B c") == [3]
        assert found(path="B c/d.py") == [3]
        assert found(path="x/y") == [4]
        assert found(path="y/d.p") == []
        assert found(exclude=frozenset([(PROJECT, 1), (OTHER_PROJECT, 2)])) == [2, 3, 4, 5, 6]


def test_a_thousand_excluded_events_do_not_hide_the_next_best(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        for ordinal in range(1, 1_012):
            index.add(docs_of("the ledger", ordinal))
        index.commit("first")
        where = LexicalFilter(exclude=frozenset((PROJECT, ordinal) for ordinal in range(1, 1_001)))
        assert ordinals(index, "ledger", where, 5) == [1_001, 1_002, 1_003, 1_004, 1_005]


def test_equal_scores_come_in_the_order_of_their_ordinals(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        for ordinal in (5, 3, 9, 1):
            index.add(docs_of("the same words", ordinal))
            index.commit("part")
        assert ordinals(index, "same words") == [1, 3, 5, 9]


def test_what_was_said_counts_more_than_what_a_tool_printed(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        for ordinal, weight in enumerate((TOOL, ASSISTANT, USER, DECISION), 1):
            index.add(docs_of("the same words", ordinal, weight=weight))
        index.commit("first")
        assert ordinals(index, "same words") == [4, 3, 2, 1]


def test_coverage_and_exactness_say_what_a_window_holds(folder: Path) -> None:
    shelf = Shelf(folder, ["apply_secrets runs late", "secrets apply late", "late"])
    hits = {hit.ordinal: hit for hit in shelf.index.search(plan_query("apply_secrets late"), limit=5)}
    assert hits[1].coverage == 1.0
    assert hits[1].exact > 0
    assert hits[2].exact == 0
    assert hits[3].coverage < 0.5
    assert hits[3].matched == (1,)


def test_more_clauses_than_one_pass_tells_apart_are_all_judged(folder: Path) -> None:
    words = [f"word{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(60)]
    shelf = Shelf(folder, [" ".join(words), " ".join(words[::2])])
    hits = {hit.ordinal: hit for hit in shelf.index.search(plan_query(" ".join(words)))}
    assert hits[1].matched == tuple(range(60))
    assert hits[2].matched == tuple(range(0, 60, 2))


def test_a_large_index_scores_and_judges_as_a_small_one_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roll = random.Random(7).choice
    words = [
        "ledger",
        "ledgers",
        "retry",
        "retries",
        "lock_file",
        "queue",
        "the",
        "数据库",
        "Reader",
        "read_all.py",
    ]
    texts = [" ".join(roll(words) for _ in range(12)) for _ in range(60)]
    queries = [
        "the retries of ledgers",
        "read_all.py 数据库 lock",
        "lock_file",
        'queue "the ledger"',
        "absent",
    ]
    index = Shelf(folder, texts).index
    small = [index.search(plan_query(query), limit=40) for query in queries]
    monkeypatch.setattr(searching, "SMALL", 0)
    large = [index.search(plan_query(query), limit=40) for query in queries]
    for one, other in zip(small, large, strict=True):
        assert [hit.score for hit in other] == pytest.approx([hit.score for hit in one], rel=1e-5)
        scoreless = [
            sorted((replace(hit, score=0.0) for hit in hits), key=lambda hit: hit.place)
            for hits in (one, other)
        ]
        assert scoreless[0] == scoreless[1]


def test_a_window_with_the_key_of_another_projects_is_not_taken_for_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SMALL", 0)
    twin = PROJECT[:8] + bytes(8)
    with LexicalIndex.open(folder, writable=True, heap_bytes=HEAP) as index:
        index.add(docs_of("the ledger of one project", 1))
        index.add(docs_of("the ledger of another", 1, twin))
        index.commit("")
        hits = index.search(plan_query("the ledger"), LexicalFilter(projects=frozenset((PROJECT,))))
        assert [hit.project for hit in hits] == [PROJECT]


def test_a_phrase_alone_finds_only_texts_that_hold_it(folder: Path) -> None:
    shelf = Shelf(folder, ["connection was refused", "refused connection", "a connection refused today"])
    assert shelf.find('"connection refused"') == [3]
    assert shelf.find('"refused"') == [2, 1, 3]
    assert shelf.find('"refused today" "a connection"') == [3]
    assert shelf.find('"connection refusal"') == []


def test_a_phrase_in_a_sentence_comes_first_and_hides_nothing(folder: Path) -> None:
    shelf = Shelf(folder, ["refused refused connection connection", "a connection refused", "the server"])
    assert shelf.find('why is the "connection refused" by the server', 5) == [2, 1, 3]


PHRASES = {
    "quoted words with signs": (
        '"error: (os error 2)"',
        "read error (os error 2) again",
        "os error: error 2",
    ),
    "a chain": ('"foo_bar.baz()"', "call foo_bar.baz() now", "call baz.foo_bar() now"),
    "camel case in words": ('"user by id"', "calls getUserById once", "calls byUserGetId once"),
    "camel case as it stands": ('"getUserById fails"', "getUserById fails", "fails getUserById"),
    "grammar only": ('"to be or not to be"', "to be, or not to be", "not to be or to be"),
    "ideographs": ('"数据库迁移"', "做数据库迁移吧", "数据和库迁移"),
    "half width": ('"ﾃｽﾄ"', "全テスト通過", "テズト"),
    "an id between ideographs": ('"E0599"', "报错E0599出现", "报错E0598出现"),
    "other letters": ('"миграцию базы"', "запустили миграцию базы", "базы миграцию"),
    "diacritics": ('"naïve approach"', "a NAÏVE approach", "approach naïve"),
    "a picture": ('"ship 🚀 it"', "ship 🚀 it", "ship it"),
}


@pytest.mark.parametrize(("query", "holding", "other"), PHRASES.values(), ids=PHRASES.keys())
def test_a_phrase_is_found_where_its_words_follow_each_other(
    folder: Path, query: str, holding: str, other: str
) -> None:
    assert Shelf(folder, [other, holding]).find(query) == [2]


def test_words_of_two_names_side_by_side_are_no_phrase(folder: Path) -> None:
    shelf = Shelf(folder, ["getUser parseHttp", "getUser, then http_get user"])
    assert shelf.find('"user parse"') == []
    assert shelf.find('"user get"') == []


def test_expressions_are_carried_out(folder: Path) -> None:
    shelf = Shelf(folder, TEXTS)

    def found(text: str) -> list[int]:
        answer = shelf.index.search(plan_expression(text))
        return sorted(hit.ordinal for hit in answer)

    assert found("ledger") == [1, 2]
    assert found("ledger -entry") == [2]
    assert found("ledger OR lock") == [1, 2, 3]
    assert found("(ledger OR lock) NOT (entry OR queue)") == [2]
    assert found('"retry loop" lock') == [3]
    assert found('lock -"loop retry"') == [3]
    assert found('lock -"retry loop"') == []
    assert found("ledger absent") == []


def test_equal_contents_have_equal_digests_however_they_came_to_be(tmp_path: Path) -> None:
    with LexicalIndex.open(tmp_path / "once", True, HEAP) as once:
        for ordinal, text in enumerate(TEXTS, 1):
            once.add(docs_of(text, ordinal))
        once.commit("all")
        with LexicalIndex.open(tmp_path / "stepwise", True, HEAP) as stepwise:
            for ordinal, text in reversed(list(enumerate(TEXTS, 1))):
                stepwise.add(docs_of(text + " to be replaced", ordinal))
                stepwise.commit(f"before {ordinal}")
                stepwise.delete(PROJECT, [ordinal])
                stepwise.add(docs_of(text, ordinal))
                stepwise.commit(f"after {ordinal}")
            assert stepwise.digest() == once.digest()
            stepwise.delete(PROJECT, [1])
            stepwise.commit("less")
            assert stepwise.digest() != once.digest()


def test_searches_give_the_same_again(folder: Path) -> None:
    shelf = Shelf(folder, TEXTS * 5)
    plan = plan_query("the ledger of the retry loop")
    assert shelf.index.search(plan, limit=12) == shelf.index.search(plan, limit=12)


def test_an_explanation_adds_up_to_the_score(folder: Path) -> None:
    shelf = Shelf(folder, TEXTS)
    plan = plan_query("retry lock absentword")
    (hit,) = shelf.index.search(plan)
    told = shelf.index.explain(plan, hit)
    assert {term["term"] for term in told["terms"]} == {"retry", "lock"}
    summed = sum(term["score"] for term in told["terms"])
    assert summed * told["class_weight"] * told["length_factor"] == pytest.approx(hit.score, rel=1e-3)
    assert shelf.index.explain(plan, replace(hit, ordinal=99)) == {"found": False}


def test_a_second_writer_is_refused_in_this_process_and_in_another(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP):
        with pytest.raises(IndexBusy):
            LexicalIndex.open(folder, True, HEAP)
        code = (
            "import sys; from pathlib import Path; from unabridged.index.lexical import LexicalIndex\n"
            "from unabridged.errors import IndexBusy\n"
            "try: LexicalIndex.open(Path(sys.argv[1]), True)\n"
            "except IndexBusy: print('busy')"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=60
        )
        assert ran.stdout.strip() == "busy", ran.stderr
    LexicalIndex.open(folder, True, HEAP).close()


def test_a_reader_cannot_write(folder: Path) -> None:
    LexicalIndex.open(folder, True, HEAP).close()
    reader = LexicalIndex.open(folder)
    calls: list[Callable[[], None]] = [
        lambda: reader.add(docs_of("text", 1)),
        lambda: reader.delete(PROJECT, [1]),
        lambda: reader.commit(""),
        reader.rollback,
    ]
    for call in calls:
        with pytest.raises(ReadOnly):
            call()


def test_a_folder_without_an_index_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(IndexCorrupt):
        LexicalIndex.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("change", "error"), [(1, IndexTooNew), (-1, IndexCorrupt)])
def test_an_index_of_another_format_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: int, error: type[Exception]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("unabridged.index.lexical.FORMAT", layout.FORMAT + change)
        LexicalIndex.open(folder, True, HEAP).close()
    with pytest.raises(error):
        LexicalIndex.open(folder)


def test_a_window_that_cannot_be_laid_out_is_refused(folder: Path) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        for doc in (
            LexicalDoc(PROJECT, SESSION, 1 << 32, 0, 0, 4, "text"),
            LexicalDoc(PROJECT, SESSION, 1, 4_096, 0, 4, "text"),
            LexicalDoc(PROJECT, SESSION, 1, 0, 1 << 40, (1 << 40) + 4, "text"),
        ):
            with pytest.raises(LimitExceeded):
                index.add([doc])


@pytest.mark.parametrize("text", ["", "\0", "\ud800 lone", "a" * 100_000, "数" * 9_000, " \n"])
def test_any_text_can_be_a_window(folder: Path, text: str) -> None:
    with LexicalIndex.open(folder, True, HEAP) as index:
        index.add([LexicalDoc(PROJECT, SESSION, 1, 0, 0, 4, text)])
        index.commit("first")
        assert index.count() == 1


def test_length_says_nothing_among_short_texts_and_much_among_long_ones() -> None:
    engines = {words: 1 / (1 + K1 * (1 - B + B * words / 200)) for words in (5, 40, 400, 600)}
    evens = {words: engine * evened(words * WORD_BYTES, 200) for words, engine in engines.items()}
    assert engines[5] > engines[40]
    assert evens[5] == pytest.approx(evens[40])
    assert evens[400] / evens[600] > engines[400] / engines[600]
