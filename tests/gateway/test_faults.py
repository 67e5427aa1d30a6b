"""Whatever of ours fails, the agent is served: with the last cut, or with what it sent; and it is told."""

from __future__ import annotations

import asyncio
import json
import threading
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.gateway.memory import Memory
from tests.gateway.serving import LARGE, SMALL, Stand
from tests.gateway.upstream import Asked
from tests.gateway.wire import MESSAGES, answers, body, run, said, talk
from unabridged.errors import DaemonUnavailable, DiskLow, UnabridgedError
from unabridged.gateway import conversations, filing, longwork, windows
from unabridged.gateway.archive import Names, Opened, Told
from unabridged.window import execute
from unabridged.window.execute import Live, Row
from unabridged.window.providers.adapters import ANTHROPIC
from unabridged.window.providers.contract import Adapter, Problem, Request
from unabridged.window.providers.known import Known

FAULT = "x-unabridged-fault"


@pytest.mark.parametrize("error", [DaemonUnavailable(), DiskLow()])
def test_where_the_archive_cannot_be_written_nothing_is_left_out(
    tmp_path: Path, error: UnabridgedError
) -> None:
    async def check(stand: Stand) -> None:
        stand.memory.fault = error
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert stand.sent() == body(talk(12))
        assert answer.headers[FAULT] == error.code
        assert {record["reason"] for record in stand.logged() if record["event"] == "fault"} == {error.code}

    run(tmp_path, answers, check, limits=SMALL)


def test_where_the_archive_answers_and_does_not_say_what_it_keeps_nothing_is_left_out(tmp_path: Path) -> None:
    class Silent(Memory):
        async def capture(self, conversation: bytes, rows: Sequence[Row], time: str) -> Told:
            await super().capture(conversation, rows, time)
            return Told()

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert stand.sent() == body(talk(12))
        assert answer.headers[FAULT] == "archive-incomplete"

    run(tmp_path, answers, check, limits=SMALL, memory=Silent())


def test_where_the_archive_forgets_what_it_said_nothing_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(Live):
        """What takes an item of which it was told for one that is to be archived no more, and is not durable."""

        def told(self, durable: Iterable[str] = (), *given: Any, **named: Any) -> None:
            super().told((), *given, **named)

        def unsettled(self, rows: Iterable[Row]) -> list[Row]:
            return []

    monkeypatch.setattr(conversations, "Live", Forgetful)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert stand.sent() == body(talk(12))
        assert answer.headers[FAULT] == "archive-incomplete"

    run(tmp_path, answers, check, limits=SMALL)


def test_a_provider_that_cannot_answer_does_not_hide_a_fault_of_ours(tmp_path: Path) -> None:
    async def drops(asked: Asked) -> None:
        asked.drop()

    async def check(stand: Stand) -> None:
        stand.memory.fault = DiskLow()
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (answer.status_code, answer.headers[FAULT]) == (502, "disk-low")

    run(tmp_path, drops, check, limits=SMALL)


def test_where_the_archive_fails_later_the_last_cut_is_made_again_and_nothing_more(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        await stand.filed()
        first = stand.sent()["messages"]
        stand.memory.fault = DiskLow()
        said = {"role": "assistant", "content": "The answer."}
        more = [
            *talk(12),
            said,
            *talk(8, "later"),
            {"role": "assistant", "content": "x"},
            {"role": "user", "content": "y"},
        ]
        answer = await stand.post(MESSAGES, body(more))
        assert answer.headers[FAULT] == "disk-low"
        assert stand.sent()["messages"] == [*first, *more[len(talk(12)) :]]
        stand.memory.fault = None
        answer = await stand.post(MESSAGES, body(more))
        assert FAULT not in answer.headers
        assert len(stand.sent()["messages"]) < len(first) + 10

    run(tmp_path, answers, check, limits=SMALL)


def test_an_archive_that_hangs_is_waited_for_once_and_briefly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "WAIT_SECONDS", 0.05)

    async def check(stand: Stand) -> None:
        stand.memory.gate.clear()
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (stand.sent(), answer.headers[FAULT]) == (body(talk(12)), "archive-slow")
        monkeypatch.setattr(filing, "WAIT_SECONDS", 3600.0)
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (stand.sent(), answer.headers[FAULT]) == (body(talk(12)), "archive-ill")
        stand.memory.gate.set()
        await stand.filed()
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert FAULT not in answer.headers
        assert len(stand.sent()["messages"]) < len(talk(12))

    run(tmp_path, answers, check, limits=SMALL)


