"""How full a window may become: ratios of a model's window, made into tokens.

The input window is the model's window without what is reserved for the answer. Absolute caps only tighten.
"""

from __future__ import annotations

import msgspec

from unabridged.errors import InvalidSetting

# Tokens; where the model's window is not known, these hold instead of ratios: they suit the smallest current models.
UNKNOWN_ROTATION, UNKNOWN_HARD = 96_000, 128_000
# Tokens; a window of a million is not filled for nothing: every request pays for all of it.
INPUT_CAP = 200_000
# Share of the rotation limit that a new epoch may begin with where there is a choice: an epoch that begins full
# rotates again at once, and each rotation costs the whole prompt cache.
REFILL = 0.8
NEAR = 0.8  # share of a limit from which it is near
CATALOGUE_TOKENS = 1_000  # tokens of a table of contents, at most
CATALOGUE_ENTRIES = 64


class Gates(msgspec.Struct, frozen=True):
    """Sizes in tokens above which a text becomes a preview. They hold for an epoch, so that its bytes stay.

    `result` is for a tool's result, `pressure` for results once `budget` tokens of them were admitted, `argument` for
    a call's arguments, `input` for the user's own text. Results of tools in `exempt` (globs) are left whole: the
    user's own recalls.
    """

    result: int = 4_000
    pressure: int = 1_000
    budget: int = 28_800
    argument: int = 4_000
    input: int = 16_000
    deduplicate: bool = True
    exempt: tuple[str, ...] = ("*unabridged*",)


class Limits(msgspec.Struct, frozen=True):
    """Where a window rotates and where it must not go, in tokens, and what an epoch begins with.

    `window` is the input window, 0 where it is unknown. `ceiling`: up to where an epoch may go on that would else end
    with each turn; 0 where it is the hard limit. `thrifty`: the limit of turns is nobody's wish, and holds if it pays.
    """

    window: int = 0
    rotation: int = UNKNOWN_ROTATION
    hard: int = UNKNOWN_HARD
    rotation_turns: int = 20
    retain_turns: int = 5
    gates: Gates = Gates()
    enabled: bool = True
    ceiling: int = 0
    thrifty: bool = False

    @property
    def refill(self) -> int:
        """Tokens that a new epoch may begin with, where there is a choice."""
        return int(self.rotation * REFILL)


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every field that a setting may give for a model; the defaults are what holds for one that nothing is said of.

    `context_window` and `reserve` are 0 where the model's own hold. Caps of 0 are none.
    """

    context_window: int = 0
    reserve: int = 0
    input_cap: int = INPUT_CAP
    rotation_ratio: float = 0.65
    hard_ratio: float = 0.80
    rotation_tokens: int = 0
    hard_tokens: int = 0
    rotation_turns: int = 20
    retain_turns: int = 5
    result_tokens: int = 4_000
    pressure_tokens: int = 1_000
    pressure_ratio: float = 0.3
    argument_tokens: int = 4_000
    input_tokens: int = 16_000
    deduplicate: bool = True
    exempt_tools: tuple[str, ...] = ("*unabridged*",)
    enabled: bool = True


def limits(profile: Profile, context_window: int = 0, reserve: int = 0) -> Limits:
    """Return the limits for a model with a window of so many tokens, of which `reserve` are for its answer.

    What the profile says of either goes before. A window of 0 is unknown. Raises `InvalidSetting` for a reserve that
    leaves no window, a ratio that is none, a limit below 1.
    """
    window = profile.context_window or context_window
    kept = profile.reserve or reserve
    _check(profile, window, kept)
    rotation, hard, usable = UNKNOWN_ROTATION, UNKNOWN_HARD, 0
    if window:
        usable = window - kept
        if profile.input_cap:
            usable = min(usable, profile.input_cap)
        rotation, hard = int(usable * profile.rotation_ratio), int(usable * profile.hard_ratio)
    elif profile.input_cap:
        rotation, hard = min(rotation, profile.input_cap), min(hard, profile.input_cap)
    ceiling = (
        (usable + hard) // 2 if usable > hard and not (profile.hard_tokens or profile.rotation_tokens) else 0
    )
    if profile.hard_tokens:
        hard = min(hard, profile.hard_tokens)
    if profile.rotation_tokens:
        rotation = min(rotation, profile.rotation_tokens)
    rotation, hard = max(1, min(rotation, hard)), max(1, hard)
    gates = Gates(
        result=profile.result_tokens,
        pressure=min(profile.pressure_tokens, profile.result_tokens),
        budget=int(rotation * profile.pressure_ratio),
        argument=profile.argument_tokens,
        input=profile.input_tokens,
        deduplicate=profile.deduplicate,
        exempt=profile.exempt_tools,
    )
    turns = max(profile.rotation_turns, profile.retain_turns + 1)
    thrifty = profile.rotation_turns == Profile().rotation_turns
    return Limits(
        usable, rotation, hard, turns, profile.retain_turns, gates, profile.enabled, ceiling, thrifty
    )


def _check(profile: Profile, window: int, reserve: int) -> None:
    if window and reserve >= window:
        raise InvalidSetting(
            "what is reserved for the answer leaves no window", setting="window.reserve", limit=window
        )
    for name in ("rotation_ratio", "hard_ratio", "pressure_ratio"):
        if not 0 < getattr(profile, name) <= 1:
            raise InvalidSetting(f"window.{name} must be above 0 and at most 1", setting=f"window.{name}")
    counts = (
        "rotation_turns",
        "retain_turns",
        "result_tokens",
        "pressure_tokens",
        "argument_tokens",
        "input_tokens",
    )
    for name in counts:
        if getattr(profile, name) < 1:
            raise InvalidSetting(f"window.{name} must be 1 or more", setting=f"window.{name}")
    for name in ("context_window", "reserve", "input_cap", "rotation_tokens", "hard_tokens"):
        if getattr(profile, name) < 0:
            raise InvalidSetting(f"window.{name} must not be negative", setting=f"window.{name}")
