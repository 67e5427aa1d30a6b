"""The newest windows, whatever they say."""

from __future__ import annotations

from pathlib import Path

from unabridged.index.layout import LexicalDoc, LexicalFilter
from unabridged.index.lexical import LexicalIndex
from unabridged.index.tail import Tail

PROJECT, OTHER = b"p" * 16, b"o" * 16


def doc(
    ordinal: int, time: int, text: str = "word", project: bytes = PROJECT, role: str = "user"
) -> LexicalDoc:
    return LexicalDoc(project, b"s" * 16, ordinal, 0, 0, len(text), text, time, role=role, kind="text")


def made(folder: Path, docs: list[LexicalDoc]) -> LexicalIndex:
    index = LexicalIndex.open(folder, writable=True)
    index.add(docs)
    index.commit("")
    return index


def test_the_newest_come_by_their_times_and_those_of_a_session_as_they_were_admitted(tmp_path: Path) -> None:
    with made(tmp_path, [doc(1, 30), doc(2, 10), doc(3, 20), doc(4, 0), doc(5, 25, project=OTHER)]) as index:
        assert [hit.ordinal for hit in index.newest()] == [1, 5, 3, 2, 4]
        assert [hit.ordinal for hit in index.newest(limit=2)] == [1, 5]
        session = LexicalFilter(projects=frozenset((PROJECT,)), sessions=frozenset((b"s" * 16,)))
        assert [hit.ordinal for hit in index.newest(session)] == [4, 3, 2, 1]
        assert index.newest(limit=0) == []


def test_an_empty_index_and_a_filter_that_nothing_passes_give_nothing(tmp_path: Path) -> None:
    with made(tmp_path, []) as index:
        assert index.newest() == []
        assert index.newest(LexicalFilter(roles=frozenset(("user",)))) == []


def test_filters_hold_for_the_newest_and_words_for_every_search(tmp_path: Path) -> None:
    docs = [
        doc(1, 1, "we decided it"),
        doc(2, 2, "agreed on it"),
        doc(3, 3, "it is so"),
        doc(4, 4, "it", role="tool"),
    ]
    with made(tmp_path, docs) as index:
        users = LexicalFilter(roles=frozenset(("user",)))
        assert [hit.ordinal for hit in index.newest(users)] == [3, 2, 1]
        telling = LexicalFilter(words=frozenset(("decided", "agreed")))
        assert [hit.ordinal for hit in index.newest(telling)] == [2, 1]
        assert [hit.ordinal for hit in index.newest(LexicalFilter(since=2, until=4))] == [3, 2]
        gone = LexicalFilter(exclude=frozenset(((PROJECT, 4), (PROJECT, 3))))
        assert [hit.ordinal for hit in index.newest(gone, limit=2)] == [2, 1]


def test_the_tail_gives_what_passes_and_leaves_words_to_who_reads_it() -> None:
    tail = Tail()
    tail.add([doc(1, 1, "we decided it"), doc(2, 2, role="tool")], 1)
    where = LexicalFilter(roles=frozenset(("user",)), words=frozenset(("agreed",)))
    assert [(hit.ordinal, hit.fresh) for hit in tail.held().newest(where)] == [(1, True)]
