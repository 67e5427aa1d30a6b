"""What is read is what was written, to the byte, whatever it is."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from unabridged.errors import LimitExceeded
from unabridged.schema.ids import GLOBAL, ProjectId
from unabridged.schema.keys import MAX_KEY_BYTES
from unabridged.schema.records import COUNTERS, EVENT, KINDS, META_KIND, PROJECT, SEGMENT, Counters, Project
from unabridged.store.conformance.bench import PROJECT_A, PROJECT_B, Bench, raises, same
from unabridged.store.conformance.samples import START, event, every_kind, meta, segment, session

LARGE = 16 << 20  # bytes of the largest value that every engine must keep

ODD_TEXTS = (
    "\x00",
    "a\x00b",
    "\ud800",
    "pair \ud83d\ude00 apart",
    "😀 café ﾃｽﾄ 数据库",
    "\U0010ffff \ufffe \uffff",
    "\x01\x01 \ud7ff\x02Ā",
    "'; DROP TABLE event; --",
    '{"a": "\\u0000"} \\',
    "\r\n\t\x7f\x9f",
)


def a_record_of_every_kind_survives_reopening(bench: Bench) -> None:
    made = [every_kind(PROJECT_A, 1), every_kind(PROJECT_B, 2)]
    for records in made:
        bench.commit(*(("create", kind, records[kind.name]) for kind in KINDS))
    store = bench.reopen() if bench.store.capabilities.durable else bench.store
    with store.snapshot() as snapshot:
        for records in made:
            for kind in KINDS:
                record = records[kind.name]
                same(snapshot.get(kind, kind.key_of(record)), record, kind.name)


def unusual_text_reads_back_equal(bench: Bench) -> None:
    events = [
        msgspec.structs.replace(
            event(PROJECT_A, number, text),
            native=text,
            tool=text,
            paths=[text, text],
            media=[msgspec.structs.replace(event(PROJECT_A, 1).media[0], name=text)],
        )
        for number, text in enumerate(ODD_TEXTS)
    ]
    bench.commit(*(("create", EVENT, record) for record in events))
    same(bench.scan(EVENT, PROJECT_A), events)
    odd = Project(
        GLOBAL, PROJECT_A, ODD_TEXTS[0], list(ODD_TEXTS), START, [], dict.fromkeys(ODD_TEXTS, "\x00\ud800")
    )
    bench.commit(("create", PROJECT, odd))
    same(bench.get(PROJECT, GLOBAL, PROJECT_A), odd)


def large_values_read_back_equal(bench: Bench) -> None:
    data = bytes(range(256)) * (LARGE // 256)
    bench.commit(
        ("create", SEGMENT, segment(PROJECT_A, 0, data)), ("create", SEGMENT, segment(PROJECT_A, LARGE, b""))
    )
    key = SEGMENT.key_of(segment(PROJECT_A, 0, data))
    same(bench.get(SEGMENT, *key), segment(PROJECT_A, 0, data))
    same([record.size for record in bench.scan(SEGMENT, PROJECT_A)], [LARGE, 0])


def extreme_numbers_read_back_equal(bench: Bench) -> None:
    record = Counters(PROJECT_A, 2**63 - 1, 0, -1, 2**53 + 1, 2**40, -(2**63))
    bench.commit(("put", COUNTERS, record))
    same(bench.get(COUNTERS, PROJECT_A), record)


def every_byte_may_stand_in_an_id(bench: Bench) -> None:
    ids = [ProjectId(bytes((first,)) * 16) for first in (1, 0x7F, 0x80, 0xFE, 0xFF)]
    ids.append(ProjectId(session(1)))
    bench.commit(*(("put", COUNTERS, Counters(project)) for project in ids))
    same([record.project for record in bench.scan(COUNTERS)], sorted(ids))
    for project in ids:
        same(bench.scan(COUNTERS, project), [Counters(project)])


def a_key_has_a_largest_size(bench: Bench) -> None:
    room = MAX_KEY_BYTES - 3 - 16 - 2  # behind the head and the project, before the end mark
    longest, too_long = meta("x" * room), meta("x" * (room + 1))
    bench.commit(("create", META_KIND, longest))
    same(bench.get(META_KIND, GLOBAL, longest.name), longest)
    raises(
        LimitExceeded, lambda: bench.commit(("put", META_KIND, meta("a")), ("create", META_KIND, too_long))
    )
    raises(LimitExceeded, lambda: bench.get(META_KIND, GLOBAL, too_long.name))
    same(bench.count(META_KIND, GLOBAL), 1)


CHECKS: tuple[Callable[[Bench], None], ...] = (
    a_record_of_every_kind_survives_reopening,
    unusual_text_reads_back_equal,
    large_values_read_back_equal,
    extreme_numbers_read_back_equal,
    every_byte_may_stand_in_an_id,
    a_key_has_a_largest_size,
)
