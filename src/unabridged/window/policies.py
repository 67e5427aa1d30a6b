"""The policies that are compared: the epoch window, and what there is instead.

All of them get the same history and the same largest window. What a model would do differently under each, no replay
can know: the requests are those that were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from unabridged.window.calibration import Calibration
from unabridged.window.economy import Part, Prompt
from unabridged.window.epoch import plan
from unabridged.window.groups import groups
from unabridged.window.limits import Limits
from unabridged.window.messages import Conversation, Item
from unabridged.window.state import State
from unabridged.window.window import Added, Edited, Span

# Tokens below the window at which a host compacts: 20,000 for the answer, 13,000 to spare, the default of a common one.
COMPACTION_RESERVE = 33_000
SUMMARY_TOKENS = 4_000  # of a host's summary
INSTRUCTION_TOKENS = 1_000  # of the request for one
OTHERS = ("none", "sliding", "compaction")


def _parts(items: Sequence[Item]) -> Prompt:
    return tuple(Part(item.key, item.tokens) for item in items)


def _size(prompt: Sequence[Part]) -> int:
    return sum(part.tokens for part in prompt)


class Whole:
    """No window: all of the history. What the model's window cannot hold is left out at the front, turn by turn."""

    output = 0

    def __init__(self, fixed: int, most: int) -> None:
        """`fixed`: tokens of system prompt and tools; `most`: the largest prompt."""
        self._front = Part("fixed", fixed)
        self._most = most
        self._start = 0
        self.resets = 0

    def prompts(self, items: Sequence[Item]) -> list[Prompt]:
        """Return all, from the first turn that fits."""
        start = _first_that_fits(items, self._most - self._front.tokens, self._start)
        self.resets += start != self._start
        self._start = start
        return [(self._front, *_parts(items[start:]))]


class Sliding:
    """A strict sliding window: as many of the last turns as the epoch window would hold at most, moved at each turn."""

    output = 0

    def __init__(self, fixed: int, limits: Limits) -> None:
        """`fixed`: tokens of system prompt and tools."""
        self._front = Part("fixed", fixed)
        self._limits = limits
        self._start = 0
        self.resets = 0

    def prompts(self, items: Sequence[Item]) -> list[Prompt]:
        """Return the last turns."""
        users = groups(items).users
        start = users[-self._limits.rotation_turns] if len(users) > self._limits.rotation_turns else 0
        start = _first_that_fits(items, self._limits.rotation - self._front.tokens, max(start, self._start))
        self.resets += start != self._start
        self._start = start
        return [(self._front, *_parts(items[start:]))]


class Compacting:
    """A host that has the model write a summary when the window is almost full, and goes on from that."""

    def __init__(self, fixed: int, most: int) -> None:
        """`fixed`: tokens of system prompt and tools; `most`: the model's window."""
        self._front = Part("fixed", fixed)
        self._limit = most - COMPACTION_RESERVE
        self._start = 0
        self.resets = 0

    @property
    def output(self) -> int:
        """Tokens of all summaries."""
        return self.resets * SUMMARY_TOKENS

    def prompts(self, items: Sequence[Item]) -> list[Prompt]:
        """Return the history, behind the last summary, and the request for a new one before it where one is due."""
        prompt = self._prompt(items)
        if _size(prompt) <= self._limit or len(items) - self._start < 2:
            return [prompt]
        asked = (*prompt, Part(f"summarise {self.resets}", INSTRUCTION_TOKENS))
        self.resets += 1
        self._start = len(items) - 1
        return [asked, self._prompt(items)]

    def _prompt(self, items: Sequence[Item]) -> Prompt:
        front = (
            (self._front, Part(f"summary {self.resets}", SUMMARY_TOKENS)) if self.resets else (self._front,)
        )
        return (*front, *_parts(items[self._start :]))


class Epoch:
    """The epoch window, everything durable."""

    output = 0

    def __init__(self, fixed: int, limits: Limits) -> None:
        """`fixed`: tokens of system prompt and tools."""
        self._front = Part("fixed", fixed)
        self._limits = limits
        # Here the estimate is what a provider would report: all policies are measured with it.
        self._state = State(address="replay", calibration=Calibration(1.0, 1))
        self.resets = 0

    def prompts(self, items: Sequence[Item]) -> list[Prompt]:
        """Return the planned window."""
        made = plan(
            Conversation("", tuple(items), self._front.tokens), self._state, self._limits, _Everything()
        )
        self.resets += made.rotated
        self._state = made.state
        parts = [self._front]
        for piece in made.window:
            if isinstance(piece, Span):
                parts += _parts(items[piece.start : piece.stop])
            elif isinstance(piece, Edited):
                parts.append(_edited(items[piece.index], piece))
            else:
                parts.append(_added(piece))
        return [tuple(parts)]


def _edited(item: Item, piece: Edited) -> Part:
    said = "\0".join(text.text for text in piece.texts)
    less = sum(len(item.parts[text.part].text) - len(text.text) for text in piece.texts) // 4
    if piece.parts >= 0:
        less += sum(part.tokens for part in item.parts[piece.parts :])
    digest = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    return Part(f"{item.key} {piece.parts} {digest}", item.tokens - less)


def _added(piece: Added) -> Part:
    digest = sha256(piece.text.encode("utf-8", "surrogatepass")).hexdigest()
    return Part(digest, len(piece.text) // 4)


def _first_that_fits(items: Sequence[Item], tokens: int, start: int) -> int:
    """Return the first turn from `start` on with which the rest fits; the newest one if none does."""
    left = sum(item.tokens for item in items[start:])
    if left <= tokens:
        return start
    shape = groups(items)
    for index in shape.cuts:
        if index <= start or index > shape.newest:
            continue
        left -= sum(item.tokens for item in items[start:index])
        start = index
        if left <= tokens:
            break
    return start


class _Everything:
    """Holds every key."""

    def __contains__(self, key: object) -> bool:
        return True
