"""New and changed rows are given, each when it is final, nothing twice and nothing never."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hosts.opencode.recorded import MAIN, SIDE, SIZE, Hand, database, names, rows, said
from unabridged.hosts.opencode import HOST, feed

RUNNING = {"status": "running", "input": {"command": "ls"}}
DONE = {"completed": 1_700_000_009_999}


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    """A session with one prompt and an answer that is being written."""
    made = Hand(tmp_path / "opencode.db")
    made.message("msg_1", "user")
    made.part("msg_1", "prt_1", "text", text="Which port?")
    made.message("msg_2", "assistant")
    return made


@pytest.mark.parametrize("session", [MAIN, SIDE])
def test_all_rows_of_a_recording_are_given_once(tmp_path: Path, session: str) -> None:
    path = database(tmp_path)
    lines, state = rows(path, session)
    assert len(lines) == SIZE[session]
    assert len(set(names(lines))) == len(lines) - 1
    assert HOST.rows(path, session, state) == ([], state)


def test_a_line_holds_the_host_s_own_text_with_sorted_keys(tmp_path: Path) -> None:
    made = Hand(tmp_path / "opencode.db")
    made.put("message", "msg_1", '{"role":"user", "time":{"created":5},"x":1e3}', {"time_created": 5})
    made.put(
        "part", "prt_1", '{"type":"text","text":"\\u00e9 \\/"}', {"message_id": "msg_1", "time_created": 5}
    )
    _, part, message = made.look()[0]
    assert part == (
        b'{"data":{"type":"text","text":"\\u00e9 \\/"},"id":"prt_1","message_id":"msg_1",'
        b'"of":{"created":5,"role":"user"},"session_id":"ses_hand","table":"part"}\n'
    )
    assert message == (
        b'{"created":5,"data":{"role":"user", "time":{"created":5},"x":1e3},"id":"msg_1",'
        b'"session_id":"ses_hand","table":"message"}\n'
    )
    for line in made.look()[0]:
        assert list(json.loads(line)) == sorted(json.loads(line))


def test_data_that_is_spread_over_lines_or_is_no_json_stays_one_line(tmp_path: Path) -> None:
    made = Hand(tmp_path / "opencode.db")
    made.put("message", "msg_1", '{\n  "role": "user"\n}', {"time_created": 5})
    made.put("part", "prt_1", '{"type":"text","text":"\\ud800"}', {"message_id": "msg_1", "time_created": 5})
    made.put("part", "prt_2", "{broken", {"message_id": "msg_1", "time_created": 5})
    lines, _ = made.look()
    assert [line.count(b"\n") for line in lines] == [1, 1, 1, 1]
    assert b'"data":{"type":"text","text":"\\ud800"}' in lines[1]
    assert b'"data":"{broken"' in lines[2]
    assert b'"data":{"role":"user"}' in lines[3]


# https://github.com/anomalyco/opencode/issues/47361: each streamed token is a full copy of its part.
def test_a_running_tool_is_given_when_it_is_completed(hand: Hand) -> None:
    hand.part(
        "msg_2",
        "prt_2",
        "tool",
        tool="bash",
        callID="c",
        state={"status": "running", "input": {"command": "ls"}},
    )
    lines, state = hand.look()
    assert names(lines) == ["prt_1", "msg_1"]
    hand.part("msg_2", "prt_3", "text", text="", time={"start": 5})
    lines, state = hand.look(state)
    assert lines == []
    done = {"status": "completed", "input": {"command": "ls"}, "output": "a", "time": {"start": 5, "end": 6}}
    hand.part("msg_2", "prt_2", "tool", tool="bash", callID="c", state=done)
    lines, state = hand.look(state)
    assert names(lines) == ["prt_2"]
    hand.part("msg_2", "prt_3", "text", text="Done.", time={"start": 5, "end": 6})
    hand.message("msg_2", "assistant", time=DONE)
    lines, state = hand.look(state)
    assert names(lines) == ["prt_3", "msg_2"]
    assert hand.look(state)[0] == []


def test_what_never_became_final_is_given_once_nothing_changes_any_more(hand: Hand) -> None:
    """The host was killed while a tool ran."""
    hand.part(
        "msg_2",
        "prt_2",
        "tool",
        tool="bash",
        callID="c",
        state={"status": "running", "input": {"command": "ls"}},
    )
    first, state = hand.look()
    second, state = hand.look(state)
    assert names(first) == ["prt_1", "msg_1"]
    assert names(second) == ["prt_2", "msg_2"]
    assert hand.look(state)[0] == []


def test_what_an_error_or_another_answer_left_behind_is_final(hand: Hand) -> None:
    hand.part("msg_2", "prt_2", "text", text="half", time={"start": 5})
    hand.message("msg_3", "user")
    assert "prt_2" not in names(hand.look()[0])  # a prompt may wait while an answer is written
    hand.message("msg_4", "assistant", error={"name": "Aborted"})
    hand.part("msg_4", "prt_4", "text", text="quarter", time={"start": 5})
    assert names(hand.look()[0]) == ["prt_1", "msg_1", "prt_2", "msg_2", "msg_3", "prt_4", "msg_4"]


def test_a_row_that_changes_is_given_again_and_one_that_is_only_touched_is_not(hand: Hand) -> None:
    _, state = hand.look()
    hand.part("msg_1", "prt_1", "text", text="Which port?")
    lines, state = hand.look(state)
    assert lines == []
    hand.part("msg_1", "prt_1", "text", text="Which port, please?")
    lines, state = hand.look(state)
    assert said(lines) == [("text", "user", 1, "Which port, please?")]


def test_a_change_under_a_clock_that_was_set_back_is_noticed(hand: Hand) -> None:
    hand.message("msg_2", "assistant", time=DONE)
    _, state = hand.look()
    hand.now -= 1_000_000
    hand.part("msg_1", "prt_1", "text", text="edited")
    hand.part("msg_1", "prt_9", "text", text="new")
    assert names(hand.look(state)[0]) == ["prt_1", "prt_9"]


def test_what_the_host_deleted_is_told(hand: Hand) -> None:
    _, state = hand.look()
    hand.delete("part", "prt_1")
    lines, state = hand.look(state)
    (gone,) = [json.loads(line) for line in lines if b'"gone"' in line]
    assert len(gone["gone"]) == 1
    assert hand.look(state)[0] == []


def test_a_new_title_alone_gives_the_session_s_line(hand: Hand) -> None:
    hand.message("msg_2", "assistant", time=DONE)
    _, state = hand.look()
    hand.change(title="Ports")
    lines, state = hand.look(state)
    assert [json.loads(line)["data"]["title"] for line in lines] == ["Ports"]
    assert hand.look(state)[0] == []


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory of forty rows and looks of two KiB."""
    monkeypatch.setattr(feed, "REMEMBERED", 40)
    monkeypatch.setattr(feed, "BATCH_BYTES", 2048)


