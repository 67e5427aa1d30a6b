"""What does a window cost a request: reading it, planning, writing it again, checking it?"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from unabridged.bench import figures
from unabridged.bench.prompts import FORMS, MESSAGES, bodies
from unabridged.bench.setup import Result, Setup, conditions, passages
from unabridged.window.epoch import plan
from unabridged.window.limits import Limits, Profile, limits
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter, new_problems
from unabridged.window.providers.known import Known
from unabridged.window.state import State

REQUESTS = 40  # of one conversation, each a turn longer than the one before
KNOWN_BYTES = 64 << 20  # of requests that are remembered
FIRST_RUNS = 10
ADAPTERS: dict[str, Adapter] = {"anthropic": ANTHROPIC, "responses": RESPONSES, "chat": CHAT}

CUT = limits(Profile(), 200_000)
# Nothing is left out: the whole conversation passes through every step.
WHOLE = Limits(0, 1 << 40, 1 << 40, rotation_turns=1 << 30)

NOTES = [
    "CPU time of the process (user and system), not elapsed time; one request at a time.",
    "`cut`: a window of 200,000 tokens, most of the conversation left out, with rotations. `whole`: nothing left out.",
    "`first`: nothing of the conversation was read before, as after a start. Else a client sends its history again.",
    "The rival decodes the same bodies with `json.loads` and encodes them with `json.dumps`, and decides nothing.",
]


class _Everything:
    """Holds every key: all of a bench is durable."""

    def __contains__(self, key: object) -> bool:
        return True


def measure(setup: Setup) -> Result:
    """Measure requests of `size` messages in each format, and planning alone for twice as many."""
    writer = passages(setup)
    found: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    ratio: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for form in FORMS:
        setup.tell(f"writing requests as {form}")
        requests = list(bodies(form, setup.size, REQUESTS, writer))
        sizes[form] = len(requests[-1])
        setup.tell(f"measuring {form}")
        rival = figures.latencies([_rival(body) for body in requests])
        ours = _request(ADAPTERS[form], requests)
        found[form], theirs[form] = ours, dict.fromkeys(ours, rival)
        ratio[form] = {name: figures.faster(ours[name], rival) for name in ours}
    setup.tell("planning")
    found["planning"] = _planning(list(bodies("anthropic", 2 * setup.size, REQUESTS, writer)))
    more = {"messages": setup.size // MESSAGES * MESSAGES, "bytes": sizes, "requests": REQUESTS}
    return Result(found, theirs, ratio, conditions(setup, writer, **more), NOTES)


def _request(adapter: Adapter, requests: list[bytes]) -> dict[str, Any]:
    return {
        "cut": figures.latencies(_series(adapter, requests, CUT)),
        "whole": figures.latencies(_series(adapter, requests, WHOLE)),
        "first": figures.latencies(
            [time_ for _ in range(FIRST_RUNS) for time_ in _series(adapter, requests[-1:], CUT, warm=False)]
        ),
    }


def _series(adapter: Adapter, requests: list[bytes], limit: Limits, *, warm: bool = True) -> list[float]:
    """Return the CPU seconds of each request of a conversation, the first left out where it is only to warm up."""
    state, known, times = State(address="gateway:bench"), Known(KNOWN_BYTES), list[float]()
    for body in requests:

        def step(body: bytes = body, state: State = state) -> State:
            request = adapter.read(body, known)
            made = plan(request.conversation, state, limit, _Everything())
            sent = adapter.write(request, made.window, state.shown.count)
            if new_problems(adapter, body, sent):
                raise AssertionError("a window that the provider would refuse")
            return made.state

        state, spent = _timed(step)
        times.append(spent)
    return times[1:] if warm and len(times) > 1 else times


def _planning(requests: list[bytes]) -> dict[str, Any]:
    state, known, times = State(address="gateway:bench"), Known(KNOWN_BYTES), list[float]()
    for body in requests:
        conversation = ANTHROPIC.read(body, known).conversation

        def step(state: State = state, conversation: Any = conversation) -> State:
            return plan(conversation, state, CUT, _Everything()).state

        state, spent = _timed(step)
        times.append(spent)
    return figures.latencies(times)


def _rival(body: bytes) -> float:
    return _timed(lambda: json.dumps(json.loads(body)))[1]


def _timed(step: Callable[[], Any]) -> tuple[Any, float]:
    before = time.process_time()
    found = step()
    return found, time.process_time() - before
