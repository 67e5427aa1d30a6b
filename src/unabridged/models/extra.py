"""Whether the packages that models need are here: those of the extra `semantic`."""

from __future__ import annotations

from importlib.util import find_spec

from unabridged.errors import ModelMissing

PACKAGES = ("numpy", "onnxruntime", "tokenizers")


def require() -> None:
    """Raise `ModelMissing` when one of them is not installed."""
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        raise ModelMissing(
            "the packages that models need are not installed",
            hint="Install the extra `semantic`: pip install 'unabridged[semantic]'.",
            packages=absent,
        )
