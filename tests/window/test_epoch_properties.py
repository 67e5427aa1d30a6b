"""Whatever a conversation is: what the window promises of each request that is made of it."""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.window.scripts import EVERYTHING, FORMATS, SCRIPTS, SMALL, Format, Script
from unabridged.schema.tokens import by_script
from unabridged.window.epoch import Plan, plan
from unabridged.window.limits import Limits
from unabridged.window.messages import Role
from unabridged.window.notices import Code
from unabridged.window.providers.contract import Request
from unabridged.window.providers.marks import MARKS_MOST
from unabridged.window.sent import again
from unabridged.window.sent import sent as sent_of
from unabridged.window.state import State, decode, encode
from unabridged.window.window import Span, untouched

REASONS = {Code.CHECKPOINT_NEEDED, Code.NOT_ARCHIVED}
MADE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def unmarked(value: Any) -> Any:
    """Return plain values without cache marks."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def each(
    form: Format, script: Script, limits: Limits, durable: Any = EVERYTHING, marked: bool = False
) -> Any:
    """Yield (request, plan, sent body, state before) of every request of a script."""
    state = State(address="gateway:one")
    for body in form.bodies(script, marked):
        request = form.adapter.read(body)
        made = plan(request.conversation, state, limits, durable)
        yield request, made, form.adapter.write(request, made.window, state.shown.count), state
        state = made.state


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
class TestEveryRequest:
    @MADE
    @given(script=SCRIPTS)
    def test_is_one_that_the_provider_takes(self, form: Format, script: Script) -> None:
        for _, _, sent, _ in each(form, script, SMALL, marked=True):
            assert form.adapter.problems(sent) == ()
            assert json.dumps(json.loads(sent)).count('"cache_control"') <= MARKS_MOST

    @MADE
    @given(script=SCRIPTS)
    def test_keeps_the_newest_request_and_what_is_pinned(self, form: Format, script: Script) -> None:
        asked = {turn.asked for turn in script.turns}
        for request, made, sent, _ in each(form, script, SMALL):
            newest = next(item for item in reversed(request.conversation.items) if item.role is Role.USER)
            kept = json.dumps(form.items(sent), ensure_ascii=False)
            whole = all(by_script(part.text.encode()) <= SMALL.gates.input for part in newest.parts)
            if whole and newest.parts[-1].text in asked:
                assert json.dumps(newest.parts[-1].text, ensure_ascii=False) in kept
            assert script.environment in kept
            if form.name in ("responses", "chat"):  # the others have the rules beside the list
                assert script.rules in kept
            assert made.window

    @MADE
    @given(script=SCRIPTS)
    def test_is_within_the_limit_or_says_why_not(self, form: Format, script: Script) -> None:
        for _, made, sent, _ in each(form, script, SMALL):
            told = {notice.code for notice in made.notices}
            assert made.tokens < SMALL.hard or told & REASONS
            again = form.adapter.read(sent).conversation.tokens
            assert abs(again - made.estimate) <= 0.1 * again + 60

    @MADE
    @given(script=SCRIPTS)
    def test_begins_with_the_last_one_until_a_rotation(self, form: Format, script: Script) -> None:
        before: list[Any] | None = None
        for _, made, sent, _ in each(form, script, SMALL, marked=True):
            items = unmarked(form.items(sent))
            if before is not None and not made.rotated:
                assert items[: len(before)] == before
            before = items

    @MADE
    @given(
        script=SCRIPTS, rotation=st.integers(60, 1_500), room=st.integers(0, 1_500), turns=st.integers(3, 8)
    )
    def test_begins_with_the_last_one_until_a_rotation_also_where_an_epoch_is_kept(
        self, form: Format, script: Script, rotation: int, room: int, turns: int
    ) -> None:
        """Little room beside what is fixed, or short turns: the epoch goes on beyond its limit, and says so."""
        tight = msgspec.structs.replace(
            SMALL,
            rotation=rotation,
            hard=rotation + room // 3,
            ceiling=rotation + room,
            rotation_turns=turns,
            thrifty=True,
        )
        before: list[Any] | None = None
        for request, made, sent, state in each(form, script, tight, marked=True):
            items = unmarked(form.items(sent))
            kept = any(notice.code is Code.EPOCH_KEPT for notice in made.notices)
            if before is not None and not made.rotated:
                assert items[: len(before)] == before
            assert not kept or made.tokens < max(tight.ceiling, tight.hard)
            assert plan(request.conversation, state, tight, EVERYTHING) == made
            before = items

    @MADE
    @given(script=SCRIPTS)
    def test_is_the_same_when_it_is_sent_again(self, form: Format, script: Script) -> None:
        for request, made, sent, _ in each(form, script, SMALL):
            again = plan(request.conversation, made.state, SMALL, EVERYTHING)
            assert again.window == made.window
            assert again.state == made.state
            assert form.adapter.write(request, again.window) == sent
            assert not again.rotated

    @MADE
    @given(script=SCRIPTS)
    def test_is_the_same_after_a_restart(self, form: Format, script: Script) -> None:
        for request, made, _, state in each(form, script, SMALL):
            stored = decode(encode(state))
            assert stored == state
            assert plan(request.conversation, stored, SMALL, EVERYTHING) == made

    @MADE
    @given(script=SCRIPTS)
    def test_is_the_same_from_what_is_kept_of_it_for_want_of_a_plan(
        self, form: Format, script: Script
    ) -> None:
        kept = None
        for request, made, _, _ in each(form, script, SMALL):
            items = request.conversation.items
            kept = sent_of(made.window, items, made.state.cut.index, kept)
            assert (kept is None) == untouched(made.window, len(items))
            state = decode(encode(msgspec.structs.replace(made.state, sent=kept)))
            if state.sent is not None:
                found = again(state.sent, items, state.catalogue, state.full_name)
                assert found == (made.window, len(items))

    @MADE
    @given(script=SCRIPTS)
    def test_is_the_same_with_nothing_durable_once_it_was_made(self, form: Format, script: Script) -> None:
        """The fault path: the last cut again, without new removals."""
        for request, made, _, _ in each(form, script, SMALL):
            again = plan(request.conversation, made.state, SMALL)
            assert again.window == made.window

    @MADE
    @given(script=SCRIPTS, seed=st.integers(0, 2**16))
    def test_leaves_out_only_what_is_durable(self, form: Format, script: Script, seed: int) -> None:
        class Some:
            def __init__(self) -> None:
                self.known: dict[str, bool] = {}

            def __contains__(self, key: object) -> bool:
                return self.known.setdefault(str(key), crc32(f"{key} {seed}".encode()) % 4 > 0)

        durable = Some()
        for request, made, sent, _ in each(form, script, SMALL, durable):
            assert form.adapter.problems(sent) == ()
            for key in left_out(request, made):
                assert key in durable

    @MADE
    @given(script=SCRIPTS)
    def test_copies_what_is_untouched_byte_for_byte(self, form: Format, script: Script) -> None:
        for request, made, sent, _ in each(form, script, SMALL):
            for piece in made.window:
                if isinstance(piece, Span):
                    first, last = request.spans[piece.start][0], request.spans[piece.stop - 1][1]
                    assert request.body[first:last] in sent
            start, end = request.array
            assert sent.startswith(request.body[:start])
            assert sent.endswith(request.body[end:])


def left_out(request: Request, made: Plan) -> set[str]:
    """Return the keys of the items that are missing from a window, whole or in part."""
    items, whole = request.conversation.items, set[int]()
    for piece in made.window:
        if isinstance(piece, Span):
            whole |= set(range(piece.start, piece.stop))
    return {item.key for index, item in enumerate(items) if index not in whole}
