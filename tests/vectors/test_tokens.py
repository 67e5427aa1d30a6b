"""Late interaction: spans are compared with a question token by token."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unabridged.errors import IndexCorrupt
from unabridged.models.identity import Identity
from unabridged.schema.ids import ProjectId
from unabridged.vectors import table, tokens
from unabridged.vectors.asked import Where
from unabridged.vectors.nearest import Question, Reader
from unabridged.vectors.note import ROWS, TOKENS, token_bytes
from unabridged.vectors.table import Table

MODEL = Identity("m", "1", 96, "mean")
PROJECT = ProjectId(b"p" * 16)


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def some(count: int, seed: int) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((count, MODEL.dimensions)))


def filled(folder: Path, spans: list[np.ndarray]) -> Table:
    """Return a table of events 1, 2, … whose spans are all equally near, with these tokens."""
    made = Table(folder, MODEL)
    rows = np.zeros(len(spans), table.ROW)
    rows["project"], rows["ordinal"] = table.prefix(PROJECT), np.arange(1, len(spans) + 1)
    made.add(rows, np.repeat(some(1, 99), len(spans), axis=0), spans)
    made.commit({PROJECT: (1, b"digest")})
    return made


def question(rows: np.ndarray) -> Question:
    return Question(some(1, 98)[0], rows, np.ones(len(rows), np.float32))


def matches(folder: Path, asked: Question, limit: int = 10) -> dict[int, float]:
    found = Reader(folder, MODEL).nearest(asked, Where(), limit)
    return {near.ordinal: near.match for near in found.spans}


def test_the_span_with_the_questions_tokens_stands_out(tmp_path: Path) -> None:
    wanted = some(3, 5)
    filled(tmp_path, [some(9, 1), np.concatenate([some(6, 2), wanted]), some(4, 3), some(20, 4)])
    found = matches(tmp_path, question(wanted))
    assert max(found, key=lambda ordinal: found[ordinal]) == 2
    assert found[2] > 1.5
    assert sum(found.values()) == pytest.approx(0.0, abs=1e-3), "in deviations from the mean of them all"


def test_signs_tell_nearly_what_the_rows_themselves_would() -> None:
    asked = some(1, 77)
    shares = np.linspace(0.0, 1.0, 21)
    spans = [unit(share * asked + (1 - share) * some(1, seed)) for seed, share in enumerate(shares)]
    exact = np.array([float((span @ asked.T).max()) for span in spans])
    signs = np.packbits(np.concatenate(spans) > 0, axis=1)
    found = tokens.likeness(asked, signs, np.ones(len(spans), np.int64))
    assert found.shape == (len(spans), 1)
    assert np.corrcoef(found[:, 0], exact)[0, 1] > 0.95


def test_a_span_without_tokens_neither_gains_nor_breaks_anything(tmp_path: Path) -> None:
    wanted = some(2, 5)
    filled(tmp_path, [some(3, 1), some(0, 2), np.concatenate([wanted, some(1, 3)])])
    found = matches(tmp_path, question(wanted))
    assert found[2] == 0.0
    assert found[3] > 0 > found[1]
    none = question(np.zeros((0, MODEL.dimensions), np.float32))
    assert set(matches(tmp_path, none).values()) == {0.0}


def test_events_that_words_found_are_compared_too(tmp_path: Path) -> None:
    wanted = some(2, 5)
    filled(tmp_path, [*(some(3, seed) for seed in range(10, 30)), wanted])
    reader = Reader(tmp_path, MODEL)
    asked = question(wanted)
    plain = reader.nearest(asked, Where(), 2)
    assert (len(plain.spans), plain.beside) == (2, [])
    named = reader.nearest(asked, Where(), 2, [(PROJECT, 21), (PROJECT, 1), (b"x" * 16, 3), (PROJECT, 777)])
    assert [near.ordinal for near in named.spans] == [1, 2]
    assert [near.ordinal for near in named.beside] == [21], "the first is among the nearest already"
    assert named.beside[0].match > 1.0
    narrowed = reader.nearest(asked, Where(roles=["user"]), 2, [(PROJECT, 21)])
    assert (narrowed.spans, narrowed.beside) == ([], [])


def test_the_tokens_that_are_compared_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 10)
    wanted = some(2, 5)
    filled(tmp_path, [some(4, 1), some(4, 2), np.concatenate([wanted, some(6, 3)])])
    assert matches(tmp_path, question(wanted))[3] == 0.0, "its tokens would be more than are read"


def test_words_of_grammar_weigh_little() -> None:
    text = "Which database did we choose"
    places = [(0, 5), (6, 14), (15, 18), (19, 21), (22, 28)]
    weights = tokens.words(text, places)
    assert weights.tolist() == pytest.approx([tokens.GRAMMAR, 1.0, tokens.GRAMMAR, tokens.GRAMMAR, 1.0])


def test_a_blanked_events_tokens_are_gone_from_the_disk(tmp_path: Path) -> None:
    made = filled(tmp_path, [some(3, 1), some(5, 2), some(4, 3)])
    width = token_bytes(MODEL.dimensions)
    before = (tmp_path / TOKENS).read_bytes()
    assert (len(before), made.tokens) == (12 * width, 12)
    made.blank(PROJECT, [2])
    made.commit({PROJECT: (2, b"digest")})
    after = (tmp_path / TOKENS).read_bytes()
    assert after[3 * width : 8 * width] == bytes(5 * width)
    assert (after[: 3 * width], after[8 * width :]) == (before[: 3 * width], before[8 * width :])
    assert sorted(matches(tmp_path, question(some(2, 5)))) == [1, 3]


def test_tokens_that_were_not_committed_are_cut_off(tmp_path: Path) -> None:
    made = filled(tmp_path, [some(3, 1)])
    rows = np.zeros(1, table.ROW)
    rows["project"], rows["ordinal"] = table.prefix(PROJECT), 9
    made.add(rows, some(1, 7), [some(6, 8)])
    made.close()
    again = Table(tmp_path, MODEL)
    assert (again.count, again.tokens) == (1, 3)
    assert (tmp_path / TOKENS).stat().st_size == 3 * token_bytes(MODEL.dimensions)


def test_a_row_that_names_tokens_that_are_not_there_is_damage(tmp_path: Path) -> None:
    filled(tmp_path, [some(3, 1), some(5, 2)]).close()
    rows = np.fromfile(tmp_path / ROWS, table.ROW)
    rows["at"][1] = 1 << 40
    rows.tofile(tmp_path / ROWS)
    with pytest.raises(IndexCorrupt):
        matches(tmp_path, question(some(2, 5)))
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, MODEL)
