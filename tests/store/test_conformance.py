"""The engines of one machine keep the storage contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unabridged.store.conformance import CHECKS, Bench
from unabridged.store.open import open_store


@pytest.mark.parametrize("engine", ["memory", "rocksdb", "sqlite"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_engine_keeps_the_contract(check: Callable[[Bench], None], engine: str, tmp_path: Path) -> None:
    if engine == "memory":
        bench = Bench(lambda: open_store("memory:"), tmp_path)
    else:
        bench = Bench(
            lambda: open_store(tmp_path / "store", create=True, engine=engine), tmp_path, open_store
        )
    try:
        check(bench)
    finally:
        bench.close()
