"""Damaged files of an index: found by checking, and never mistaken for an empty answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.index.filling import Shelf
from unabridged.errors import IndexCorrupt, UnabridgedError
from unabridged.index.analysis.query import plan_query
from unabridged.index.damage import damaged
from unabridged.index.lexical import LexicalIndex

TEXTS = [f"the ledger keeps entry {number} in order of the log and the retry loop" for number in range(300)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shelf = Shelf(tmp_path / "index", TEXTS)
    shelf.index.close()
    return tmp_path / "index"


def part(folder: Path, ending: str) -> Path:
    return max(folder.glob(f"*.{ending}"), key=lambda file: file.stat().st_size)


def test_an_undamaged_index_has_no_damaged_file(folder: Path) -> None:
    assert LexicalIndex.open(folder).damaged() == []


@pytest.mark.parametrize("ending", ["term", "idx", "fast", "store", "fieldnorm"])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_one_flipped_bit_is_found_by_checking(folder: Path, ending: str, share: float) -> None:
    file = part(folder, ending)
    index = LexicalIndex.open(folder)
    with file.open("r+b") as opened:  # in place: the index has the file mapped
        at = int((file.stat().st_size - 120) * share)
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ 1]))
    assert [name for name, _ in index.damaged()] == [file.name]


@pytest.mark.parametrize("ending", ["term", "idx", "fast", "store"])
def test_a_cut_file_is_refused_when_the_index_is_opened(folder: Path, ending: str) -> None:
    file = part(folder, ending)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(IndexCorrupt):
        LexicalIndex.open(folder)


@pytest.mark.parametrize("ending", ["term", "idx", "fast"])
def test_a_missing_file_is_refused_when_the_index_is_opened(folder: Path, ending: str) -> None:
    part(folder, ending).unlink()
    with pytest.raises(IndexCorrupt):
        LexicalIndex.open(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"segments": 1}'])
def test_a_broken_list_of_segments_is_refused(folder: Path, content: str) -> None:
    (folder / "meta.json").write_text(content)
    with pytest.raises(IndexCorrupt):
        LexicalIndex.open(folder)


@pytest.mark.parametrize("ending", ["term", "idx", "fast", "store"])
def test_overwritten_bytes_give_a_typed_error_or_an_answer_but_nothing_else(
    folder: Path, ending: str
) -> None:
    file = part(folder, ending)
    data = bytearray(file.read_bytes())
    body = len(data) - 120
    for at in range(0, body, max(1, body // 200)):
        data[at] ^= 0xA5
    file.write_bytes(data)
    try:
        index = LexicalIndex.open(folder)
        outcome: object = index.search(plan_query("ledger retry loop entry 7"))
    except UnabridgedError as error:
        outcome = error
    assert isinstance(outcome, IndexCorrupt | list)
    assert file.name in {name for name, _ in damaged(folder)}
