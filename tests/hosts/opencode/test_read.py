"""What the kept lines of a session say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.opencode.recorded import FORK, MAIN, SIDE, Hand, blocks, database, read, rows, said
from unabridged.hosts.conformance import text_of
from unabridged.hosts.contract import Block, Head, MediaRef, Ref, SessionNews
from unabridged.hosts.opencode import HOST
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SUMMARY
from unabridged.schema.records import SIDE as OF_SUBAGENT

PIXEL = "data:image/png;base64,iVBORw0KGgo="
LONG = "an output that is longer than what is kept as a literal, so that it is a reference"
DONE = {"completed": 1_700_000_009_999}


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    made = Hand(tmp_path / "opencode.db")
    made.message("msg_1", "user")
    made.message("msg_2", "assistant", modelID="fake-gpt", time=DONE)
    return made


def given(hand: Hand, message: str, kind: str, **data: Any) -> list[Block]:
    """What one part gives."""
    hand.part(message, "prt_1", kind, **data)
    return [block for block in blocks(hand.look()[0]) if block.native.startswith("prt")]


def test_the_recorded_conversation_reads_in_order(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), MAIN)
    told = said(lines)
    prompts = [text for _, _, flags, text in told if flags & HUMAN]
    assert prompts == [
        '"Which port does the server use?"',
        '"Use a subagent to count the files."',
        '"please compact me"',
        '"And the port?"',
    ]
    kinds = [kind for kind, *_ in told]
    assert kinds[:9] == [
        "text",
        "text",
        "tool-call",
        "tool-result",
        "reasoning",
        "tool-call",
        "tool-result",
        "tool-call",
        "tool-result",
    ]
    assert [flags for kind, _, flags, _ in told if kind == "tool-result"][:3] == [0, ERROR, ERROR]


def test_a_turn_ends_with_the_answer_that_calls_no_tool(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), MAIN)
    closed = [json.loads(raw) for raw, line in zip(lines, read(lines)[1], strict=True) if line.closes_turn]
    assert {row["data"]["finish"] for row in closed} == {"stop"}
    assert len(closed) == 5  # four prompts, and the one that the host added behind the compaction


def test_a_compaction_is_a_mark_and_a_summary(tmp_path: Path) -> None:
    told = said(rows(database(tmp_path), MAIN)[0])
    found = [(role, flags, text[:13]) for kind, role, flags, text in told if kind == "compaction"]
    assert found == [("user", META, "[context comp"), ("assistant", SUMMARY, "LOCAL SUMMARY")]
    assert ("text", "user", META) in [
        (kind, role, flags) for kind, role, flags, text in told if "Continue" in text
    ]


def test_a_subagent_s_session_is_on_the_side_of_its_parent(tmp_path: Path) -> None:
    head, lines = read(rows(database(tmp_path), SIDE)[0])
    assert (head.parent, head.relation, head.cwd) == (MAIN, "subagent", "/home/dev/project")
    found = [block for line in lines for block in line.blocks]
    assert all(block.flags & OF_SUBAGENT and not block.flags & HUMAN for block in found)
    assert text_of(found[0]).startswith("SUBTASK")


def test_a_reader_knows_a_subagent_by_what_it_read_before(tmp_path: Path) -> None:
    lines, _ = rows(database(tmp_path), SIDE)
    first = HOST.reader("x", read(lines)[0], b"", 1)
    first.read(lines[0], 1)
    again = HOST.reader("x", Head(SIDE), first.state(), 1)
    assert [block.flags & OF_SUBAGENT for block in again.read(lines[1], 2).blocks] == [OF_SUBAGENT]


def test_a_fork_whose_parent_the_host_does_not_name_stands_alone(tmp_path: Path) -> None:
    head, _ = read(rows(database(tmp_path), FORK)[0])
    assert (head.parent, head.relation) == ("", "")
    assert head.title.endswith("(fork #1)")


def test_a_session_with_a_parent_is_a_fork_where_its_title_says_so(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db", parent_id="ses_other", title="Ports (fork #2)")
    assert read(hand.look()[0])[0].relation == "fork"


def test_the_working_directory_is_the_session_s_not_the_project_s(tmp_path: Path) -> None:
    path = database(tmp_path)
    assert "VALUES('global','/'" in (Path(__file__).parents[1] / "fixtures/opencode/opencode.sql").read_text()
    assert read(rows(path, MAIN)[0])[0].cwd == "/home/dev/project"


def test_source_keys_are_ids_of_parts_and_a_result_adds_its_number(hand: Hand) -> None:
    state = {
        "status": "completed",
        "input": {"filePath": "/home/dev/a.py"},
        "output": LONG,
        "time": {"start": 5, "end": 7},
    }
    call, result = given(hand, "msg_2", "tool", tool="read", callID="c1", state=state)
    assert (call.native, call.identity, result.native, result.identity) == (
        "prt_1",
        "prt_1",
        "prt_1#1",
        "prt_1#1",
    )
    assert (call.tool, call.call, call.paths) == ("read", "c1", ("/home/dev/a.py",))
    assert (result.tool, result.call, result.pieces) == (
        "read",
        "c1",
        (Ref((0, "data", "state", "output"), LONG),),
    )
    assert (call.model, call.message) == ("fake-gpt", "msg_2")
    assert text_of(call) == "read\nfilePath: /home/dev/a.py"


def test_times_are_those_of_the_part_else_of_its_message(hand: Hand) -> None:
    hand.part("msg_2", "prt_1", "text", text="a", time={"start": 1_700_000_001_000, "end": 1_700_000_002_000})
    hand.part("msg_2", "prt_2", "text", text="b")
    assert [block.time for block in blocks(hand.look()[0])] == [1_700_000_001_000_000, 1_700_000_000_002_000]


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ({"status": "pending", "input": {}, "raw": ""}, []),
        ({"status": "running", "input": {"command": "ls"}}, [("tool-call", 0, "bash\ncommand: ls")]),
        (
            {"status": "error", "input": {"command": "ls"}, "error": "denied"},
            [("tool-call", 0, "bash\ncommand: ls"), ("tool-result", ERROR, "denied")],
        ),
        (
            {"status": "completed", "input": {"command": "ls"}, "output": "", "metadata": {"exit": 2}},
            [("tool-call", 0, "bash\ncommand: ls"), ("tool-result", ERROR, "")],
        ),
    ],
)
def test_a_tool_reads_as_far_as_it_has_come(hand: Hand, state: dict[str, Any], shown: list[Any]) -> None:
    found = given(hand, "msg_2", "tool", tool="bash", callID="c", state=state)
    assert [(block.kind, block.flags, text_of(block)) for block in found] == shown


def test_the_result_of_a_tool_that_was_seen_running_adds_to_its_call(hand: Hand) -> None:
    hand.message("msg_2", "assistant")
    running = {"status": "running", "input": {"command": "ls"}}
    first = given(hand, "msg_2", "tool", tool="bash", callID="c", state=running)
    hand.message("msg_2", "assistant", time=DONE)
    done = {**running, "status": "completed", "output": "a"}
    second = given(hand, "msg_2", "tool", tool="bash", callID="c", state=done)
    assert not first  # held back
    assert [block.kind for block in second] == ["tool-call", "tool-result"]


def test_an_output_that_was_cleared_from_the_prompt_is_still_read(hand: Hand) -> None:
    state = {
        "status": "completed",
        "input": {},
        "output": LONG,
        "time": {"start": 5, "end": 7, "compacted": 9},
    }
    assert text_of(given(hand, "msg_2", "tool", tool="read", state=state)[1]) == LONG


def test_calls_of_this_product_are_its_own(hand: Hand) -> None:
    state = {"status": "completed", "input": {"query": "port"}, "output": "x"}
    found = given(hand, "msg_2", "tool", tool="unabridged_search", callID="c", state=state)
    assert [block.flags for block in found] == [ECHO, ECHO]


def test_a_text_is_a_person_s_unless_the_host_made_it(hand: Hand) -> None:
    assert given(hand, "msg_1", "text", text="mine")[0].flags == HUMAN
    assert given(hand, "msg_1", "text", text="a file's content", synthetic=True)[0].flags == META
    assert given(hand, "msg_1", "text", text="not sent", ignored=True)[0].flags == META
    assert given(hand, "msg_1", "text", text="<unabridged-hint>")[0].flags == META | ECHO
    assert given(hand, "msg_1", "text", text="") == []


def test_reasoning_leaves_a_mark_without_a_text(hand: Hand) -> None:
    (found,) = given(hand, "msg_2", "reasoning", text="secret", time={"start": 5, "end": 6})
    assert (found.kind, found.flags, found.pieces) == ("reasoning", HIDDEN, ())


def test_files_and_images_are_media_with_their_place(hand: Hand) -> None:
    image, *_ = given(hand, "msg_1", "file", mime="image/png", filename="a.png", url=PIXEL)
    assert (image.kind, text_of(image)) == ("image", "[image a.png]")
    assert image.media == (MediaRef("image/png", 8, (0, "data", "url"), "a.png"),)
    source = {"type": "file", "path": "/home/dev/a.py", "text": {"value": "@a.py", "start": 0, "end": 5}}
    about = {"mime": "text/plain", "filename": "a.py", "url": "file:///home/dev/a.py"}
    file, *_ = given(hand, "msg_1", "file", **about, source=source)
    assert (file.kind, file.paths, file.media[0].size) == ("file", ("/home/dev/a.py",), 0)
    attachment = {"type": "file", "mime": "image/png", "url": PIXEL}
    state = {"status": "completed", "input": {}, "output": "x", "attachments": [attachment]}
    _, result = given(hand, "msg_2", "tool", tool="read", state=state)
    assert result.media == (MediaRef("image/png", 8, (0, "data", "state", "attachments", 0, "url")),)


def test_marks_of_steps_and_snapshots_say_nothing(hand: Hand) -> None:
    for kind in ("step-start", "step-finish", "snapshot", "patch"):
        assert given(hand, "msg_2", kind, snapshot="a", hash="b", files=["c"]) == []


def test_a_command_to_a_subagent_is_a_person_s(hand: Hand) -> None:
    (found,) = given(hand, "msg_1", "subtask", agent="general", prompt="count", description="files")
    assert (found.role, found.flags) == ("user", HUMAN)
    assert text_of(found) == "subtask\nagent: general\nprompt: count\ndescription: files"


def test_a_part_of_a_kind_that_is_new_reads_as_its_fields(hand: Hand) -> None:
    (found,) = given(hand, "msg_2", "novel", words="kept", deep={"more": "words"})
    assert (found.kind, text_of(found)) == ("other", "novel\nwords: kept\ndeep.more: words")


def test_a_field_of_a_new_type_costs_no_more_than_itself(hand: Hand) -> None:
    (found,) = given(hand, "msg_1", "text", text="still here", time="soon", synthetic=[])
    assert text_of(found) == "still here"
    state = {"status": "completed", "input": {"a": "b"}, "output": "out", "title": 5, "time": []}
    assert len(given(hand, "msg_2", "tool", tool="t", state=state)) == 2


def test_an_answer_that_failed_says_why(hand: Hand) -> None:
    hand.message("msg_2", "assistant", error={"name": "APIError", "data": {"message": "no route"}})
    lines = read(hand.look()[0])[1]
    (found,) = [block for line in lines for block in line.blocks]
    assert (found.native, found.flags, text_of(found)) == ("msg_2", ERROR | META, "APIError: no route")
    assert lines[-1].closes_turn


def test_what_was_taken_back_is_marked_once_and_stays(hand: Hand) -> None:
    hand.part("msg_1", "prt_1", "text", text="kept")
    first, state = hand.look()
    hand.change(revert=json.dumps({"messageID": "msg_2", "snapshot": "x"}))
    more, state = hand.look(state)
    hand.change(title="Ports")
    more += hand.look(state)[0]
    head, lines = read([*first, *more])
    texts = [text_of(block) for line in lines for block in line.blocks]
    assert texts == ["kept", "[taken back from msg_2]"]
    assert [line.news for line in lines if line.news] == [SessionNews(title="Ports")]
    assert head.title == "By hand"


def test_a_reader_that_goes_on_tells_only_what_is_new(hand: Hand) -> None:
    lines, state = hand.look()
    head, _ = read(lines)
    reader = HOST.reader("x", head, b"", 1)
    reader.read(lines[0], 1)
    hand.change(revert=json.dumps({"messageID": "msg_2"}))
    (again,), _ = hand.look(state)
    assert len(reader.read(again, 2).blocks) == 1
    assert HOST.reader("x", head, reader.state(), 1).read(again, 3).blocks == ()
