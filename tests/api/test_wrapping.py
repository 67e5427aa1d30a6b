"""The providers' own clients through a window: what is sent is bounded and valid, what they return is their own."""

from __future__ import annotations

import asyncio
import gc
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import msgspec
import openai
import pytest

from tests.support import provider_anthropic, provider_openai
from tests.support.nullable import bare
from tests.support.provider import Call, Provider, Reply, Turn
from unabridged import Archive, wrap
from unabridged.api.plain import plain
from unabridged.errors import InvalidInput

SETTINGS = {"rotation_tokens": 1_500, "hard_tokens": 2_500, "rotation_turns": 6, "retain_turns": 2}
TURNS = 12
WORDS = "and some words that make a question as long as a question is " * 5
TOOLS: Any = [{"name": "look", "description": "Look.", "input_schema": {"type": "object", "properties": {}}}]
FUNCTION: Any = {
    "name": "look",
    "description": "Look.",
    "parameters": {"type": "object", "properties": {}},
}


def mind(turn: Turn) -> Reply:
    # A table of contents may stand right before it.
    asked, number, more = re.findall(r"^(question|refused) (\d+)(.*)", turn.prompt, re.MULTILINE)[-1]
    if asked == "refused":
        return Reply(error=(400, "invalid_request_error", "no"))
    if "look" in more and not turn.results:
        return Reply(calls=[Call("look", {"at": number})])
    return Reply(f"answer {number}")


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider([provider_anthropic, provider_openai], model=mind) as started:
        yield started


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "config.toml").write_text("[disk]\nfree_bytes = 0\n")
    with Archive.open(tmp_path / "h", in_process=True, create=True, project=tmp_path) as opened:
        yield opened


def claude(provider: Provider) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)


def gpt(provider: Provider) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0)


def question(number: int) -> str:
    return f"question {number} {WORDS}"


def kept(archive: Archive) -> Any:
    """The one window of an archive, after the last turn."""
    (found,) = archive.windows().windows
    return found


def wire(archive: Archive, session: str) -> list[tuple[str, bytes]]:
    """What is archived of a conversation, in order: whether of a request or an answer, and the bytes on the wire."""
    page = archive.original(session)
    assert page.done
    lines = [
        msgspec.json.decode(line, type=dict[str, msgspec.Raw]) for line in b64decode(page.data).splitlines()
    ]
    return [(msgspec.json.decode(line["origin"]), bytes(line["raw"])) for line in lines if "raw" in line]


def as_said(item: Any) -> Any:
    """An item as its words: one text is a content of one block, and what is null is not there."""
    item = bare(item)
    content = item.get("content")
    if isinstance(content, str):
        return {**item, "content": [content]}
    blocks = [
        block["text"] if set(block) <= {"type", "text", "annotations", "logprobs"} else block
        for block in content or ()
    ]
    return {**item, "content": blocks} if blocks else item


def holds_all(archive: Archive, provider: Provider, history: list[Any]) -> None:
    """Every item is archived once byte for byte, less was sent than there is, and the provider refused nothing."""
    assert provider.refusals == []
    found = kept(archive)
    assert (found.items, found.requests) == (len(history), len(provider.requests))
    archived = wire(archive, found.session)
    assert len(archived) == len(history)
    for (origin, raw), item in zip(archived, plain(history), strict=True):
        if origin == "request":
            assert raw == msgspec.json.encode(item, order="sorted")
        else:
            assert as_said(msgspec.json.decode(raw)) == as_said(item)
    assert found.totals["faults"] == 0
    assert found.totals["rotations"] >= 2
    assert found.totals["output"] > 0
    assert found.tokens < found.whole


