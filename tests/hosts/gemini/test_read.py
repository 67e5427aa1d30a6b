"""What a session of Gemini CLI says, each thing once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.hosts.gemini.chats import (
    CONTEXT,
    READ,
    RESULTS,
    SESSION,
    SHELL,
    Row,
    answer,
    header,
    lines,
    response,
    said,
    session,
    subagent,
    user,
)
from unabridged.hosts.conformance import Reading, read_bytes, text_of
from unabridged.hosts.contract import Block
from unabridged.hosts.gemini import HOST
from unabridged.schema.records import ECHO, ERROR, HIDDEN, HUMAN, META, SIDE, SUMMARY

PATH = Path("/home/ann/.gemini/tmp/harbour/chats/session-x.jsonl")


def read(rows: list[Row]) -> Reading:
    return read_bytes(HOST, PATH, lines(rows))


def texts(rows: list[Row]) -> list[tuple[str, str]]:
    return [(block.native, text_of(block)) for block in read([header(), *rows]).blocks()]


def block(rows: list[Row], native: str) -> Block:
    found = {item.native: item for item in read(rows).blocks()}
    return found[native]


def test_a_message_that_grows_adds_what_it_gained() -> None:
    known = {(item.native, item.identity, text_of(item)) for item in read(session()[:4]).blocks()}
    grown = {(item.native, item.identity, text_of(item)) for item in read(session()[:6]).blocks()}
    assert known < grown
    assert {native for native, _, _ in grown - known} == {"g1#1", "g1#2", "g1#3", "g1#4"}


def test_a_result_that_stands_beside_its_call_and_behind_it_is_one() -> None:
    results = [item for item in read(session()).blocks() if item.kind == "tool-result"]
    assert [item.native for item in results] == ["g1#2", "g1#4", "g4#2"]
    assert results[0].call == "read_file__1"
    assert text_of(results[0]) == "The crane lifts 40 tonnes.\n"


def test_a_result_that_stands_only_behind_its_call_is_read_there() -> None:
    rows = [said("g1", "gemini", [{"functionCall": {"id": "1", "name": "ls", "args": {"path": "a/b"}}}])]
    rows.append(said("u2", "user", [response("1", "ls", "no such folder", "error")]))
    found = read([header(), *rows]).blocks()
    assert [(item.native, item.kind, item.tool, item.call, item.flags) for item in found] == [
        ("g1#1", "tool-call", "ls", "1", 0),
        ("u2", "tool-result", "ls", "1", ERROR),
    ]
    assert found[0].paths == ("a/b",)


def test_a_history_that_is_written_again_adds_what_is_new_in_it() -> None:
    behind = [item.native for line in read(session()).lines[16:] for item in line.blocks]
    assert behind == ["s1", "u5", "u5#sent0"]


def test_a_history_read_from_its_middle_gives_the_same_names() -> None:
    whole = {(item.native, text_of(item)) for item in read(session()).blocks()}
    rest = {(item.native, text_of(item)) for item in read([header(), session()[18]]).blocks()}
    assert {name for name, _ in rest} - {name for name, _ in whole} <= {"g1_response#0", "g1_response#1"}


def test_who_says_what_is_told_apart() -> None:
    rows = session()
    assert block(rows, "c0").flags == META
    assert block(rows, "u1").flags == HUMAN
    assert block(rows, "g1#thought").flags == HIDDEN
    assert (block(rows, "s1").kind, block(rows, "s1").flags) == ("compaction", SUMMARY)
    assert (block(rows, "n1").role, block(rows, "n1").flags) == ("system", META | ERROR)
    assert block(rows, "n2").flags == META
    assert block(rows, "g4#1").flags == block(rows, "g4#2").flags == ECHO
    assert block(rows, "g1#4").flags == ERROR  # the shell's exit code


def test_what_a_person_typed_is_theirs_and_what_the_host_sent_is_not() -> None:
    typed, sent = block(session(), "u5"), block(session(), "u5#sent0")
    assert (text_of(typed), typed.flags) == ("Thanks, write @that down", HUMAN)
    assert (text_of(sent), sent.flags) == ("Thanks, write that down", META)


def test_a_message_that_is_taken_back_stays_on_a_branch_of_its_own() -> None:
    rows = session()
    assert block(rows, "u3").parent == block(rows, "u4#0").parent == "g2"
    assert block(rows, "g3").parent == "u3"
    assert block(rows, "g4#1").parent == "u4"


def test_going_back_to_what_is_not_known_begins_a_new_line() -> None:
    rows = [header(), user("u1", "one"), {"$rewindTo": "never"}, user("u2", "two")]
    assert block(rows, "u2").parent == ""


def test_a_picture_is_named_with_its_size() -> None:
    picture = block(session(), "u4#1")
    assert (picture.kind, text_of(picture)) == ("image", "[image image/png]")
    assert (picture.media[0].media_type, picture.media[0].size) == ("image/png", 70)


def test_times_and_models_are_the_hosts() -> None:
    first = block(session(), "g2")
    assert first.model == "gemini-2.5-pro"
    assert first.time == 1_772_359_204_250_000


def test_every_kind_of_part_is_read() -> None:
    parts: list[Any] = [
        "plain",
        {"fileData": {"mimeType": "application/pdf", "fileUri": "https://files/1"}},
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "NameError"}},
        {"videoMetadata": {"fps": 1}},
        17,
        {},
    ]
    found = read([header(), said("g1", "gemini", parts)]).blocks()
    assert [(item.native, item.kind, text_of(item)) for item in found] == [
        ("g1", "text", "plain"),
        ("g1#part0", "file", "[file https://files/1]"),
        ("g1#1", "tool-call", "code\nlanguage: PYTHON\ncode: print(1)"),
        ("g1#part1", "tool-result", "NameError"),
        ("g1#part2", "other", "\nvideoMetadata.fps: 1"),
    ]


def test_a_subagents_prompt_is_no_persons() -> None:
    reading = read_bytes(HOST, PATH.parent / SESSION / "sub.jsonl", lines(subagent()))
    assert (reading.head.parent, reading.head.relation) == (SESSION, "subagent")
    assert all(item.flags & SIDE and not item.flags & HUMAN for item in reading.blocks())
    assert all(line.news is None for line in reading.lines)  # its summary is its report, no title


def test_the_hosts_summary_is_the_title() -> None:
    told = [line.news.title for line in read(session()).lines if line.news is not None]
    assert told == ["Load of the harbour crane"]


def test_the_state_stays_small_whatever_a_session_holds() -> None:
    reading = read([header()])
    reader = HOST.reader(str(PATH), reading.head, b"", 1)
    for number in range(3_000):
        name = f"{number:064d}"
        call = {**READ, "id": f"c{name}"[:64], "result": RESULTS[:1]}
        reader.read(json.dumps(answer(name, "x", 1, call)).encode(), number)
        reader.read(json.dumps(user("u" * 5_000 + name, "y")).encode(), number)
    assert len(reader.state()) <= 64 << 10


def test_a_context_that_changes_at_a_resumption_is_no_second_message() -> None:
    moved = {**CONTEXT, "content": [{"text": "<session_context>elsewhere</session_context>"}]}
    rows: list[Row] = [{"$set": {"messages": [CONTEXT]}}, header(), {"$set": {"messages": [moved]}}]
    assert len(texts(rows)) == 1


def test_a_session_that_goes_on_in_another_file_says_nothing_twice() -> None:
    first = [header(), user("u1", "How much?", 1), answer("g1", "I read.", 2, READ, SHELL)]
    calls = [
        {"functionCall": {"id": item["id"], "name": item["name"], "args": item["args"]}}
        for item in (READ, SHELL)
    ]
    history = [
        user("u1", "How much?", 20),
        said("g1", "gemini", [{"text": "x", "thought": True}, {"text": "I read."}, *calls], 20),
        said("g1_response", "user", RESULTS, 20),
    ]
    again = [header(), {"$set": {"messages": history}}, user("u2", "And now?", 21)]

    def named(rows: list[Row]) -> dict[str, str]:
        return {item.identity: text_of(item) for item in read(rows).blocks()}

    before, after = named(first), named(again)
    assert {name: after.get(name) for name in before} == before
    assert [after[name] for name in after.keys() - before.keys()] == ["And now?"]


def test_results_whose_calls_have_long_names_that_begin_alike_are_all_read() -> None:
    tool = "mcp_server_" + "x" * 60
    rows = [
        said(
            "u1", "user", [response(f"{tool}__{tool}_1_{index}", tool, f"result {index}") for index in (0, 1)]
        ),
        said("u2", "user", [response(f"{tool}__{tool}_1_2", tool, "result 2")]),
    ]
    assert [text for _, text in texts(rows)] == ["result 0", "result 1", "result 2"]
