"""An index lists exactly the records that it should, always."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from unabridged.errors import Conflict, InvalidInput
from unabridged.schema.ids import GLOBAL
from unabridged.schema.records import DOCUMENT, EVENT, HOME, PATH
from unabridged.store.conformance.bench import PROJECT_A, PROJECT_B, Bench, raises, same
from unabridged.store.conformance.samples import document, event, home, path, session


def an_index_lists_records_by_their_fields(bench: Bench) -> None:
    names = ["b", "a", "c", "a"]
    bench.commit(*(("create", HOME, home(number, name)) for number, name in enumerate(names)))
    found = bench.scan(HOME, GLOBAL, index="host_session")
    same([record.host_session for record in found], ["a", "a", "b", "c"])
    twins = sorted((session(1), session(3)))
    same([record.session for record in bench.scan(HOME, GLOBAL, "a", index="host_session")], twins)
    same(bench.scan(HOME, GLOBAL, "aa", index="host_session"), [])
    same(bench.count(HOME, GLOBAL, "a", index="host_session"), 2)


def an_index_scan_takes_bounds_order_and_limit(bench: Bench) -> None:
    bench.commit(*(("create", DOCUMENT, document(PROJECT_A, number)) for number in range(30)))
    where = session(1)  # documents 1, 4, 7, …

    def places(**bounds: Any) -> list[int]:
        return [record.seq_from for record in bench.scan(DOCUMENT, PROJECT_A, where, index="place", **bounds)]

    same(places(), list(range(1, 30, 3)))
    same(places(start=(10,), stop=(19,)), [10, 13, 16])
    same(places(start=(11,), stop=(20,)), [13, 16, 19])
    same(places(reverse=True, limit=2), [28, 25])
    same(places(start=(10,), stop=(19,), reverse=True), [16, 13, 10])
    same(places(start=(10, PROJECT_A, 10), limit=1), [10])
    same(places(start=(10, PROJECT_A, 11), limit=1), [13])


def an_index_follows_a_record_that_changes(bench: Bench) -> None:
    bench.commit(("put", HOME, home(1, "before")))
    bench.commit(("put", HOME, home(1, "after")))
    same([record.host_session for record in bench.scan(HOME, GLOBAL, index="host_session")], ["after"])
    bench.commit(("put", HOME, home(1, "x")), ("put", HOME, home(1, "y")), ("put", HOME, home(2, "x")))
    same(
        [record.session for record in bench.scan(HOME, GLOBAL, index="host_session")],
        [session(2), session(1)],
    )
    bench.commit(("delete", HOME, (GLOBAL, session(1))))
    same(bench.scan(HOME, GLOBAL, index="host_session"), [home(2, "x")])
    same(bench.count(HOME, GLOBAL, index="host_session"), 1)


def a_unique_index_refuses_a_second_record(bench: Bench) -> None:
    first = event(PROJECT_A, 1)
    twin = msgspec.structs.replace(event(PROJECT_A, 2), id=first.id)
    bench.commit(("create", EVENT, first))
    raises(Conflict, lambda: bench.commit(("create", EVENT, event(PROJECT_A, 3)), ("create", EVENT, twin)))
    same(bench.count(EVENT, PROJECT_A), 1)
    raises(
        Conflict,
        lambda: bench.commit(
            ("create", PATH, path(PROJECT_A, 1)),
            ("create", PATH, msgspec.structs.replace(path(PROJECT_A, 1), seq=2)),
        ),
    )
    same(bench.count(PATH, PROJECT_A), 0)
    bench.commit(
        ("create", EVENT, msgspec.structs.replace(first, project=PROJECT_B))
    )  # another project's own


def a_unique_field_is_free_again_after_a_delete(bench: Bench) -> None:
    first = event(PROJECT_A, 1)
    twin = msgspec.structs.replace(event(PROJECT_A, 2), id=first.id)
    bench.commit(("create", EVENT, first))
    bench.commit(("delete", EVENT, (PROJECT_A, 1)), ("create", EVENT, twin))
    same(bench.scan(EVENT, PROJECT_A, first.id, index="id"), [twin])
    bench.commit(("delete", EVENT, (PROJECT_A, 2)))
    same(bench.scan(EVENT, PROJECT_A, index="id"), [])
    bench.commit(("create", EVENT, first))


def a_lookup_finds_keys_by_a_unique_index(bench: Bench) -> None:
    bench.commit(*(("create", PATH, path(PROJECT_A, seq)) for seq in (1, 2, 3)))
    with bench.store.snapshot() as snapshot:
        asked = [(PROJECT_A, path(PROJECT_A, seq).source) for seq in (3, 9, 1)]
        found = snapshot.lookup(PATH, "source", asked)
        same(found, [(PROJECT_A, session(1), 3), None, (PROJECT_A, session(1), 1)])
        same(snapshot.lookup(PATH, "source", [(PROJECT_B, asked[0][1])]), [None])
        same(snapshot.lookup(PATH, "source", []), [])
        raises(InvalidInput, lambda: snapshot.lookup(HOME, "host_session", [(GLOBAL, "a")]))
        raises(InvalidInput, lambda: snapshot.lookup(PATH, "source", [(PROJECT_A,)]))


def a_sparse_index_leaves_out_empty_fields(bench: Bench) -> None:
    bench.commit(
        ("create", DOCUMENT, document(PROJECT_A, 1, "")),
        ("create", DOCUMENT, document(PROJECT_A, 2, "b")),
        ("create", DOCUMENT, document(PROJECT_A, 3, "a")),
    )
    same([record.ordinal for record in bench.scan(DOCUMENT, PROJECT_A, index="subject")], [3, 2])
    same(bench.count(DOCUMENT, PROJECT_A, index="subject"), 2)
    bench.commit(("delete", DOCUMENT, (PROJECT_A, 1)), ("delete", DOCUMENT, (PROJECT_A, 3)))
    same([record.ordinal for record in bench.scan(DOCUMENT, PROJECT_A, index="subject")], [2])


def an_unknown_index_is_refused(bench: Bench) -> None:
    raises(InvalidInput, lambda: bench.scan(EVENT, PROJECT_A, index="colour"))
    raises(InvalidInput, lambda: bench.count(EVENT, PROJECT_A, index="colour"))


CHECKS: tuple[Callable[[Bench], None], ...] = (
    an_index_lists_records_by_their_fields,
    an_index_scan_takes_bounds_order_and_limit,
    an_index_follows_a_record_that_changes,
    a_unique_index_refuses_a_second_record,
    a_unique_field_is_free_again_after_a_delete,
    a_lookup_finds_keys_by_a_unique_index,
    a_sparse_index_leaves_out_empty_fields,
    an_unknown_index_is_refused,
)
