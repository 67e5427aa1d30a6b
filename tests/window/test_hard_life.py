"""Long conversations in which all goes wrong: hosts that compact, an archive that is late, text that is erased."""

from __future__ import annotations

import random
from collections.abc import Container
from typing import Any
from zlib import crc32

import pytest
from msgspec.structs import replace

from tests.window.scripts import FORMATS, SMALL, WORDS, Call, Format, Script, Step, Turn
from tests.window.test_epoch_properties import left_out, unmarked
from unabridged.window.epoch import Plan, plan
from unabridged.window.limits import Limits
from unabridged.window.messages import Role
from unabridged.window.notices import Code
from unabridged.window.providers.contract import Request
from unabridged.window.state import State, decode, encode, forced, reported
from unabridged.window.window import Edited, Span

CONVERSATIONS = 16
CUT_SHORT, ERASED, FORCED, REPORTED, UNREACHABLE = 0.06, 0.03, 0.03, 0.1, 0.05  # of requests


class Archive(Container[str]):
    """An archive that has admitted some of what it was given, and has lost what was erased."""

    def __init__(self, seed: str, share: float) -> None:
        self.seed, self.share = seed, share
        self.erased: set[str] = set()

    def admitted(self, key: str) -> bool:
        return crc32(f"{self.seed} {key}".encode()) % 100 < 100 * self.share

    def __contains__(self, key: object) -> bool:
        return self.admitted(str(key)) and key not in self.erased


def script(rng: random.Random) -> Script:
    def text(most: int) -> str:
        return f"{rng.choice(WORDS)} " * rng.choice([1, 2, 5, rng.randint(1, most)])

    def call() -> Call:
        name = rng.choice(["Bash", "Read", "mcp__unabridged__recall"])
        return Call(name, {"a": text(150)}, rng.choice([text(300), "same output " * 30, ""]))

    def step() -> Step:
        return Step(text(40), rng.choice(["", "thought"]), tuple(call() for _ in range(rng.randint(0, 3))))

    steps = rng.choice([1, 3, 12])
    turns = [
        Turn(text(120), tuple(step() for _ in range(rng.randint(0, steps))))
        for _ in range(rng.randint(1, 20))
    ]
    return Script(tuple(turns), rng.choice(["", "cwd /srv"]), spaced=rng.random() < 0.3)


def bounds(rng: random.Random) -> Limits:
    rotation, retained = rng.choice([600, 1_300, 3_000]), rng.randint(1, 5)
    turns = max(rng.choice([4, 6, 20]), retained + 1)
    return replace(
        SMALL, rotation=rotation, hard=int(rotation * 1.23), rotation_turns=turns, retain_turns=retained
    )


def starts(items: list[Any]) -> list[int]:
    """Return where a host may begin its shortened history: at a prompt."""
    return [
        index
        for index, item in enumerate(items)
        if item.get("info", item).get("role") == "user" and "tool_result" not in str(item.get("content"))
    ]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("seed", [1])
def test_a_window_keeps_its_promises_through_everything(form: Format, seed: int) -> None:
    rng = random.Random(f"{form.name} {seed}")
    seen = {"rotated": 0, "squeezed": 0, "changed": 0, "held": 0}
    for number in range(CONVERSATIONS):
        made, limits, archive = (
            script(rng),
            bounds(rng),
            Archive(f"{seed} {number}", rng.choice([1.0, 1.0, 0.9, 0.6])),
        )
        state, dropped, last = State(address="gateway:x"), 0, None
        for items in form.write(made):
            if rng.random() < CUT_SHORT and len(items) > 8:
                dropped = rng.choice(starts(items))
            request = form.adapter.read(form.body(items[dropped:], made, marked=rng.random() < 0.7))
            if rng.random() < ERASED:
                archive.erased.add(rng.choice(request.conversation.items).key)
            if rng.random() < FORCED:
                state = forced(state)
            if rng.random() < REPORTED:
                tokens = request.conversation.tokens
                state = reported(state, tokens, int(tokens * rng.choice([0.9, 1.2, 1.5, 30])))
            reachable = rng.random() > UNREACHABLE
            durable: Container[str] = archive if reachable else frozenset()
            found = plan(request.conversation, state, limits, durable, archive.erased)
            before = (state, limits, archive, durable)
            last = checked(form, request, found, before, last)
            state = found.state
            seen["rotated"] += found.rotated
            seen["squeezed"] += state.squeezed
            seen["changed"] += Code.HISTORY_CHANGED in {notice.code for notice in found.notices}
            seen["held"] += any(
                item.key in archive.erased for item in request.conversation.items[: state.cut.index]
            )
    assert all(seen.values()), seen


Last = tuple[list[str], list[Any], int]  # keys, items as sent, how many keys were erased


def checked(
    form: Format,
    request: Request,
    found: Plan,
    before: tuple[State, Limits, Archive, Container[str]],
    last: Last | None,
) -> Last:
    """Check one request against the one before it, and return what the next one is checked against."""
    state, limits, archive, durable = before
    conversation, sent = request.conversation, form.adapter.write(request, found.window, state.shown.count)
    assert form.adapter.problems(sent) == ()
    again = plan(conversation, decode(encode(found.state)), limits, durable, archive.erased)
    assert (again.window, again.state, again.rotated) == (found.window, found.state, False)
    assert plan(conversation, found.state, limits, frozenset(), archive.erased).window == found.window
    assert not left_out(request, found) & archive.erased
    assert all(archive.admitted(key) for key in left_out(request, found))
    order = [index for piece in found.window for index in indexes(piece)]
    assert order == sorted(set(order))
    newest = [index for index, item in enumerate(conversation.items) if item.role is Role.USER]
    assert not newest or newest[-1] in order
    told = {notice.code for notice in found.notices}
    assert found.tokens < limits.hard or told & {Code.CHECKPOINT_NEEDED, Code.NOT_ARCHIVED}
    keys, items = [item.key for item in conversation.items], unmarked(form.items(sent))
    if (
        last is not None
        and not found.rotated
        and last[2] == len(archive.erased)
        and keys[: len(last[0])] == last[0]
    ):
        assert items[: len(last[1])] == last[1]
    return keys, items, len(archive.erased)


def indexes(piece: Any) -> list[int]:
    if isinstance(piece, Span):
        return list(range(piece.start, piece.stop))
    return [piece.index] if isinstance(piece, Edited) else []