def test_an_archive_that_hangs_is_not_waited_for_where_nothing_is_to_be_left_out(tmp_path: Path) -> None:
    begun, on = talk(0), [*talk(0), *said("The answer.", "and then?")]

    async def check(stand: Stand) -> None:
        stand.memory.gate.clear()
        answer = await stand.post(MESSAGES, body(begun))
        assert (stand.sent(), FAULT in answer.headers) == (body(begun), False)
        stand.memory.gate.set()
        await stand.filed()
        stand.memory.gate.clear()
        answer = await stand.post(MESSAGES, body(on))
        assert (stand.sent(), FAULT in answer.headers) == (body(on), False)
        stand.memory.gate.set()
        await stand.filed()
        assert len(stand.memory.rows) == 4
        assert len(stand.memory.requests) == 2

    run(tmp_path, answers, check)


def test_a_planner_that_breaks_leaves_the_request_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError("of what was said")

    monkeypatch.setattr(execute, "sending", broken)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (stand.sent(), answer.headers[FAULT]) == (body(talk(12)), "planner")
        await stand.filed()
        assert stand.memory.requests[-1][1].fault == "planner"
        record = next(record for record in stand.logged() if record["level"] == "error")
        assert (record["event"], record["type"]) == ("window", "ZeroDivisionError")
        assert any("test_faults" in place for place in record["places"])
        assert "of what was said" not in str(stand.logged())

    run(tmp_path, answers, check, limits=SMALL)


def test_a_planner_that_breaks_later_leaves_the_last_window_and_all_that_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError("of what was said")

    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        window, more = stand.sent()["messages"], said("The answer.", "and then?")
        assert len(window) < len(talk(12))
        monkeypatch.setattr(execute, "sending", broken)
        answer = await stand.post(MESSAGES, body([*talk(12), *more]))
        assert answer.headers[FAULT] == "planner"
        assert stand.sent() == body([*window, *more])
        other = [*talk(3), *more]
        await stand.post(MESSAGES, body(other))
        assert stand.sent() == body(other)

    run(tmp_path, answers, check, limits=SMALL)


def test_anything_else_that_breaks_leaves_the_request_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError("of what was said")

    monkeypatch.setattr(windows, "beside", broken)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (stand.sent(), answer.headers[FAULT]) == (body(talk(12)), "internal-error")
        record = next(record for record in stand.logged() if record["level"] == "error")
        assert record["type"] == "ZeroDivisionError"
        assert "of what was said" not in json.dumps(record)

    run(tmp_path, answers, check, limits=SMALL)


def test_anything_else_that_breaks_later_leaves_the_last_window_and_all_that_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError("of what was said")

    async def check(stand: Stand) -> None:
        other = talk(12, "another")
        await stand.post(MESSAGES, body(other))
        await stand.post(MESSAGES, body(talk(12)))
        window, more = stand.sent()["messages"], said("The answer.", "and then?")
        await stand.post(MESSAGES, body(talk(3, "short")))
        monkeypatch.setattr(windows, "beside", broken)
        answer = await stand.post(MESSAGES, body([*talk(12), *more]))
        assert answer.headers[FAULT] == "internal-error"
        assert stand.sent() == body([*window, *more])
        never = talk(12, "never seen")
        await stand.post(MESSAGES, body(never))
        assert stand.sent() == body(never)
        monkeypatch.setattr(execute, "again", broken)
        monkeypatch.setattr(execute, "nearest", broken)
        await stand.post(MESSAGES, body([*talk(12), *more]))
        assert stand.sent() == body([*talk(12), *more])

    run(tmp_path, answers, check, limits=SMALL)


