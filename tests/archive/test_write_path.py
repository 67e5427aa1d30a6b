"""The write path: what goes in comes out, whatever the slices."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.archiving import NOW, PROJECT, fingerprint, ingest, newest, violations
from tests.support.toy_host import NoRedaction, ToyHost, WordRedaction
from unabridged.archive.admission import plan_append
from unabridged.archive.ingest import Ingest
from unabridged.archive.resolve import Resolver
from unabridged.archive.restore import read_original, read_range
from unabridged.errors import Conflict
from unabridged.hosts.contract import Candidate, Head
from unabridged.schema.ids import origin_id
from unabridged.schema.records import DOCUMENT, EVENT, PATH, SESSION, SUPERSESSION
from unabridged.store.contract import Store
from unabridged.store.open import open_store

HOST = ToyHost()
HEAD = Head("session-one", "/nowhere/toy")
ORIGIN = origin_id("toy", "/t/session-one.toy")


@pytest.fixture
def store():
    opened = open_store("memory:", create=True)
    yield opened
    opened.close()


def rows(count: int, seed: int = 1) -> bytes:
    rng = random.Random(seed)
    lines = list[bytes]()
    for number in range(count):
        human = rng.random() < 0.2
        row = {
            "id": f"m{number}",
            "text": f"line {number} " + "word " * rng.randint(0, 60),
            "human": human,
            "role": "user" if human else "assistant",
            "time": 1_700_000_000_000_000 + number,
        }
        if rng.random() < 0.1:
            row["parts"] = ["part one ", "数据库迁移 ", "\ud83d broken"]
        lines.append(json.dumps(row).encode() + rng.choice([b"\n", b"\r\n"]))
        if rng.random() < 0.05:
            lines.append(rng.choice([b"\n", b"null\n", b"[1,2]\n", b"\xff\xfe broken\n", b"{not json\n"]))
    return b"".join(lines)


def admit(store: Store, data: bytes, **options: object):
    return ingest(store, HOST, "/t/session-one.toy", data, HEAD, NoRedaction(), **options)  # type: ignore[arg-type]


def test_the_original_comes_back_byte_for_byte(store: Store) -> None:
    data = rows(300)
    admit(store, data)
    with store.snapshot() as snapshot:
        generation = newest(snapshot, ORIGIN)
        assert generation is not None
        assert b"".join(read_original(snapshot, generation)) == data
        assert read_range(snapshot, generation, 1000, 77) == data[1000:1077]
        assert violations(snapshot) == []


def test_reading_in_random_slices_with_restarts_equals_reading_at_once(store: Store) -> None:
    data = rows(400)
    admit(store, data)
    whole = fingerprint(store.snapshot())
    for seed in range(5):
        other = open_store("memory:", create=True)
        rng = random.Random(seed)
        end = 0
        while end < len(data):
            end = min(len(data), end + rng.randint(1, 20_000))
            prior = newest(other.snapshot(), ORIGIN)
            admit(other, data[:end], prior=prior, rng=rng, idle=end == len(data))
        assert fingerprint(other.snapshot()) == whole
        assert violations(other.snapshot()) == []
        other.close()


def test_importing_twice_adds_nothing(store: Store) -> None:
    data = rows(50)
    first = admit(store, data)
    before = fingerprint(store.snapshot())
    again = admit(store, data, number=2)
    assert sum(item.events for item in first) > 0
    assert sum(item.events for item in again) == 0
    assert sum(item.documents for item in again) == 0
    assert fingerprint(store.snapshot()) == before
    assert all(item.position == 0 for item in again)


def test_every_line_is_accounted_for(store: Store) -> None:
    data = b'{"id":"a","text":"x"}\nnull\n{broken\n\n{"id":"b","text":"y"}\n{"id":"b","text":"y"}\n{"title":"t"}\n'
    done = admit(store, data)
    assert sum(item.new for item in done) == 4  # a, b, the blank line, the title
    assert sum(item.known for item in done) == 1
    generation = newest(store.snapshot(), ORIGIN)
    assert generation is not None
    assert (generation.lines, generation.new, generation.known, generation.unreadable) == (7, 4, 1, 2)


def test_an_importer_that_lost_the_race_writes_nothing(store: Store) -> None:
    data = rows(20)
    works = [
        Ingest(HOST, Candidate("/t/session-one.toy", "file"), HEAD, "/nowhere/toy", PROJECT, NoRedaction())
        for _ in range(2)
    ]
    appends = [[*work.feed(data), *work.finish(True)] for work in works]
    for append in appends[0]:
        store.commit(PROJECT, plan_append(append, NOW))
    before = fingerprint(store.snapshot())
    with pytest.raises(Conflict):
        store.commit(PROJECT, plan_append(appends[1][0], NOW))
    assert fingerprint(store.snapshot()) == before


def test_a_block_that_the_host_changes_is_a_revision_and_both_stay(store: Store) -> None:
    data = b'{"id":"a","text":"one"}\n{"id":"a","text":"two"}\n{"id":"a","text":"one"}\n{"id":"a","text":"three"}\n'
    admit(store, data)
    snapshot = store.snapshot()
    assert [path.native for path in snapshot.scan(PATH, (PROJECT,))] == ["a", "a~2", "a~3"]
    texts = [Resolver(snapshot).event_text(event) for event in snapshot.scan(EVENT, (PROJECT,))]
    assert texts == ["one", "two", "three"]
    assert violations(snapshot) == []


def test_a_turn_that_grows_after_it_was_closed_is_a_new_version(store: Store) -> None:
    data = b'{"id":"a","text":"ask","human":true}\n{"id":"b","text":"answer"}\n'
    admit(store, data)
    more = data + b'{"id":"c","text":"more"}\n{"id":"d","text":"next","human":true}\n'
    admit(store, more, prior=newest(store.snapshot(), ORIGIN))
    snapshot = store.snapshot()
    documents = snapshot.scan(DOCUMENT, (PROJECT,))
    resolver = Resolver(snapshot)
    assert [resolver.document_bytes(document) for document in documents][0] == b"ask\n\nanswer"
    assert violations(snapshot) == []
    assert len(snapshot.scan(SUPERSESSION, (PROJECT,))) <= 1


def test_a_last_line_without_an_end_is_kept_and_read_when_it_is_completed(store: Store) -> None:
    data = b'{"id":"a","text":"one"}\n{"id":"b","te'
    done = admit(store, data)
    generation = newest(store.snapshot(), ORIGIN)
    assert generation is not None
    assert generation.pending == len(b'{"id":"b","te')
    assert sum(item.new for item in done) == 1
    assert b"".join(read_original(store.snapshot(), generation)) == data
    assert violations(store.snapshot()) == []
    whole = data + b'xt":"two"}\n{"id":"c","text":"three"}'
    admit(store, whole, prior=generation)
    generation = newest(store.snapshot(), ORIGIN)
    assert generation is not None
    assert b"".join(read_original(store.snapshot(), generation)) == whole
    assert [event.native for event in store.snapshot().scan(EVENT, (PROJECT,))] == ["a", "b", "c"]
    assert violations(store.snapshot()) == []


def test_a_fork_shares_its_events_in_whichever_order_it_comes(store: Store) -> None:
    trunk = b'{"id":"a","text":"ask","human":true}\n{"id":"b","text":"answer"}\n{"id":"c","text":"go","human":true}\n'
    fork = trunk + b'{"id":"f","text":"elsewhere"}\n'
    main = trunk + b'{"id":"d","text":"on"}\n'
    prints = list[object]()
    for order in ((("main", main), ("fork", fork)), (("fork", fork), ("main", main))):
        other = open_store("memory:", create=True)
        for name, data in order:
            ingest(other, HOST, f"/t/{name}.toy", data, Head(name, ""), NoRedaction())
        snapshot = other.snapshot()
        assert len(snapshot.scan(EVENT, (PROJECT,))) == 5
        assert violations(snapshot) == []
        prints.append(fingerprint(snapshot))
    assert prints[0] == prints[1]


def test_two_secrets_of_one_rule_in_one_line_count_as_two(store: Store) -> None:
    data = b'{"id":"a","text":"hunter2, then hunter2"}\n{"id":"b","text":"once more: hunter2"}\n'
    unfinished = b'{"id":"z","text":"hunter2 hunter2'
    ingest(store, HOST, "/t/session-one.toy", data + unfinished, HEAD, WordRedaction())
    generation = newest(store.snapshot(), ORIGIN)
    assert generation is not None
    assert generation.redactions == 5


def test_a_secret_is_in_no_stored_byte_and_the_rest_is_unchanged(store: Store) -> None:
    data = b'{"id":"a","text":"the password is hunter2, really"}\n' * 1 + rows(30) + b'{"id":"z","te hunter2'
    ingest(store, HOST, "/t/session-one.toy", data, HEAD, WordRedaction())
    snapshot = store.snapshot()
    generation = newest(snapshot, ORIGIN)
    assert generation is not None
    assert b"".join(read_original(snapshot, generation)) == data.replace(b"hunter2", b"[redacted:password]")
    assert generation.redactions == 2
    assert violations(snapshot) == []
    more = data + b'xt":"done"}\n{"id":"y","text":"end"}\n'
    ingest(store, HOST, "/t/session-one.toy", more, HEAD, WordRedaction(), prior=generation)
    generation = newest(store.snapshot(), ORIGIN)
    assert generation is not None
    assert b"".join(read_original(store.snapshot(), generation)) == more.replace(
        b"hunter2", b"[redacted:password]"
    )
    assert violations(store.snapshot()) == []


def test_a_long_line_is_kept_as_chunks_and_reads_back(store: Store) -> None:
    text = "".join(f"row {number} é\n" for number in range(60_000))
    data = json.dumps({"id": "big", "text": text}).encode() + b"\n" + rows(5)
    admit(store, data)
    snapshot = store.snapshot()
    event = snapshot.scan(EVENT, (PROJECT,), limit=1)[0]
    assert Resolver(snapshot).event_text(event) == text
    assert violations(snapshot) == []
    generation = newest(snapshot, ORIGIN)
    assert generation is not None
    assert b"".join(read_original(snapshot, generation)) == data


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=12), st.integers(0, 2**32))
def test_any_bytes_are_kept_exactly(parts: list[bytes], seed: int) -> None:
    data = b"\n".join(parts)
    other = open_store("memory:", create=True)
    admit(other, data, rng=random.Random(seed))
    snapshot = other.snapshot()
    generation = newest(snapshot, ORIGIN)
    if generation is None:
        assert data == b""
    else:
        assert b"".join(read_original(snapshot, generation)) == data
        assert violations(snapshot) == []
    other.close()


def test_a_session_without_a_title_is_called_by_its_first_request(store: Store) -> None:
    data = b'{"id":"a","text":"please fix the parser\\nnow","human":true}\n{"id":"b","text":"done"}\n'
    admit(store, data)
    assert store.snapshot().scan(SESSION, (PROJECT,))[0].title == "please fix the parser"
    admit(store, data + b'{"title":"Parser work"}\n', prior=newest(store.snapshot(), ORIGIN))
    assert store.snapshot().scan(SESSION, (PROJECT,))[0].title == "Parser work"


def test_a_request_that_is_still_being_answered_names_its_session(store: Store) -> None:
    admit(
        store,
        b'{"id":"a","text":"please fix the parser","human":true}\n{"id":"b","text":"I look"}\n',
        idle=False,
    )
    assert store.snapshot().scan(DOCUMENT, (PROJECT,)) == []
    assert store.snapshot().scan(SESSION, (PROJECT,))[0].title == "please fix the parser"


NAMED = "<command-message>una:search</command-message>\n<command-name>/una:search</command-name>\n"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        (f"{NAMED}<command-args>the flash write\nof May</command-args>", "/una:search the flash write"),
        (f"{NAMED}<command-args></command-args>", "/una:search"),
        ("<command-message>init</command-message>\n<command-name>init</command-name>", "/init"),
        ("<command-message> is what the page says", "<command-message> is what the page says"),
    ],
)
def test_a_session_that_begins_with_a_command_is_called_as_it_was_typed(
    store: Store, prompt: str, title: str
) -> None:
    line = json.dumps({"id": "a", "text": prompt, "human": True}).encode()
    admit(store, line + b'\n{"id":"b","text":"done"}\n')
    assert store.snapshot().scan(SESSION, (PROJECT,))[0].title == title
