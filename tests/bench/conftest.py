"""Little text and few samples, so that a whole bench takes seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

import unabridged
from unabridged.bench import corpus, footprint, library, load, recall, rpc, search, setup
from unabridged.bench.corpus import Corpus
from unabridged.bench.passages import Passages


@pytest.fixture(scope="session")
def text() -> Corpus:
    """Return a part of this package's own text."""
    return corpus.load([Path(unabridged.__file__).parent], 600_000)


@pytest.fixture
def writer(text: Corpus) -> Passages:
    """Return what writes from it."""
    return Passages(text, 1)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, text: Corpus) -> None:
    """Let benches take that text, and ask little."""
    monkeypatch.setattr(setup, "gathered", lambda: text)
    for module in (search, recall, footprint):
        monkeypatch.setattr(module, "COUNT", 12)
    monkeypatch.setattr(search, "PASSES", 1)
    monkeypatch.setattr(recall, "PLACES", 5)
    monkeypatch.setattr(rpc, "SHELL_RUNS", 3)
    monkeypatch.setattr(footprint, "REST_SECONDS", 0.1)
    monkeypatch.setattr(library, "LOAD_LEAST", 8 << 20)
    monkeypatch.setattr(load, "EACH", 1 << 20)
