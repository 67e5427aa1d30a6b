"""The index takes the log in its order, whoever makes the windows of a stretch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unabridged.archive import log
from unabridged.archive.notes import NoteDraft, plan_note
from unabridged.daemon import messages, stretches
from unabridged.daemon.channel import ChannelClosed
from unabridged.daemon.messages import Analyse, Analysed
from unabridged.daemon.stretches import AHEAD, Handed, Stretches
from unabridged.index.indexer import Indexer
from unabridged.index.making import Made, make
from unabridged.schema.ids import Micros, project_id
from unabridged.store.contract import Store
from unabridged.store.open import open_store

ROOT = "/nowhere/project"
PROJECT = project_id(ROOT)
NOTES = 12


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Give an archive of some notes, each a stretch of its own and worth to be handed out."""
    monkeypatch.setattr(stretches, "WORTH", 0)
    monkeypatch.setattr("unabridged.index.feed.FEED_BYTES", 1)
    made = open_store("memory:")
    for number in range(NOTES):
        text = f"The zebra no. {number} of src/zebra_{number}.py"
        made.commit(
            PROJECT, plan_note(NoteDraft(PROJECT, ROOT, text, text), Micros(1_800_000_000_000_000), 0)
        )
    yield made
    made.close()


class Worker:
    """A worker that does what an ingest worker does, in this process."""

    def __init__(self) -> None:
        self._answer = b""

    def send(self, data: bytes) -> None:
        command = messages.command(data)
        assert isinstance(command, Analyse)
        self._answer = messages.encode(Analysed(messages.encode(make(command.feed))))

    def receive(self) -> bytes:
        return self._answer


def indexed(store: Store, folder: Path, offer: Callable[[Handed], bool]) -> tuple[str, list[str]]:
    """Index everything; return the index's digest, and who made the windows of each stretch."""
    indexer, makers = Indexer(folder), list[str]()
    line = Stretches(store, PROJECT, 0, offer)
    while (stretch := line.next()) is not None:
        made = stretch.made(lambda: False)
        if made is None:
            assert indexer.apply(stretch.feed) == 1
        else:
            assert indexer.apply_made(messages_of(made)) == 1
            assert indexer.apply_made(messages_of(made)) == 0, "what is there already adds nothing"
        makers.append("index" if made is None else "worker")
    with store.snapshot() as reader:
        assert indexer.watermarks[PROJECT][0] == log.head(reader, PROJECT)
    indexer.commit()
    digest = indexer.digest()
    indexer.close()
    return digest, makers


def messages_of(data: bytes) -> Made:
    import msgspec

    return msgspec.msgpack.decode(data, type=Made)


def test_windows_that_workers_make_are_those_that_the_index_makes(store: Store, tmp_path: Path) -> None:
    offered, threads = list[Handed](), list[threading.Thread]()

    def offer(handed: Handed) -> bool:
        offered.append(handed)
        if len(offered) % AHEAD == 0:
            return False
        threads.append(threading.Thread(target=handed.run, args=(Worker(),)))
        threads[-1].start()
        return True

    alone = indexed(store, tmp_path / "alone", lambda _: False)
    together = indexed(store, tmp_path / "together", offer)
    for thread in threads:
        thread.join()
    assert alone == (together[0], ["index"] * NOTES)
    assert together[1] == ["worker", "worker", "index"] * (NOTES // 3)


def test_a_stretch_that_no_worker_begins_is_taken_back(store: Store, tmp_path: Path) -> None:
    waiting = list[Handed]()

    def offer(handed: Handed) -> bool:
        waiting.append(handed)
        return True

    assert indexed(store, tmp_path, offer)[1] == ["index"] * NOTES
    for handed in waiting:
        handed.run(Worker())  # type: ignore[arg-type]
        assert handed.made(lambda: False) is None


def test_a_stretch_whose_worker_is_lost_is_made_by_the_index(store: Store, tmp_path: Path) -> None:
    def offer(handed: Handed) -> bool:
        handed.lost("reader-died")
        return True

    assert indexed(store, tmp_path, offer)[1] == ["index"] * NOTES


def test_who_waits_for_a_worker_is_released_when_the_index_closes(store: Store) -> None:
    begun, end = threading.Event(), threading.Event()

    class Slow(Worker):
        def receive(self) -> bytes:
            begun.set()
            end.wait()
            return super().receive()

    line = Stretches(store, PROJECT, 0, lambda _: True)
    stretch = line.next()
    assert stretch is not None
    handed = stretch.handed
    assert handed is not None
    thread = threading.Thread(target=handed.run, args=(Slow(),))
    thread.start()
    begun.wait()
    with pytest.raises(ChannelClosed):
        handed.made(begun.is_set)
    end.set()
    thread.join()


def test_little_is_not_handed_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "WORTH", 1_000)
    line = Stretches(store, PROJECT, 0, lambda _: True)
    assert line.next() is not None
    assert all(stretch.handed is None for stretch in iter(line.next, None))
