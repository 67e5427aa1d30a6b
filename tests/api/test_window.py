"""A program's own window: archived first, then cut; the same in this process and through a daemon; never in the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.daemon.living import Home, kill
from unabridged import Archive, Window
from unabridged.errors import Incomplete, InvalidInput, UnknownSetting

MODEL = "anthropic/claude-opus-5-5"
SETTINGS = {"rotation_tokens": 1_500, "hard_tokens": 2_500, "rotation_turns": 6, "retain_turns": 2}
WORDS = "and some words that make a question as long as a question is " * 5


@pytest.fixture(params=["daemon", "in process"])
def archive(request: pytest.FixtureRequest, home: Home) -> Iterator[Archive]:
    if request.param == "daemon":
        with Archive(home.folder, project="") as opened:
            home.pids.add(home.pid)
            yield opened
    else:
        with Archive.open(home.folder, in_process=True, create=True, project="") as opened:
            yield opened


def begun(archive: Archive, session: str = "s", **facts: Any) -> Window:
    return archive.window(session, model=MODEL, settings=SETTINGS, **facts)


def user(number: int) -> dict[str, Any]:
    return {"role": "user", "content": f"question {number} {WORDS}"}


def assistant(number: int) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": f"answer {number}"}]}


def answer(number: int, tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "output_tokens": 7, "cache_read_input_tokens": 0}
    return {**assistant(number), "id": f"msg_{number}", "type": "message", "usage": usage}


def talk(window: Window, history: list[Any], first: int, count: int) -> list[Any]:
    """Go on for so many turns; return what was sent last."""
    sent: list[Any] = []
    for number in range(first, first + count):
        history.append(user(number))
        sent = window.apply(history)
        assert window.fault == ""
        window.record(answer(number, window.tokens))
        history.append(assistant(number))
    return sent


def test_what_is_cut_was_archived_and_what_is_sent_only_grows_between_two_cuts(archive: Archive) -> None:
    window, history, before = begun(archive), list[Any](), list[Any]()
    rotations = 0
    for number in range(14):
        sent = talk(window, history, number, 1)
        if sent[: len(before)] != before:
            rotations += 1
            held = archive.windows().windows[0].items
            assert held >= len(history) - 1
        before = sent
    assert rotations == window.epoch >= 2
    assert window.tokens < SETTINGS["rotation_tokens"]
    assert "question 0" in window.catalogue
    assert sent[0]["content"][0]["text"] == window.catalogue
    row = archive.windows().windows[0]
    assert (row.items, row.requests, row.host, row.host_session) == (28, 14, "api", "s")
    assert (row.totals["output"], row.totals["faults"]) == (14 * 7, 0)
    assert row.totals["sent"] < row.totals["whole"]


def test_what_was_left_out_is_recalled_word_for_word(archive: Archive) -> None:
    window, history = begun(archive), list[Any]()
    talk(window, history, 0, 8)
    shown = archive.window_show(window.conversation)
    named = next(row["name"] for row in shown.omissions if row["what"] == "turns")
    assert named.startswith(window.address)
    assert archive.recall(named, max_tokens=2_000).text.startswith(user(0)["content"])


def test_what_a_window_holds_is_worked_out_from_the_archive(archive: Archive) -> None:
    window, history = begun(archive), list[Any]()
    talk(window, history, 0, 8)
    history.append(user(8))
    use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "x"}}
    asked = {"role": "assistant", "content": [{"type": "text", "text": "let me see"}, use]}
    window.apply(history)
    window.record({**asked, "id": "m", "usage": {"input_tokens": window.tokens}})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "line of a file\n" * 3_000}
    history += [asked, {"role": "user", "content": [result]}]
    window.apply(history)
    window.close()
    found = archive.window_explain(window.conversation, limit=1)
    assert found.exact
    assert found.tokens == pytest.approx(window.tokens, abs=10)
    assert {(one["role"], one["kind"], one["tool"]) for one in found.held} >= {
        ("user", "table of contents", ""),
        ("assistant", "call", "Read"),
        ("tool", "result", "Read"),
    }
    assert found.catalogue["turns"] == found.omissions[0]["turns"] * len(found.omissions[:-1])
    (largest,) = found.largest
    assert (largest["tool"], largest["whole"] > largest["tokens"]) == ("Read", True)
    assert archive.recall(largest["name"], max_tokens=50_000).text.startswith("line of a file\n" * 100)
    assert "line of a file" not in str(archive.window_explain(window.conversation))


def test_an_answer_that_its_client_writes_in_another_way_counts_once_in_what_a_window_holds(
    archive: Archive,
) -> None:
    window = begun(archive)
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    history: list[dict[str, Any]] = [user(0)]

    def request() -> bytes:
        return json.dumps({"model": "m", "max_tokens": 1, "messages": history}).encode()

    window.apply(request())
    window.record(json.dumps({"id": "m", "content": [call], "usage": {"input_tokens": 1}}).encode())
    history += [
        {"role": "assistant", "content": [dict(reversed(call.items()))]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "seen"}]},
    ]
    window.apply(request())
    window.close()
    assert archive.windows().windows[0].items == 4
    found = archive.window_explain(window.conversation)
    assert found.exact
    assert [one["parts"] for one in found.held if one["kind"] == "call"] == [1]


def test_a_new_process_goes_on_with_the_same_bytes(archive: Archive) -> None:
    first, history = begun(archive), list[Any]()
    talk(first, history, 0, 9)
    history.append(user(9))
    again = begun(archive)
    assert again.apply(history) == first.apply(history)
    assert (again.epoch, again.address) == (first.epoch, first.address)


def test_another_session_has_another_window(archive: Archive) -> None:
    one, other = begun(archive, "one"), begun(archive, "other")
    unnamed = [begun(archive, "").conversation for _ in range(2)]
    assert (
        len({one.conversation, other.conversation, *unnamed, begun(archive, "one", chain="c").conversation})
        == 5
    )


@pytest.mark.parametrize("give", [lambda body: body, lambda body: json.dumps(body).encode()])
def test_a_request_comes_back_in_the_form_in_which_it_was_given(
    archive: Archive, give: Callable[[Any], Any]
) -> None:
    window, history = begun(archive), [{"role": "user", "content": "hello"}]
    extra = {"model": "claude-opus-5-5", "max_tokens": 10, "unknown": {"kept": [1, None]}}
    given = give({**extra, "messages": history})
    assert window.apply(given) is given or window.apply(given) == given
    window.record(json.dumps(answer(0, 10)).encode())
    history.append(assistant(0))
    for number in range(1, 9):
        history.append(user(number))
        sent = window.apply(give({**extra, "messages": history}))
        window.record(answer(number, 100))
        history.append(assistant(number))
    found = json.loads(sent) if isinstance(sent, bytes) else sent
    assert type(sent) is type(given)
    assert {name: found[name] for name in extra} == extra
    assert len(found["messages"]) < len(history)
    assert found["messages"][-1] == user(8)
    if isinstance(sent, dict):
        assert found["messages"][-1] is history[-2]


def test_the_formats_of_openai_are_taken_too(archive: Archive) -> None:
    chat = archive.window("chat", model="openai/gpt-5", settings=SETTINGS)
    system: dict[str, Any] = {"role": "system", "content": "Be brief."}
    history: list[dict[str, Any]] = [system]
    for number in range(9):
        history.append(user(number))
        sent = chat.apply(history)
        message: dict[str, Any] = {"role": "assistant", "content": f"answer {number}"}
        chat.record({"id": "c", "choices": [{"index": 0, "message": message}], "usage": {"prompt_tokens": 9}})
        history.append(message)
    assert len(sent) < len(history)
    assert sent[0] is system
    responses = archive.window("responses", model="openai/gpt-5", settings=SETTINGS)
    assert responses.apply({"model": "gpt-5", "input": "hello"}) == {"model": "gpt-5", "input": "hello"}
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}]
    responses.record({"id": "r", "output": output, "usage": {"input_tokens": 3, "output_tokens": 1}})
    assert {row.format: row.items for row in archive.windows().windows} == {"chat": 19, "responses": 2}


def test_usage_alone_corrects_the_estimates(archive: Archive) -> None:
    window = begun(archive)
    window.apply([user(0), assistant(0), user(1), assistant(1), user(2), assistant(2), user(3)])
    before = window.tokens
    window.usage({"input_tokens": before * 2, "output_tokens": 1})
    window.apply([user(0), assistant(0), user(1), assistant(1), user(2), assistant(2), user(3)])
    assert window.tokens == pytest.approx(before * 2, rel=0.05)
    with pytest.raises(InvalidInput):
        window.usage(object())


def test_a_rotation_is_made_when_it_is_asked_for(archive: Archive) -> None:
    window, history = begun(archive), list[Any]()
    talk(window, history, 0, 4)
    assert window.epoch == 0
    window.rotate()
    assert archive.windows().windows[0].forced
    sent = talk(window, history, 4, 1)
    assert (window.epoch, len(sent) < len(history) - 1) == (1, True)
    assert not archive.windows().windows[0].forced
    archive.window_rotate(window.conversation)
    talk(window, history, 5, 2)
    assert window.epoch == 2


def test_a_hosts_compaction_and_what_is_no_conversation_pass(archive: Archive) -> None:
    window, history = begun(archive), list[Any]()
    talk(window, history, 0, 7)
    asking = [
        *history,
        {"role": "user", "content": "Your task is to create a detailed summary of the conversation"},
    ]
    assert window.apply(asking) is asking
    stateful = {"model": "gpt-5", "input": [user(0)], "previous_response_id": "resp_1"}
    assert archive.window(model="openai/gpt-5").apply(stateful) is stateful
    assert window.apply(b"no request") == b"no request"
    assert window.fault == "not-understood"


def test_an_answer_needs_a_request(archive: Archive) -> None:
    window = begun(archive)
    with pytest.raises(InvalidInput):
        window.record(answer(0, 1))
    window.apply([user(0)])
    window.record(answer(0, 1))
    with pytest.raises(InvalidInput):
        window.record(answer(0, 1))
    with pytest.raises(InvalidInput):
        window.apply(5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidInput):
        window.apply("hello")
    with pytest.raises(InvalidInput):
        window.apply([user(0)], format="smoke-signals")


def test_a_mistake_in_a_setting_is_told_at_once(archive: Archive) -> None:
    with pytest.raises(UnknownSetting, match="retain_turns"):
        archive.window(settings={"retain_turn": 3})


def test_the_last_request_is_accounted_for_when_the_window_is_closed(archive: Archive) -> None:
    with begun(archive) as window:
        window.apply([user(0)])
    assert archive.windows().windows[0].requests == 1


def test_without_its_archive_a_window_makes_the_last_cut_again_and_says_so(home: Home) -> None:
    with Archive.open(home.folder, in_process=True, create=True, project="") as archive:
        window, history = begun(archive), list[Any]()
        talk(window, history, 0, 9)
        strict, epoch = begun(archive, "strict", strict=True), window.epoch
    history.append(user(9))
    sent = window.apply(history)
    assert (window.fault, window.epoch) == ("archive-closed", epoch)
    assert sent[0]["content"][0]["text"] == window.catalogue
    window.record(answer(9, 5))
    more = [*history, assistant(9)]
    for number in range(10, 20):
        more.append(user(number))
        sent = window.apply(more)
        more.append(assistant(number))
    assert window.epoch == epoch
    assert len(sent) >= 20
    with pytest.raises(Exception, match="closed"):
        strict.apply(history)


def test_a_window_goes_on_after_its_daemon_died(home: Home) -> None:
    with Archive(home.folder, project="") as archive:
        home.pids.add(home.pid)
        window, history = begun(archive), list[Any]()
        talk(window, history, 0, 5)
        kill(home.pid)
        for number in range(5, 12):
            history.append(user(number))
            window.apply(history)
            history.append(assistant(number))
        home.pids.add(home.pid)
        window.close()
        assert window.fault == ""
        assert archive.windows().windows[0].items == len(history) - 1


def test_what_cannot_be_archived_is_told_and_never_left_out(archive: Archive) -> None:
    odd: list[Any] = [message for number in range(6) for message in (user(number), assistant(number))]
    odd[4:4] = ["no object"]
    window = begun(archive)
    assert window.apply([*odd, user(6)]) == [*odd, user(6)]
    assert window.fault == "archive-invalid"
    with pytest.raises(Incomplete):
        begun(archive, "another", strict=True).apply([*odd, user(6)])
