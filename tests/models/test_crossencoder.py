"""Cross-encoders of a folder: what they give, in how much time, and what is said of one that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tiny_judge import tiny_judge
from tests.support.tiny_model import tiny_model
from unabridged.errors import ModelDamaged, ModelMissing
from unabridged.models import crossencoder
from unabridged.models.crossencoder import CrossEncoder
from unabridged.models.installed import MODEL

WORTH = {"okapi": 2.0, "giraffe": 0.5, "weather": -1.0}


def ticking(step: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += step


@pytest.mark.parametrize("classes", [1, 3])
def test_a_passage_is_judged_with_its_question(tmp_path: Path, classes: int) -> None:
    model = CrossEncoder(tiny_judge(tmp_path / "m", WORTH, classes))
    passages = ["the okapi", "weather", "", "okapi giraffe okapi", "\ud800 giraffe"]
    found = model.scores("giraffe", passages, 10.0, lambda: 0.0)
    assert found == pytest.approx([2.5, -0.5, 0.5, 5.0, 1.0])
    assert model.scores("giraffe", [], 10.0, lambda: 0.0) == []


def test_what_the_time_does_not_suffice_for_is_not_judged(tmp_path: Path) -> None:
    model = CrossEncoder(tiny_judge(tmp_path / "m", WORTH))
    ticks = ticking(1.0)
    found = model.scores("giraffe", ["okapi"] * 40, 2.5, lambda: next(ticks))
    assert len(found) == 2 * crossencoder.BATCH
    assert model.scores("giraffe", ["okapi"], 0.0, lambda: 0.0) == []


def test_texts_are_cut_to_what_a_model_can_read(tmp_path: Path) -> None:
    model = CrossEncoder(tiny_judge(tmp_path / "m", WORTH))
    found = model.scores("okapi " * 10_000, ["okapi " * 10_000], 10.0, lambda: 0.0)
    assert found[0] <= 2.0 * crossencoder.LONGEST


def test_a_model_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        CrossEncoder(tmp_path)
    folder = tiny_judge(tmp_path / "m", WORTH)
    (folder / MODEL).write_bytes(b"not a model")
    with pytest.raises(ModelDamaged):
        CrossEncoder(folder)
    bare = tiny_judge(tmp_path / "b", {"x": float("nan")})
    with pytest.raises(ModelDamaged):
        CrossEncoder(bare).scores("x", ["x"], 10.0, lambda: 0.0)


def test_a_sentence_model_gives_rows_of_which_the_last_number_means_nothing_but_breaks_nothing(
    tmp_path: Path,
) -> None:
    found = CrossEncoder(tiny_model(tmp_path / "m")).scores("giraffe", ["tiger"], 10.0, lambda: 0.0)
    assert len(found) == 1
