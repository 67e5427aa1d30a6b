"""The counts of what was recalled: bounded in size and time, erasable, never of more than was shown."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.living import SESSION, Home, transcript
from tests.retrieve.conftest import Archive
from tests.support.archiving import NOW, PROJECT
from unabridged.archive.forget import plan_retire
from unabridged.daemon import feedback
from unabridged.daemon.feedback import HOUR, KEPT, NAME, Counts
from unabridged.daemon.logs import Log
from unabridged.retrieve.places import document_of
from unabridged.schema.ids import Micros, Ordinal
from unabridged.schema.records import EVENT
from unabridged.service.feedback import Place
from unabridged.store.open import open_store


class Kept:
    """Counts over an archive of a few messages, in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.folder = folder
        self.archive = Archive(open_store("memory:", create=True))
        for number in range(20):
            row = {"id": f"m{number}", "text": f"message {number}", "role": "assistant"}
            self.archive.add(f"session-{number}", [row])
        with self.archive.store.snapshot() as reader:
            events = reader.scan(EVENT, (PROJECT,), limit=99)
            self.places: list[Place] = [(event.project, event.ordinal) for event in events]
        self.log = Log(str(folder / "logs"))

    def counts(self, *, on: bool = True) -> Counts:
        return Counts(str(self.folder), self.archive.store, self.log, on=on)

    @property
    def file(self) -> Path:
        return self.folder / NAME


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(tmp_path / "h")
    yield made
    made.log.close()
    made.archive.store.close()


def use(counts: Counts, place: Place, times: int = 1, now: int = NOW) -> None:
    for _ in range(times):
        counts.shown([place], Micros(now))
        counts.recalled(place, Micros(now))


def test_a_recall_counts_once_for_each_time_that_a_search_showed_it(kept: Kept) -> None:
    counts, place = kept.counts(), kept.places[0]
    counts.recalled(place, NOW)
    assert counts.used() == {}
    counts.shown(kept.places[:3], NOW)
    for _ in range(5):
        counts.recalled(place, NOW)
    assert counts.used() == {place: 1}
    counts.shown([place], NOW)
    counts.recalled(place, Micros(NOW + HOUR + 1))
    assert counts.used() == {place: 1}


def test_what_is_used_stays_as_it_was_given(kept: Kept) -> None:
    counts, place = kept.counts(), kept.places[0]
    before = counts.used()
    use(counts, place)
    assert before == {}
    assert counts.used() == {place: 1}


def test_counts_outlive_the_daemon_in_a_file_of_their_owner(kept: Kept) -> None:
    counts = kept.counts()
    use(counts, kept.places[0], 3)
    counts.tend(NOW)
    assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600
    assert b"message" not in kept.file.read_bytes()
    assert kept.counts().used() == {kept.places[0]: 3}


def test_they_are_bounded_in_number_and_the_latest_stay(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback, "MOST_PLACES", 4)
    monkeypatch.setattr(feedback, "MOST_COUNT", 3)
    counts = kept.counts()
    for number, place in enumerate(kept.places[:8]):
        use(counts, place, 5, NOW + number)
    assert counts.used() == dict.fromkeys(kept.places[4:8], 3)
    monkeypatch.setattr(feedback, "MOST_SHOWN", 2)
    counts.shown(kept.places, NOW)
    counts.recalled(kept.places[0], NOW)
    assert kept.places[0] not in counts.used()


def test_they_are_bounded_in_time(kept: Kept) -> None:
    counts = kept.counts()
    use(counts, kept.places[0])
    use(counts, kept.places[1], 1, NOW + KEPT // 2)
    counts.tend(Micros(NOW + KEPT + 1))
    assert list(counts.used()) == [kept.places[1]]


def test_what_leaves_the_archive_leaves_them_too(kept: Kept) -> None:
    counts = kept.counts()
    for place in (kept.places[0], kept.places[10]):
        use(counts, place)
    use(counts, (PROJECT, Ordinal(10_000)))
    with kept.archive.store.snapshot() as reader:
        event = reader.get(EVENT, kept.places[0])
        assert event is not None
        document = document_of(reader, event)
    assert document is not None
    kept.archive.store.commit(PROJECT, plan_retire(PROJECT, document.ordinal, "erased", NOW))
    counts.tend(NOW)
    assert set(counts.used()) == {kept.places[10]}


def test_they_can_be_cleared_on_the_disk_too(kept: Kept) -> None:
    counts = kept.counts()
    use(counts, kept.places[0])
    counts.shown([kept.places[1]], NOW)
    counts.tend(NOW)
    assert counts.clear() == 1
    counts.recalled(kept.places[1], NOW)
    assert (counts.used(), kept.file.exists()) == ({}, False)
    counts.tend(NOW)
    assert kept.counts().used() == {}


def test_turned_off_nothing_is_counted_and_what_there_was_is_removed(kept: Kept) -> None:
    counts = kept.counts()
    use(counts, kept.places[0])
    counts.tend(NOW)
    off = kept.counts(on=False)
    use(off, kept.places[0])
    off.tend(NOW)
    assert (off.used(), kept.file.exists(), off.facts()["on"]) == ({}, False, False)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x92\x01\x91\x93", b"x" * 100, b"\x92\x63\x90"])
def test_a_file_that_cannot_be_read_counts_as_none(kept: Kept, data: bytes) -> None:
    kept.file.write_bytes(data)
    kept.file.chmod(0o600)
    counts = kept.counts()
    assert counts.used() == {}
    use(counts, kept.places[0])
    counts.tend(NOW)
    assert kept.counts().used() == {kept.places[0]: 1}


def test_a_recall_after_a_search_is_told_in_the_statistics_and_can_be_forgotten(
    home: Home, tmp_path: Path
) -> None:
    project = str(tmp_path / "p")
    path = transcript(tmp_path / "t.jsonl", SESSION, 4, folder=project, words="zirconium")
    with home.connect(project=project) as client:
        client.call("import", {"paths": [str(path)], "host": "claude-code"}, timeout=60.0)

        def state() -> dict[str, Any]:
            return client.call("stats", {})["feedback"]

        hit = client.call("search", {"query": "zirconium1"})["hits"][0]
        client.call("recall", {"target": hit["handle"], "counts": False})
        assert state()["recalls"] == 0
        client.call("recall", {"target": hit["locator"]})
        assert (state()["on"], state()["passages"], state()["recalls"]) == (True, 1, 1)
        explained = client.call("search", {"query": "zirconium1", "explain": True})["explain"]
        assert [item["stages"].get("importance", 1.0) > 1.0 for item in explained].count(True) == 1
        client.call("shutdown")
    home.end()
    with home.connect(project=project) as client:
        assert client.call("stats", {})["feedback"]["recalls"] == 1
        assert client.call("feedback", {"action": "clear"})["cleared"] == 1
        assert client.call("feedback", {})["feedback"]["passages"] == 0
