"""Gemini CLI's sessions are found where it keeps them, and told from other files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.gemini.chats import (
    HASH,
    PROJECT,
    SESSION,
    SUB,
    Row,
    document,
    header,
    lines,
    said,
    session,
    user,
    written,
)
from unabridged.errors import NotRestorable
from unabridged.hosts.contract import Head
from unabridged.hosts.gemini import HOST

LINUX = "linux"


def head(path: Path) -> Head:
    found = HOST.head(path, path.read_bytes().splitlines())
    assert found is not None
    return found


def test_sessions_lie_in_the_hosts_folder_or_where_its_variable_says() -> None:
    home = Path("/home/ann")
    assert HOST.roots({}, home, LINUX)[0] == home / ".gemini" / "tmp"
    assert HOST.roots({"GEMINI_CLI_HOME": "/srv/g"}, home, "win32")[0] == Path("/srv/g/.gemini/tmp")


def test_sessions_of_agents_and_of_subagents_are_found_and_nothing_else(tmp_path: Path) -> None:
    main, side = written(tmp_path)
    project = main.parents[1]
    (project / "logs.json").write_text('[{"sessionId":"x","messageId":0,"type":"user","message":"hello"}]')
    (project / "logs").mkdir()
    (project / "logs" / "session-1.jsonl").write_text('{"type":"console","payload":{}}\n')
    (project / "checkpoints").mkdir()
    (project / "checkpoints" / "edit.json").write_text('{"toolCall":{}}')
    old = main.with_name("session-2025-01-01T00-00-aaaaaaaa.json")
    old.write_bytes(document([]))
    found = [
        (Path(item.path), item.kind) for root in HOST.roots({}, tmp_path, LINUX) for item in HOST.find(root)
    ]
    assert found == [(side, "file"), (old, "rows"), (main, "file")]


def test_a_session_has_its_project_and_a_subagent_its_parent(tmp_path: Path) -> None:
    main, side = written(tmp_path)
    assert head(main) == Head(SESSION, PROJECT)
    assert head(side) == Head(SUB, PROJECT, SESSION, "subagent")


def test_a_folder_counts_when_it_has_the_hash_that_the_session_names(tmp_path: Path) -> None:
    main, _ = written(tmp_path)
    (main.parents[1] / ".project_root").write_text("/somewhere/else")
    assert head(main).cwd == PROJECT  # told to the model
    main.write_bytes(lines([header(), user("u1", "hello")]))
    assert head(main).cwd == ""
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps({"projects": {PROJECT: "harbour"}}))
    assert head(main).cwd == PROJECT


def test_a_session_whose_first_row_is_damaged_is_named_by_its_file(tmp_path: Path) -> None:
    main, side = written(tmp_path)
    main.write_bytes(b"{broken\n" + lines(session()[2:4]))
    side.write_bytes(b"{broken\n" + lines([user("a", "b")]))
    assert HOST.sniff(main.read_bytes()[: 64 << 10], main)
    assert head(main).host_session == main.stem
    assert head(side) == Head(SUB, "", SESSION, "subagent")


def kept(path: Path, state: bytes = b"") -> tuple[list[Row], bytes]:
    """What further looks at a document give."""
    found: list[Row] = []
    (stream,) = HOST.streams(path)
    while True:
        more, state = HOST.rows(path, stream.name, state)
        if not more:
            return found, state
        found += [json.loads(line) for line in more]


def test_an_older_session_gives_each_message_once_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "session-old.json"
    messages = [row for row in session() if "id" in row]
    path.write_bytes(document(messages[:4]))
    (stream,) = HOST.streams(path)
    assert stream.name == SESSION
    first, state = kept(path)
    assert [row["id"] for row in first[1:]] == [row["id"] for row in messages[:4]]
    assert first[0]["projectHash"] == HASH
    path.write_bytes(document(messages[:6], lastUpdated="2026-03-01T11:00:00.000Z"))
    assert HOST.streams(path)[0].version != stream.version
    more, state = kept(path, state)
    assert [row["id"] for row in more] == [row["id"] for row in messages[4:6]]
    path.write_bytes(document(messages[2:3]))
    assert kept(path, state)[0] == []  # what was taken out stays archived


def test_a_session_that_goes_on_in_the_newer_form_is_the_same_session(tmp_path: Path) -> None:
    old, new = tmp_path / "session-old.json", tmp_path / "session-old.jsonl"
    messages = [said("u1", "user", [{"text": "hello"}]), said("g1", "gemini", "hi")]
    old.write_bytes(document(messages))
    new.write_bytes(lines([header(), *messages]))
    identities: list[set[str]] = []
    for path, rows in ((old, HOST.rows(old, SESSION, b"")[0]), (new, new.read_bytes().splitlines())):
        named = HOST.head(path, rows)
        assert named is not None
        reader = HOST.reader(str(path), named, b"", 1)
        identities.append({block.identity for row in rows for block in reader.read(row, 1).blocks})
    assert identities[0] == identities[1] != set()


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_chat_that_was_saved_under_a_name_is_a_session(tmp_path: Path, *, wrapped: bool) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    path = folder / "checkpoint-before%20the%20move.json"
    contents = [{"role": "user", "parts": [{"text": "ok"}]}, {"role": "model", "parts": [{"text": "fine"}]}]
    whole = [*contents, *contents]
    path.write_text(json.dumps({"history": whole, "authType": "x"} if wrapped else whole, indent=2))
    (candidate,) = HOST.find(tmp_path)
    assert candidate.kind == "rows"
    (stream,) = HOST.streams(path)
    rows, _ = HOST.rows(path, stream.name, b"")
    named = HOST.head(path, rows)
    assert named is not None
    assert named.host_session == stream.name == "harbour/checkpoint-before%20the%20move"
    reader = HOST.reader(str(path), named, b"", 1)
    said_ = [(block.native, block.role) for row in rows for block in reader.read(row, 1).blocks]
    assert said_ == [("M1", "user"), ("M2", "assistant"), ("M3", "user"), ("M4", "assistant")]


def test_only_files_of_lines_have_a_place_to_go_back_to() -> None:
    assert (
        HOST.restore_name(Head(SESSION), "/home/ann/.gemini/tmp/harbour/chats/session-x.jsonl")
        == "harbour/chats/session-x.jsonl"
    )
    assert HOST.restore_name(Head(SESSION), "/home/ann/.gemini/tmp/harbour/chats/session-x.json") == ""
    with pytest.raises(NotRestorable):
        HOST.restore([])