@pytest.mark.parametrize("away", [False, True])
def test_a_gateway_that_begins_anew_with_a_planner_that_breaks_makes_the_last_window_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, away: bool
) -> None:
    memory, found, more = Memory(), list[Any](), said("The answer.", "and then?")

    def broken(*_: object, **__: object) -> Any:
        raise ZeroDivisionError("of what was said")

    async def first(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        found.append(stand.sent()["messages"])

    async def second(stand: Stand) -> None:
        if away:
            memory.fault = DaemonUnavailable()
        monkeypatch.setattr(execute, "sending", broken)
        answer = await stand.post(MESSAGES, body([*talk(12), *more]))
        assert answer.headers[FAULT] == ("daemon-unavailable" if away else "planner")
        assert stand.sent() == body([*(talk(12) if away else found[0]), *more])

    run(tmp_path, answers, first, limits=SMALL, memory=memory)
    run(tmp_path, answers, second, limits=SMALL, memory=memory)


def test_settings_that_leave_no_window_leave_the_last_one_and_all_that_came_since(tmp_path: Path) -> None:
    told = [(SMALL, "")]

    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        window, more = stand.sent()["messages"], said("The answer.", "and then?")
        told[0] = (msgspec.structs.replace(SMALL, enabled=False), "invalid-setting")
        answer = await stand.post(MESSAGES, body([*talk(12), *more]))
        assert answer.headers[FAULT] == "invalid-setting"
        assert stand.sent() == body([*window, *more])
        other = talk(4, "other")
        await stand.post(MESSAGES, body(other))
        assert stand.sent() == body(other)

    run(tmp_path, answers, check, bounds=lambda *_: told[0])


def test_a_conversation_that_was_forgotten_here_goes_on_with_the_window_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "MOST_BYTES", 1)

    async def check(stand: Stand) -> None:
        begun, long = dict[str, Any](), {name: talk(12, name) for name in ("one", "two", "three")}
        for _ in range(3):
            for name in long:
                answer = await stand.post(MESSAGES, body(long[name]))
                assert FAULT not in answer.headers
                await stand.filed()
                window = stand.sent()["messages"]
                assert window[: len(begun.get(name, ()))] == begun.get(name, [])
                assert len(window) < len(long[name])
                begun[name] = window
                long[name] = [*long[name], *said("The answer.", "and then?")]
        assert len(stand.memory.names) == 3

    run(tmp_path, answers, check, limits=SMALL)


def test_a_window_that_the_provider_would_refuse_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problems(_: object, sent: bytes) -> tuple[Problem, ...]:
        return (Problem("first-role", "0"),) if len(json.loads(sent)["messages"]) < 20 else ()

    monkeypatch.setattr(type(ANTHROPIC), "problems", problems)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert (stand.sent(), answer.headers[FAULT]) == (body(talk(12)), "refused")

    run(tmp_path, answers, check, limits=SMALL)


