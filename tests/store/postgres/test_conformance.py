"""The PostgreSQL engine keeps the storage contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unabridged.store.conformance import CHECKS, Bench
from unabridged.store.postgres.store import PostgresStore

pytestmark = pytest.mark.slow  # a server in between makes every check ten times as long


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_postgres_keeps_the_contract(
    check: Callable[[Bench], None], opened: Callable[[], PostgresStore], tmp_path: Path
) -> None:
    bench = Bench(opened, tmp_path)
    try:
        check(bench)
    finally:
        bench.close()
