"""Offered tools through a running gateway: what the client gets, what the provider gets, what is filed."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.gateway.offered.provider import PROVIDERS, Block
from tests.gateway.serving import LARGE, SMALL, Stand, standing
from tests.gateway.upstream import Asked
from unabridged.errors import DaemonUnavailable
from unabridged.gateway.offered import offering, offers, toolloop
from unabridged.gateway.offered.answer import FAILED

SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
READ: Block = ("call", "read", '{"path":"a"}')
FORMS = sorted(PROVIDERS)
both = pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
forms = pytest.mark.parametrize("form", FORMS)
HIT = {
    "handle": "h1",
    "time": "2026-11-30T10:00:00Z",
    "kind": "text",
    "band": "high",
    "host": "pi",
    "session": "s" * 32,
    "snippet": "the port is 80",
    "document": "ab" * 20,
}


class Daemon:
    """Answers searches, and keeps what was asked as the archive does."""

    def __init__(self) -> None:
        self.kept = dict[str, dict[str, Any]]()
        self.searches = 0
        self.gone = False
        self.keeps = True

    async def __call__(self, op: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if self.gone:
            raise DaemonUnavailable
        if op == "search":
            self.searches += 1
            return {"status": "resolved", "hits": [HIT], "next": ""}
        assert op == "window.asked"
        for seed in params.get("drop", ()):
            self.kept.pop(seed, None)
        for row in params.get("put", ()) if self.keeps else ():
            self.kept[row["seed"]] = row
        return {"rows": list(self.kept.values())}


class Script:
    """A provider that gives answers in turn."""

    def __init__(self, form: str, *, streamed: bool, coded: bool = False) -> None:
        self.provider = PROVIDERS[form]()
        self.streamed, self.coded = streamed, coded
        self.answers = list[Sequence[Block] | bytes]()

    async def act(self, asked: Asked) -> None:
        answer = self.answers.pop(0)
        if isinstance(answer, bytes):
            await asked.json(answer, "529 Overloaded")
            return
        prompt = 1_000 + len(asked.body)
        if not self.streamed:
            body = self.provider.whole(answer, prompt=prompt)
            if self.coded:
                await asked.json(gzip.compress(body), "200 OK", "content-encoding: gzip")
            else:
                await asked.json(body)
            return
        stream = self.provider.stream(answer, prompt=prompt)
        await asked.stream(*(stream[at : at + 97] for at in range(0, len(stream), 97)))


def run(
    folder: Path,
    form: str,
    script: Callable[[Stand, Script, Daemon], Awaitable[None]],
    *,
    streamed: bool = True,
    coded: bool = False,
    **more: Any,
) -> None:
    async def inside() -> None:
        made, daemon = Script(form, streamed=streamed, coded=coded), Daemon()
        async with standing(folder, made.act, operation=daemon, **more) as stand:
            await script(stand, made, daemon)

    asyncio.run(inside())


async def ask(stand: Stand, script: Script, history: list[Any], **more: Any) -> Any:
    body = script.provider.request(history, stream=script.streamed, **more)
    answer = await stand.post(script.provider.path, body)
    assert answer.status_code == 200
    await stand.filed()
    return script.provider.seen(answer.content, streamed=script.streamed)


@forms
@both
def test_a_model_searches_and_the_client_sees_one_answer(tmp_path: Path, form: str, streamed: bool) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [
            [("text", "Let me look."), SEARCH],
            [("text", "It is 80."), READ],
            [("text", "Done.")],
        ]
        provider, history = made.provider, [made.provider.user("What port?")]
        seen = await ask(stand, made, history)
        assert provider.shown(seen) == [("text", "Let me look."), ("text", "It is 80."), ("call", "read")]
        assert daemon.searches == 1
        assert "the port is 80" in stand.upstream.asked[1].body.decode()
        history += [*seen["history"], *provider.results(seen)]
        await ask(stand, made, history)
        before, after = (json.loads(one.body)[provider.name] for one in stand.upstream.asked[1:3])
        assert after[: len(before) - 1] == before[:-1]
        assert json.dumps(after).count("the port is 80") == 1
        # Every request of the two has the tools, byte for byte.
        tools = {json.dumps(json.loads(one.body)["tools"]) for one in stand.upstream.asked}
        assert len(tools) == 1
        # What was asked of the archive is no part of the conversation that is archived.
        archived = b"".join(row.raw for row in stand.memory.rows)
        assert b"It is 80." in archived
        assert b"unabridged_" not in archived
        # Both of the provider's answers are counted.
        accounts = [account for _, account in stand.memory.requests]
        prompts = [1_000 + len(one.body) for one in stand.upstream.asked]
        assert accounts[0].input + accounts[0].cache_read == prompts[0] + prompts[1]
        assert accounts[0].output == 20

    run(tmp_path / "x", form, script, streamed=streamed)


@forms
def test_after_a_restart_of_the_gateway_the_history_is_the_same(tmp_path: Path, form: str) -> None:
    sent, kept, history = list[bytes](), dict[str, Any](), list[Any]()

    async def first(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[SEARCH], [("text", "It is 80."), READ], [("text", "Done.")]]
        history.append(made.provider.user("What port?"))
        seen = await ask(stand, made, history)
        history.extend([*seen["history"], *made.provider.results(seen)])
        await ask(stand, made, history)
        sent.append(stand.upstream.asked[-1].body)
        kept.update(daemon.kept)

    async def second(stand: Stand, made: Script, daemon: Daemon) -> None:
        daemon.kept.update(kept)
        made.answers = [[("text", "Done.")]]
        await ask(stand, made, history)
        sent.append(stand.upstream.asked[-1].body)

    run(tmp_path / "x", form, first)
    run(tmp_path / "y", form, second)
    assert sent[0] == sent[1]


@forms
def test_what_quotes_an_erased_passage_is_forgotten_while_the_gateway_runs(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "FRESH_SECONDS", 0.0)

    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[SEARCH], [("text", "It is 80.")], [("text", "One.")], [("text", "Two.")]]
        history = [made.provider.user("What port?")]
        history += (await ask(stand, made, history))["history"]
        history.append(made.provider.user("And?"))
        history += (await ask(stand, made, history))["history"]
        assert "the port is 80" in stand.upstream.asked[2].body.decode()
        daemon.kept.clear()
        history.append(made.provider.user("And now?"))
        await ask(stand, made, history)
        assert "the port is 80" not in stand.upstream.asked[3].body.decode()

    run(tmp_path / "x", form, script)


@forms
def test_what_the_archive_cannot_keep_is_known_as_long_as_the_gateway_runs(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "FRESH_SECONDS", 0.0)

    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        daemon.keeps = False
        made.answers = [[SEARCH], [("text", "It is 80.")], [("text", "One.")]]
        history = [made.provider.user("What port?")]
        history += (await ask(stand, made, history))["history"]
        history.append(made.provider.user("And?"))
        await ask(stand, made, history)
        assert "the port is 80" in stand.upstream.asked[2].body.decode()

    run(tmp_path / "x", form, script)


@forms
def test_without_a_daemon_the_model_is_told_so_and_the_agent_goes_on(tmp_path: Path, form: str) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        daemon.gone = True
        made.answers = [[SEARCH], [("text", "I do not know.")], [("text", "Well.")]]
        history = [made.provider.user("What port?")]
        seen = await ask(stand, made, history)
        assert made.provider.shown(seen) == [("text", "I do not know.")]
        assert "daemon-unavailable" in stand.upstream.asked[1].body.decode()
        history += [*seen["history"], made.provider.user("And?")]
        await ask(stand, made, history)
        assert "daemon-unavailable" in stand.upstream.asked[2].body.decode()

    run(tmp_path / "x", form, script)


@forms
def test_an_overloaded_provider_between_two_answers_is_told_to_the_client(tmp_path: Path, form: str) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[("text", "Let me look."), SEARCH], made.provider.error]
        seen = await ask(stand, made, [made.provider.user("What port?")])
        assert "too busy" in json.dumps(seen["error"])

    run(tmp_path / "x", form, script)


@forms
def test_an_answer_that_is_compressed_all_the_same_is_read(tmp_path: Path, form: str) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[SEARCH], [("text", "It is 80.")]]
        seen = await ask(stand, made, [made.provider.user("What port?")])
        assert made.provider.shown(seen) == [("text", "It is 80.")]

    run(tmp_path / "x", form, script, streamed=False, coded=True)


@forms
def test_a_refusal_of_the_provider_passes_as_it_is(tmp_path: Path, form: str) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [made.provider.error]
        body = made.provider.request([made.provider.user("What port?")], stream=True)
        answer = await stand.post(made.provider.path, body)
        assert (answer.status_code, answer.content) == (529, made.provider.error)

    run(tmp_path / "x", form, script)


@pytest.mark.parametrize("limits", [SMALL, LARGE], ids=["small", "large"])
@forms
def test_a_long_conversation_with_searches_keeps_its_pairs(tmp_path: Path, form: str, limits: Any) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        history = list[Any]()
        for turn in range(14):
            history.append(made.provider.user(f"Question {turn}? " + "word " * 60))
            made.answers = [[("text", f"Look {turn}."), SEARCH], [("text", f"It is {turn}.")]]
            seen = await ask(stand, made, history)
            history += seen["history"]
            said = [words for _, words in made.provider.told(stand.upstream.asked[-1].body)]
            calls = [at for at, words in enumerate(said) if words == "call unabridged_search"]
            assert calls
            assert all(said[at + 1].startswith("result") for at in calls)
            assert all(said[at - 1].startswith("Look ") for at in calls)
        assert daemon.searches == 14
        if limits is SMALL:
            assert len(calls) < 8

    run(tmp_path / "x", form, script, limits=limits)


def test_a_counted_request_is_counted_with_the_tools(tmp_path: Path) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.streamed = False
        made.answers = [[("text", "3")]]
        await stand.post(
            "/v1/messages/count_tokens", made.provider.request([made.provider.user("What port?")])
        )
        assert len(stand.sent()["tools"]) == 4

    run(tmp_path / "x", "anthropic", script)


def test_a_client_that_goes_in_the_middle_ends_what_is_asked_for_it(tmp_path: Path) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        hold = asyncio.Event()

        async def act(asked: Asked) -> None:
            if len(stand.upstream.asked) == 1:
                stream = made.provider.stream([("text", "Let me look."), SEARCH])
                await asked.stream(stream)
                return
            await asked.head("200 OK", "content-type: text/event-stream", "transfer-encoding: chunked")
            await asked.reader.read()
            hold.set()

        stand.upstream.act = act
        body = made.provider.request([made.provider.user("What port?")], stream=True)
        async with stand.http.stream("POST", stand.url + made.provider.path, json=body) as answer:
            async for _ in answer.aiter_bytes():
                while len(stand.upstream.asked) < 2:
                    await asyncio.sleep(0.01)
                break
        await asyncio.wait_for(hold.wait(), 10)

    run(tmp_path / "x", "anthropic", script)


@forms
@both
def test_what_fails_of_ours_in_an_answer_is_told_and_the_agent_goes_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, streamed: bool
) -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError("of what was said")

    monkeypatch.setattr(toolloop, "appended", broken)

    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[("text", "Let me look."), SEARCH], [("text", "It is 80."), READ]]
        provider, history = made.provider, [made.provider.user("What port?")]
        body = provider.request(history, stream=streamed)
        answer = await stand.post(provider.path, body)
        await stand.filed()
        assert answer.headers.get("x-unabridged-fault") == (None if streamed else "internal-error")
        seen = provider.seen(answer.content, streamed=streamed)
        assert seen["stop"] == provider.ends
        assert provider.shown(seen)[-1] == ("text", FAILED)
        assert stand.memory.requests[-1][1].fault == "internal-error"
        faults = [record for record in stand.logged() if record["event"] in ("fault", "offered")]
        assert {record.get("reason") or record["type"] for record in faults} == {
            "internal-error",
            "ZeroDivisionError",
        }
        assert "of what was said" not in str(stand.logged())
        # It is not tried again: the next answer is the provider's own.
        history += [*seen["history"], provider.user("And?")]
        answer = await stand.post(provider.path, provider.request(history, stream=streamed))
        assert b"unabridged_" not in stand.upstream.asked[-1].body
        assert "x-unabridged-fault" not in answer.headers

    run(tmp_path / "x", form, script, streamed=streamed)


@forms
def test_tools_that_cannot_be_offered_leave_the_window_as_it_is_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError("of what was said")

    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[("text", f"It is {number}.")] for number in range(9)]
        provider, history = made.provider, list[Any]()
        for number in range(8):
            history.append(provider.user(f"Question {number}? " + "word " * 150))
            if number == 7:
                monkeypatch.setattr(offering, "with_tools", broken)
            answer = await stand.post(provider.path, provider.request(history, stream=True))
            history += provider.seen(answer.content, streamed=True)["history"]
            await stand.filed()
        assert answer.headers["x-unabridged-fault"] == "planner"
        assert b"unabridged_" not in stand.upstream.asked[-1].body.replace(b"unabridged_recall", b"")
        assert len(json.loads(stand.upstream.asked[-1].body)[provider.name]) < len(history) - 1

    run(tmp_path / "x", form, script, limits=SMALL)


@forms
def test_a_refusal_between_two_answers_that_are_not_streamed_is_the_clients_answer(
    tmp_path: Path, form: str
) -> None:
    async def script(stand: Stand, made: Script, daemon: Daemon) -> None:
        made.answers = [[("text", "Let me look."), SEARCH], made.provider.error]
        answer = await stand.post(
            made.provider.path, made.provider.request([made.provider.user("What port?")])
        )
        assert (answer.status_code, answer.content) == (529, made.provider.error)

    run(tmp_path / "x", form, script, streamed=False)


@forms
@both
@pytest.mark.parametrize("offered", [True, False], ids=["offered", "not offered"])
def test_a_provider_that_ends_the_connection_within_an_answer_leaves_it_without_an_end(
    tmp_path: Path, form: str, streamed: bool, offered: bool
) -> None:
    provider = PROVIDERS[form]()
    raw = (provider.stream if streamed else provider.whole)([("text", "Let me look."), SEARCH])
    raw = raw.replace(b'"name":"unabridged_', b'"name":"other_')  # which a response would not repeat
    half = raw[: raw.index(b"Let me") + 3]

    async def act(asked: Asked) -> None:
        length = f"content-length: {len(raw)}"
        kind = "text/event-stream" if streamed else "application/json"
        await asked.head("200 OK", f"content-type: {kind}", length)
        await asked.say(half)
        asked.drop()

    async def inside() -> None:
        async with standing(tmp_path / "g", act, operation=Daemon() if offered else None) as stand:
            body = provider.request([provider.user("What port?")], stream=streamed)
            if offered and not streamed:  # the client has nothing yet, and hears of it
                answer = await stand.post(provider.path, body)
                assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream-broke")
                return
            got = list[bytes]()

            async def read() -> None:
                async with stand.http.stream("POST", stand.url + provider.path, json=body) as answer:
                    async for piece in answer.aiter_raw():
                        got.append(piece)

            with pytest.raises(httpx2.RemoteProtocolError):
                await read()
            assert half.startswith(b"".join(got))
            assert got

    asyncio.run(inside())