@pytest.mark.parametrize(
    ("stored", "code", "kept"), [(b"\x01no state", "corrupt", True), (b"\xff", "store-too-new", False)]
)
def test_a_stored_window_that_cannot_be_read_is_told_and_a_newer_one_is_not_written_over(
    tmp_path: Path, stored: bytes, code: str, kept: bool
) -> None:
    memory = Memory()

    async def first(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(2)))
        await stand.filed()

    async def second(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert answer.headers[FAULT] == code
        assert len(stand.sent()["messages"]) < len(talk(12))
        assert FAULT not in (await stand.post(MESSAGES, body(talk(12)))).headers
        await stand.filed()
        assert (list(memory.states.values()) != [stored]) is kept

    run(tmp_path, answers, first, memory=memory)
    memory.states = dict.fromkeys(memory.states, stored)
    run(tmp_path, answers, second, limits=SMALL, memory=memory)


def test_a_gateway_that_begins_anew_makes_the_cut_that_the_last_one_made(tmp_path: Path) -> None:
    memory, found = Memory(), list[Any]()

    async def first(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        await stand.filed()
        found.append(stand.sent()["messages"])

    async def second(stand: Stand) -> None:
        await stand.post(
            MESSAGES,
            body([*talk(12), *said("x", "y")]),
        )
        assert stand.sent()["messages"][: len(found[0])] == found[0]

    run(tmp_path, answers, first, limits=SMALL, memory=memory)
    run(tmp_path, answers, second, limits=SMALL, memory=memory)


def test_a_cut_that_a_person_asked_for_is_made_again_by_a_gateway_that_begins_anew(tmp_path: Path) -> None:
    memory, found = Memory(), list[Any]()
    more = [*talk(12), *said("x", "y")]

    async def first(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        await stand.filed()
        memory.forced = set(memory.names)
        await stand.post(MESSAGES, body(talk(12)))
        await stand.filed()
        await stand.post(MESSAGES, body(more))
        await stand.filed()
        found.append(stand.sent())
        assert len(found[0]["messages"]) < len(more)

    async def second(stand: Stand) -> None:
        await stand.post(MESSAGES, body(more))
        assert stand.sent() == found[0]

    run(tmp_path, answers, first, memory=memory)
    run(tmp_path, answers, second, memory=memory)


def test_an_archive_that_begins_slowly_is_waited_for_where_a_provider_would_refuse_all_that_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "WAIT_SECONDS", 0.01)

    async def check(stand: Stand) -> None:
        stand.memory.gate.clear()
        asked = asyncio.create_task(stand.post(MESSAGES, body(talk(24))))
        await asyncio.sleep(0.1)
        assert not stand.upstream.asked
        stand.memory.gate.set()
        assert FAULT not in (await asked).headers
        assert len(stand.sent()["messages"]) < len(talk(24))

    run(tmp_path, answers, check, limits=SMALL)


def test_a_rotation_that_was_asked_for_is_made_once_and_can_be_asked_for_again(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        epochs, messages = list[int](), talk(4)
        for number in range(6):
            if number % 2:
                stand.memory.forced = set(stand.memory.names)
            await stand.post(MESSAGES, body(messages))
            await stand.filed()
            epochs.append(stand.memory.requests[-1][1].epoch)
            messages += said("The answer.", f"and {number}?" + "word " * 300)
        assert epochs == [0, 0, 1, 1, 2, 2]

    few = msgspec.structs.replace(LARGE, retain_turns=1)
    run(tmp_path, answers, check, limits=few)


def test_bytes_that_are_no_request_go_out_as_they_are(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        for odd in (
            b"",
            b"{",
            b"\xff\xfe",
            b"[" * 100_000,
            b'{"messages": 7}',
            b'{"messages": [{}, 3, null]}',
        ):
            await stand.post(MESSAGES, odd)
            assert stand.upstream.asked[-1].body == odd

    run(tmp_path, answers, check, limits=SMALL)


def test_many_requests_of_one_conversation_at_once_are_all_served(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        found = await asyncio.gather(*(stand.post(MESSAGES, body(talk(12))) for _ in range(10)))
        assert {answer.status_code for answer in found} == {200}
        assert len({asked.body for asked in stand.upstream.asked}) == 1
        await stand.filed()
        assert len(stand.memory.rows) == len(talk(12)) + 1

    run(tmp_path, answers, check, limits=SMALL)


def test_what_waits_for_the_archive_is_bounded_and_one_long_conversation_is_not_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "MOST_HELD", 100)

    async def check(stand: Stand) -> None:
        assert FAULT not in (await stand.post(MESSAGES, body(talk(12)))).headers
        assert len(stand.sent()["messages"]) < len(talk(12))
        await stand.filed()
        stand.memory.gate.clear()
        for word in ("one", "two", "three"):
            await stand.post(MESSAGES, body(talk(1, word)))
        assert stand.filing.held < 3_000
        stand.memory.gate.set()

    run(tmp_path, answers, check, limits=SMALL)


def test_with_an_archive_that_hangs_all_that_waits_for_it_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "MOST_HELD", 2 << 20)
    monkeypatch.setattr(windows, "KNOWN_BYTES", 64 << 10)  # what is kept to spare work has a bound of its own
    monkeypatch.setattr(filing, "WAIT_SECONDS", 0.01)
    count, size = 24, 1 << 20

    async def check(stand: Stand) -> None:
        stand.memory.gate.clear()
        tracemalloc.start()
        for number in range(count):
            long = {"role": "user", "content": f"{number} " + "w" * size}
            await stand.post(MESSAGES, body([long]))
            await stand.post(MESSAGES, body([long, *said("w" * size, "more")]))
            assert stand.filing.held <= 2 << 20
            stand.upstream.asked.clear()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert kept < 10 << 20  # of 72 MiB that passed
        stand.memory.gate.set()
        await stand.filed()
        assert stand.filing.held == 0
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert FAULT not in answer.headers

    run(tmp_path, answers, check)


def test_a_request_waits_for_the_archive_once_whatever_it_asks_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = list[float | None]()
    wait = asyncio.wait

    async def watched(tasks: Any, *, timeout: float | None = None, **how: Any) -> Any:
        waited.append(timeout)
        return await wait(tasks, timeout=timeout, **how)

    class Slow(Memory):
        async def open(self, names: Names, keys: Sequence[str]) -> Opened:
            await asyncio.sleep(0.3)
            return await super().open(names, keys)

    monkeypatch.setattr(filing.asyncio, "wait", watched)

    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        asked = [seconds for seconds in waited if seconds is not None]
        assert len(asked) == 2
        assert asked[1] <= asked[0] - 0.3

    large = msgspec.structs.replace(SMALL, hard=100_000, window=100_000)
    run(tmp_path, answers, check, limits=large, memory=Slow())


def test_what_the_archive_cannot_keep_is_told_and_never_left_out(tmp_path: Path) -> None:
    odd: Any = "no object"

    async def check(stand: Stand) -> None:
        for at in (9, 4):
            messages: list[Any] = talk(12, f"of {at}")
            messages.insert(at, odd)
            for _ in range(2):
                answer = await stand.post(MESSAGES, body(messages))
                assert answer.headers[FAULT] == "archive-invalid"
                assert stand.sent() == body(messages)
                await stand.filed()
            assert stand.memory.requests[-1][1].fault == "archive-invalid"
        captured = stand.memory.captures
        assert {record["reason"] for record in stand.logged() if record["event"] == "fault"} == {
            "archive-invalid"
        }
        await stand.post(MESSAGES, body(messages))
        await stand.filed()
        assert stand.memory.captures == captured  # it is not sent again

    run(tmp_path, answers, check, limits=SMALL)


@pytest.mark.parametrize(("lost", "fault"), [(1, None), (2, None), (100, "archive-incomplete")])
def test_what_the_archive_misses_of_an_item_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int, fault: str | None
) -> None:
    monkeypatch.setattr(execute, "SLICE_BYTES", 200)
    monkeypatch.setattr(execute.sliced, "__defaults__", (200,))

    async def check(stand: Stand) -> None:
        stand.memory.losing = lost
        answer = await stand.post(MESSAGES, body(talk(12)))
        assert answer.headers.get(FAULT) == fault
        assert (len(stand.sent()["messages"]) < len(talk(12))) is (fault is None)
        await stand.filed()
        if fault is None:
            (known,) = stand.memory.items.values()
            kept = [json.loads(raw) for raw in known.values()]
            assert all(message in kept for message in talk(12))

    run(tmp_path, answers, check, limits=SMALL)


def test_a_long_request_that_is_worked_on_delays_no_other_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, served, whole, waited = threading.Event(), threading.Event(), windows.whole, list[bool]()
    monkeypatch.setattr(longwork, "LONG_BYTES", 64 << 10)

    def long_work(adapter: Adapter, content: bytes, known: Known) -> Request:
        if len(content) > 64 << 10:
            begun.set()
            waited.append(served.wait(20))
        return whole(adapter, content, known)

    monkeypatch.setattr(windows, "whole", long_work)

    async def check(stand: Stand) -> None:
        long = [*talk(200), *said("x", "more")]
        longs = [asyncio.create_task(stand.post(MESSAGES, body(long))) for _ in range(3)]
        await asyncio.to_thread(begun.wait)
        await stand.post(MESSAGES, body(talk(1)))
        served.set()
        for answer in await asyncio.gather(*longs):
            assert answer.status_code == 200
        assert waited == [True, True, True]

    run(tmp_path, answers, check)
