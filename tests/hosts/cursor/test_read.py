"""What conversations of Cursor say."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.hosts.cursor.stores import (
    CHAT,
    OLD,
    PROJECT,
    SECRET,
    SIDE,
    TALK,
    bubble,
    bubbles,
    editor,
    messages,
    rows_of,
    store,
    tables,
    talk,
    transcript,
    workspace_chat,
)
from unabridged.hosts.conformance import read_bytes, read_file, text_of
from unabridged.hosts.contract import Block, Head
from unabridged.hosts.cursor import HOST
from unabridged.hosts.cursor.chats import payloads
from unabridged.hosts.cursor.messages import message_parts
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY
from unabridged.schema.records import SIDE as ASIDE


def blocks(path: Path, lines: list[bytes]) -> list[Block]:
    return read_bytes(HOST, path, b"".join(lines)).blocks()


def told(found: list[Block]) -> list[tuple[str, str, str, str, int]]:
    return [(block.native, block.kind, block.role, text_of(block), block.flags) for block in found]


# --- the editor -------------------------------------------------------------------------------------------------------


def test_a_conversation_of_the_editor(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    found = blocks(path, rows_of(path, TALK)[0])
    assert told(found) == [
        ("b1", "text", "user", "How much does the harbour crane lift?", HUMAN),
        ("b2#thought", "reasoning", "assistant", "", HIDDEN),
        ("b3#1", "tool-call", "assistant", "read_file\npath: notes.txt", 0),
        ("b3#2", "tool-result", "tool", "contents: 40 t", 0),
        ("b4", "text", "assistant", "I count the lines.", 0),
        ("b4#1", "tool-call", "assistant", "run_terminal_cmd\ncommand: wc -l", 0),
        ("b4#2", "tool-result", "tool", "output: 2\nexitCode: 3", ERROR),
        ("b5", "text", "assistant", "It lifts forty tonnes.", 0),
        ("b6", "text", "user", "Look at this plan", HUMAN),
        ("b6#image0", "image", "user", "[image image/png]", HUMAN),
        ("b7", "text", "assistant", "naïve 数据库 🙂", 0),
        ("b7#error", "other", "system", "The connection was lost.", META | ERROR),
        ("b8#1", "tool-call", "assistant", "mcp_unabridged_search\nquery: crane", ECHO),
    ]
    by_name = {block.native: block for block in found}
    assert by_name["b3#1"].call == by_name["b3#2"].call == "call_1"
    assert by_name["b3#1"].paths == ("notes.txt",)
    assert (by_name["b4"].model, by_name["b5"].model) == ("fake-model", "other-model")
    assert by_name["b5"].time == 1_772_359_205_000_000
    assert (by_name["b1"].parent, by_name["b5"].parent) == ("", "b4")
    assert by_name["b6#image0"].media[0].size == 70


def test_a_subagents_conversation_names_its_parent(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    lines = rows_of(path, SIDE)[0]
    head = HOST.head(path, lines)
    assert head is not None
    assert (head.parent, head.relation) == (TALK, "subagent")
    assert [block.flags for block in blocks(path, lines)] == [ASIDE, ASIDE]


def test_older_forms_are_read_too(tmp_path: Path) -> None:
    path, workspace = editor(tmp_path / "User"), workspace_chat(tmp_path / "User")
    assert [text_of(block) for block in blocks(path, rows_of(path, OLD)[0])] == [
        "And the ferry?",
        "Twenty cars.",
    ]
    (stream,) = HOST.streams(workspace)
    lines = rows_of(workspace, stream.name)[0]
    assert HOST.head(workspace, lines) == Head("tab-1", f"{PROJECT} two", title="Depth")
    assert [(block.role, text_of(block)) for block in blocks(workspace, lines)] == [
        ("user", "How deep is it?"),
        ("assistant", "Nine metres."),
    ]


def test_only_conversations_in_which_something_was_said_are_listed(tmp_path: Path) -> None:
    assert [stream.name for stream in HOST.streams(editor(tmp_path / "User"))] == [TALK, SIDE, OLD]


def test_a_bubble_that_is_added_or_changed_is_given_once(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    first, state = rows_of(path, TALK)
    before = {stream.name: stream.version for stream in HOST.streams(path)}
    changed = bubble("b5", 2, "It lifts fifty tonnes.", 5)
    with closing(tables(path)) as connection:
        said = [*bubbles()[:4], changed, *bubbles()[5:], bubble("b9", 1, "Thanks", 9)]
        talk(connection, TALK, said, name="Load of the crane", workspaceIdentifier={"id": "w1"})
    after = {stream.name: stream.version for stream in HOST.streams(path)}
    assert {name for name in after if after[name] != before[name]} == {TALK}
    more, state = rows_of(path, TALK, state)
    assert [json.loads(line)["name"] for line in more] == ["b5", "b9"]
    assert rows_of(path, TALK, state)[0] == []
    texts = [text_of(block) for block in blocks(path, first + more) if block.native == "b5"]
    assert texts == ["It lifts forty tonnes.", "It lifts fifty tonnes."]


def test_what_a_person_took_back_is_read_as_well(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    with closing(tables(path)) as connection:
        talk(connection, TALK, bubbles()[:1])
    names = [json.loads(line).get("name") for line in rows_of(path, TALK)[0]]
    assert names == [None, "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"]


def test_no_key_and_no_token_is_taken(tmp_path: Path) -> None:
    path = editor(tmp_path / "User")
    kept = b"".join(line for stream in HOST.streams(path) for line in rows_of(path, stream.name)[0])
    assert kept
    assert SECRET.encode() not in kept
    assert any(SECRET.encode() in file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"command": "ls"}', "run\ncommand: ls"),
        ("not json", "run\nnot json"),
        ('{"broken', 'run\n{"broken'),
        ("[1,2]", "run\n: [1,2]"),
    ],
)
def test_arguments_of_any_kind_are_read(tmp_path: Path, arguments: str, text: str) -> None:
    path = tmp_path / "state.vscdb"
    call = {"name": "run", "toolCallId": "c", "rawArgs": arguments, "status": "running"}
    with closing(tables(path)) as connection:
        talk(connection, TALK, [bubble("b1", 2, "", 1, toolFormerData=call)])
    (found,) = blocks(path, rows_of(path, TALK)[0])
    assert text_of(found) == text.replace("\n: [1,2]", "\n[0]: 1\n[1]: 2")


# --- the command line -------------------------------------------------------------------------------------------------


def test_a_session_of_the_command_line(tmp_path: Path) -> None:
    path = store(tmp_path / ".cursor", messages())
    lines = rows_of(path, CHAT)[0]
    assert HOST.head(path, lines) == Head(CHAT, PROJECT, title="Crane")
    found = blocks(path, lines)
    assert [what[1:] for what in told(found)] == [
        ("text", "system", "You are an AI coding assistant.", META),
        ("text", "user", "How much does the crane lift?", HUMAN),
        ("text", "user", "<user_info>\nOS: linux\n</user_info>", META),
        ("reasoning", "assistant", "", HIDDEN),
        ("tool-call", "assistant", "Read\npath: notes.txt", 0),
        ("tool-result", "tool", "40 t", 0),
        ("tool-result", "tool", "no", ERROR),
        ("text", "assistant", "It lifts forty tonnes.", 0),
        ("text", "user", "ok", HUMAN),
        ("text", "user", "ok", HUMAN),
    ]
    assert len({block.identity for block in found}) == len(found)
    assert [block.time for block in found if block.time] == [1_772_359_200_000_000]
    assert [block.model for block in found if block.role == "assistant"] == [
        "model-of-block",
        "model-of-block",
        "fake-model",
    ]


def test_a_session_that_grows_and_one_that_went_back(tmp_path: Path) -> None:
    path = store(tmp_path / ".cursor", messages()[:6])
    _, state = rows_of(path, CHAT)
    other = {"role": "user", "content": "<user_query>\nNo, the ferry\n</user_query>"}
    store(tmp_path / ".cursor", [*messages()[:2], other])
    more, state = rows_of(path, CHAT, state)
    (row,) = [json.loads(line) for line in more if b'"message"' in line]
    assert row["data"] == other
    everything = blocks(path, rows_of(path, CHAT)[0])
    by_text = {text_of(block): block for block in everything}
    asked = by_text["How much does the crane lift?"].native
    assert by_text["No, the ferry"].parent == by_text["Read\npath: notes.txt"].parent == asked


def test_a_damaged_list_of_blobs_ends_where_it_is_damaged() -> None:
    assert list(payloads(b"\x0a\x02hi\x10\x07\x1a\x01x")) == [b"hi", b"x"]
    assert list(payloads(b"\x0a\x02hi\x0a\x7fshort")) == [b"hi"]
    assert list(payloads(b"\xff" * 40)) == []
    assert list(payloads(b"\x09" + b"8" * 8 + b"\x0d" + b"4" * 4 + b"\x0a\x01x")) == [b"x"]


# --- transcripts ------------------------------------------------------------------------------------------------------


def test_a_transcript_is_named_by_its_lines(tmp_path: Path) -> None:
    reading = read_file(HOST, transcript(tmp_path / ".cursor", TALK))
    assert reading.head == Head(TALK, PROJECT)
    assert told(reading.blocks()) == [
        ("L1@3", "text", "user", "How much?", HUMAN),
        ("L1@3#1", "text", "user", f"<user_info>\nWorkspace Path: {PROJECT}\n</user_info>", META),
        ("L2@3#0", "text", "assistant", "I look.", 0),
        ("L2@3#1", "tool-call", "assistant", "Read\npath: notes.txt", 0),
        ("L3@3", "text", "assistant", "Forty tonnes.", 0),
        ("L4@3", "reasoning", "assistant", "", HIDDEN),
    ]
    assert [line.closes_turn for line in reading.lines] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("words", "kind", "flags"),
    [
        ("<attached_files>\nx\n</attached_files>", "text", META),
        ("plain words", "text", HUMAN),
        ("<b>bold</b> words", "text", HUMAN),
        ("[Previous conversation summary]: earlier", "compaction", SUMMARY),
        ("<unabridged-hint>x</unabridged-hint>", "text", META | ECHO),
    ],
)
def test_who_wrote_a_text_in_a_persons_message(words: str, kind: str, flags: int) -> None:
    ((_, part),) = message_parts("user", words, (0,))
    assert (part.kind, part.flags) == (kind, flags)
