"""Sessions of a history: what they are called, what is new in them, what a prompt is."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hosts.aider.written import FIRST, SECOND, History, blocks, history, rows, said
from unabridged.hosts.aider import HOST
from unabridged.hosts.contract import Candidate
from unabridged.schema.records import HUMAN


def test_each_start_is_a_session_named_by_its_time_and_folder(tmp_path: Path) -> None:
    one, other = history(tmp_path / "one"), history(tmp_path / "other")
    one.start(SECOND).user("again in that second")
    names = [stream.name for stream in HOST.streams(one.path)]
    assert [name.partition("-")[0] for name in names] == [
        "20261128091011",
        "20261128102030",
        "20261128102030",
    ]
    assert len(set(names)) == 3
    assert not set(names) & {stream.name for stream in HOST.streams(other.path)}


def test_a_session_knows_its_folder_and_when_it_began(tmp_path: Path) -> None:
    made = history(tmp_path)
    name = HOST.streams(made.path)[0].name
    lines, _ = rows(made.path, name)
    head = HOST.head(made.path, lines)
    assert head is not None
    assert (head.host_session, head.cwd) == (name, os.path.realpath(tmp_path))
    assert all(block.time for block in blocks(lines))
    assert {block.model for block in blocks(lines) if block.role == "assistant"} == {"openai/gpt-x"}


def test_only_what_is_asked_of_the_model_is_a_prompt(tmp_path: Path) -> None:
    made = History(tmp_path).start(FIRST)
    for text in (
        "Fix it.",
        "/ask why?",
        "/ask",
        "/add a.py",
        "!ls",
        "Add b.py? (Y)es/(N)o/(D)on't ask again [Yes]: y",
        "",
    ):
        made.user(text).tool("ok")
    found = [
        block for block in blocks(rows(made.path, HOST.streams(made.path)[0].name)[0]) if block.role == "user"
    ]
    assert [bool(block.flags & HUMAN) for block in found] == [True, False, False, False, False, False]


def test_files_that_aider_names_are_told(tmp_path: Path) -> None:
    made = history(tmp_path)
    found = blocks(rows(made.path, HOST.streams(made.path)[0].name)[0])
    assert {path for block in found for path in block.paths} == {"a.py"}


def test_a_growing_session_gives_what_is_new(tmp_path: Path) -> None:
    made = History(tmp_path).start(FIRST).user("one").model("two")
    (stream,) = HOST.streams(made.path)
    _, state = rows(made.path, stream.name)
    assert rows(made.path, stream.name, state) == ([], state)
    made.tool("Tokens: 1 sent.")
    more, state = rows(made.path, stream.name, state)
    assert said(more) == [("tool", "Tokens: 1 sent.")]
    made.tool("Applied edit to a.py").start(SECOND).user("three")
    more, state = rows(made.path, stream.name, state)
    assert said(more) == [("tool", "Tokens: 1 sent.\nApplied edit to a.py")]
    assert len(HOST.streams(made.path)) == 2


def test_a_session_that_is_no_longer_in_the_file_gives_nothing(tmp_path: Path) -> None:
    made = history(tmp_path)
    first = HOST.streams(made.path)[0].name
    _, state = rows(made.path, first)
    made.path.write_text("")
    History(tmp_path).start(SECOND).user("a new file")
    assert rows(made.path, first, state) == ([], state)


def test_only_the_last_session_may_still_be_written(tmp_path: Path) -> None:
    made = history(tmp_path)
    first, last = (stream.name for stream in HOST.streams(made.path))
    assert HOST.changed(made.path, first) == 0  # type: ignore[attr-defined]
    assert HOST.changed(made.path, last) == made.path.stat().st_mtime_ns // 1_000  # type: ignore[attr-defined]


def test_what_stands_before_the_first_start_is_a_session(tmp_path: Path) -> None:
    made = history(tmp_path)
    made.path.write_text("\n#### cut off  \n\nThe end of an answer.\n" + made.path.read_text())
    name = HOST.streams(made.path)[0].name
    assert name.startswith("unknown-")
    assert said(rows(made.path, name)[0]) == [("user", "cut off"), ("assistant", "The end of an answer.")]


def test_histories_are_found_below_a_folder_with_the_record_of_what_was_sent(tmp_path: Path) -> None:
    made = history(tmp_path / "deep" / "project")
    calls = made.path.with_name(".aider.llm.history")
    calls.write_text("TO LLM 2026-11-28T09:10:11\n")
    (tmp_path / "notes.md").write_text("#### no history  \n")
    assert list(HOST.find(tmp_path)) == [
        Candidate(str(made.path), "rows"),
        Candidate(str(calls), "sidecar", str(made.path)),
    ]
    assert not HOST.sniff((tmp_path / "notes.md").read_bytes(), tmp_path / "notes.md")


def test_the_configured_history_is_a_place_to_look(tmp_path: Path) -> None:
    env = {"AIDER_CHAT_HISTORY_FILE": str(tmp_path / "all.md")}
    assert HOST.roots(env, tmp_path, "linux") == [tmp_path / "all.md", tmp_path / ".aider.chat.history.md"]
    assert HOST.roots({"AIDER_CHAT_HISTORY_FILE": "relative.md"}, tmp_path, "linux") == [
        tmp_path / ".aider.chat.history.md"
    ]
