"""Streams cut anywhere, doubled, ended early, with null in every place: the client's bytes beside the provider's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic.types
import openai.types.chat
import openai.types.responses
import pytest
from openai._models import construct_type

from tests.gateway.offered.provider import PROVIDERS, Block
from tests.support.nullable import Path, nullable, with_null
from unabridged.gateway.offered.contract import ClientAnswer, Heard
from unabridged.gateway.offered.offering import form_of
from unabridged.window.providers.adapters import adapter_for

FORMS = sorted(PROVIDERS)
EVENTS: dict[str, Any] = {
    "anthropic": anthropic.types.RawMessageStreamEvent,
    "responses": openai.types.responses.ResponseStreamEvent,
    "chat": openai.types.chat.ChatCompletionChunk,
}
SEARCH: Block = ("call", "unabridged_search", '{"query":"the port"}')
OWN: list[Block] = [
    ("think", "hm"),
    ("text", "It is 80 ü."),
    ("call", "read", '{"path":"a"}'),
    ("call", "b", "{}"),
]
MIXED: list[Block] = [("text", "Both."), SEARCH, ("call", "read", "{}"), SEARCH]
ALONE: list[Block] = [("think", "hm"), ("text", "Let me look."), SEARCH]
CALL = b'"name":"unabridged_'
ECHO = b'{"type":"function","name":"unabridged_'  # of the request's tools in a response
forms = pytest.mark.parametrize("form", FORMS)


def answer(form: str) -> ClientAnswer:
    adapter = adapter_for(PROVIDERS[form].path)
    assert adapter is not None
    made = form_of(adapter)
    assert made is not None
    return made.answer("0" * 32, streamed=True)


def stream(form: str, blocks: list[Block]) -> list[bytes]:
    """The events of a stream; a response's repeat no tools of ours, so that its bytes may stay."""
    raw = PROVIDERS[form]().stream(blocks)
    events = [event + b"\n\n" for event in raw.split(b"\n\n") if event]
    return [event if blocks is not OWN else without_echo(event) for event in events]


def without_echo(event: bytes) -> bytes:
    head, _, data = event.strip().rpartition(b"data: ")
    if b'"tools"' not in data:
        return event
    value = json.loads(data)
    value["response"]["tools"] = value["response"]["tools"][:1]
    return head + b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def shown(form: str, *pieces: bytes) -> tuple[bytes, Heard]:
    made = answer(form)
    found = [made.feed(piece) for piece in pieces]
    heard = made.heard()
    return b"".join((*found, made.finish())), heard


def nulls(form: str, blocks: list[Block]) -> Iterator[tuple[Path, list[bytes]]]:
    """The stream with null in each place in turn that the client's own types let be null."""
    events = stream(form, blocks)
    for at, event in enumerate(events):
        head, _, data = event.strip().rpartition(b"data: ")
        if not data.startswith(b"{"):
            continue
        value = json.loads(data)
        for path in nullable(construct_type(value=value, type_=EVENTS[form])):
            new = json.dumps(with_null(value, path), separators=(",", ":")).encode()
            yield path, [*events[:at], head + b"data: " + new + b"\n\n", *events[at + 1 :]]


@forms
def test_a_stream_cut_at_any_byte_is_the_same_to_the_last_byte(form: str) -> None:
    for blocks in (OWN, MIXED, ALONE):
        raw = b"".join(stream(form, blocks))
        whole, heard = shown(form, raw)
        assert (whole == raw) is (blocks is OWN)
        assert CALL not in whole.replace(ECHO, b"")
        for at in range(len(raw)):
            assert shown(form, raw[:at], raw[at:]) == (whole, heard)
        assert shown(form, *(raw[at : at + 1] for at in range(len(raw)))) == (whole, heard)


@forms
def test_a_stream_that_ends_at_any_byte_is_what_came_of_it(form: str) -> None:
    raw = b"".join(stream(form, OWN))
    for at in range(len(raw)):
        assert shown(form, raw[:at])[0] == raw[:at]
    for blocks in (MIXED, ALONE):
        raw = b"".join(stream(form, blocks))
        for at in range(len(raw)):
            found, heard = shown(form, raw[:at])
            assert CALL not in found.replace(ECHO, b"")
            assert not heard.complete or at > len(raw) * 3 // 4


@forms
@pytest.mark.parametrize("times", [2, 3])
def test_events_that_come_more_than_once_come_so_to_the_client(form: str, times: int) -> None:
    events = stream(form, OWN)
    for at, event in enumerate(events):
        doubled = b"".join((*events[:at], event * times, *events[at + 1 :]))
        assert shown(form, doubled)[0] == doubled
    for blocks in (MIXED, ALONE):
        events = stream(form, blocks)
        for at, event in enumerate(events):
            found, _ = shown(form, *events[:at], event * times, *events[at + 1 :])
            assert CALL not in found.replace(ECHO, b"")


@forms
def test_an_error_in_the_middle_passes_and_nothing_is_asked_behind_it(form: str) -> None:
    error = b"event: error\ndata: " + PROVIDERS[form].error + b"\n\n"
    if form == "responses":
        error = b'event: error\ndata: {"type":"error","code":"server_error","message":"x","sequence_number":9}\n\n'
    for blocks in (OWN, MIXED, ALONE):
        events = stream(form, blocks)
        for at in range(len(events)):
            cut = [*events[:at], error]
            found, heard = shown(form, *cut)
            assert found == b"".join(cut) or blocks is not OWN
            assert b"error" in found
            assert CALL not in found.replace(ECHO, b"")
            assert not heard.complete or at == len(events) - 1


@forms
def test_null_in_every_place_that_may_be_null_changes_no_byte_and_shows_no_call(form: str) -> None:
    count = 0
    for _, events in nulls(form, OWN):
        assert shown(form, *events)[0] == b"".join(events)
        count += 1
    assert count > 20
    for blocks in (MIXED, ALONE):
        for path, events in nulls(form, blocks):
            found, heard = shown(form, *events)
            assert CALL not in found.replace(ECHO, b"")
            # A call that has no name is nobody's.
            assert len(heard.asked) == 1 + (blocks is MIXED) or "tool_calls" in path
