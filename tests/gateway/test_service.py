"""Requests through the gateway, to a provider that does what a test tells it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.gateway.serving import SMALL, Stand
from tests.gateway.upstream import Asked
from tests.gateway.wire import COUNT, MESSAGES, answers, anthropic, body, run, talk


def test_a_short_conversation_reaches_the_provider_byte_for_byte_and_its_answer_comes_back_so(
    tmp_path: Path,
) -> None:
    async def check(stand: Stand) -> None:
        sent = json.dumps(body(talk(1)), indent=1).encode()
        answer = await stand.post(MESSAGES, sent, authorization="Bearer secret", **{"anthropic-beta": "x"})
        assert answer.content == b"".join(anthropic("The ", "answer.", tokens=len(sent) // 4))
        asked = stand.upstream.asked[0]
        assert (asked.method, asked.target, asked.body) == ("POST", "/v1/messages", sent)
        assert (asked.header("authorization"), asked.header("anthropic-beta")) == ("Bearer secret", "x")
        assert "x-unabridged-fault" not in answer.headers

    run(tmp_path, answers, check)


def test_all_that_was_said_is_archived_and_so_is_the_answer_under_the_key_it_comes_back_with(
    tmp_path: Path,
) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(1)))
        await stand.filed()
        raws = [json.loads(row.raw) for row in stand.memory.rows]
        assert raws[:3] == talk(1)
        assert (stand.memory.rows[3].origin, stand.memory.rows[3].message[:4]) == ("answer", "msg_")
        again = [*talk(1), {"role": "assistant", "content": [{"type": "text", "text": "The answer."}]}]
        await stand.post(MESSAGES, body([*again, {"role": "user", "content": "more"}]))
        await stand.filed()
        assert len(stand.memory.names) == 1
        assert [json.loads(row.raw)["role"] for row in stand.memory.rows[4:]] == ["user", "assistant"]

    run(tmp_path, answers, check)


def test_a_long_conversation_is_cut_once_it_is_durable_and_the_cut_stays(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12)))
        first = stand.sent()
        assert len(json.dumps(first)) < len(json.dumps(body(talk(12)))) / 2
        assert "question 0" not in json.dumps(first["messages"][1:])
        assert first["messages"][-1] == talk(12)[-1]
        await stand.filed()
        more = [
            *talk(12),
            {"role": "assistant", "content": "The answer."},
            {"role": "user", "content": "more"},
        ]
        await stand.post(MESSAGES, body(more))
        assert stand.sent()["messages"][: len(first["messages"])] == first["messages"]
        await stand.filed()
        told = stand.memory.requests[-1][1]
        assert (told.input, told.output) == (len(stand.upstream.asked[1].body) // 4, 9)
        assert (told.epoch, told.fault) == (1, "")
        assert told.whole > told.sent

    run(tmp_path, answers, check, limits=SMALL)


def test_a_count_is_of_the_window_that_will_be_sent_and_nothing_is_remembered_of_it(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        if "count_tokens" in asked.target:
            await asked.json(b'{"input_tokens": 1}')
        else:
            await answers(asked)

    async def check(stand: Stand) -> None:
        assert (await stand.post(COUNT, body(talk(12)))).json() == {"input_tokens": 1}
        assert stand.memory.names == {}
        await stand.post(MESSAGES, body(talk(12)))
        assert stand.sent(0)["messages"] == stand.sent(1)["messages"]
        assert len(stand.sent(0)["messages"]) < len(talk(12))

    run(tmp_path, act, check, limits=SMALL)


def test_all_other_paths_and_methods_pass_through_as_they_are(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        await asked.json(b'{"data": []}' if asked.method != "HEAD" else b"", "200 OK", "x-mine: 1")

    async def check(stand: Stand) -> None:
        answer = await stand.http.get(
            f"{stand.url}/v1/models?limit=1000&after_id=a%2Fb", headers={"x-own": "2"}
        )
        assert (answer.content, answer.headers["x-mine"]) == (b'{"data": []}', "1")
        asked = stand.upstream.asked[0]
        assert (asked.target, asked.header("x-own")) == ("/v1/models?limit=1000&after_id=a%2Fb", "2")
        await stand.http.put(f"{stand.url}/v1/files", content=b"x" * 3_000_000)
        assert (stand.upstream.asked[1].method, len(stand.upstream.asked[1].body)) == ("PUT", 3_000_000)
        assert (await stand.http.head(f"{stand.url}/")).status_code == 200

    run(tmp_path, act, check, body_bytes=1 << 20)


def test_overload_is_passed_on_with_all_that_it_says(tmp_path: Path) -> None:
    async def act(asked: Asked) -> None:
        await asked.json(b'{"type":"error"}', "529 Overloaded", "retry-after: 7", "x-should-retry: true")

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(1)))
        assert (answer.status_code, answer.content) == (529, b'{"type":"error"}')
        assert (answer.headers["retry-after"], answer.headers["x-should-retry"]) == ("7", "true")

    run(tmp_path, act, check)


def test_a_request_that_came_compressed_gets_its_window_and_a_short_one_stays_compressed(
    tmp_path: Path,
) -> None:
    async def check(stand: Stand) -> None:
        for coding, pack in (("zstd", zstandard.compress), ("gzip", gzip.compress)):
            short, long = (json.dumps(body(talk(turns, coding))).encode() for turns in (1, 12))
            how = {"content-encoding": coding}
            await stand.post(MESSAGES, pack(short), **how)
            assert stand.upstream.asked[-1].header("content-encoding") == coding
            await stand.post(MESSAGES, pack(long), **how)
            assert stand.upstream.asked[-1].header("content-encoding") == ""
            assert len(stand.sent()["messages"]) < len(talk(12))

    run(tmp_path, answers, check, limits=SMALL)


def test_an_answer_that_is_compressed_all_the_same_is_passed_on_and_read(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(anthropic("The ", "answer.")))

    async def act(asked: Asked) -> None:
        assert asked.header("accept-encoding") == "identity"
        length = f"content-length: {len(packed)}"
        await asked.head("200 OK", "content-type: text/event-stream", "content-encoding: gzip", length)
        await asked.say(packed)

    async def check(stand: Stand) -> None:
        answer = await stand.post(MESSAGES, body(talk(1)))
        assert b"The " in answer.content
        await stand.filed()
        assert b"The answer." in stand.memory.rows[-1].raw

    run(tmp_path, act, check)


def test_an_answer_that_is_not_streamed_is_archived_too(tmp_path: Path) -> None:
    said = {
        "id": "msg_2",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "Whole."}],
    }

    async def act(asked: Asked) -> None:
        await asked.json(json.dumps({**said, "usage": {"input_tokens": 5, "output_tokens": 2}}).encode())

    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(1), stream=False))
        await stand.filed()
        assert json.loads(stand.memory.rows[-1].raw)["content"] == said["content"]
        assert stand.memory.requests[-1][1].output == 2

    run(tmp_path, act, check)


@pytest.mark.parametrize(
    "marks", [{"context_management": {"edits": [{"type": "compact_20260112"}]}}, {"x": [1, None]}]
)
def test_what_a_request_asks_of_its_provider_beside_the_conversation_stays(
    tmp_path: Path, marks: Any
) -> None:
    async def check(stand: Stand) -> None:
        await stand.post(MESSAGES, body(talk(12), **marks))
        assert marks.items() <= stand.sent().items()

    run(tmp_path, answers, check, limits=SMALL)


def test_a_request_that_builds_on_what_its_provider_keeps_goes_out_as_it_came_and_is_archived(
    tmp_path: Path,
) -> None:
    async def act(asked: Asked) -> None:
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So."}]}
        answer = {"id": f"resp_{len(asked.body)}", "object": "response", "output": [item]}
        await asked.json(json.dumps(answer).encode())

    async def check(stand: Stand) -> None:
        first = await stand.post("/v1/responses", {"model": "gpt-5", "input": "hello", "store": True})
        more = {
            "model": "gpt-5",
            "previous_response_id": first.json()["id"],
            "input": [{"role": "user", "content": "on"}],
        }
        await stand.post("/v1/responses", more)
        assert stand.sent() == more
        await stand.filed()
        # The same words again are another message, as is the same answer to them.
        second = stand.memory.rows[-1].message
        await stand.post("/v1/responses", {**more, "previous_response_id": second})
        await stand.filed()
        texts = [row.raw for row in stand.memory.rows]
        words = (b"hello", b"So.", b'"on"', b"So.", b'"on"', b"So.")
        assert all(word in text for word, text in zip(words, texts, strict=True))
        assert len(stand.memory.names) == 1

    run(tmp_path, act, check)


def test_a_title_is_no_part_of_the_conversation_and_a_compaction_goes_out_whole(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        own = {"x-session-id": "s", "user-agent": "opencode/1.0"}
        title = [{"role": "user", "content": "Generate a title for this conversation:\n"}]
        await stand.post(MESSAGES, body(title), **own)
        await stand.post(MESSAGES, body(talk(12), tools=[{"name": "t"}]), **own)
        asking = [
            *talk(12),
            {"role": "user", "content": "Provide a detailed prompt for continuing our conversation"},
        ]
        await stand.post(MESSAGES, body(asking), **own)
        await stand.filed()
        assert {request.side for _, request in stand.memory.requests} == {"title", "", "compaction"}
        assert sorted(names.side for names in stand.memory.names.values()) == [False, True]
        assert not any(b"title" in row.raw or b"detailed prompt" in row.raw for row in stand.memory.rows)

    run(tmp_path, answers, check, limits=SMALL)


def test_a_connection_to_the_provider_is_used_again(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        for turns in range(1, 6):
            await stand.post(MESSAGES, body(talk(turns)))
        assert len({id(asked.writer) for asked in stand.upstream.asked}) == 1
        assert not any(record.get("reason") == "client-gone" for record in stand.logged())

    run(tmp_path, answers, check)


def test_a_conversation_with_a_past_is_filed_where_its_host_says_that_it_works(tmp_path: Path) -> None:
    async def check(stand: Stand) -> None:
        where = "Read files.\n\n<cwd>\n/home/me/project\n</cwd>"
        for session, turns in (("new", 0), ("forked", 3)):
            own = {"x-session-id": session, "user-agent": "pi/1.0"}
            await stand.post(MESSAGES, body(talk(turns), system=where, tools=[{"name": "t"}]), **own)
        await stand.filed()
        assert [names.cwd for names in stand.memory.names.values()] == ["/home/me/project"] * 2

    run(tmp_path, answers, check)
