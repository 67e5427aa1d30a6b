"""Whatever is done to an engine, in whatever order, it holds what the memory engine holds."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from unabridged.errors import UnabridgedError
from unabridged.schema.ids import GLOBAL, Micros, Ordinal, SessionId
from unabridged.schema.kinds import Kind
from unabridged.schema.records import DOCUMENT, EVENT, HOME, LEASE, META_KIND, Home, Lease
from unabridged.store.conformance.bench import PROJECT_A
from unabridged.store.conformance.samples import document, event, meta
from unabridged.store.contract import Batch, Snapshot, Store
from unabridged.store.open import open_store

# Few values, so that keys meet: what matters is what happens to a key again and again.
TEXTS = st.sampled_from(["", "a", "a\x00", "b", "\ud800", "é"])
SMALL = st.integers(0, 4)
DATA = st.binary(max_size=4)

METAS = st.builds(meta, TEXTS, DATA)
HOMES = st.builds(
    lambda n, text: Home(GLOBAL, SessionId(bytes((n,)) * 16), PROJECT_A, "pi", text), SMALL, TEXTS
)
LEASES = st.builds(
    lambda n, text, until: Lease(PROJECT_A, Ordinal(n), text, Micros(until)), SMALL, TEXTS, SMALL
)
EVENTS = st.builds(  # a few share the id of another
    lambda n, of: msgspec.structs.replace(event(PROJECT_A, n), id=event(PROJECT_A, of).id), SMALL, SMALL
)
DOCUMENTS = st.builds(lambda n, subject: document(PROJECT_A, n, subject), SMALL, TEXTS)
RECORDS: dict[str, tuple[Kind[Any], st.SearchStrategy[Any]]] = {
    kind.name: (kind, records)
    for kind, records in (
        (META_KIND, METAS),
        (HOME, HOMES),
        (LEASE, LEASES),
        (EVENT, EVENTS),
        (DOCUMENT, DOCUMENTS),
    )
}


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, Kind[Any], Any]:
    kind, records = RECORDS[draw(st.sampled_from(list(RECORDS)))]
    record = draw(records)
    name = draw(st.sampled_from(["create", "put", "put", "delete", "expect"]))
    if name == "delete":
        return name, kind, kind.key_of(record)
    if name == "expect":
        return name, kind, (kind.key_of(record), draw(st.sampled_from([record, None])))
    return name, kind, record


BATCHES = st.lists(operations(), max_size=5)


def contents(snapshot: Snapshot) -> dict[str, Any]:
    """Return everything that the kinds above hold, through every index, both ways."""
    found: dict[str, Any] = {}
    for name, (kind, _) in RECORDS.items():
        for index in ("", *kind.by_name):
            found[f"{name} {index}"] = snapshot.scan(kind, (), index=index)
            assert snapshot.scan(kind, (), index=index, reverse=True) == found[f"{name} {index}"][::-1]
            assert snapshot.count(kind, (), index=index) == len(found[f"{name} {index}"])
    return found


class Machine(RuleBasedStateMachine):
    """An engine beside the memory engine."""

    engine = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.model = open_store("memory:")
        self.store = self.opened()
        self.held: list[tuple[Snapshot, Snapshot]] = []

    def opened(self) -> Store:
        return open_store(self.folder / "store", create=True, engine=self.engine)

    @initialize(batch=BATCHES)
    def begin(self, batch: list[tuple[str, Kind[Any], Any]]) -> None:
        self.commit([batch])

    @rule(batches=st.lists(BATCHES, min_size=1, max_size=4))
    def commit(self, batches: list[list[tuple[str, Kind[Any], Any]]]) -> None:
        """Submit several batches at once: all outcomes must be equal, conflicts included."""
        outcomes = list[list[object]]()
        for store in (self.model, self.store):
            futures = [store.submit(PROJECT_A, lambda _, ops=ops: Batch(list(ops))) for ops in batches]
            outcomes.append([type(future.exception(60)) for future in futures])
        assert outcomes[0] == outcomes[1]
        assert all(kind is type(None) or issubclass(kind, UnabridgedError) for kind in outcomes[0])  # type: ignore[arg-type]

    @rule()
    def reopen(self) -> None:
        for _, ours in self.held:
            ours.close()
        for model, _ in self.held:
            model.close()
        self.held.clear()
        self.store.close()
        self.store = self.opened()

    @rule()
    def warm(self) -> None:
        self.store.warm()

    @rule()
    def compact(self) -> None:
        self.store.compact()

    @rule()
    def hold(self) -> None:
        if len(self.held) < 3:
            self.held.append((self.model.snapshot(), self.store.snapshot()))

    @rule(low=SMALL, high=SMALL, limit=SMALL, reverse=st.booleans())
    def ranges(self, low: int, high: int, limit: int, reverse: bool) -> None:
        with self.model.snapshot() as model, self.store.snapshot() as ours:
            for kind in (LEASE, EVENT, DOCUMENT):
                bounds: dict[str, Any] = {
                    "start": (low,),
                    "stop": (high,),
                    "limit": limit,
                    "reverse": reverse,
                }
                assert ours.scan(kind, (PROJECT_A,), **bounds) == model.scan(kind, (PROJECT_A,), **bounds)
            ids = [(PROJECT_A, event(PROJECT_A, number).id) for number in (low, high)]
            assert ours.lookup(EVENT, "id", ids) == model.lookup(EVENT, "id", ids)

    @invariant()
    def both_hold_the_same(self) -> None:
        with self.model.snapshot() as model, self.store.snapshot() as ours:
            assert contents(ours) == contents(model)

    @invariant()
    def held_snapshots_stay_equal(self) -> None:
        for model, ours in self.held:
            assert contents(ours) == contents(model)

    def teardown(self) -> None:
        for model, ours in self.held:
            model.close()
            ours.close()
        self.model.close()
        self.store.close()
        shutil.rmtree(self.folder)


FEW = settings(
    max_examples=6,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_an_engine_equals_the_model_after_any_steps(engine: str) -> None:
    machine = type("Machine", (Machine,), {"engine": engine})
    run_state_machine_as_test(machine, settings=FEW)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["rocksdb", "sqlite"])
def test_an_engine_equals_the_model_after_many_steps(engine: str) -> None:
    machine = type("Machine", (Machine,), {"engine": engine})
    run_state_machine_as_test(machine, settings=settings(FEW, max_examples=40, stateful_step_count=30))
