"""The generated text: the same each time, of real words, in the shape of real transcripts."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from unabridged.bench import corpus
from unabridged.bench.corpus import Corpus
from unabridged.bench.passages import CHARS, KINDS, Passages
from unabridged.bench.queries import fts_all, fts_any, queries
from unabridged.bench.transcripts import Transcripts, text_lines
from unabridged.hosts.claude_code import HOST
from unabridged.hosts.contract import Block
from unabridged.schema.records import HIDDEN


def blocks_of(lines: list[bytes], path: Path) -> list[Block]:
    """Read rows as the archive does; no row may be a problem."""
    head = HOST.head(path, lines)
    assert head is not None
    reader = HOST.reader(str(path), head, b"", 1)
    found: list[Block] = []
    for number, line in enumerate(lines, 1):
        read = reader.read(line.rstrip(b"\n"), number)
        assert read.problem is None
        found += read.blocks
    return found


def rendered(block: Block) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in block.pieces)


def test_a_corpus_is_the_same_each_time_and_stays_within_its_bytes(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"m{number}.py").write_text(
            f'"""{"A plain sentence about it. " * 20}"""\nname_{number} = 1\n'
        )
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "other.py").write_text("x = 1\n" * 200)
    first, second = corpus.load([tmp_path]), corpus.load([tmp_path])
    assert first.digest() == second.digest()
    assert len(first.sources) == 20
    assert "sentence" in first.prose
    assert {"name_3", "name_19"} <= set(first.names)
    assert len(corpus.load([tmp_path], 2_000).sources) < 5


def test_text_that_is_no_running_text_makes_no_prose(tmp_path: Path) -> None:
    (tmp_path / "table.txt").write_text("0x41 0x42 0x43 == 17 | 18\n" * 60)
    assert list(corpus.load([tmp_path]).prose) == []


def test_a_window_is_a_function_of_seed_and_number(text: Corpus, writer: Passages) -> None:
    again = Passages(text, 1)
    assert [writer.window(n) for n in (0, 7, 999_999)] == [again.window(n) for n in (0, 7, 999_999)]
    assert writer.window(1) != writer.window(2)
    assert Passages(text, 2).window(1) != writer.window(1)


def test_windows_have_their_size_and_are_of_every_kind(writer: Passages) -> None:
    made = [writer.window(number) for number in range(200)]
    assert {len(window.text) for window in made} == {CHARS}
    assert {window.kind for window in made} == {kind for kind, _ in KINDS}
    assert sum(share for _, share in KINDS) == 100


def test_the_vocabulary_grows_with_the_text(writer: Passages) -> None:
    def names(first: int, last: int) -> set[str]:
        return {name for n in range(first, last) for name in re.findall(r"\w+", writer.window(n).text)}

    assert len(names(200, 400) - names(0, 200)) > 200


def test_prose_is_made_of_words_of_the_documentation(text: Corpus, writer: Passages) -> None:
    words = writer.prose(writer.rng(5), 2_000).split()
    own = sum(word in set(text.prose) for word in words)
    assert own > 0.9 * len(words)


def test_transcripts_have_the_shape_of_real_ones(writer: Passages, tmp_path: Path) -> None:
    paths = Transcripts(writer).write(tmp_path, 2_000_000, each=1_000_000)
    lines = [line for path in paths for line in path.read_bytes().splitlines(keepends=True)]
    size = sum(map(len, lines))
    assert size >= 2_000_000
    share = Counter[str]()
    copied = 0
    for line in lines:
        row = json.loads(line)
        share[row["type"]] += len(line)
        copied += len(json.dumps(row.get("toolUseResult", "")))
    assert 0.5 < share["user"] / size < 0.85
    assert 0.12 < share["assistant"] / size < 0.4
    assert 0.01 < share["progress"] / size < 0.1
    assert 0.3 < copied / size < 0.65
    first = paths[0].read_bytes().splitlines(keepends=True)
    found = sum(len(rendered(block)) for block in blocks_of(first, paths[0]) if not block.flags & HIDDEN)
    assert 0.12 < found / sum(map(len, first)) < 0.35


def test_transcripts_of_one_number_are_the_same_and_of_two_differ(writer: Passages) -> None:
    made = Transcripts(writer)
    assert list(made.lines(3, 50_000)) == list(made.lines(3, 50_000))
    assert not set(made.lines(3, 50_000)) & set(made.lines(4, 50_000))


def test_a_transcript_of_windows_gives_one_event_a_window(writer: Passages) -> None:
    windows = [writer.window(number) for number in range(40)]
    lines = list(text_lines(writer.rng(-1), 1, windows))
    blocks = blocks_of(lines, Path("/nowhere/s.jsonl"))
    assert [rendered(block) for block in blocks] == [window.text for window in windows]


def test_queries_are_fixed_and_have_prose_names_paths_and_phrases_among_them(writer: Passages) -> None:
    asked = queries(writer, 500, 100)
    assert asked == queries(writer, 500, 100)
    assert len(asked) == 100
    assert all(1 <= len(query.split()) <= 12 for query in asked)
    assert sum(len(query.split()) >= 6 for query in asked) > 15
    assert any("/" in query for query in asked)
    assert any(query.startswith('"') and query.endswith('"') for query in asked)
    assert any(re.fullmatch(r"\w*_\w*", query) for query in asked)


def test_every_query_is_a_valid_expression_that_finds_its_window_by_any_word(writer: Passages) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')")
    db.executemany(
        "INSERT INTO words(rowid, text) VALUES (?, ?)", [(n, writer.window(n).text) for n in range(60)]
    )
    find = "SELECT count(*) FROM words WHERE words MATCH ?"
    for query in queries(writer, 60, 40):
        everything = db.execute(find, (fts_all(query),)).fetchone()[0]
        telling = db.execute(find, (fts_any(query, stopwords=False),)).fetchone()[0]
        anything = db.execute(find, (fts_any(query),)).fetchone()[0]
        assert anything >= telling >= min(1, everything)
        assert anything >= 1


@pytest.mark.parametrize(
    ("query", "expected", "everything"),
    [
        ("the flash write", '"the" OR "flash" OR "write"', '"the" AND "flash" AND "write"'),
        ('"ring buffer" full', '"ring buffer" OR "full"', '"ring buffer" AND "full"'),
        ("a/b_c.py", '"a" OR "b_c" OR "py"', '"a" AND "b_c" AND "py"'),
        ("???", '"~"', '"~"'),
    ],
)
def test_a_query_becomes_an_expression(query: str, expected: str, everything: str) -> None:
    assert fts_any(query) == expected
    assert fts_all(query) == everything


def test_stop_words_are_left_out_unless_nothing_else_is_there() -> None:
    assert fts_any("the flash", stopwords=False) == '"flash"'
    assert fts_any("the of", stopwords=False) == '"the" OR "of"'
