"""Conversations that a host writes as whole documents, or in its database, through real workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon.importer import Bench
from tests.hosts.cline import tasks
from tests.hosts.cursor import stores
from tests.hosts.gemini import chats


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def test_a_document_that_grows_adds_what_is_new_and_one_that_shrinks_takes_nothing_away(
    bench: Bench, tmp_path: Path
) -> None:
    main, _ = tasks.session_files(tmp_path / "data")
    main.write_bytes(tasks.whole(tasks.newer()[:4]))
    first = bench.run(main)
    assert (first.sessions, first.events, first.lines["read"]) == (1, 8, 5)
    assert bench.run(main).skipped == 1
    main.write_bytes(tasks.whole(tasks.newer()))
    grown = bench.run(main)
    assert (grown.events, grown.lines["read"]) == (4, 2)
    main.write_bytes(tasks.whole(tasks.newer()[:1]))
    assert bench.run(main).events == 0
    assert bench.events() == {tasks.SESSION: 12}
    assert bench.violations() == []


def test_of_a_damaged_document_what_is_whole_is_archived_and_the_rest_when_it_is_there(
    bench: Bench, tmp_path: Path
) -> None:
    main, _ = tasks.session_files(tmp_path / "data")
    whole = tasks.whole(tasks.newer())
    main.write_bytes(whole[: whole.index(b'"u-2"')])
    damaged = bench.run(main)
    assert (damaged.events, [item["code"] for item in damaged.problems]) == (8, ["transcript-changed"])
    again = bench.run(main)
    assert (again.events, [item["code"] for item in again.problems]) == (0, ["transcript-changed"])
    main.write_bytes(whole)
    mended = bench.run(main)
    assert (mended.events, mended.problems) == (4, [])
    assert bench.violations() == []


def test_one_damaged_document_does_not_keep_others_out(bench: Bench, tmp_path: Path) -> None:
    main, side = tasks.session_files(tmp_path / "data")
    main.write_bytes(b'{"version":1,"agent":"lead","sessionId":"x","messages":[')
    answer = bench.run(tmp_path / "data")
    assert answer.events == 2
    assert {item["path"] for item in answer.problems} == {str(main)}
    assert side.exists()


def test_a_session_that_moves_from_a_document_to_lines_is_one(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "harbour" / "chats"
    folder.mkdir(parents=True)
    messages = [chats.said("u1", "user", [{"text": "hello"}]), chats.said("g1", "gemini", "hi")]
    old = folder / "session-old.json"
    old.write_bytes(chats.document(messages))
    assert bench.run(old).events == 2
    new = old.with_suffix(".jsonl")
    new.write_bytes(chats.lines([chats.header(), *messages, chats.user("u2", "more")]))
    assert bench.run(new).events == 1
    assert bench.events() == {chats.SESSION: 3}
    assert bench.violations() == []


def test_a_database_adds_what_changed_in_it(bench: Bench, tmp_path: Path) -> None:
    path = stores.editor(tmp_path / "User")
    first = bench.run(path)
    assert (first.sessions, first.events) == (3, 17)
    assert bench.run(path).skipped == 3
    with closing(stores.tables(path)) as connection:
        said = [*stores.bubbles(), stores.bubble("b9", 1, "Thanks", 9)]
        stores.talk(connection, stores.TALK, said, name="Load of the crane", workspaceIdentifier={"id": "w1"})
    more = bench.run(path)
    assert (more.events, more.skipped) == (1, 2)
    assert bench.violations() == []


def test_a_task_of_an_extension_is_not_taken_for_another_hosts(bench: Bench, tmp_path: Path) -> None:
    path = tasks.task_file(tmp_path / "cline", tasks.older())
    path.write_text(json.dumps(tasks.older(), indent=2))
    assert bench.run(tmp_path / "cline").hosts == {"cline": 1}
