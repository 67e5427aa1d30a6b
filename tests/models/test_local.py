"""Models of a folder: what they give, and what is said of one that cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.tiny_model import tiny_model
from unabridged.errors import ModelDamaged, ModelMissing
from unabridged.models import local
from unabridged.models.installed import MANIFEST, MODEL, TOKENIZER, listed, remove
from unabridged.models.local import LocalEmbedder
from unabridged.models.scripted import ScriptedEmbedder


@pytest.mark.parametrize("kind", ["local", "scripted"])
def test_an_embedder_keeps_the_contract(kind: str, tmp_path: Path) -> None:
    embedder = LocalEmbedder(tiny_model(tmp_path / "m")) if kind == "local" else ScriptedEmbedder()
    texts = ["the giraffe", "", "weather", "garden " * 400, "\ud800 lone", "数据 🙂"]
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.identity.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    for at, text in enumerate(texts):
        assert np.allclose(embedder.embed([text])[0], rows[at], atol=1e-5)
    assert embedder.embed([]).shape == (0, embedder.identity.dimensions)
    tokens = embedder.tokens("we settled on postgresql")
    assert [(start, end) for start, end in tokens] == [(0, 2), (3, 10), (11, 13), (14, 24)]


def test_synonyms_are_near(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tiny_model(tmp_path / "m"))
    car, other, tiger = embedder.embed(["car", "automobile", "tiger"])
    assert car @ other > 0.95
    assert car @ tiger < 0.6


def test_identity_follows_what_the_rows_depend_on(tmp_path: Path) -> None:
    first = LocalEmbedder(tiny_model(tmp_path / "a")).identity
    assert LocalEmbedder(tiny_model(tmp_path / "b")).identity == first
    assert LocalEmbedder(tiny_model(tmp_path / "c", seed=2)).identity != first
    assert (first.model, first.dimensions, first.pooling) == ("tiny", 64, "mean")


def test_a_model_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        LocalEmbedder(tmp_path)
    folder = tiny_model(tmp_path / "m")
    good = (folder / MODEL).read_bytes()
    (folder / MODEL).write_bytes(good[: len(good) // 2])
    with pytest.raises(ModelDamaged):
        LocalEmbedder(folder)
    (folder / MODEL).write_bytes(good)
    (folder / TOKENIZER).write_text("{}")
    with pytest.raises(ModelDamaged):
        LocalEmbedder(folder)


def test_a_damaged_manifest_costs_the_name_only(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "m")
    (folder / MANIFEST).write_text("[1")
    assert LocalEmbedder(folder).identity.model == "m"


def test_models_are_listed_and_removed(tmp_path: Path) -> None:
    assert listed(tmp_path / "none") == []
    tiny_model(tmp_path / "one")
    (tmp_path / ".installing-x").mkdir()
    assert [item["name"] for item in listed(tmp_path)] == ["one"]
    for name in ("two", "../one", ""):
        with pytest.raises(ModelMissing):
            remove(tmp_path, name)
    remove(tmp_path, "one")
    assert listed(tmp_path) == []


def test_a_batch_is_cut_by_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = LocalEmbedder(tiny_model(tmp_path / "m"))
    whole = embedder.embed([f"the tiger {'red ' * count}" for count in range(30)])
    monkeypatch.setattr(local, "BATCH_TOKENS", 40)
    assert np.allclose(
        embedder.embed([f"the tiger {'red ' * count}" for count in range(30)]), whole, atol=1e-5
    )
