"""The table of vectors: what a crash, damage or another model leaves of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from unabridged.errors import IndexCorrupt, IndexTooNew
from unabridged.models.identity import Identity
from unabridged.schema.ids import ProjectId
from unabridged.vectors import table
from unabridged.vectors.asked import Where
from unabridged.vectors.nearest import Question, Reader
from unabridged.vectors.note import NOTE, ROW_BYTES, ROWS, SIGNS, VECTORS
from unabridged.vectors.table import Table

MODEL = Identity("m", "1", 100, "mean")
PROJECT, OTHER = ProjectId(b"p" * 16), ProjectId(b"o" * 16)


def vectors(count: int, seed: int = 1) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((count, MODEL.dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def asked(row: np.ndarray) -> Question:
    return Question(row, np.zeros((0, len(row)), np.float32), np.zeros(0, np.float32))


def rows(first: int, count: int, project: bytes = PROJECT, **names: str) -> np.ndarray:
    made = np.zeros(count, table.ROW)
    made["project"] = table.prefix(project)
    made["ordinal"] = np.arange(first, first + count)
    made["start"], made["end"] = 3, 9
    made["time"] = made["ordinal"] * 10
    for name, value in names.items():
        made[name] = table.name(value)
    return made


def filled(folder: Path, count: int = 20) -> Table:
    made = Table(folder, MODEL)
    made.add(rows(1, count), vectors(count))
    made.commit({PROJECT: (7, b"digest")})
    return made


def ordinals(folder: Path, question: np.ndarray, where: Where | None = None, limit: int = 5) -> list[int]:
    return [
        near.ordinal for near in Reader(folder, MODEL).nearest(asked(question), where or Where(), limit).spans
    ]


def test_what_was_committed_is_there_again(tmp_path: Path) -> None:
    filled(tmp_path).close()
    again = Table(tmp_path, MODEL)
    assert (again.count, again.watermarks) == (20, {PROJECT: (7, b"digest")})
    assert table.ROW.itemsize == ROW_BYTES
    assert ordinals(tmp_path, vectors(20)[4])[0] == 5


def test_what_was_not_committed_is_cut_off(tmp_path: Path) -> None:
    made = filled(tmp_path)
    made.add(rows(100, 5), vectors(5, 2))
    made.close()
    assert (tmp_path / ROWS).stat().st_size == 25 * ROW_BYTES
    assert ordinals(tmp_path, vectors(5, 2)[0]) != [100]
    again = Table(tmp_path, MODEL)
    assert again.count == 20
    assert (tmp_path / ROWS).stat().st_size == 20 * ROW_BYTES
    again.add(rows(200, 1), vectors(1, 3))
    again.commit({PROJECT: (8, b"digest")})
    assert ordinals(tmp_path, vectors(1, 3)[0])[0] == 200


@pytest.mark.parametrize("part", [ROWS, SIGNS, VECTORS])
def test_a_file_that_is_too_short_is_damage(tmp_path: Path, part: str) -> None:
    filled(tmp_path).close()
    with (tmp_path / part).open("r+b") as file:
        file.truncate(50)
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, MODEL)
    with pytest.raises(IndexCorrupt):
        ordinals(tmp_path, vectors(1)[0])


@pytest.mark.parametrize("part", [ROWS, SIGNS, VECTORS])
def test_a_file_that_is_gone_is_damage(tmp_path: Path, part: str) -> None:
    filled(tmp_path).close()
    (tmp_path / part).unlink()
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, MODEL)


def test_a_changed_row_is_damage(tmp_path: Path) -> None:
    filled(tmp_path).close()
    data = bytearray((tmp_path / ROWS).read_bytes())
    data[100] ^= 1
    (tmp_path / ROWS).write_bytes(data)
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, MODEL)


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"format": 1}', '{"format": "x"}', "\x00" * 40])
def test_a_damaged_note_is_damage(tmp_path: Path, note: str) -> None:
    filled(tmp_path).close()
    (tmp_path / NOTE).write_text(note)
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, MODEL)


def test_a_newer_format_is_told_apart(tmp_path: Path) -> None:
    filled(tmp_path).close()
    said = json.loads((tmp_path / NOTE).read_text())
    (tmp_path / NOTE).write_text(json.dumps({**said, "format": said["format"] + 1}))
    with pytest.raises(IndexTooNew):
        Table(tmp_path, MODEL)


@pytest.mark.parametrize(
    "other",
    [
        Identity("n", "1", 100, "mean"),
        Identity("m", "2", 100, "mean"),
        Identity("m", "1", 99, "mean"),
        Identity("m", "1", 100, "cls"),
    ],
)
def test_vectors_of_another_model_are_not_used(tmp_path: Path, other: Identity) -> None:
    filled(tmp_path).close()
    with pytest.raises(IndexCorrupt):
        Table(tmp_path, other)
    with pytest.raises(IndexCorrupt):
        Reader(tmp_path, other).nearest(asked(vectors(1)[0][: other.dimensions]), Where(), 1)


def test_what_is_retired_leaves_no_trace(tmp_path: Path) -> None:
    made = filled(tmp_path)
    assert made.blank(PROJECT, [5, 6, 999]) == 2
    assert made.blank(OTHER, [7]) == 0
    made.commit({PROJECT: (8, b"digest")})
    made.close()
    assert (tmp_path / VECTORS).read_bytes()[4 * 200 : 6 * 200] == bytes(400)
    assert (tmp_path / SIGNS).read_bytes()[4 * 16 : 6 * 16] == bytes(32)
    assert not {5, 6} & set(ordinals(tmp_path, vectors(20)[4], limit=20))
    again = Table(tmp_path, MODEL)
    again.add(rows(50, 1), vectors(1, 9))
    again.commit({PROJECT: (9, b"digest")})
    assert ordinals(tmp_path, vectors(1, 9)[0])[0] == 50


def test_a_reader_follows_the_writer(tmp_path: Path) -> None:
    made = Table(tmp_path, MODEL)
    reader = Reader(tmp_path, MODEL)
    assert reader.nearest(asked(vectors(1)[0]), Where(), 3).spans == []
    made.add(rows(1, 3), vectors(3))
    made.commit({PROJECT: (1, b"d")})
    found = reader.nearest(asked(vectors(3)[1]), Where(), 3)
    assert (found.spans[0].ordinal, found.rows, found.positions) == (2, 3, {PROJECT: 1})
    assert (found.spans[0].start, found.spans[0].end) == (3, 9)


def test_the_filter_comes_first(tmp_path: Path) -> None:
    made = Table(tmp_path, MODEL)
    question = vectors(1, 5)[0]
    near = np.repeat(question[None], 4, axis=0)
    made.add(rows(1, 4, OTHER, role="user", kind="text", host="pi", tool="bash"), near)
    made.add(rows(10, 4, role="assistant", kind="text"), vectors(4, 6))
    side = rows(20, 1, role="assistant")
    side["flags"] = table.SIDE
    made.add(side, near[:1])
    made.commit({PROJECT: (1, b"d"), OTHER: (1, b"d")})
    assert ordinals(tmp_path, question)[0] == 1
    assert set(ordinals(tmp_path, question, Where([PROJECT]))) == {10, 11, 12, 13, 20}
    assert 20 not in ordinals(tmp_path, question, Where([PROJECT], side=False))
    assert set(ordinals(tmp_path, question, Where(roles=["user"]))) == {1, 2, 3, 4}
    assert set(ordinals(tmp_path, question, Where(hosts=["pi"], tools=["bash"], since=20, until=40))) == {
        2,
        3,
    }
    assert ordinals(tmp_path, question, Where(kinds=["image"])) == []
    assert ordinals(tmp_path, question, Where(session=b"s" * 16)) == []


def test_equal_likeness_goes_to_the_earlier_row(tmp_path: Path) -> None:
    made = Table(tmp_path, MODEL)
    made.add(rows(1, 6), np.repeat(vectors(1), 6, axis=0))
    made.commit({PROJECT: (1, b"d")})
    assert ordinals(tmp_path, vectors(1)[0], limit=3) == [1, 2, 3]


def test_the_prefilter_finds_what_comparing_everything_finds(tmp_path: Path) -> None:
    dice = np.random.default_rng(11)
    centres = vectors(200, 12)
    made = Table(tmp_path, MODEL)
    held = centres[dice.integers(0, 200, 20_000)] + 0.12 * dice.standard_normal((20_000, 100)).astype(
        np.float32
    )
    held /= np.linalg.norm(held, axis=1, keepdims=True)
    made.add(rows(1, 20_000), held)
    made.commit({PROJECT: (1, b"d")})
    reader, same = Reader(tmp_path, MODEL), 0
    for at in range(0, 20_000, 1_000):
        question = held[at]
        best = set((np.argsort(-(held.astype(np.float16).astype(np.float32) @ question))[:10] + 1).tolist())
        same += len(best & {near.ordinal for near in reader.nearest(asked(question), Where(), 10).spans})
    assert same >= 0.97 * 200
