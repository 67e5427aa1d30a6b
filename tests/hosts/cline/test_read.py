"""What conversations of Cline and its forks say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hosts.cline.tasks import (
    PROJECT,
    Row,
    message,
    newer,
    older,
    parted,
    rows_of,
    session_files,
    shown,
    stamped,
    task_file,
    text,
    whole,
)
from unabridged.hosts.cline import HOST
from unabridged.hosts.conformance import read_bytes, text_of
from unabridged.hosts.contract import Block
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SIDE, SUMMARY


def read(path: Path) -> list[Block]:
    return read_bytes(HOST, path, b"".join(rows_of(path)[0])).blocks()


def task(tmp_path: Path, rows: list[Row] | Row) -> list[Block]:
    return read(task_file(tmp_path, rows))


def told(blocks: list[Block]) -> list[tuple[str, str, str, int]]:
    return [(block.kind, block.role, text_of(block), block.flags) for block in blocks]


def test_a_session_of_the_command_line(tmp_path: Path) -> None:
    blocks = read(session_files(tmp_path)[0])
    assert [(block.native, *what) for block, what in zip(blocks, told(blocks), strict=True)] == [
        ("u-1", "text", "user", "How much does the crane lift?", HUMAN),
        ("msg_1#0", "reasoning", "assistant", "", HIDDEN),
        ("msg_1#1", "text", "assistant", "I look into the notes.", 0),
        ("msg_1#2", "tool-call", "assistant", "read_files\nfiles[0].path: notes.txt", 0),
        ("msg_1#3", "tool-call", "assistant", "mcp__unabridged__search\nquery: crane", ECHO),
        (
            "msg_2#0",
            "tool-result",
            "tool",
            "notes.txt\n1 | The crane lifts 40 tonnes.\nwc -l\nCommand failed with exit code 3",
            ERROR,
        ),
        ("msg_2#1", "tool-result", "tool", "found", ECHO),
        ("msg_3", "text", "assistant", "It lifts forty tonnes.", 0),
        ("u-2#0", "text", "user", "Look at this plan", HUMAN),
        ("u-2#1", "image", "user", "[image image/png]", HUMAN),
        ("u-2#2", "file", "user", "plan.md\n# The plan", META),
        ("msg_4", "text", "assistant", "naïve 数据库 🙂", 0),
    ]
    by_name = {block.native: block for block in blocks}
    assert by_name["msg_1#1"].model == "fake-gpt"
    assert by_name["msg_1#1"].time == 1_772_359_202_000_000
    assert by_name["msg_2#0"].call == by_name["msg_1#2"].call == "call_1"
    assert by_name["u-2#1"].media[0].size == 70
    assert by_name["u-2#2"].paths == ("plan.md",)
    assert [by_name[name].parent for name in ("u-1", "msg_1#0", "msg_2#1")] == ["", "u-1", "msg_1"]


def test_an_agents_prompt_is_no_persons(tmp_path: Path) -> None:
    blocks = read(session_files(tmp_path)[1])
    assert told(blocks) == [
        ("text", "user", "Who owns the crane?", SIDE),
        ("text", "assistant", "The port.", SIDE),
    ]


def test_calls_that_stand_in_the_text_are_calls(tmp_path: Path) -> None:
    blocks = task(tmp_path, older())
    details = [block for block in blocks if text_of(block).startswith("<environment_details>")]
    assert [block.flags for block in details] == [META] * 3
    assert told([block for block in blocks if block not in details]) == [
        ("text", "user", "How much does the crane lift?", HUMAN),
        ("reasoning", "assistant", "", HIDDEN),
        ("text", "assistant", "\n\nI look.\n", 0),
        ("tool-call", "assistant", "read_file\n<path>notes.txt</path>", 0),
        ("tool-result", "tool", "[read_file for 'notes.txt'] Result:", 0),
        ("tool-result", "tool", "The crane lifts 40 tonnes.", 0),
        ("text", "assistant", "It says so in the notes.", 0),
        ("text", "assistant", "It lifts forty tonnes.", 0),
        ("tool-result", "tool", "[attempt_completion] Result: Done", 0),
        ("text", "user", "And the ferry?", HUMAN),
    ]
    assert [block.time for block in blocks if block.time] == [
        1_772_359_200_000_000
    ] * 2  # the task's first message
    call = next(block for block in blocks if block.kind == "tool-call")
    assert (call.tool, call.paths) == ("read_file", ("notes.txt",))


def test_a_task_in_one_text_with_the_hosts_words_is_two_blocks(tmp_path: Path) -> None:
    content = "<task>\nLift it\n</task>\n\n<environment_details>\n# Now\n</environment_details>"
    blocks = task(tmp_path, [{"role": "user", "content": content}])
    assert [what[2:] for what in told(blocks)] == [
        ("Lift it", HUMAN),
        ("<environment_details>\n# Now\n</environment_details>", META),
    ]
    assert len({block.native for block in blocks}) == 2


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("[ERROR] You did not use a tool in your previous response!", META),
        ("[TASK RESUMPTION] This task was interrupted 5 minutes ago.", META),
        ('<file_content path="a.py">\nx\n</file_content>', META),
        ("Please use [brackets] Result: not", HUMAN),
        ("<tasks>are not a tag</tasks>", HUMAN),
        ("<unabridged-hint>earlier</unabridged-hint>", META | ECHO),
    ],
)
def test_who_wrote_a_text_in_a_persons_message(tmp_path: Path, words: str, flags: int) -> None:
    (block,) = task(tmp_path, [{"role": "user", "content": [text(words)]}])
    assert (block.role, block.flags, text_of(block)) == ("user", flags, words)


def test_a_call_that_was_not_executed_is_an_error(tmp_path: Path) -> None:
    words = "Tool [write_to_file] was not executed because a tool has already been used."
    (block,) = task(tmp_path, [{"role": "user", "content": [text(words)]}])
    assert (block.kind, block.flags, block.tool) == ("tool-result", ERROR, "write_to_file")


def test_markup_in_an_answer_that_is_no_call_stays_text(tmp_path: Path) -> None:
    words = "Use <read_file> in a sentence, or\n```\n<div>x</div>\n```"
    (block,) = task(tmp_path, [{"role": "assistant", "content": [text(words)]}])
    assert (block.kind, text_of(block)) == ("text", words)


@pytest.mark.parametrize(
    ("tool", "given", "own"),
    [
        ("use_mcp_tool", {"server_name": "unabridged", "tool_name": "search", "arguments": {}}, ECHO),
        ("use_mcp_tool", {"server_name": "other", "tool_name": "search", "arguments": {}}, 0),
        ("execute_command", {"command": "una search crane"}, ECHO),
    ],
)
def test_calls_of_this_product_are_marked(tmp_path: Path, tool: str, given: dict[str, Any], own: int) -> None:
    native = {"type": "tool_use", "id": "c", "name": tool, "input": given}
    written = "".join(f"<{key}>{value}</{key}>\n" for key, value in given.items())
    for content in (native, text(f"<{tool}>\n{written}</{tool}>")):
        (block,) = task(tmp_path, [{"role": "assistant", "content": [content]}])
        assert (block.kind, block.flags) == ("tool-call", own)


def test_parts_of_the_newest_roo_code_are_read(tmp_path: Path) -> None:
    blocks = task(tmp_path, {"version": 2, "messages": parted()})
    assert told(blocks) == [
        ("text", "user", "How much?", HUMAN),
        ("reasoning", "assistant", "", HIDDEN),
        ("tool-call", "assistant", "read_file\npath: notes.txt", 0),
        ("tool-result", "tool", "40", 0),
        ("tool-result", "tool", "no such folder", ERROR),
        ("reasoning", "assistant", "", HIDDEN),
        ("text", "assistant", "Forty tonnes.", 0),
        ("compaction", "user", "The crane lifts forty tonnes.", SUMMARY),
    ]
    assert blocks[2].call == blocks[3].call == "c1"


def test_what_was_shown_stands_in_for_a_conversation_that_is_gone(tmp_path: Path) -> None:
    blocks = read(task_file(tmp_path, shown(), "ui_messages.json"))
    assert told(blocks) == [
        ("text", "user", "How much does the crane lift?", HUMAN),
        ("image", "user", "[image image/png]", HUMAN),
        ("reasoning", "assistant", "", HIDDEN),
        ("tool-call", "assistant", "wc -l notes.txt", 0),
        ("tool-result", "tool", "2", 0),
        ("text", "system", "It failed.", META | ERROR),
        ("text", "assistant", "Forty tonnes.", 0),
    ]


# --- documents that change --------------------------------------------------------------------------------------------


def test_a_conversation_that_grows_adds_what_is_new(tmp_path: Path) -> None:
    main, _ = session_files(tmp_path)
    main.write_bytes(whole(newer()[:3]))
    first, state = rows_of(main)
    main.write_bytes(whole(newer()))
    more, state = rows_of(main, state)
    assert (len(first), len(more)) == (4, 3)  # the session's own row stands in front
    assert rows_of(main, state)[0] == []


def test_going_back_to_an_earlier_place_makes_a_branch(tmp_path: Path) -> None:
    main, _ = session_files(tmp_path)
    rows, state = rows_of(main)
    other = message("u-9", "user", 9, text('<user_input mode="act">No, the ferry</user_input>'))
    main.write_bytes(whole([*newer()[:4], other]))
    more, _ = rows_of(main, state)
    blocks = read_bytes(HOST, main, b"".join(rows + more)).blocks()
    parents = {block.native.partition("#")[0]: block.parent for block in blocks}
    assert parents["u-9"] == parents["u-2"] == "msg_3"
    assert len(more) == 1


def test_a_message_that_is_edited_is_kept_beside_the_one_it_was(tmp_path: Path) -> None:
    main, _ = session_files(tmp_path)
    rows, state = rows_of(main)
    edited = [message("u-1", "user", 1, text('<user_input mode="act">Edited</user_input>')), *newer()[1:]]
    main.write_bytes(whole(edited))
    more, _ = rows_of(main, state)
    blocks = read_bytes(HOST, main, b"".join(rows + more)).blocks()
    assert [text_of(block) for block in blocks if block.native == "u-1"] == [
        "How much does the crane lift?",
        "Edited",
    ]
    assert {block.parent for block in blocks if block.native == "u-1"} == {""}


@pytest.mark.parametrize("times", [False, True], ids=("unstamped", "stamped"))
def test_messages_keep_their_names_when_others_are_cut_out(tmp_path: Path, *, times: bool) -> None:
    rows = stamped(older()) if times else older()
    whole_task = {(block.native, text_of(block)) for block in task(tmp_path, rows)}
    cut = {(block.native, text_of(block)) for block in task(tmp_path, [rows[0], *rows[3:]])}
    assert cut < whole_task


def test_two_equal_messages_are_two(tmp_path: Path) -> None:
    ok = {"role": "user", "content": "ok"}
    blocks = task(tmp_path, [ok, {"role": "assistant", "content": "Done."}, ok])
    assert [text_of(block) for block in blocks] == ["ok", "Done.", "ok"]
    assert len({block.identity for block in blocks}) == 3


def test_the_folder_is_what_the_host_told_the_model_where_no_list_says(tmp_path: Path) -> None:
    path = task_file(tmp_path, older())
    head = HOST.head(path, rows_of(path)[0])
    assert head is not None
    assert head.cwd == PROJECT
