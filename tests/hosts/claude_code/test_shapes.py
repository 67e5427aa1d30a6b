"""Shapes of Claude Code rows, one by one."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.hosts.claude_code.rows import (
    MICROS,
    SESSION,
    assistant,
    blocks,
    call,
    encode,
    read,
    reader,
    result,
    row,
    text,
    text_of,
    uid,
    user,
)
from unabridged.hosts.contract import MediaRef, Ref
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

PICTURE = base64.b64encode(bytes(100)).decode()


def test_a_prompt_is_one_block_of_a_person() -> None:
    (block,) = blocks(user(1, "Which port?"))
    assert (block.native, block.identity) == (uid(1), uid(1) + "#0")
    assert (block.kind, block.role, block.flags) == ("text", "user", HUMAN)
    assert block.pieces == (Ref((0, "message", "content"), "Which port?"),)
    assert (block.time, block.parent, block.session) == (MICROS, "", "")


def test_a_row_of_several_blocks_numbers_them() -> None:
    found = blocks(assistant(2, [text("First."), call("Read", {"file_path": "/a.py"}), text("")], parent=1))
    assert [block.native for block in found] == [uid(2) + "#0", uid(2) + "#1"]
    assert {block.parent for block in found} == {uid(1)}
    assert {block.message for block in found} == {"msg_2"}
    assert (found[1].kind, found[1].tool, found[1].call) == ("tool-call", "Read", "toolu_1")
    assert found[1].paths == ("/a.py",)
    assert found[1].pieces == ("Read\nfile_path: /a.py",)


def test_a_message_split_over_rows_keeps_its_provider_id() -> None:
    found = blocks(
        assistant(2, [text("First.")], parent=1, message={"id": "msg_x"}),
        assistant(3, [call("Bash", {"command": "ls"})], parent=2, message={"id": "msg_x"}),
    )
    assert [(block.message, block.model) for block in found] == [("msg_x", "claude-opus-5-5")] * 2


def test_a_tool_result_is_not_of_a_person_and_its_rich_copy_is_not_read() -> None:
    copy = {"stdout": "copied", "stderr": "", "interrupted": False}
    (block,) = blocks(user(3, [result("out", is_error=False)], parent=2, toolUseResult=copy))
    assert (block.kind, block.role, block.flags, block.call) == ("tool-result", "tool", 0, "toolu_1")
    assert text_of(block) == "out"


def test_parallel_results_hang_on_their_own_calls() -> None:
    found = blocks(
        assistant(1, [call("Read", {}, "a")]),
        assistant(2, [call("Read", {}, "b")], parent=1),
        user(3, [result("2", "b")], parent=2),
        user(4, [result("1", "a")], parent=1),
    )
    assert [(block.call, block.parent) for block in found[2:]] == [("b", uid(2)), ("a", uid(1))]


def test_results_that_report_a_failure_are_marked() -> None:
    (block,) = blocks(user(1, [result("Exit code 1", is_error=True)]))
    assert block.flags == ERROR


def test_a_result_of_several_parts_reads_as_lines_with_its_media() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    parts = [text("one"), image, {"type": "tool_reference", "tool_name": "Cron"}, text("two")]
    (block,) = blocks(user(1, [result(parts)]))
    assert text_of(block) == "one\n[image image/png]\ntool_reference\ntool_name: Cron\ntwo"
    place = (0, "message", "content", 0, "content", 1, "source", "data")
    assert block.media == (MediaRef("image/png", 100, place),)


def test_words_that_a_person_adds_to_a_result_are_theirs() -> None:
    first, second = blocks(user(1, [result("out"), text("my name is Kim")]))
    assert (first.flags, second.flags) == (0, HUMAN)


def test_images_and_documents_are_named_and_not_copied() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": PICTURE}
    found = blocks(
        user(
            1,
            [
                text("see"),
                {"type": "image", "source": {**source, "media_type": "image/png"}},
                {"type": "document", "source": source, "title": "plan.pdf"},
                {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            ],
        )
    )
    assert [(block.kind, text_of(block)) for block in found[1:]] == [
        ("image", "[image image/png]"),
        ("file", "[document plan.pdf]"),
        ("image", "[image]"),
    ]
    assert [block.media[0].size for block in found[1:]] == [100, 100, 0]


@pytest.mark.parametrize("kind", ["thinking", "redacted_thinking"])
def test_reasoning_is_a_marker_without_its_text(kind: str) -> None:
    (block,) = blocks(assistant(1, [{"type": kind, "thinking": "secret", "data": "x", "signature": "y"}]))
    assert (block.kind, block.flags, block.pieces) == ("reasoning", HIDDEN, ())


def test_a_block_of_an_unknown_type_is_read_without_what_is_not_for_reading() -> None:
    (block,) = blocks(assistant(1, [{"type": "vision_note", "words": "new", "signature": "x", "data": "y"}]))
    assert (block.kind, text_of(block)) == ("other", "vision_note\nwords: new")


def test_calls_and_results_of_the_servers_tools_are_read() -> None:
    found = blocks(
        assistant(
            1,
            [
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s1",
                    "content": [{"type": "web_search_result", "title": "T", "encrypted_content": "x"}],
                },
            ],
        )
    )
    assert [(block.kind, block.call, text_of(block)) for block in found] == [
        ("tool-call", "s1", "web_search\nquery: q"),
        ("tool-result", "s1", "web_search_result\ntitle: T"),
    ]


# --- who speaks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "fields", "flags"),
    [
        ("plain", {}, HUMAN),
        ("plain", {"origin": {"kind": "human"}}, HUMAN),
        ("plain", {"isMeta": True}, META),
        ("plain", {"isVisibleInTranscriptOnly": True}, META),
        ("plain", {"origin": {"kind": "task-notification"}}, META),
        ("plain", {"origin": {"kind": "peer"}}, 0),
        ("<task-notification>\n<task-id>x</task-id>", {}, META),
        ("<system-reminder>\nx</system-reminder>", {}, META),
        ("<local-command-stdout>Bye!</local-command-stdout>", {}, 0),
        ("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>", {}, 0),
        ("<bash-input>git fetch</bash-input>", {}, 0),
        ("<command-name>/clear</command-name>\n<command-message>clear</command-message>", {}, 0),
        ("<command-message>review</command-message>\n<command-name>/review</command-name>", {}, HUMAN),
        (
            "<command-message>una:why</command-message>\n<command-name>/una:why</command-name>",
            {},
            HUMAN | ECHO,
        ),
        ("<command-message>una:why</command-message>", {"origin": {"kind": "peer"}}, 0),
        ("[Request interrupted by user for tool use]", {}, META),
        (
            "This session is being continued from a previous conversation",
            {"isCompactSummary": True, "isVisibleInTranscriptOnly": True},
            SUMMARY,
        ),
    ],
)
def test_only_what_a_person_typed_is_a_prompt(content: str, fields: dict[str, Any], flags: int) -> None:
    (block,) = blocks(user(1, content, **fields))
    assert block.flags == flags
    (block,) = blocks(user(1, [text(content)], **fields))
    assert block.flags == flags


def test_errors_of_the_api_and_rows_that_the_host_wrote_itself_are_not_the_models() -> None:
    wrote = {"id": "made-up", "model": "<synthetic>"}
    found = blocks(
        assistant(1, [text("API Error: 529")], message=wrote, isApiErrorMessage=True, error="overloaded"),
        assistant(2, [text("No response requested.")], message=wrote),
    )
    assert [block.flags for block in found] == [ERROR | META, META]
    assert [block.message for block in found] == ["", ""]


def test_a_prompt_typed_while_the_model_works_is_a_prompt() -> None:
    def queued(number: int, **fields: Any) -> dict[str, Any]:
        attachment = {"type": "queued_command", **fields}
        rendered = [{"content": "The user sent a message: also b"}]
        return row(number, "attachment", attachment=attachment, rendered=rendered)

    found = blocks(
        queued(1, prompt="also b", commandMode="prompt"),
        queued(2, prompt=[text("also c")]),
        queued(3, prompt="<task-notification>x", commandMode="task-notification"),
        queued(4, prompt="x", origin={"kind": "unclassified"}, isMeta=True),
    )
    assert [(text_of(block), block.flags) for block in found] == [
        ("also b", HUMAN),
        ("also c", HUMAN),
        ("<task-notification>x", META),
        ("x", META),
    ]


# --- what the host puts beside messages -------------------------------------------------------------------------------


def test_an_attachment_reads_as_the_model_got_it() -> None:
    rendered = [{"content": "<system-reminder>\nToday is Monday.\n</system-reminder>"}]
    (block,) = blocks(row(1, "attachment", attachment={"type": "date", "date": "x"}, rendered=rendered))
    assert (block.kind, block.role, block.flags) == ("text", "system", META)
    assert block.pieces == (Ref((0, "rendered", 0, "content"), rendered[0]["content"]),)


def test_an_attachment_of_versions_that_kept_no_rendering_reads_by_its_fields() -> None:
    attachment = {"type": "edited_text_file", "filename": "/a.py", "snippet": "x = 1"}
    (block,) = blocks(row(1, "attachment", attachment=attachment))
    assert (text_of(block), block.flags) == ("edited_text_file\nfilename: /a.py\nsnippet: x = 1", META)
    assert blocks(row(1, "attachment", attachment={"type": "skill_listing", "content": "many"})) == []


def test_a_picture_in_an_attachment_is_not_read_as_text() -> None:
    file = {"base64": PICTURE, "type": "image/png", "originalSize": 100}
    attachment = {"type": "file", "filename": "/a.png", "content": {"type": "image", "file": file}}
    (block,) = blocks(row(1, "attachment", attachment=attachment))
    assert text_of(block) == "file\nfilename: /a.png\ncontent.file.originalSize: 100"


def test_what_this_product_injected_is_an_echo() -> None:
    rendered = [{"content": "<system-reminder>\nhook additional context: <unabridged>earlier</unabridged>"}]
    (block,) = blocks(row(1, "attachment", attachment={"type": "hook_additional_context"}, rendered=rendered))
    assert block.flags == META | ECHO


def test_calls_of_this_product_and_their_results_are_echoes_across_a_stored_state() -> None:
    lines = encode(
        assistant(1, [call("mcp__unabridged__search", {"query": "port"}, "a")]),
        assistant(2, [call("Bash", {"command": "una recall x"}, "b")]),
        user(3, [result("found", "a"), result("text", "b"), result("other", "c")]),
    )
    first = reader()
    found = [*first.read(lines[0], 1).blocks, *first.read(lines[1], 2).blocks]
    found += reader(state=first.state()).read(lines[2], 3).blocks
    assert [block.flags for block in found] == [ECHO, ECHO, ECHO, ECHO, 0]


def test_a_compaction_is_a_mark_that_hangs_on_the_last_message_before_it() -> None:
    boundary = row(
        5,
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        logicalParentUuid=uid(4),
        compactMetadata={"trigger": "auto", "preTokens": 155_000},
    )
    (block,) = blocks(boundary)
    assert (block.kind, block.parent, text_of(block)) == ("compaction", uid(4), "Conversation compacted")


def test_a_session_of_api_errors_alone_is_read() -> None:
    error = {"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}}
    fields: dict[str, Any] = {"subtype": "api_error", "error": error, "retryInMs": 500}
    found = blocks(
        user(1, "hello"), *(row(number, "system", number - 1, **fields) for number in range(2, 10))
    )
    assert len(found) == 9
    assert found[1].flags == META | ERROR
    assert "error.message: Overloaded" in text_of(found[1])


def test_notices_of_the_host_are_its_own() -> None:
    (block,) = blocks(row(1, "system", subtype="local_command", content="<command-name>/cost</command-name>"))
    assert (block.role, block.flags) == ("system", META)


@pytest.mark.parametrize("subtype", ["stop_hook_summary", "turn_duration"])
def test_the_hosts_stop_signal_closes_the_turn(subtype: str) -> None:
    (line,) = read(row(1, "system", subtype=subtype, durationMs=5))
    assert line.closes_turn
    assert line.blocks == ()
    (side,) = read(row(1, "system", subtype=subtype, isSidechain=True, agentId="a"))
    assert not side.closes_turn


@pytest.mark.parametrize(
    "item",
    [
        {"type": "queue-operation", "operation": "enqueue", "content": "again", "sessionId": SESSION},
        {"type": "last-prompt", "lastPrompt": "again", "leafUuid": uid(1), "sessionId": SESSION},
        {"type": "file-history-snapshot", "messageId": uid(1), "snapshot": {"trackedFileBackups": {}}},
        {"type": "pr-link", "prUrl": "https://example.org/1", "sessionId": SESSION},
        {"type": "api-request-blob", "message": {"role": "user", "content": "again"}, "sessionId": SESSION},
        {"type": "mode", "mode": "normal", "sessionId": SESSION},
        row(1, "file-history-delta", backup={"backupFileName": "x"}),
    ],
)
def test_bookkeeping_says_nothing(item: dict[str, Any]) -> None:
    (line,) = read(item)
    assert (line.blocks, line.problem) == ((), None)


def test_a_field_of_another_type_costs_only_itself() -> None:
    odd = user(1, [text("still"), 5, None, text("here")], timestamp=12, isMeta="no", cwd=None)
    found = blocks({**odd, "message": {**odd["message"], "id": 7}})
    assert [text_of(block) for block in found] == ["still", "here"]
    assert [block.native for block in found] == [uid(1) + "#0", uid(1) + "#3"]


def test_a_row_without_a_uuid_is_named_by_its_place() -> None:
    item = user(1, "old")
    del item["uuid"]
    lines = read(b"null", item)
    assert lines[1].blocks[0].native == "L2@1"
    assert SESSION in lines[1].blocks[0].identity
