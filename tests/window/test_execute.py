"""A window carried out: nothing leaves that was not told durable, and every fault leaves something to send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from unabridged.schema.windows import address_of
from unabridged.window import execute
from unabridged.window.execute import (
    ARCHIVE,
    INCOMPLETE,
    INVALID,
    NOT_UNDERSTOOD,
    PLANNER,
    REFUSED,
    Live,
    Row,
    account,
    answered,
    batches,
    following,
    sliced,
)
from unabridged.window.identity import chain, conversation_id
from unabridged.window.limits import Limits
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Problem
from unabridged.window.providers.usage import Usage

SMALL = Limits(window=4_000, rotation=1_000, hard=2_000, rotation_turns=6, retain_turns=2)


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def talk(turns: int) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for number in range(turns):
        found += [
            message("user", f"question {number} " + "word " * 40),
            message("assistant", f"answer {number}"),
        ]
    return [*found, message("user", "and now?")]


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "claude-x", "max_tokens": 10, "messages": messages}).encode()


def rows_of(live: Live, sent: bytes) -> list[Row]:
    return live.missing(ANTHROPIC.read(sent))


def test_every_item_that_is_not_archived_is_to_be_captured_as_it_is_on_the_wire() -> None:
    live, sent = Live(), body(talk(1))
    rows = rows_of(live, sent)
    assert [json.loads(row.raw) for row in rows] == talk(1)
    live.told([rows[0].key], [rows[1].key])
    assert [row.key for row in rows_of(live, sent)] == [rows[2].key]


def test_nothing_leaves_before_it_was_told_durable() -> None:
    live, sent = Live(), body(talk(9))
    kept = live.prepare(ANTHROPIC, sent, SMALL)
    assert (kept.body, kept.fault) == (sent, "")
    assert kept.sending.plan
    assert kept.sending.plan.archive
    live.told(row.key for row in rows_of(live, sent))
    cut = live.prepare(ANTHROPIC, sent, SMALL)
    assert len(cut.body) < len(sent)
    assert b"question 0" not in json.loads(cut.body)["messages"][1]["content"].encode()
    live.under_way(cut)
    assert live.prepare(ANTHROPIC, sent, SMALL).body == cut.body


def test_why_a_request_goes_out_longer_than_planned_is_told() -> None:
    live, sent = Live(), body(talk(9))
    rows = rows_of(live, sent)
    assert live.held_up(live.prepare(ANTHROPIC, sent, SMALL)) == INCOMPLETE
    assert live.unsettled(rows) == rows
    wanted = live.prepare(ANTHROPIC, sent, SMALL).sending.plan
    assert wanted
    live.told(invalid=[wanted.archive[0].key])
    assert live.held_up(live.prepare(ANTHROPIC, sent, SMALL)) == INVALID
    live.told(erased=[rows[-1].key])
    live.told(row.key for row in rows)
    assert live.unsettled(rows) == []
    assert live.held_up(live.prepare(ANTHROPIC, body(talk(0)), SMALL)) == ""


def test_a_request_that_is_none_passes_and_says_so() -> None:
    made = Live().prepare(ANTHROPIC, b"no request", SMALL)
    assert (made.body, made.fault) == (b"no request", NOT_UNDERSTOOD)
    assert account(made, SMALL).fault == NOT_UNDERSTOOD


def test_a_planner_that_breaks_leaves_the_request_as_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(execute, "sending", broken)
    live = Live()
    made = live.prepare(ANTHROPIC, body(talk(9)), SMALL)
    assert (made.body, made.fault) == (body(talk(9)), PLANNER)
    live.under_way(made)
    assert live.state == Live().state


def test_a_planner_that_breaks_on_a_new_cut_makes_the_last_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live()
    live.told(row.key for row in rows_of(live, body(talk(9))))
    live.under_way(live.prepare(ANTHROPIC, body(talk(9)), SMALL))
    real = execute.sending

    def fragile(adapter: Any, sent: Any, state: Any, limits: Any, durable: Any, *rest: Any) -> Any:
        if durable:
            raise ZeroDivisionError
        return real(adapter, sent, state, limits, durable, *rest)

    monkeypatch.setattr(execute, "sending", fragile)
    longer = body([*talk(9), message("assistant", "so"), message("user", "more")])
    made = live.prepare(ANTHROPIC, longer, SMALL)
    assert made.fault == PLANNER
    assert made.sending.plan
    assert made.sending.plan.state.cut == live.state.cut
    assert len(made.body) < len(longer)


def test_a_window_that_the_provider_would_refuse_is_told_as_a_fault() -> None:
    class Strict(type(ANTHROPIC)):
        def problems(self, body: bytes) -> tuple[Problem, ...]:
            return (Problem("first-role", "0"),) if len(json.loads(body)["messages"]) < 10 else ()

    live, adapter = Live(), Strict()
    live.told(row.key for row in rows_of(live, body(talk(9))))
    made = live.prepare(adapter, body(talk(9)), SMALL)
    assert (made.body, made.fault) == (body(talk(9)), REFUSED)


def test_an_erased_item_is_neither_archived_again_nor_cut() -> None:
    live, sent = Live(), body(talk(9))
    rows = rows_of(live, sent)
    live.told((row.key for row in rows), [rows[0].key])
    assert rows_of(live, sent) == []
    assert b"question 0 word" in live.prepare(ANTHROPIC, sent, SMALL).body


def test_a_rotation_that_was_asked_for_is_made_with_the_next_request() -> None:
    live, sent = Live(), body(talk(3))
    live.told((row.key for row in rows_of(live, sent)), forced=True)
    made = live.prepare(ANTHROPIC, sent, SMALL)
    assert made.sending.plan
    assert made.sending.plan.rotated
    live.under_way(made)
    assert not live.state.forced


def test_a_rotation_that_was_made_is_not_made_again_before_the_archive_heard_of_it() -> None:
    live, sent = Live(), body(talk(3))
    live.told((row.key for row in rows_of(live, sent)), forced=True)
    live.under_way(live.prepare(ANTHROPIC, sent, SMALL))
    live.told(forced=True)
    assert not live.state.forced
    live.saved()
    live.told(forced=True)
    assert live.state.forced


def test_while_the_archive_does_not_answer_nothing_more_leaves() -> None:
    live = Live()
    live.told(row.key for row in rows_of(live, body(talk(9))))
    live.under_way(live.prepare(ANTHROPIC, body(talk(9)), SMALL))
    longer = body([*talk(9), *talk(9)])
    live.told(row.key for row in rows_of(live, longer))
    frozen = live.prepare(ANTHROPIC, longer, SMALL, frozen=True)
    assert frozen.sending.plan
    assert frozen.sending.plan.state.cut == live.state.cut
    further = live.prepare(ANTHROPIC, longer, SMALL)
    assert further.sending.plan
    assert further.sending.plan.state.cut != live.state.cut


@given(some.text(min_size=0, max_size=200), some.integers(min_value=4, max_value=50))
def test_slices_are_whole_characters_and_make_the_item_again(text: str, most: int) -> None:
    raw = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")
    found = list(sliced(Row("k", raw), most))
    assert b"".join(row.raw for row in found) == raw
    assert [row.part for row in found] == list(range(len(found)))
    assert [row.more for row in found] == [True] * (len(found) - 1) + [False]
    for row in found:
        row.raw.decode()
        assert len(row.raw) <= most


def test_batches_keep_order_and_stay_within_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "BATCH_BYTES", 10)
    rows = [Row(str(number), b"1234") for number in range(5)]
    found = list(batches([*rows, Row("large", b"x" * 100)]))
    assert [len(batch) for batch in found] == [2, 2, 1, 1]
    assert [row for batch in found for row in batch][:5] == rows
    assert list(batches([])) == []


@pytest.mark.parametrize(
    ("adapter", "member", "answer"),
    [
        (ANTHROPIC, "messages", message("assistant", "answer 0")),
        (CHAT, "messages", message("assistant", "answer 0")),
        (RESPONSES, "input", message("assistant", "answer 0")),
    ],
)
def test_an_answer_has_the_key_that_it_has_when_it_is_sent_back(
    adapter: Any, member: str, answer: dict[str, Any]
) -> None:
    asked = [*talk(1), message("assistant", "answer 1"), message("user", "again")]
    first = adapter.read(json.dumps({"model": "m", member: asked}).encode())
    rows = answered(adapter, first.conversation.keys, member, [json.dumps(answer).encode()], "msg_1")
    second = adapter.read(json.dumps({"model": "m", member: [*asked, answer]}).encode())
    assert [row.key for row in rows] == [second.conversation.items[-1].key]
    assert rows[0].key.endswith("-2")
    assert (rows[0].origin, rows[0].message, json.loads(rows[0].raw)) == ("answer", "msg_1", answer)
    assert answered(adapter, first.conversation.keys, member, [b"{"], "msg_2") == []


def test_items_that_follow_are_numbered_on() -> None:
    request = ANTHROPIC.read(body([message("user", "ok")] * 3))
    items = ANTHROPIC.read(body([message("user", "ok"), message("user", "new")])).conversation.items
    assert [item.key.partition("-")[2] for item in following(request.conversation.keys, items)] == ["4", ""]


def test_an_account_has_what_was_sent_what_would_have_been_and_what_was_reported() -> None:
    live, sent = Live(), body(talk(9))
    live.told(row.key for row in rows_of(live, sent))
    made = live.prepare(ANTHROPIC, sent, SMALL)
    found = account(made, SMALL, Usage(1, 2, 3, 4))
    assert (found.model, found.epoch, found.rotated) == ("anthropic/claude-x", 1, True)
    assert 0 < found.sent < found.whole
    assert (found.input, found.cache_read, found.cache_write, found.output) == (1, 2, 3, 4)
    assert (found.limit, found.hard, found.window) == (1_000, 2_000, 4_000)
    assert found.users == 1
    assert found.cut > 0
    assert found.notices[0] == ("rotated", "a new epoch: 10/6 turns")


def test_what_a_provider_counts_corrects_the_estimates() -> None:
    live, sent = Live(), body(talk(9))
    made = live.prepare(ANTHROPIC, sent, Limits())
    assert made.sending.plan
    live.under_way(made)
    live.reported(made, Usage(input=made.sending.plan.estimate * 2))
    assert live.state.calibration.factor == pytest.approx(2.0)
    assert live.state.calibration.reports == 1


def test_a_conversation_is_called_by_host_session_and_chain() -> None:
    main = conversation_id("claude-code", "s")
    assert (len(main), main) == (16, conversation_id("claude-code", "s", ""))
    assert len({main, conversation_id("claude-code", "s", "k"), conversation_id("codex", "s")}) == 3
    assert address_of(main) == f"window:{main.hex()[:12]}"
    assert chain(ANTHROPIC.read(body(talk(1))).conversation)
    assert ARCHIVE == "archive"
