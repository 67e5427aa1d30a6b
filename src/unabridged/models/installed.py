"""The models that lie below a folder, as files: nothing is loaded."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec

from unabridged.errors import ModelMissing

MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "model.json"


def listed(models: Path) -> list[dict[str, Any]]:
    """Return name, folder, form, package and bytes of each installed model."""
    found = list[dict[str, Any]]()
    for folder in sorted(models.iterdir()) if models.is_dir() else ():
        if folder.name.startswith(".") or not (folder / MODEL).is_file():
            continue
        said = manifest(folder / MANIFEST)
        size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
        row = {key: said.get(key, "") for key in ("form", "package")}
        found.append({"name": folder.name, "folder": str(folder), **row, "bytes": size})
    return found


def remove(models: Path, name: str) -> None:
    """Remove an installed model; raise `ModelMissing`."""
    if name not in [item["name"] for item in listed(models)]:
        raise ModelMissing(f"no model {name[:80]!r} is installed")
    shutil.rmtree(models / name)


def manifest(path: Path) -> dict[str, str]:
    """Return what a model's folder says of it, {} where that cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}
