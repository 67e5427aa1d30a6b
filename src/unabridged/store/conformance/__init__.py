"""Does an engine keep the contract? The checks that every one passes, for authors of engines.

Each check is a plain function of a `Bench` and raises `AssertionError`. An engine's test file is about ten lines:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_engine_keeps_the_contract(check, tmp_path):
        bench = Bench(lambda: my_engine.open(tmp_path / "store"), tmp_path)
        try:
            check(bench)
        finally:
            bench.close()
"""

from __future__ import annotations

from collections.abc import Callable

from unabridged.store.conformance import commits, indexes, life, scans, snapshots, values
from unabridged.store.conformance.bench import Bench

CHECKS: tuple[Callable[[Bench], None], ...] = (
    *commits.CHECKS,
    *indexes.CHECKS,
    *scans.CHECKS,
    *snapshots.CHECKS,
    *values.CHECKS,
    *life.CHECKS,
)

__all__ = ["CHECKS", "Bench"]
