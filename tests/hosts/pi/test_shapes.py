"""Shapes of Pi entries, one by one."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from unabridged.hosts.conformance import STATE_BYTES
from unabridged.hosts.contract import Block, Head, Line, MediaRef, Ref, SessionNews
from unabridged.hosts.pi.read import Reader
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY

SESSION = "01a22994-1aec-72ad-ba84-ae63446679e6"
PARENT = "01a22994-0000-72ad-ba84-ae63446679e6"
TIME = "2026-05-04T03:02:01.500Z"
MICROS = 1_777_863_721_500_000
PICTURE = base64.b64encode(bytes(100)).decode()


def entry(name: str, parent: str | None = None, kind: str = "message", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "parentId": parent, "timestamp": TIME, **fields}


def said(name: str, role: str, content: Any, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, "timestamp": MICROS // 1000, **fields}
    return entry(name, parent, message=message)


def header(session: str = SESSION, **fields: Any) -> dict[str, Any]:
    return {
        "type": "session",
        "version": 3,
        "id": session,
        "timestamp": TIME,
        "cwd": "/home/dev/project",
        **fields,
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def reader(state: bytes = b"", head: Head | None = None) -> Reader:
    return Reader(head or Head(SESSION, "/home/dev/project"), state, 1)


def read(*rows: dict[str, Any]) -> list[Line]:
    reading = reader()
    return [reading.read(json.dumps(row).encode(), number) for number, row in enumerate(rows, 1)]


def blocks(*rows: dict[str, Any]) -> list[Block]:
    return [block for line in read(*rows) for block in line.blocks]


def text_of(block: Block) -> str:
    return "".join(piece.text if isinstance(piece, Ref) else piece for piece in block.pieces)


@pytest.mark.parametrize(("content", "path"), [("hi", ()), ([text("hi")], (0, "text"))])
def test_a_prompt_is_one_block_of_a_person(content: Any, path: tuple[int | str, ...]) -> None:
    (block,) = blocks(said("aaaa0001", "user", content))
    assert (block.native, block.identity) == ("aaaa0001", f"aaaa0001@{TIME}#0")
    assert (block.kind, block.role, block.flags, block.time) == ("text", "user", HUMAN, MICROS)
    assert block.pieces == (Ref((0, "message", "content", *path), "hi"),)


def test_an_answer_is_one_block_for_each_of_its_parts() -> None:
    content = [
        {"type": "thinking", "thinking": "secret", "thinkingSignature": "x"},
        text("I look."),
        {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a.py"}, "partialJson": "{"},
    ]
    found = blocks(said("a2", "assistant", content, "a1", model="m", responseId="msg_1"))
    assert [block.native for block in found] == ["a2#0", "a2#1", "a2#2"]
    assert [(block.kind, block.flags) for block in found] == [
        ("reasoning", HIDDEN),
        ("text", 0),
        ("tool-call", 0),
    ]
    assert found[0].pieces == ()
    assert (found[2].tool, found[2].call, found[2].paths, text_of(found[2])) == (
        "read",
        "t1",
        ("a.py",),
        "read\npath: a.py",
    )
    assert {(block.message, block.model, block.parent) for block in found} == {("msg_1", "m", "a1")}


def test_a_result_names_its_tool_and_its_media() -> None:
    image = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
    (block,) = blocks(
        said(
            "a3",
            "toolResult",
            [text("one"), image],
            toolCallId="t1",
            toolName="read",
            isError=True,
            details={},
        )
    )
    assert (block.kind, block.role, block.flags, block.tool, block.call) == (
        "tool-result",
        "tool",
        ERROR,
        "read",
        "t1",
    )
    assert text_of(block) == "one\n[image image/png]"
    assert block.media == (MediaRef("image/png", 100, (0, "message", "content", 1, "data")),)


def test_an_empty_answer_says_nothing_and_its_error_is_the_hosts() -> None:
    assert blocks(said("a1", "assistant", [], stopReason="aborted")) == []
    (block,) = blocks(said("a1", "assistant", [], stopReason="error", errorMessage="400 too long"))
    assert (text_of(block), block.flags) == ("400 too long", META | ERROR)
    first, second = blocks(said("a1", "assistant", [text("half")], stopReason="error", errorMessage="cut"))
    assert (first.native, second.native) == ("a1", "a1#0")


def test_a_command_of_the_person_is_no_prompt() -> None:
    fields = {"command": "git status", "output": "clean", "exitCode": 1}
    (block,) = blocks(entry("a1", message={"role": "bashExecution", **fields}))
    assert (block.kind, block.role, block.flags) == ("tool-result", "user", ERROR)
    assert text_of(block) == "$ git status\nclean"


@pytest.mark.parametrize("role", ["custom", "hookMessage"])
def test_what_an_extension_says_is_not_the_persons(role: str) -> None:
    (block,) = blocks(said("a1", role, "note", customType="memo"))
    assert (block.role, block.flags, text_of(block)) == ("system", META, "note")


def test_what_this_product_injects_is_an_echo() -> None:
    found = blocks(
        entry("a1", kind="custom_message", customType="unabridged.hint", content="earlier"),
        entry("a2", kind="custom_message", customType="memo", content=[text("<unabridged>earlier")]),
        entry("a3", kind="custom_message", customType="memo", content="earlier"),
    )
    assert [block.flags for block in found] == [META | ECHO, META | ECHO, META]


def test_calls_of_this_product_and_their_results_are_echoes_across_a_stored_state() -> None:
    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "una search x"}}
    first = reader()
    one = first.read(json.dumps(said("a1", "assistant", [call])).encode(), 1).blocks
    result = said("a2", "toolResult", [text("found")], toolCallId="t1", toolName="bash")
    two = reader(first.state()).read(json.dumps(result).encode(), 2).blocks
    assert [block.flags for block in (*one, *two)] == [ECHO, ECHO]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (entry("a1", kind="compaction", summary="All.", firstKeptEntryId="x", tokensBefore=9), "compaction"),
        (entry("a1", kind="compaction", summary="All.", firstKeptEntryIndex=3, tokensBefore=9), "compaction"),
        (entry("a1", kind="branch_summary", summary="All.", fromId="x"), "text"),
        (entry("a1", message={"role": "branchSummary", "summary": "All.", "fromId": "x"}), "text"),
        (entry("a1", message={"role": "compactionSummary", "summary": "All.", "tokensBefore": 1}), "text"),
    ],
)
def test_summaries_of_the_host_are_marked(row: dict[str, Any], kind: str) -> None:
    (block,) = blocks(row)
    assert (block.kind, block.role, block.flags, text_of(block)) == (kind, "system", SUMMARY, "All.")


def test_the_system_prompt_is_the_hosts_without_its_tools() -> None:
    sections = {"preamble": "You code.", "skills": None, "cwd": "/home/dev"}
    (block,) = blocks(said("a1", "system", "", sections=sections, toolsAdded=[{"name": "read"}]))
    assert (block.role, block.flags, text_of(block)) == ("system", META, "You code.\n/home/dev")


@pytest.mark.parametrize(
    "row",
    [
        entry("a1", kind="model_change", provider="p", modelId="m"),
        entry("a1", kind="thinking_level_change", thinkingLevel="low"),
        entry("a1", kind="custom", customType="state", data={"a": 1}),
        entry("a1", kind="label", targetId="x", label="here"),
        entry("a1", kind="usage", usage={}),
        entry("a1", kind="context_edit", targetId="x", replacement=None),
        entry("a1", kind="never_seen", content="x"),
    ],
)
def test_bookkeeping_says_nothing_and_the_tree_passes_through_it(row: dict[str, Any]) -> None:
    lines = read(said("a0", "user", "hi"), {**row, "parentId": "a0"}, said("a2", "user", "more", "a1"))
    assert lines[1].blocks == ()
    assert lines[2].blocks[0].parent == "a0"


def test_roles_of_relatives_are_read() -> None:
    found = blocks(
        said("a1", "developer", "rules"),
        said("a2", "fileMention", [text("file")]),
        entry("a3", message={"role": "pythonExecution", "code": "1+1", "output": "2"}),
    )
    assert [(block.role, block.flags, text_of(block)) for block in found] == [
        ("system", META, "rules"),
        ("other", META, "file"),
        ("user", 0, "$ 1+1\n2"),
    ]


def test_branches_of_one_file_are_all_kept() -> None:
    rows = [said("root", "user", "go")]
    rows += [said(f"b{number}", "assistant", [text("x")], "root") for number in range(50)]
    found = {block.native: block.parent for block in blocks(*rows)}
    assert len(found) == 51
    assert set(found.values()) == {"", "root"}


def test_a_finished_answer_closes_the_turn() -> None:
    lines = read(
        said("a1", "assistant", [text("x")], stopReason="toolUse"),
        said("a2", "assistant", [text("x")], stopReason="stop"),
    )
    assert [line.closes_turn for line in lines] == [False, True]


def test_the_name_of_a_session_is_its_title() -> None:
    (line,) = read({**entry("a1", kind="session_info"), "name": "Refactor auth"})
    assert line.news == SessionNews(title="Refactor auth")


def test_glued_entries_without_ids_are_told_apart() -> None:
    one, two = ({"type": "message", "message": {"role": "user", "content": words}} for words in ("a", "b"))
    line = reader().read(json.dumps(one).encode() + json.dumps(two).encode(), 7)
    assert [(block.native, text_of(block)) for block in line.blocks] == [("L7.0@1", "a"), ("L7.1@1", "b")]
    assert len({block.identity for block in line.blocks}) == 2


def test_two_headers_in_one_file_are_two_sessions() -> None:
    lines = read(header(), said("a1", "user", "mine"), header(PARENT), said("b1", "user", "theirs"))
    assert [block.session for line in lines for block in line.blocks] == ["", PARENT]
    assert lines[2].news == SessionNews(PARENT, cwd="/home/dev/project")


def test_the_same_id_in_two_unrelated_files_is_two_blocks() -> None:
    (one,) = blocks(said("aaaa0001", "user", "a"))
    (two,) = blocks({**said("aaaa0001", "user", "b"), "timestamp": "2026-05-04T03:02:01.501Z"})
    assert one.identity != two.identity


def test_what_a_reader_remembers_stays_small() -> None:
    reading = reader()
    for number in range(3000):
        call = {
            "type": "toolCall",
            "id": f"t{number:040d}",
            "name": "bash",
            "arguments": {"command": "una x"},
        }
        for row in (
            entry(f"{number:036d}", f"{number - 1:036d}", kind="label"),
            said(f"x{number}", "assistant", [call]),
            header(f"s{number}", title="t" * 100),
        ):
            reading.read(json.dumps(row).encode() * 2, number)
    assert len(reading.state()) <= STATE_BYTES


def test_ids_and_titles_of_any_length_are_not_remembered_whole() -> None:
    reading = reader()
    long = "x" * 100_000
    for row in (
        header(long, parentSession=f"/s/1_{long}.jsonl", title=long, timestamp="2030-01-01T00:00:00Z"),
        said(long, "user", "a", long),
        entry(long, long, kind="label"),
        {**entry(long, kind="session_info"), "name": long},
    ):
        reading.read(json.dumps(row).encode(), 1)
    assert len(reading.state()) < 10_000
