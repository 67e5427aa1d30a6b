"""What the lines of a rollout say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.codex.rollout import (
    THREAD,
    TURNS,
    Row,
    blocks,
    encoded,
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
from unabridged.hosts.contract import Head, SessionNews
from unabridged.schema.records import ECHO, HIDDEN, HUMAN, META, SIDE, SUMMARY

RECORDED = Path(__file__).parents[1] / "fixtures" / "codex"


def test_a_source_key_holds_the_ordinal_or_else_the_line() -> None:
    found = read_file(HOST, RECORDED / "main.jsonl").blocks()
    assert [block.native for block in found][:2] == ["2", "2#1"]
    plain = blocks([header(), said("user", "a"), event("token_count"), said("assistant", "b")])
    assert [block.native for block in plain] == ["L2", "L4"]


def test_every_prompt_and_answer_of_a_recording_stands_once() -> None:
    found = read_file(HOST, RECORDED / "main.jsonl").blocks()
    prompts = [text_of(block) for block in found if block.flags & HUMAN]
    assert prompts == ["Which port does the server use? Write it into a file of its own, please.", "ok", "ok"]
    answers = [text_of(block) for block in found if block.role == "assistant" and block.kind == "text"]
    assert answers[-2:] == ["ok", "ok"]
    assert len({block.identity for block in found}) == len(found)


def test_events_that_repeat_items_are_no_content() -> None:
    found = blocks(
        [
            header(),
            said("user", "the question"),
            event("user_message", message="the question"),
            event("agent_reasoning", text="thoughts"),
            event("agent_message", message="the answer"),
            said("assistant", "the answer"),
            event("task_complete", last_agent_message="the answer"),
        ]
    )
    assert texts(found) == ["the question", "the answer"]


def test_a_rollout_of_events_alone_is_read_from_them() -> None:
    found = blocks(
        [
            header(),
            event("user_message", message="the question"),
            event("agent_reasoning", text="thoughts"),
            event("agent_message", message="the answer"),
            event("token_count"),
        ]
    )
    assert [(block.role, block.kind) for block in found] == [
        ("user", "text"),
        ("assistant", "reasoning"),
        ("assistant", "text"),
    ]
    assert found[0].flags & HUMAN
    assert texts(found) == ["the question", "", "the answer"]


def test_an_item_behind_the_event_that_announced_it_is_the_same_message() -> None:
    found = blocks([header(), event("agent_message", message="hello"), said("assistant", "hello")])
    assert texts(found) == ["hello"]


def test_a_person_is_told_from_the_host() -> None:
    rows = [
        header(),
        said("developer", "<permissions instructions>…"),
        said("user", "# AGENTS.md instructions for /home/dev/app\n\nBe brief."),
        said("user", "<environment_context>\n  <cwd>/home/dev/app</cwd>"),
        said("user", "Is <environment_context> a tag?"),
        said("user", "<user_shell_command>\nls\n</user_shell_command>"),
        said("user", "Another language model started to solve this problem and …"),
    ]
    flags = [block.flags for block in blocks(rows)]
    assert flags == [META, META, META, HUMAN, 0, SUMMARY]


def test_the_host_s_own_note_on_who_wrote_an_item_counts_more_than_its_words() -> None:
    payload: Row = {
        "type": "message",
        "role": "user",
        "content": [
            {"type": "input_text", "text": "<skill> is a tag"},
            {"type": "input_text", "text": "plain"},
        ],
        "internal_chat_message_metadata_passthrough": {
            "content_item_kinds": ["user.text", "hooks.additional_context"]
        },
    }
    assert [block.flags for block in blocks([header(), item(payload)])] == [HUMAN, META]


def test_what_this_product_put_into_a_message_is_marked_as_its_own() -> None:
    found = blocks([header(), said("developer", "<unabridged-hint>…")])
    assert found[0].flags == META | ECHO


def test_reasoning_leaves_a_mark_without_a_text() -> None:
    payload: Row = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "secret thoughts"}],
        "content": [{"type": "reasoning_text", "text": "more of them"}],
        "encrypted_content": "c2VjcmV0",
    }
    (found,) = blocks([header(), item(payload)])
    assert (found.kind, found.flags, found.pieces) == ("reasoning", HIDDEN, ())


# https://github.com/openai/codex/issues/42393: a compaction gives items of several kinds, or none.
def test_a_compaction_gives_its_summary_and_nothing_of_the_history_that_it_repeats() -> None:
    found = blocks(
        [
            header(),
            said("user", "the question"),
            row(
                "compacted",
                {"message": "they asked", "replacement_history": [said("user", "the question")["payload"]]},
            ),
        ]
    )
    assert texts(found) == ["the question", "they asked"]
    assert (found[1].kind, found[1].flags) == ("compaction", SUMMARY)


def test_a_compaction_that_is_encrypted_leaves_a_mark() -> None:
    (found,) = blocks([header(), row("compacted", {"message": "", "window_id": "w"})])
    assert found.kind == "compaction"
    assert "encrypted" in text_of(found)


def test_turns_that_were_taken_back_leave_a_mark() -> None:
    (found,) = blocks([header(), event("thread_rolled_back", num_turns=2)])
    assert (found.role, found.flags) == ("system", META)
    assert "2 turns" in text_of(found)


@pytest.mark.parametrize("kind", ["task_complete", "turn_aborted"])
def test_the_end_of_a_turn_closes_it(kind: str) -> None:
    lines = read([header(), said("user", "a"), event(kind, turn_id=TURNS[0])])[1]
    assert [line.closes_turn for line in lines] == [False, False, True]


def test_a_new_working_directory_and_a_name_are_told() -> None:
    rows = [
        header(),
        row("turn_context", {"cwd": "/home/dev/app", "model": "m-1"}),
        said("assistant", "a"),
        row("turn_context", {"cwd": "/home/dev/other", "model": "m-2"}),
        said("assistant", "b"),
        event("thread_name_updated", thread_name="Ports"),
    ]
    lines = read(rows)[1]
    news = [line.news for line in lines]
    assert news == [None, None, None, SessionNews(cwd="/home/dev/other"), None, SessionNews(title="Ports")]
    assert [block.model for line in lines for block in line.blocks] == ["m-1", "m-2"]


def test_a_message_between_agents_names_both() -> None:
    found = blocks(
        [
            header(),
            item(
                {
                    "type": "agent_message",
                    "author": "/root",
                    "recipient": "/root/child",
                    "content": [{"type": "input_text", "text": "count"}],
                }
            ),
            row(
                "inter_agent_communication",
                {"author": "a", "recipient": "b", "content": "done", "trigger_turn": True},
            ),
            row("inter_agent_communication_metadata", {"trigger_turn": True}),
        ]
    )
    assert texts(found) == ["/root → /root/child\ncount", "a → b\ndone"]
    assert {block.role for block in found} == {"other"}


def test_rows_before_september_2025_have_no_payload() -> None:
    found = read(
        [
            {"id": THREAD, "timestamp": "2025-07-01T10:00:00.000Z", "instructions": None, "git": {}},
            {"record_type": "state"},
            {
                "type": "message",
                "id": None,
                "role": "user",
                "content": [{"type": "input_text", "text": "hello"}],
            },
            {
                "type": "function_call",
                "name": "shell",
                "arguments": '{"command":["ls","-l"]}',
                "call_id": "c1",
            },
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": '{"output":"a b","metadata":{"exit_code":1}}',
            },
        ]
    )
    assert found[0] == Head(THREAD)
    given = [block for line in found[1] for block in line.blocks]
    assert texts(given) == ["hello", "shell\ncommand: ls -l", "a b"]
    assert [block.native for block in given] == ["L3", "L4", "L5"]
    assert all(block.time for block in given)


def test_a_field_of_a_new_type_costs_no_more_than_itself() -> None:
    payload: Row = {
        "type": "message",
        "role": "user",
        "id": 17,
        "content": [{"type": "input_text", "text": "still here"}, {"type": "new", "text": {"a": 1}}, 5],
        "message": {"odd": True},
    }
    assert texts(blocks([header(), item(payload)])) == ["still here"]


def test_two_rows_on_one_line_have_two_source_keys() -> None:
    first, second = encoded([said("user", "a"), said("assistant", "b")])
    reader = HOST.reader("x", Head(THREAD), b"", 1)
    line = reader.read(first + second, 7)
    assert [block.native for block in line.blocks] == ["L7", "L7#1"]


def test_a_subagent_s_prompts_are_no_person_s() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}
    head, lines = read([header(source=spawn), said("user", "count the files"), said("assistant", "two")])
    assert (head.parent, head.relation) == ("p", "subagent")
    assert [block.flags for line in lines for block in line.blocks] == [SIDE, SIDE]


def test_a_turn_of_thousands_of_items_keeps_the_state_small() -> None:
    reader = HOST.reader("x", Head(THREAD), b"", 1)
    lines = encoded(
        [
            row("turn_context", {"turn_id": TURNS[0], "cwd": "/" + "d" * 200}),
            *(
                item(
                    {
                        "type": "function_call",
                        "name": "n" * 60,
                        "arguments": "{}",
                        "call_id": f"{number:064d}",
                    }
                )
                for number in range(3_000)
            ),
        ]
    )
    identities = {
        block.identity for number, line in enumerate(lines) for block in reader.read(line, number).blocks
    }
    assert len(identities) == 3_000
    assert len(reader.state()) < 64 << 10
