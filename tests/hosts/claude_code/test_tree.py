"""Rows of Claude Code as a tree, sessions in one file, titles."""

from __future__ import annotations

from typing import Any

from tests.hosts.claude_code.rows import (
    OTHER,
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
from unabridged.hosts.conformance import STATE_BYTES
from unabridged.hosts.contract import Head, SessionNews
from unabridged.schema.records import HUMAN, SIDE


def progress(number: int, parent: int, **data: Any) -> dict[str, Any]:
    return row(number, "progress", parent, data=data, toolUseID="x", parentToolUseID="toolu_1")


def agent_progress(number: int, parent: int, inner: dict[str, Any], agent: str = "a1b2c3") -> dict[str, Any]:
    """A row of a subagent as the session that started it repeats it."""
    message = {
        key: inner[key] for key in ("type", "message", "uuid", "timestamp", "toolUseResult") if key in inner
    }
    return progress(
        number,
        parent,
        type="agent_progress",
        message=message,
        normalizedMessages=[],
        prompt="go",
        agentId=agent,
    )


def parents(*rows: dict[str, Any]) -> dict[str, str]:
    return {block.native: block.parent for block in blocks(*rows)}


# https://github.com/anthropics/claude-code/issues/24457: 4,041 of 4,801 lines are progress
def test_progress_says_nothing_and_the_tree_passes_through_it() -> None:
    found = parents(
        user(1, "go"),
        progress(2, 1, type="hook_progress", hookEvent="SessionStart", command="x"),
        progress(3, 2, type="bash_progress", output="again", fullOutput="again"),
        row(4, "system", 3, subtype="turn_duration"),
        assistant(5, [text("done")], parent=4),
    )
    assert found == {uid(1): "", uid(5): uid(1)}


# https://github.com/anthropics/claude-code/issues/48270: 3,356 entries, 375 leaves
def test_every_leaf_of_a_tree_is_kept() -> None:
    rows = [user(0, "root")]
    for branch in range(375):
        rows.append(user(1000 + branch, f"attempt {branch}", parent=0))
        rows.append(assistant(2000 + branch, [text(f"answer {branch}")], parent=1000 + branch))
    found = parents(*rows)
    assert len(found) == 751
    assert len(set(found) - set(found.values())) == 375


def test_several_roots_and_missing_parents_are_kept_as_they_are() -> None:
    found = parents(user(1, "a"), user(2, "b"), user(3, "c", parent=77))
    assert found == {uid(1): "", uid(2): "", uid(3): uid(77)}


# https://github.com/anthropics/claude-code/issues/40363: /branch writes each message twice
def test_a_row_that_stands_twice_gives_the_same_block_twice() -> None:
    plain = user(1, "once")
    copied = {**plain, "parentUuid": None, "forkedFrom": {"sessionId": OTHER, "messageUuid": uid(1)}}
    first, second = blocks(plain, copied)
    assert first == second


def test_back_dated_rows_keep_their_own_times() -> None:
    found = blocks(user(1, "a"), user(2, "b", timestamp="2026-05-04T02:00:00Z"))
    assert found[1].time < found[0].time


# --- subagents --------------------------------------------------------------------------------------------------------


# https://github.com/anthropics/claude-code/issues/23373: 404 subagents and their progress in one file of 102.7 MB
def test_a_subagents_row_inside_a_progress_row_is_the_row_of_the_agents_own_file() -> None:
    side: dict[str, Any] = {"isSidechain": True, "agentId": "a1b2c3"}
    own = [
        user(11, "find it", **side),
        assistant(12, [text("I look."), call("Bash", {"command": "ls"})], parent=11, **side),
        user(13, [result("a.py")], parent=12, toolUseResult={"stdout": "a.py"}, **side),
    ]
    agent = Head(f"{SESSION}/agent-a1b2c3", "/home/dev/project", SESSION, "subagent")
    in_file = blocks(*own, head=agent)
    lines = read(*(agent_progress(20 + number, 1, inner) for number, inner in enumerate(own)))
    in_parent = [block for line in lines for block in line.blocks]
    assert [(block.native, block.identity, block.flags, text_of(block)) for block in in_parent] == [
        (block.native, block.identity, block.flags, text_of(block)) for block in in_file
    ]
    assert {block.session for block in in_file} == {""}
    assert {block.session for block in in_parent} == {agent.host_session}
    assert lines[0].news == SessionNews(
        agent.host_session, cwd="/home/dev/project", parent=SESSION, relation="subagent"
    )
    assert [line.news for line in lines[1:]] == [None, None]
    assert {block.flags & (SIDE | HUMAN) for block in in_parent} == {SIDE}


def test_side_conversations_of_older_versions_are_sessions_named_by_their_first_row() -> None:
    side: dict[str, Any] = {"isSidechain": True}
    lines = read(
        user(1, "main"),
        user(2, "task one", **side),
        user(3, "task two", **side),
        assistant(4, [text("one")], parent=2, **side),
        assistant(5, [text("two")], parent=3, **side),
        assistant(6, [text("main again")], parent=1),
    )
    sessions = [line.blocks[0].session for line in lines]
    one, two = f"{SESSION}/side-{uid(2)}", f"{SESSION}/side-{uid(3)}"
    assert sessions == ["", one, two, one, two, ""]
    assert [line.news.relation for line in lines if line.news] == ["subagent", "subagent"]


def test_rows_of_other_sessions_in_a_file_stay_in_theirs() -> None:
    lines = read(user(1, "mine"), user(2, "theirs", sessionId=OTHER), user(3, "mine", parent=2))
    assert [line.blocks[0].session for line in lines] == ["", OTHER, ""]
    assert lines[1].news == SessionNews(OTHER, cwd="/home/dev/project")


# --- forks and titles -------------------------------------------------------------------------------------------------


def test_a_branch_tells_where_it_left_its_parent() -> None:
    def copied(number: int) -> dict[str, Any]:
        return user(number, "x", forkedFrom={"sessionId": OTHER, "messageUuid": uid(number)})

    lines = read(copied(1), copied(2), user(3, "own", parent=2), user(4, "own", parent=3))
    assert [line.news for line in lines] == [
        None,
        None,
        SessionNews(parent=OTHER, relation="fork", fork_native=uid(2)),
        None,
    ]


def test_a_session_that_goes_on_elsewhere_names_where() -> None:
    (line,) = read({"type": "continued-in", "sessionId": SESSION, "continuedInSessionId": OTHER})
    assert line.news == SessionNews(OTHER, parent=SESSION, relation="continuation")


def titles(*rows: dict[str, Any] | bytes) -> list[str]:
    return [line.news.title for line in read(*rows) if line.news]


def summary(words: str, leaf: int) -> dict[str, Any]:
    return {"type": "summary", "summary": words, "leafUuid": uid(leaf)}


def test_a_summary_is_a_title_only_when_its_leaf_stands_in_the_file() -> None:
    assert titles(summary("Another session", 99), user(1, "a")) == []
    assert titles(summary("This one", 2), user(1, "a"), user(2, "b")) == ["This one"]
    assert titles(user(1, "a"), user(2, "b"), summary("This one", 2)) == ["This one"]


def test_the_name_that_a_person_gave_is_not_replaced_by_others() -> None:
    found = titles(
        user(1, "a"),
        summary("Summary", 1),
        {"type": "ai-title", "aiTitle": "Made up", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION},
        {"type": "ai-title", "aiTitle": "Made up again", "sessionId": SESSION},
        summary("Summary", 1),
        {"type": "custom-title", "customTitle": "Mine, changed", "sessionId": SESSION},
    )
    assert found == ["Summary", "Made up", "Mine", "Mine, changed"]


def test_a_title_that_the_host_repeats_is_told_once() -> None:
    named = {"type": "custom-title", "customTitle": "Mine", "sessionId": SESSION}
    assert titles(named, user(1, "a"), named, user(2, "b"), named) == ["Mine"]


def test_a_title_glued_to_a_row_is_read() -> None:
    row_line, title_line = encode(user(1, "a"), summary("Glued", 1))
    (line,) = read(row_line + title_line)
    assert line.news == SessionNews(title="Glued")
    assert [text_of(block) for block in line.blocks] == ["a"]
    assert line.problem is None


def test_a_working_directory_that_comes_late_is_told_once() -> None:
    lines = read(user(1, "a", cwd=None), user(2, "b"), user(3, "c"), head=Head(SESSION))
    assert [line.news for line in lines] == [None, SessionNews(cwd="/home/dev/project"), None]


def test_what_a_reader_remembers_stays_small() -> None:
    reading = reader()
    side: dict[str, Any] = {"isSidechain": True}
    for number in range(3000):
        item = [
            progress(number, number - 1, type="hook_progress"),
            user(number, "x", sessionId=uid(number)),
            user(number, "x", **side),
            summary("s" * 5000, number + 100_000),
            assistant(number, [call("Bash", {"command": "una x"}, f"toolu_{number:030d}")]),
        ][number % 5]
        for line in encode(item):
            reading.read(line, number + 1)
    assert len(reading.state()) <= STATE_BYTES


def test_ids_and_titles_of_any_length_are_not_remembered_whole() -> None:
    reading = reader()
    long = "x" * 100_000
    rows = [
        user(1, "a", uuid=long, sessionId=long, isSidechain=True, agentId=long),
        progress(2, 1, type="hook_progress") | {"parentUuid": long},
        user(3, "a", forkedFrom={"sessionId": long, "messageUuid": long}),
        user(4, "a", isSidechain=True, uuid=long, parentUuid=long),
        {"type": "custom-title", "customTitle": long, "sessionId": long},
        summary(long, 3) | {"leafUuid": long},
        agent_progress(6, 1, user(7, "x"), agent=long),
    ]
    for number, line in enumerate(encode(*rows), 1):
        reading.read(line, number)
    assert len(reading.state()) < 10_000
