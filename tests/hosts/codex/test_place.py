"""One row of a thread is one event, in whatever file it stands; two rows are two."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.codex.rollout import (
    PARENT,
    THREAD,
    TURNS,
    Row,
    blocks,
    event,
    header,
    item,
    read,
    row,
    said,
    texts,
)
from unabridged.hosts.codex import HOST
from unabridged.hosts.conformance import read_file, text_of
from unabridged.schema.records import HUMAN, SIDE

RECORDED = Path(__file__).parents[1] / "fixtures" / "codex"


def names(rows: list[Row]) -> list[str]:
    return [block.identity for block in blocks(rows)]


def old_turns(at: int) -> list[Row]:
    """Two turns of a version without ids, whose messages are equal."""
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "call_1"}
    return [
        said("user", "ok", at),
        said("assistant", "Done.", at),
        item(call, at),
        said("user", "ok", at),
        said("assistant", "Done.", at),
        said("assistant", "Done.", at),
    ]


def test_equal_messages_of_one_thread_are_different_events() -> None:
    found = names([header(), *old_turns(0)])
    assert len(set(found)) == len(found) == 6


def test_a_fork_that_copies_its_parent_under_new_times_gives_the_parent_s_events() -> None:
    parent = names([header(PARENT), *old_turns(5)])
    fork = names(
        [
            header(THREAD, 900, forked_from_id=PARENT),
            header(PARENT, 900),
            *old_turns(900),
            said("user", "on", 960),
        ]
    )
    assert fork[:-1] == parent
    assert fork[-1] not in parent


def test_a_fork_of_a_fork_gives_the_events_of_both() -> None:
    eldest = [header("eldest"), *old_turns(5)]
    middle = [header("middle", 60), header("eldest", 60), *old_turns(60), said("user", "second", 70)]
    youngest = [header("youngest", 90), *({**old, "timestamp": "2026-05-01T11:00:00.000Z"} for old in middle)]
    assert names(youngest) == names(middle)
    assert names(middle)[:6] == names(eldest)


def test_a_copy_that_leaves_rows_out_shares_what_it_keeps() -> None:
    """Subagents get the prompts and final answers of their parent, not its calls."""
    full = [
        header(PARENT),
        event("task_started", turn_id=TURNS[0]),
        said("user", "ok", 1, TURNS[0], id="msg_1"),
        item({"type": "reasoning", "id": "rs_1"}, 2, TURNS[0]),
        said("assistant", "Done.", 3, TURNS[0], id="msg_2"),
        event("task_started", turn_id=TURNS[1]),
        said("user", "ok", 4, TURNS[1], id="msg_3"),
    ]
    copied = [header(), *(full[index] for index in (0, 1, 2, 5, 6))]
    assert set(names(copied)) < set(names(full))
    assert len(names(copied)) == 2


def test_a_repeated_call_id_does_not_join_two_calls() -> None:
    """Local models number their calls anew in each answer."""
    call: Row = {"type": "function_call", "name": "shell", "arguments": '{"n":1}', "call_id": "call_0"}
    output: Row = {"type": "function_call_output", "call_id": "call_0", "output": "x"}
    rows = [
        header(),
        row("turn_context", {"turn_id": TURNS[0]}),
        item(call),
        item(output),
        item(call),
        item(output),
    ]
    found = names(rows)
    assert len(set(found)) == len(found) == 4


def test_turns_that_one_process_numbers_do_not_meet_those_of_another_thread() -> None:
    def thread(name: str) -> list[str]:
        return names([header(name), row("turn_context", {"turn_id": "1"}), said("user", "ok")])

    assert thread("a") != thread("b")


def test_a_second_header_of_the_same_thread_changes_nothing() -> None:
    rows = [header(), said("user", "a", 1), said("user", "b", 2)]
    assert names([*rows[:2], header(at=2), rows[2]]) == names(rows)
    assert names([header(), header(), *rows[1:]]) == names(rows)


def test_the_file_that_a_session_grew_into_gives_the_events_of_the_smaller_one() -> None:
    raws = read_file(HOST, RECORDED / "main.jsonl").raws
    whole = read_file(HOST, RECORDED / "main.jsonl").blocks()
    some = raws[:20]
    reader = HOST.reader("x", read_file(HOST, RECORDED / "main.jsonl").head, b"", 1)
    part = [block for number, raw in enumerate(some, 1) for block in reader.read(raw.rstrip(), number).blocks]
    assert [block.identity for block in part] == [block.identity for block in whole[: len(part)]]


def test_rows_that_a_subagent_copied_are_its_parent_s_and_the_rest_is_its_own() -> None:
    found = read_file(HOST, RECORDED / "subagent.jsonl").blocks()
    told = {text_of(block): block.flags for block in found}
    assert told["Use a subagent to count the files."] & (HUMAN | SIDE) == HUMAN
    assert (
        told["SUBTASK: count the files of the project and tell me their number, please."] & (HUMAN | SIDE)
        == SIDE
    )
    assert told["The subagent has counted two files in the folder of the project."] & SIDE


def test_a_subagent_s_copy_ends_where_its_own_turn_begins() -> None:
    """Versions before 0.150 do not tell where; a turn's id holds its time, and so does the thread's."""
    old_turn = "01a21fff-0000-7000-8000-000000000001"
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    rows = [
        header(source=spawn, forked_from_id=PARENT),
        header(PARENT),
        said("user", "the parent's", 0, old_turn),
        said("user", "its own", 0, TURNS[0]),
    ]
    found = [block for line in read(rows)[1] for block in line.blocks]
    assert [(text, block.flags) for text, block in zip(texts(found), found, strict=True)] == [
        ("the parent's", HUMAN),
        ("its own", SIDE),
    ]


def test_a_fork_that_holds_only_new_rows_names_its_parent_and_goes_on_counting() -> None:
    main, fork = read_file(HOST, RECORDED / "main.jsonl"), read_file(HOST, RECORDED / "fork.jsonl")
    assert (fork.head.relation, fork.head.parent) == ("fork", main.head.host_session)
    last = max(int(block.native.partition("#")[0]) for block in main.blocks())
    assert (
        last
        < int(fork.head.fork_native)
        < min(int(block.native.partition("#")[0]) for block in fork.blocks())
    )
    assert not {block.identity for block in main.blocks()} & {block.identity for block in fork.blocks()}
