"""The older storage, a JSON file for each row."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.opencode.recorded import MAIN, RECORDED, blocks, database, read, rows, said
from unabridged.errors import TranscriptChanged
from unabridged.hosts.opencode import HOST


def put(path: Path, value: Any, changed: int = 0) -> None:
    """Write a file as the host did, with a time of its last change in milliseconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))
    if changed:
        os.utime(path, ns=(changed * 1_000_000, changed * 1_000_000))


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """The recorded export, spread over files."""
    whole = json.loads((RECORDED / "export.json").read_text())
    place = tmp_path / "storage"
    put(place / "session/global" / f"{MAIN}.json", whole["info"])
    for message in whole["messages"]:
        put(place / "message" / MAIN / f"{message['info']['id']}.json", message["info"])
        for part in message["parts"]:
            put(place / "part" / message["info"]["id"] / f"{part['id']}.json", part)
    return place


def test_its_events_are_those_of_the_database(tmp_path: Path, storage: Path) -> None:
    """Both may be there: the host moved its sessions from one to the other."""
    old, new = (rows(path, MAIN)[0] for path in (storage, database(tmp_path)))
    assert said(old) == said(new)
    assert [block.identity for block in blocks(old)] == [block.identity for block in blocks(new)]
    assert read(old)[0] == read(new)[0]


def test_each_session_is_a_stream(storage: Path) -> None:
    assert [stream.name for stream in HOST.streams(storage)] == [MAIN]
    lines, state = rows(storage, MAIN)
    assert len(lines) == 53
    assert HOST.rows(storage, MAIN, state) == ([], state)


def test_a_new_message_changes_the_version_and_is_given(storage: Path) -> None:
    before = HOST.streams(storage)
    _, state = rows(storage, MAIN)
    late = 4_000_000_000_000
    put(
        storage / "message" / MAIN / "msg_z.json",
        {"id": "msg_z", "role": "user", "time": {"created": late}},
        late,
    )
    put(storage / "part/msg_z/prt_z.json", {"id": "prt_z", "type": "text", "text": "one more"}, late)
    assert HOST.streams(storage) != before
    lines, _ = rows(storage, MAIN, state)
    assert [text for *_, text in said(lines)] == ["one more"]


def test_a_file_that_changes_is_given_again(storage: Path) -> None:
    _, state = rows(storage, MAIN)
    part = next((storage / "part").rglob("prt_*.json"))
    put(part, {"id": part.stem, "type": "text", "text": "edited"}, 4_000_000_000_000)
    assert [text for *_, text in said(rows(storage, MAIN, state)[0])] == ["edited"]


def test_a_broken_file_costs_only_itself(storage: Path) -> None:
    broken = next((storage / "part").rglob("prt_*.json"))
    broken.write_text('{"type":"text","te')
    lines, _ = rows(storage, MAIN)
    assert len(lines) == 53
    assert all(line.problem is None for line in read(lines)[1])


def test_a_session_that_is_gone_says_to_try_again(storage: Path) -> None:
    with pytest.raises(TranscriptChanged):
        HOST.rows(storage, "ses_gone", b"")
