"""What an export of Claude.ai says: conversations with all branches, projects, memories."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.claude_ai.written import (
    ACCOUNT,
    Chat,
    archive,
    blocks,
    chat,
    document,
    memories,
    project,
    rows,
    said,
    uuid,
)
from unabridged.hosts.claude_ai import HOST
from unabridged.schema.records import HIDDEN, HUMAN, SUMMARY


def test_every_branch_and_every_kind_of_block_is_read(tmp_path: Path) -> None:
    lines, _ = rows(document(tmp_path / "conversations.json", [chat()]), uuid(1))
    assert said(lines) == [
        ("text", "system", "**Overview**\n\nA person plans a loaf."),
        ("text", "user", "When do I shape the loaf?"),
        ("text", "user", "Day 1: feed the starter."),
        ("file", "user", "[file loaf.md]\n# Loaf\n500 g flour"),
        ("file", "user", "[file crumb.jpg]"),
        ("text", "assistant", "Shape it when it has doubled."),
        ("reasoning", "assistant", ""),
        ("tool-call", "assistant", "web_search\nquery: bulk fermentation at 24 C"),
        ("tool-result", "tool", "Four to five hours."),
        ("text", "assistant", "Shape it after four and a half hours."),
        ("text", "user", "And in winter?"),
        ("text", "assistant", "Six hours."),
    ]


def test_who_spoke_when_and_after_what_is_told(tmp_path: Path) -> None:
    lines, _ = rows(document(tmp_path / "conversations.json", [chat()]), uuid(1))
    found = blocks(lines)
    by_message = {block.native.partition("#")[0]: block for block in found}
    assert [block.flags for block in found if block.role == "user"] == [HUMAN, HUMAN, 0, 0, HUMAN]
    assert found[0].flags == SUMMARY
    assert by_message[uuid(102)].parent == by_message[uuid(103)].parent == uuid(101)
    assert by_message[uuid(101)].parent == ""
    assert by_message[uuid(105)].parent == uuid(104)
    assert by_message[uuid(105)].model == "claude-sonnet-4-5"
    assert next(block for block in found if block.kind == "reasoning").flags == HIDDEN
    call, result = (block for block in found if block.tool)
    assert call.call == result.call != ""
    assert call.tool == result.tool == "web_search"
    assert all(block.time for block in found)


def test_an_old_export_without_parents_or_blocks_is_a_straight_line(tmp_path: Path) -> None:
    made = Chat()
    for sender, text in (("human", "one"), ("assistant", "two"), ("human", "three")):
        made.say(sender, text)
    for message in made.messages:
        del message["content"], message["parent_message_uuid"]
    found = blocks(rows(document(tmp_path / "conversations.json", [made]), made.name)[0])
    assert [block.parent for block in found] == ["", found[0].native, found[1].native]
    assert [block.role for block in found] == ["user", "assistant", "user"]


def test_projects_and_memories_are_sessions_of_their_own(tmp_path: Path) -> None:
    path = archive(tmp_path / "export.zip", [chat()])
    assert sorted(stream.name for stream in HOST.streams(path)) == sorted(
        [uuid(1), uuid(7), f"memories-{ACCOUNT}"]
    )
    lines, _ = rows(path, uuid(7))
    head = HOST.head(path, lines)
    assert head is not None
    assert head.title == "Project: Bakery"
    assert said(lines) == [
        ("text", "system", "Answer in grams."),
        ("file", "user", "[file hydration.txt]\nSeventy percent."),
    ]
    kept, _ = rows(path, f"memories-{ACCOUNT}")
    assert [text for _, _, text in said(kept)] == [
        "Bakes on Sundays.",
        f"project_memories\n{uuid(7)}: Prefers rye.",
    ]


def test_the_files_of_an_unpacked_export_are_told_by_content(tmp_path: Path) -> None:
    folder = tmp_path / "data-2026"
    (folder / "projects").mkdir(parents=True)
    document(folder / "conversations.json", [chat()])
    (folder / "memories.json").write_text(json.dumps(memories()))
    (folder / "projects" / f"{uuid(7)}.json").write_text(json.dumps(project()))
    (folder / "projects" / f"{uuid(8)}.json").write_text('{"uuid":"something else"}')
    (folder / "users.json").write_text("[]")
    ours = [
        Path(found.path).name
        for found in HOST.find(folder)
        if HOST.sniff(Path(found.path).read_bytes(), Path(found.path))
    ]
    assert ours == ["conversations.json", "memories.json", f"{uuid(7)}.json"]


def test_a_newer_export_gives_new_and_changed_messages_only(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    made = chat()
    _first, state = rows(document(path, [made]), made.name)
    made.say("human", "Thanks.")
    made.messages[3]["content"][0]["text"] = "And in a cold winter?"
    second, state = rows(document(path, [made]), made.name, state)
    assert [text for _, _, text in said(second)] == ["And in a cold winter?", "Thanks."]
    del made.messages[2:]
    third, _ = rows(document(path, [made]), made.name, state)
    assert third == []


def test_damaged_messages_cost_nothing_else(tmp_path: Path) -> None:
    made = Chat()
    made.say("human", "kept")
    made.messages += [
        {},
        {"uuid": 5, "content": [None, 3, {"type": "text", "text": 7}]},
        {"uuid": "x", "content": {}},
    ]
    value = made.value()
    value["chat_messages"] += [None, "text", 3]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([value, {"chat_messages": []}, 7]))
    assert [stream.name for stream in HOST.streams(path)] == [made.name]
    assert [text for _, _, text in said(rows(path, made.name)[0])] == ["kept"]


def test_tools_of_the_service_and_voice_notes_are_read_in_every_form(tmp_path: Path) -> None:
    made = Chat()
    made.say("human", [{"type": "voice_note", "title": "Note", "text": "Feed the starter."}], uuid(201))
    page = {"type": "knowledge", "title": "Crumb", "url": "https://a.example", "text": "Open."}
    made.say(
        "assistant",
        [
            {
                "type": "tool_use",
                "id": "t",
                "name": "artifacts",
                "input": {"command": "create", "content": "# Loaf"},
            },
            {"type": "tool_result", "tool_use_id": "t", "name": "artifacts", "content": "made"},
            {"type": "tool_result", "tool_use_id": "u", "name": "web_search", "content": [page]},
            {"type": "something_new", "words": "kept"},
        ],
    )
    texts = [text for _, _, text in said(rows(document(tmp_path / "c.json", [made]), made.name)[0])]
    assert texts[0] == "Note\nFeed the starter."
    assert "# Loaf" in texts[1]
    assert texts[2] == "made"
    assert all(word in texts[3] for word in ("Crumb", "https://a.example", "Open."))
    assert "kept" in texts[4]
