"""A session is written back as the export that the host would make, and read from one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.opencode.recorded import FORK, MAIN, RECORDED, SIDE, Hand, blocks, database, read, rows, said
from unabridged.hosts.contract import Head
from unabridged.hosts.opencode import HOST

EXPORT = RECORDED / "export.json"
DONE = {"completed": 1_700_000_009_999}


def restored(lines: list[bytes]) -> bytes:
    return b"".join(HOST.restore(lines))


def test_a_session_is_written_back_as_the_host_itself_exports_it(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), MAIN)
    assert json.loads(restored(lines)) == json.loads(EXPORT.read_bytes())


@pytest.mark.parametrize("session", [MAIN, SIDE, FORK])
def test_writing_back_twice_gives_the_same_bytes(tmp_path: Path, session: str) -> None:
    lines, _ = rows(database(tmp_path), session)
    kept = b"".join(lines)
    whole = restored(lines)
    for size in (1, 100, 65_536):
        assert restored([kept[at : at + size] for at in range(0, len(kept), size)]) == whole


def test_an_export_gives_the_events_of_the_database_it_was_made_from(tmp_path: Path) -> None:
    (stream,) = HOST.streams(EXPORT)
    assert stream.name == MAIN
    exported, state = rows(EXPORT, MAIN)
    lines, _ = rows(database(tmp_path), MAIN)
    assert said(exported) == said(lines)
    assert [block.identity for block in blocks(exported)] == [block.identity for block in blocks(lines)]
    assert read(exported)[0] == read(lines)[0]
    assert HOST.rows(EXPORT, MAIN, state) == ([], state)
    assert json.loads(restored(exported)) == json.loads(EXPORT.read_bytes())


def test_an_export_that_was_made_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(EXPORT.read_bytes())
    first, state = rows(path, MAIN)
    document = json.loads(EXPORT.read_bytes())
    document["info"]["title"] = "Ports"
    path.write_text(json.dumps(document))
    more, _ = HOST.rows(path, MAIN, state)
    assert len(more) == len(first)
    assert json.loads(restored([*first, *more])) == document


def test_the_last_state_of_a_row_is_written_back(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_1", "user")
    hand.part("msg_1", "prt_1", "text", text="first")
    lines, state = hand.look()
    hand.part("msg_1", "prt_1", "text", text="second")
    lines += hand.look(state)[0]
    (message,) = json.loads(restored(lines))["messages"]
    assert message["parts"] == [
        {"type": "text", "text": "second", "id": "prt_1", "sessionID": "ses_hand", "messageID": "msg_1"}
    ]


def test_what_the_host_deleted_is_not_written_back(tmp_path: Path) -> None:
    """The host deletes what was taken back when the talk goes on from there."""
    hand = Hand(tmp_path / "opencode.db")
    for name in ("msg_1", "msg_2", "msg_3"):
        hand.message(name, "user")
        hand.part(name, f"prt_{name}", "text", text=name)
    lines, state = hand.look()
    hand.delete("part", "prt_msg_2")
    hand.delete("message", "msg_2")
    lines += hand.look(state)[0]
    found = [
        (message["info"]["id"], len(message["parts"])) for message in json.loads(restored(lines))["messages"]
    ]
    assert found == [("msg_1", 1), ("msg_3", 1)]


def test_text_that_is_no_unicode_is_written_back_as_the_host_wrote_it(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_1", "user")
    hand.put(
        "part", "prt_1", '{"type":"text","text":"\\ud83d é 🙂"}', {"message_id": "msg_1", "time_created": 5}
    )
    data = restored(hand.look()[0])
    assert '"text": "\\ud83d é 🙂"'.encode() in data
    assert json.loads(data)["messages"][0]["parts"][0]["text"] == "\ud83d é 🙂"


def test_a_line_cut_off_by_a_crash_costs_only_itself(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), SIDE)
    assert restored([*lines, lines[1][:20]]) == restored(lines)


def test_the_file_is_named_after_the_session() -> None:
    assert HOST.restore_name(Head(MAIN), "/anywhere/opencode.db") == f"{MAIN}.json"


@pytest.mark.parametrize(
    "data", ["", "{", "[]", '{"info":{"id":5},"messages":[]}', '{"info":{"id":"ses_1"}}']
)
def test_what_is_no_export_holds_no_stream(tmp_path: Path, data: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(data)
    assert HOST.streams(path) == []
    assert HOST.rows(path, "ses_1", b"") == ([], b"")
