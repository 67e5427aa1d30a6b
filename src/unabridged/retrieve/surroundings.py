"""Which steps around a hit belong to the answer, by what the question is after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.retrieve.chronology import Line, Step
from unabridged.retrieve.said import is_said
from unabridged.schema.records import ECHO, HIDDEN, META

MAX_BEFORE = 8  # steps
MAX_AFTER = 16  # steps
MAX_LOOK = 256  # steps looked at to each side of one hit; the rest of a long stretch of tool output has no voice in it

AUTO, STATE, WORKFLOW = "auto", "state", "workflow"


@dataclass(frozen=True, slots=True)
class Reach:
    """How many steps before and behind a hit, and whether only those count in which somebody says something."""

    before: int
    after: int
    spoken: bool


# What was said around a hit; nothing but the hit; everything that was done from there on.
INTENTS = {AUTO: Reach(1, 3, True), STATE: Reach(0, 0, True), WORKFLOW: Reach(1, 8, False)}

Keep = Callable[[Step], bool]


def reach_of(intent: str, before: int | None, after: int | None) -> Reach:
    """Return the reach of an intent, with the numbers that the asker gave instead; raise `InvalidInput`."""
    found = INTENTS.get(intent)
    if found is None:
        raise InvalidInput(
            f"`intent` cannot be {intent[:40]!r}",
            hint=f"It takes: {', '.join(INTENTS)}.",
            field="intent",
            allowed=list(INTENTS),
        )
    for name, value, most in (("before", before, MAX_BEFORE), ("after", after, MAX_AFTER)):
        if value is not None and value < 0:
            raise InvalidInput(f"`{name}` is negative", field=name, value=value)
        if value is not None and value > most:
            raise LimitExceeded(f"`{name}` is too large", field=name, limit=most, value=value)
    return Reach(
        found.before if before is None else before, found.after if after is None else after, found.spoken
    )


def has_text(step: Step) -> bool:
    """Tell whether a step has text of its own: neither hidden reasoning nor what the archive's own tools gave."""
    return bool(step.event.size) and not step.event.flags & (HIDDEN | ECHO)


def surroundings(line: Line, reach: Reach, keep: Keep) -> Iterator[tuple[Step, int]]:
    """Yield the steps around the anchor with their distances: below 0 before it, above behind it; nearest first."""

    def wanted(step: Step) -> bool:
        if not has_text(step) or step.event.flags & META or (reach.spoken and not is_said(step.event)):
            return False
        return keep(step)

    for steps, count, sign in ((line.before(), reach.before, -1), (line.after(), reach.after, 1)):
        found = 0
        for looked, step in enumerate(steps):
            if found >= count or looked >= MAX_LOOK:
                break
            if wanted(step):
                found += 1
                yield step, sign * found
