"""Recordings of hosts through the archive's write path."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.archiving import PROJECT, fingerprint, ingest, newest, violations
from tests.support.toy_host import NoRedaction
from unabridged.archive.resolve import Resolver
from unabridged.archive.restore import read_original
from unabridged.hosts import claude_code, pi
from unabridged.hosts.conformance import read_file, text_of
from unabridged.hosts.contract import Host
from unabridged.schema.ids import origin_id, session_id
from unabridged.schema.records import EVENT, PATH, SESSION
from unabridged.store.contract import Store
from unabridged.store.open import open_store

RECORDED = Path(__file__).parent / "fixtures"
CLAUDE = sorted((RECORDED / "claude_code").rglob("*.jsonl"))
PI = sorted((RECORDED / "pi").glob("*.jsonl"))
FILES = [(claude_code.HOST, path) for path in CLAUDE] + [(pi.HOST, path) for path in PI]


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("memory:", create=True)
    yield opened
    opened.close()


def admit(store: Store, host: Host, path: Path, seed: int | None = None) -> None:
    rng = None if seed is None else random.Random(seed)
    ingest(store, host, str(path), path.read_bytes(), read_file(host, path).head, NoRedaction(), rng=rng)


@pytest.mark.parametrize(
    ("host", "path"), FILES, ids=[f"{host.name}-{path.stem[:20]}" for host, path in FILES]
)
def test_a_recording_comes_back_whole(store: Store, host: Host, path: Path) -> None:
    admit(store, host, path, seed=3)
    with store.snapshot() as snapshot:
        assert violations(snapshot) == []
        generation = newest(snapshot, origin_id(host.name, str(path)))
        assert generation is not None
        assert generation.unreadable == 0
        assert b"".join(read_original(snapshot, generation)) == path.read_bytes()
        reading = read_file(host, path)
        session = session_id(host.name, reading.head.host_session)
        steps = snapshot.scan(PATH, (PROJECT, session), limit=10_000)
        resolver = Resolver(snapshot)
        found = [snapshot.get(EVENT, (PROJECT, step.event)) for step in steps]
        texts = [resolver.event_text(event) for event in found if event is not None]
    assert texts == [text_of(block) for block in reading.blocks() if not block.session]


@pytest.mark.parametrize(("host", "paths"), [(claude_code.HOST, CLAUDE), (pi.HOST, PI)], ids=("claude", "pi"))
def test_the_order_in_which_files_arrive_does_not_matter(host: Host, paths: list[Path]) -> None:
    found = []
    for order in (paths, paths[::-1]):
        opened = open_store("memory:", create=True)
        for seed, path in enumerate(order):
            admit(opened, host, path, seed)
        with opened.snapshot() as snapshot:
            assert violations(snapshot) == []
            found.append(fingerprint(snapshot))
        opened.close()
    assert found[0] == found[1]


@pytest.mark.parametrize(("host", "paths"), [(claude_code.HOST, CLAUDE), (pi.HOST, PI)], ids=("claude", "pi"))
def test_a_fork_adds_only_what_is_its_own(store: Store, host: Host, paths: list[Path]) -> None:
    identities: set[str] = set()
    for path in paths:
        admit(store, host, path)
        identities |= {block.identity for block in read_file(host, path).blocks()}
    with store.snapshot() as snapshot:
        assert snapshot.count(EVENT, (PROJECT,)) == len(identities)
        sessions = {item.host_session: item for item in snapshot.scan(SESSION, (PROJECT,), limit=100)}
    relations = {item.relation for item in sessions.values()}
    assert relations == ({"", "subagent"} if host is claude_code.HOST else {"", "fork"})
