"""The table is a function of the archive and the model, however its text came."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.retrieve.conftest import LONG, Archive
from tests.retrieve.conftest import archive as archive  # a fixture
from tests.support.archiving import PROJECT
from unabridged.app.embedding import asked
from unabridged.archive.forget import plan_retire
from unabridged.archive.resolve import Resolver
from unabridged.errors import ModelUnavailable
from unabridged.models.scripted import ScriptedEmbedder
from unabridged.retrieve.places import document_of
from unabridged.schema.records import EVENT, Event
from unabridged.vectors import feed as feeding
from unabridged.vectors import table
from unabridged.vectors.asked import Nearest, Where
from unabridged.vectors.feed import next_stretch
from unabridged.vectors.nearest import Reader
from unabridged.vectors.note import ROWS
from unabridged.vectors.spans import MOST_OF_TOOL
from unabridged.vectors.writing import Writer, position

ROOM = 1 << 30
MODEL = ScriptedEmbedder({"transfer": "migrate"})


class Embedded:
    """An archive with its vectors."""

    def __init__(
        self, archive: Archive, folder: Path, embedder: ScriptedEmbedder = MODEL, most: int = ROOM
    ) -> None:
        self.archive = archive
        self.folder = folder
        self.embedder = embedder
        self.writer = Writer(folder, embedder, most)

    def follow(self) -> None:
        while True:
            with self.archive.store.snapshot() as reader:
                stretch = next_stretch(reader, PROJECT, position(self.writer.watermarks, PROJECT))
            if stretch is None:
                break
            self.writer.apply(stretch)
            if self.writer.full:
                break
        self.writer.commit()

    def ask(self, text: str, where: Where | None = None, limit: int = 5) -> Nearest:
        return Reader(self.folder, self.embedder.identity).nearest(
            asked(self.embedder, text), where or Where(), limit
        )

    def natives(self, text: str) -> list[str]:
        events = self.events()
        return [events[near.ordinal].native for near in self.ask(text).spans]

    def events(self) -> dict[int, Event]:
        with self.archive.store.snapshot() as reader:
            return {event.ordinal: event for event in reader.scan(EVENT, (PROJECT,), limit=1_000)}

    def rows(self) -> np.ndarray:
        return np.fromfile(self.folder / ROWS, table.ROW)


@pytest.fixture
def embedded(archive: Archive, tmp_path: Path) -> Embedded:
    made = Embedded(archive, tmp_path / "g1")
    made.follow()
    return made


def test_a_word_that_means_the_same_finds_what_was_said(embedded: Embedded) -> None:
    assert "q1" in embedded.natives("transfer")[:3]
    assert embedded.natives("gardens")[0] == "b1"


def test_spans_name_the_bytes_of_their_text(embedded: Embedded) -> None:
    events = embedded.events()
    rows = embedded.rows()
    with embedded.archive.store.snapshot() as reader:
        resolver = Resolver(reader)
        for event in events.values():
            own = rows[rows["ordinal"] == event.ordinal]
            text = resolver.event_bytes(event)
            parts = [text[row["start"] : row["end"]].decode() for row in own]
            assert all(part.strip() == part for part in parts)
            whole = " ".join(text.decode().split())
            if event.native == "a2":
                assert len(own) > 50
                assert "".join(parts).replace("\n", "").replace(" ", "") == "".join(LONG.split())
            else:
                assert " ".join(parts) == whole


def test_the_text_before_gives_a_short_turn_its_meaning(archive: Archive, tmp_path: Path) -> None:
    seen: list[str] = []

    def look(texts: Sequence[str]) -> None:
        seen.extend(texts)

    embedded = Embedded(archive, tmp_path / "g1", ScriptedEmbedder(before=look))
    embedded.follow()
    assert any(text.endswith("unrelated talk about gardens") and "\n" not in text for text in seen)
    assert "How do we migrate the database?\nUse the script migrate_db.py, never by hand." in seen
    assert "And the rollback?\nRollback with migrate_db.py --down." in seen


def test_small_stretches_give_the_same_table(
    embedded: Embedded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = embedded.archive
    archive.add(
        "third-session", [{"id": f"c{at}", "text": f"turn {at} of it", "human": True} for at in range(9)]
    )
    embedded.follow()
    monkeypatch.setattr(feeding, "STRETCH_BYTES", 1)
    again = Embedded(archive, tmp_path / "g2")
    again.follow()
    assert (again.folder / ROWS).read_bytes() == (embedded.folder / ROWS).read_bytes()
    for question in ("turn 3", "migrate", "rollback"):
        assert again.ask(question).spans == embedded.ask(question).spans


def test_a_stretch_that_is_there_or_leaves_a_gap_adds_nothing(embedded: Embedded) -> None:
    with embedded.archive.store.snapshot() as reader:
        first = next_stretch(reader, PROJECT, 0)
    assert first is not None
    count = embedded.writer.count
    embedded.writer.apply(first)
    assert embedded.writer.count == count


def test_what_is_retired_is_not_near_anything(embedded: Embedded) -> None:
    archive = embedded.archive
    with archive.store.snapshot() as reader:
        event = next(event for event in embedded.events().values() if event.native == "b1")
        document = document_of(reader, event)
    assert document is not None
    archive.store.commit(PROJECT, plan_retire(PROJECT, document.ordinal, "retired", archive.context().now))
    embedded.follow()
    assert "b1" not in embedded.natives("gardens")


def test_the_output_of_tools_is_cut_short(archive: Archive, tmp_path: Path) -> None:
    archive.add(
        "tools", [{"id": "t1", "text": "word number. " * 20_000, "role": "tool", "kind": "tool-result"}]
    )
    embedded = Embedded(archive, tmp_path / "g1")
    embedded.follow()
    event = next(event for event in embedded.events().values() if event.native == "t1")
    if event.kind == "tool-result":
        assert int((embedded.rows()["ordinal"] == event.ordinal).sum()) == MOST_OF_TOOL


def test_the_table_keeps_to_its_bound(archive: Archive, tmp_path: Path) -> None:
    embedded = Embedded(archive, tmp_path / "g1", most=1_000)
    embedded.follow()
    count = embedded.writer.count
    assert embedded.writer.full
    archive.add("third-session", [{"id": "c1", "text": "later", "human": True}])
    embedded.follow()
    assert embedded.writer.count == count


def test_a_model_that_fails_in_the_middle_costs_nothing_that_was_kept(
    archive: Archive, tmp_path: Path
) -> None:
    calls: list[int] = []

    def fail(texts: Sequence[str]) -> None:
        calls.append(len(texts))
        if len(calls) == 2:
            raise ModelUnavailable

    embedded = Embedded(archive, tmp_path / "g1", ScriptedEmbedder(before=fail))
    with pytest.raises(ModelUnavailable):
        embedded.follow()
    embedded.writer.close()
    again = Embedded(archive, tmp_path / "g1", ScriptedEmbedder())
    again.follow()
    whole = Embedded(archive, tmp_path / "g2", ScriptedEmbedder())
    whole.follow()
    assert (again.folder / ROWS).read_bytes() == (whole.folder / ROWS).read_bytes()
