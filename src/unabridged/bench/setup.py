"""What every measurement is given, and what it gives."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unabridged.bench import corpus
from unabridged.bench.corpus import Corpus
from unabridged.bench.passages import CHARS, Passages

SEED = 1


@dataclass(frozen=True, slots=True)
class Setup:
    """How much is measured, of what, and where. `tell` shows what is going on."""

    size: int
    seed: int = SEED
    keep: Path | None = None
    source: tuple[Path, ...] = ()
    tell: Callable[[str], None] = field(default=lambda _: None)
    environ: Mapping[str, str] = field(default_factory=dict[str, str])  # of the one who measures


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured. Keys of one quantity are the same in `figures` and `rival`; `ratio` above 1: we are better.

    conditions: what was measured under, so that two results can be compared. notes: what a reader has to know.
    """

    figures: dict[str, Any]
    rival: dict[str, Any]
    ratio: dict[str, Any]
    conditions: dict[str, Any]
    notes: list[str] = field(default_factory=list[str])


def passages(setup: Setup) -> Passages:
    """Gather the machine's text and return what writes from it."""
    setup.tell("reading the text that this machine has")
    return Passages(gathered(), setup.seed)


def gathered() -> Corpus:
    """Return the text of the standard library: it stays the same from one version of this package to the next."""
    return corpus.load([Path(sysconfig.get_path("stdlib"))])


def conditions(setup: Setup, writer: Passages, **more: Any) -> dict[str, Any]:
    """Return the conditions that all measurements share."""
    text = {
        "files": len(writer.corpus.sources),
        "characters": writer.corpus.size,
        "digest": writer.corpus.digest(),
    }
    return {"size": setup.size, "seed": setup.seed, "corpus": text, "window_characters": CHARS, **more}