def test_messages_are_cut_and_every_one_is_archived(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    assert isinstance(client, anthropic.Anthropic)
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        answer = client.messages.create(
            model="claude-opus-5-5", max_tokens=100, messages=history, tools=TOOLS
        )
        assert type(answer) is anthropic.types.Message
        assert answer.content[0].text == f"answer {number}"  # pyright: ignore[reportAttributeAccessIssue]
        history.append({"role": "assistant", "content": answer.content})
    holds_all(archive, provider, history)
    sent = provider.requests[-1].body["messages"]
    assert len(sent) < len(history)
    assert "Earlier in this conversation" in str(sent[0])
    assert sent[-1]["content"] == question(TURNS - 1)


def test_tools_are_called_and_their_results_stay_with_them(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": f"question {number} look {WORDS}"})
        while True:
            answer = client.messages.create(
                model="claude-opus-5-5", max_tokens=100, messages=history, tools=TOOLS
            )
            history.append({"role": "assistant", "content": answer.content})
            calls = [block for block in answer.content if block.type == "tool_use"]
            if not calls:
                break
            results = [{"type": "tool_result", "tool_use_id": call.id, "content": "seen"} for call in calls]
            history.append({"role": "user", "content": results})
    assert len(history) == 4 * TURNS
    holds_all(archive, provider, history)


def test_streams_are_recorded_as_they_are_read(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        stream = client.messages.create(
            model="claude-opus-5-5", max_tokens=100, messages=history, tools=TOOLS, stream=True
        )
        assert isinstance(stream, anthropic.Stream)
        said = ""
        for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                said += event.delta.text
        assert said == f"answer {number}"
        history.append({"role": "assistant", "content": said})
    holds_all(archive, provider, history)


def test_the_clients_own_helper_for_streams_is_recorded(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        with client.messages.stream(
            model="claude-opus-5-5", max_tokens=100, messages=history, tools=TOOLS
        ) as stream:
            assert isinstance(stream, anthropic.MessageStream)
            assert "".join(stream.text_stream) == f"answer {number}"
            history.append({"role": "assistant", "content": stream.get_final_message().content})
    holds_all(archive, provider, history)


def test_a_stream_that_is_left_is_recorded_as_far_as_it_was_read(
    provider: Provider, archive: Archive
) -> None:
    client = wrap(claude(provider), archive=archive, session="s")
    asked: Any = [{"role": "user", "content": question(0)}]
    stream = client.messages.create(
        model="claude-opus-5-5", max_tokens=100, messages=asked, tools=TOOLS, stream=True
    )
    for event in stream:
        if event.type == "content_block_stop":
            break
    gc.collect()
    stream.close()
    assert kept(archive).items == 2
    assert kept(archive).requests == 1


def test_asynchronous_clients_are_served_beside_their_loop(provider: Provider, archive: Archive) -> None:
    async def talk() -> list[Any]:
        async with anthropic.AsyncAnthropic(base_url=provider.url, api_key="none", max_retries=0) as own:
            client = wrap(own, archive=archive, session="s", settings=SETTINGS)
            assert isinstance(client, anthropic.AsyncAnthropic)
            history: list[Any] = []
            for number in range(TURNS):
                history.append({"role": "user", "content": question(number)})
                asked: Any = {
                    "model": "claude-opus-5-5",
                    "max_tokens": 100,
                    "messages": history,
                    "tools": TOOLS,
                }
                said = ""
                if number % 3 == 0:
                    answer = await client.messages.create(**asked)
                    said = answer.content[0].text
                elif number % 3 == 1:
                    async for event in await client.messages.create(**asked, stream=True):
                        if event.type == "content_block_delta":
                            said += event.delta.text
                else:
                    async with client.messages.stream(**asked) as stream:
                        async for text in stream.text_stream:
                            said += text
                assert said == f"answer {number}"
                history.append({"role": "assistant", "content": said})
            return history

    holds_all(archive, provider, asyncio.run(talk()))


@pytest.mark.parametrize("streams", [False, True])
def test_chat_completions_are_cut_and_archived(provider: Provider, archive: Archive, streams: bool) -> None:
    client = wrap(gpt(provider), archive=archive, session="s", settings=SETTINGS)
    tools: Any = [{"type": "function", "function": FUNCTION}]
    history: list[Any] = [{"role": "system", "content": "You are brief."}]
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        if streams:
            said = ""
            for chunk in client.chat.completions.create(
                model="fake-gpt",
                messages=history,
                tools=tools,
                stream=True,
                stream_options={"include_usage": True},
            ):
                said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            history.append({"role": "assistant", "content": said})
        else:
            answer = client.chat.completions.create(model="fake-gpt", messages=history, tools=tools)
            assert isinstance(answer, openai.types.chat.ChatCompletion)
            said = answer.choices[0].message.content
            history.append(answer.choices[0].message)
        assert said == f"answer {number}"
    holds_all(archive, provider, history)
    assert provider.requests[-1].body["messages"][0] == history[0]


@pytest.mark.parametrize("streams", [False, True])
def test_responses_are_cut_and_archived(provider: Provider, archive: Archive, streams: bool) -> None:
    client = wrap(gpt(provider), archive=archive, session="s", settings=SETTINGS)
    tools: Any = [{"type": "function", **FUNCTION}]
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        asked: Any = {"model": "fake-gpt", "input": history, "tools": tools, "store": False}
        if streams and number % 2:
            with client.responses.stream(**asked) as stream:
                answer = stream.get_final_response()
        elif streams:
            answer = None
            for event in client.responses.create(**asked, stream=True):
                if event.type == "response.completed":
                    answer = event.response
            assert answer is not None
        else:
            answer = client.responses.create(**asked)
        assert answer.output_text == f"answer {number}"
        history += answer.output
    holds_all(archive, provider, history)


def test_conversations_that_share_a_client_have_windows_of_their_own(
    provider: Provider, archive: Archive
) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    talks: list[list[Any]] = [[], []]
    for number in range(TURNS):
        for at, history in enumerate(talks):
            history.append({"role": "user", "content": f"question {number} of {at} {WORDS}"})
            answer = client.messages.create(
                model="claude-opus-5-5", max_tokens=9, messages=history, tools=TOOLS
            )
            history.append({"role": "assistant", "content": answer.content})
    found = archive.windows().windows
    assert [row.items for row in found] == [2 * TURNS] * 2
    assert {row.host_session for row in found} == {"s"}


def test_a_copy_of_the_client_is_windowed_too_and_the_one_that_was_given_is_not(
    provider: Provider, archive: Archive
) -> None:
    given = claude(provider)
    copied = wrap(given, archive=archive, session="s").with_options(timeout=5.0)
    asked: Any = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": question(0)}],
        "tools": TOOLS,
    }
    given.messages.create(**asked)
    assert archive.windows().windows == []
    copied.beta.messages.create(**asked)
    assert kept(archive).items == 2


def test_tokens_are_counted_of_what_would_be_sent(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    history: list[Any] = []
    for number in range(7):
        history.append({"role": "user", "content": question(number)})
        asked: Any = {"model": "claude-opus-5-5", "messages": history, "tools": TOOLS}
        before = archive.windows().windows
        client.messages.count_tokens(**asked)
        assert archive.windows().windows == before
        answer = client.messages.create(**asked, max_tokens=9)
        counted, sent = provider.requests[-2:]
        assert "count_tokens" in counted.path
        assert counted.body["messages"] == sent.body["messages"]
        history.append({"role": "assistant", "content": answer.content})
    assert kept(archive).epoch == 1


def test_a_provider_that_refuses_is_heard_and_the_next_request_goes_on(
    provider: Provider, archive: Archive
) -> None:
    client = wrap(claude(provider), archive=archive, session="s")
    asked: Any = {"model": "claude-opus-5-5", "max_tokens": 9, "tools": TOOLS}
    history: Any = [{"role": "user", "content": question(0)}, {"role": "assistant", "content": "yes"}]
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**asked, messages=[*history, {"role": "user", "content": "refused 1"}])
    client.messages.create(**asked, messages=[*history, {"role": "user", "content": question(2)}])
    found = kept(archive)
    assert (found.requests, found.items) == (2, 5)
    first, last = archive.window_show(found.conversation).requests
    assert (first["output"], last["output"] > 0) == (0, True)
    assert first["sent"] > 0


@pytest.mark.parametrize("how", ["streams", "helper", "asynchronous", "asynchronous helper"])
def test_a_request_that_comes_to_nothing_is_accounted_however_it_is_made(
    provider: Provider, archive: Archive, how: str
) -> None:
    asked: Any = {"model": "claude-opus-5-5", "max_tokens": 9, "tools": TOOLS}
    asked["messages"] = [{"role": "user", "content": "refused 1"}]

    async def ask() -> None:
        async with anthropic.AsyncAnthropic(base_url=provider.url, api_key="none", max_retries=0) as own:
            client = wrap(own, archive=archive, session="s")
            if how == "asynchronous":
                await client.messages.create(**asked)
            else:
                async with client.messages.stream(**asked):
                    pass

    def make() -> None:
        client = wrap(claude(provider), archive=archive, session="s")
        if how == "streams":
            client.messages.create(**asked, stream=True)
        else:
            with client.messages.stream(**asked):
                pass

    with pytest.raises(anthropic.BadRequestError):
        asyncio.run(ask()) if how.startswith("asynchronous") else make()
    assert (kept(archive).requests, kept(archive).items) == (1, 1)


@pytest.mark.parametrize("streams", [False, True])
def test_what_builds_on_an_answer_that_the_provider_keeps_is_archived_and_passes_as_it_is(
    provider: Provider, archive: Archive, streams: bool
) -> None:
    client = wrap(gpt(provider), archive=archive, session="s", settings=SETTINGS)
    tools: Any = [{"type": "function", **FUNCTION}]
    previous, said = None, list[Any]()
    for number in range(4):
        # The same words again and again are as many messages.
        new = [{"role": "user", "content": "question 1"}]
        asked: Any = {"model": "fake-gpt", "input": new, "tools": tools}
        if number == 3:
            asked["input"] = "question 1"
        if previous is not None:
            asked["previous_response_id"] = previous
        if streams:
            events = list(client.responses.create(**asked, stream=True))
            answer = next(event.response for event in events if event.type == "response.completed")
        else:
            answer = client.responses.create(**asked)
        sent = provider.requests[-1].body
        assert (sent["input"], sent.get("previous_response_id")) == (asked["input"], previous)
        previous = answer.id
        said += [*new, *answer.output]
    found = kept(archive)
    assert (found.items, found.requests) == (len(said), 4)
    archived = wire(archive, found.session)
    assert [as_said(msgspec.json.decode(raw)) for _, raw in archived] == [as_said(one) for one in plain(said)]
    assert [origin for origin, _ in archived] == ["request", "answer"] * 4


def test_an_archive_that_is_gone_does_not_stop_the_program(provider: Provider, archive: Archive) -> None:
    client = wrap(claude(provider), archive=archive, session="s", settings=SETTINGS)
    archive.close()
    history: list[Any] = []
    for number in range(TURNS):
        history.append({"role": "user", "content": question(number)})
        answer = client.messages.create(model="claude-opus-5-5", max_tokens=9, messages=history, tools=TOOLS)
        history.append({"role": "assistant", "content": answer.content})
    assert len(provider.requests[-1].body["messages"]) == 2 * TURNS - 1


def test_what_is_no_client_is_refused(archive: Archive) -> None:
    with pytest.raises(InvalidInput, match="neither"):
        wrap(object(), archive=archive)