def fill(hand: Hand, first: int, count: int) -> None:
    for number in range(first, first + count):
        hand.message(f"msg_{number:04d}", "user")
        hand.part(f"msg_{number:04d}", f"prt_{number:04d}", "text", text=f"prompt {number}")


@pytest.mark.usefixtures("small_memory")
def test_a_session_larger_than_the_memory_is_given_in_steps_along_the_conversation(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    fill(hand, 0, 200)
    lines, state = rows(hand.path, hand.session)
    found = [name for name in names(lines) if name.startswith("prt")]
    assert found == [f"prt_{number:04d}" for number in range(200)]
    assert len(state) < 4096
    hand.part("msg_0003", "prt_0003", "text", text="edited")
    fill(hand, 200, 30)
    lines, state = rows(hand.path, hand.session, state)
    assert [name for name in names(lines) if name.startswith("prt")] == [
        "prt_0003",
        *(f"prt_{number:04d}" for number in range(200, 230)),
    ]
    assert HOST.rows(hand.path, hand.session, state)[0] == []


@pytest.mark.usefixtures("small_memory")
def test_rows_that_are_written_between_two_steps_are_not_missed(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    fill(hand, 0, 100)
    first, state = hand.look()
    assert len(names(first)) < 200
    hand.part("msg_0000", "prt_0000", "text", text="edited meanwhile")
    fill(hand, 100, 5)
    more, state = rows(hand.path, hand.session, state)
    texts = [text for *_, text in said([*first, *more])]
    assert "edited meanwhile" in texts
    assert {f"prompt {number}" for number in range(105)} <= set(texts)


@pytest.mark.usefixtures("small_memory")
def test_a_session_that_outgrows_the_memory_loses_nothing(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    given: list[str] = []
    state = b""
    for start in range(0, 300, 15):
        fill(hand, start, 15)
        lines, state = rows(hand.path, hand.session, state)
        given += names(lines)
        assert len(state) < 4096
    assert sorted(given) == sorted(
        name for number in range(300) for name in (f"msg_{number:04d}", f"prt_{number:04d}")
    )


@pytest.mark.usefixtures("small_memory")
def test_a_row_held_back_in_a_large_session_is_given_when_it_is_final(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_0000", "assistant")
    hand.part("msg_0000", "prt_0000", "text", text="", time={"start": 1})
    fill(hand, 1, 100)
    lines: list[bytes] = []
    state = b""
    for number in range(200, 220):  # the session never rests
        more, state = hand.look(state)
        lines += more
        fill(hand, number, 1)
    assert "prt_0000" not in names(lines)
    hand.part("msg_0000", "prt_0000", "text", text="late", time={"start": 1, "end": 2})
    assert "prt_0000" in names(rows(hand.path, hand.session, state)[0])


@pytest.mark.usefixtures("small_memory")
def test_a_row_that_never_became_final_in_a_large_session_is_given_in_the_end(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    hand.message("msg_0000", "assistant")
    hand.part("msg_0000", "prt_0000", "text", text="half", time={"start": 1})
    fill(hand, 1, 100)
    assert {"prt_0000", "msg_0000"} <= set(names(rows(hand.path, hand.session)[0]))


@pytest.mark.usefixtures("small_memory")
def test_a_burst_longer_than_a_look_is_given_whole_in_whatever_order_it_was_written(tmp_path: Path) -> None:
    hand = Hand(tmp_path / "opencode.db")
    fill(hand, 0, 15)
    _, state = rows(hand.path, hand.session)
    for number in reversed(range(100, 200)):
        fill(hand, number, 1)
    found = names(rows(hand.path, hand.session, state)[0])
    assert sorted(found) == sorted(
        name for number in range(100, 200) for name in (f"msg_{number:04d}", f"prt_{number:04d}")
    )
