"""Cursor's conversations are found where it keeps them, once, and without disturbing it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.hosts.cursor.stores import (
    CHAT,
    OLD,
    PROJECT,
    SIDE,
    TALK,
    bubble,
    editor,
    messages,
    put,
    rows_of,
    store,
    tables,
    talk,
    transcript,
    workspace_chat,
)
from unabridged.errors import NotRestorable, TranscriptChanged
from unabridged.hosts.contract import Head
from unabridged.hosts.cursor import HOST

HOME = Path("/home/ann")


@pytest.mark.parametrize(
    ("platform", "env", "wanted"),
    [
        ("linux", {}, HOME / ".config/Cursor/User/globalStorage/state.vscdb"),
        ("linux", {"XDG_CONFIG_HOME": "/cfg"}, Path("/cfg/Cursor/User/workspaceStorage")),
        ("darwin", {}, HOME / "Library/Application Support/Cursor/User/globalStorage/state.vscdb"),
        ("win32", {"APPDATA": "/r"}, Path("/r/Cursor/User/globalStorage/state.vscdb")),
        ("win32", {}, HOME / "AppData/Roaming/Cursor/User/workspaceStorage"),
        ("linux", {}, HOME / ".cursor/chats"),
        ("darwin", {}, HOME / ".cursor/projects"),
    ],
)
def test_conversations_lie_where_the_platform_or_a_variable_says(
    platform: str, env: dict[str, str], wanted: Path
) -> None:
    assert wanted in HOST.roots(env, HOME, platform)


def test_a_transcript_of_what_a_database_holds_is_passed_over(tmp_path: Path) -> None:
    database = editor(tmp_path / ".config" / "Cursor" / "User")
    workspace = workspace_chat(tmp_path / ".config" / "Cursor" / "User")
    cursor = tmp_path / ".cursor"
    chat = store(cursor, messages())
    transcript(cursor, TALK)
    transcript(cursor, CHAT)
    alone, side = transcript(cursor, "alone"), transcript(cursor, "alone-side", "alone")
    (cursor / "projects" / "home-ann-harbour" / "mcps.jsonl").write_text("{}\n")
    found = [
        (Path(item.path), item.kind)
        for root in HOST.roots({}, tmp_path, "linux")
        if root.exists()
        for item in HOST.find(root)
    ]
    assert sorted(found) == sorted(
        [(database, "rows"), (workspace, "rows"), (chat, "rows"), (alone, "file"), (side, "file")]
    )
    named = transcript(cursor, TALK)
    renamed = named.with_suffix(".txt")
    renamed.write_bytes(named.read_bytes())
    for path in (named, renamed):
        assert [(item.path, item.kind) for item in HOST.find(path)] == [(str(path), "file")]


def test_a_subagents_transcript_names_its_parent(tmp_path: Path) -> None:
    path = transcript(tmp_path / ".cursor", SIDE, TALK)
    assert HOST.head(path, path.read_bytes().splitlines()) == Head(SIDE, PROJECT, TALK, "subagent")


def test_databases_are_known_by_their_tables(tmp_path: Path) -> None:
    user = tmp_path / "User"
    for path in (editor(user), workspace_chat(user), store(tmp_path / ".cursor", messages())):
        assert HOST.sniff(path.read_bytes()[: 64 << 10], path)
    other = tmp_path / "other.vscdb"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)")
    assert not HOST.sniff(other.read_bytes()[: 64 << 10], other)


def test_the_folder_is_the_workspaces_or_the_bubbles_or_the_one_that_lists_it(tmp_path: Path) -> None:
    user = tmp_path / "User"
    path = editor(user)
    workspace_chat(user)
    with closing(tables(path)) as connection:
        talk(connection, "by-uri", [bubble("x", 1, "hi")], workspaceIdentifier={"uri": {"fsPath": "/srv/a"}})
        talk(connection, "by-bubble", [bubble("x", 1, "hi", workspaceUris=["file:///c%3A/work%20place"])])
        talk(
            connection,
            "remote",
            [bubble("x", 1, "hi", workspaceUris=["vscode-remote://ssh-remote%2Bh/srv/b"])],
        )
        talk(connection, "nowhere", [bubble("x", 1, "hi")], workspaceIdentifier={"id": "../../etc"})
    folders = {}
    for name in (TALK, OLD, "by-uri", "by-bubble", "remote", "nowhere"):
        head = HOST.head(path, rows_of(path, name)[0])
        assert head is not None
        folders[name] = head.cwd
    assert folders == {
        TALK: PROJECT,
        OLD: f"{PROJECT} two",
        "by-uri": "/srv/a",
        "by-bubble": "c:/work place",
        "remote": "",
        "nowhere": "",
    }


def test_the_editor_writes_while_it_is_read(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    with closing(tables(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        put(connection, f"bubbleId:{TALK}:b1", bubble("b1", 1, "not committed"))
        lines = rows_of(path, TALK)[0]
        connection.execute("COMMIT")
    assert not any(b"not committed" in line for line in lines)
    assert len(lines) == 9


def test_a_database_that_is_locked_is_said_to_be_and_read_later(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TranscriptChanged):
            HOST.streams(path)
        connection.execute("ROLLBACK")
    assert HOST.streams(path)


def test_values_that_are_no_json_cost_themselves_only(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    with closing(tables(path)) as connection:
        connection.execute("INSERT INTO cursorDiskKV VALUES ('composerData:broken', '{')")
        connection.execute("INSERT INTO cursorDiskKV VALUES ('bubbleId:broken:x', 'y')")
        connection.execute(f"INSERT INTO cursorDiskKV VALUES ('bubbleId:{TALK}:b2', ?)", (b"\xff\xfe",))
        connection.execute(
            f"INSERT INTO cursorDiskKV VALUES ('bubbleId:{TALK}:b3', ?)", (json.dumps([1, 2]),)
        )
    assert rows_of(path, "broken")[0] == []
    names = [json.loads(line).get("name") for line in rows_of(path, TALK)[0]]
    assert names[:4] == [None, "b1", "b2", "b3"]


def test_only_files_of_lines_have_a_place_to_go_back_to() -> None:
    assert (
        HOST.restore_name(Head(TALK), "/home/ann/.cursor/projects/p/agent-transcripts/a/a.jsonl")
        == "p/agent-transcripts/a/a.jsonl"
    )
    assert HOST.restore_name(Head(TALK), "/home/ann/.config/Cursor/User/globalStorage/state.vscdb") == ""
    with pytest.raises(NotRestorable):
        HOST.restore([])
