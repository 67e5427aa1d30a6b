"""What a person is told of a window: each notice has a code that stays and a sentence."""

from __future__ import annotations

import enum

import msgspec

from unabridged.window.limits import NEAR, Limits
from unabridged.window.state import State

EMERGENCY_TURNS = 4  # new user messages after which a short retention is no news any longer


class Code(enum.Enum):
    """What is the matter."""

    NEAR_LIMIT = "near-limit"
    AT_LIMIT = "at-limit"
    EMERGENCY_RETENTION = "emergency-retention"
    CHECKPOINT_NEEDED = "history-checkpoint-needed"
    NOT_ARCHIVED = "not-archived"
    INPUT_NOT_ARCHIVED = "input-not-archived"
    HISTORY_CHANGED = "history-changed"
    NOTHING_TO_ROTATE = "nothing-to-rotate"
    EPOCH_KEPT = "epoch-kept"


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """A code and its sentence."""

    code: Code
    text: str


def fullness(tokens: int, users: int, limits: Limits) -> list[Notice]:
    """Return whether tokens or user messages are near or at where the window rotates."""
    share = max(tokens / limits.rotation, users / limits.rotation_turns)
    said = f"{users}/{limits.rotation_turns} turns, about {tokens:,}/{limits.rotation:,} tokens"
    if share >= 1:
        return [Notice(Code.AT_LIMIT, f"at limit: {said}")]
    return [Notice(Code.NEAR_LIMIT, f"near limit: {said}")] if share >= NEAR else []


def emergency(state: State, users: int) -> list[Notice]:
    """Return that the last rotation kept fewer turns than wanted, until four more user messages came."""
    if not state.retained or state.retained >= state.wanted or users - state.users >= EMERGENCY_TURNS:
        return []
    return [
        Notice(
            Code.EMERGENCY_RETENTION,
            f"emergency retention {state.retained}/{state.wanted}: the last turns were long",
        )
    ]
