"""The settings of the live window: for all models, for some of them by pattern, and what models take.

Every field of `window.limits.Profile` is a setting for all models and a field of each profile. They say what
requests cost and what of a conversation a model sees, so they are the user's: what a client's environment says of them,
which a repository can set, counts for nothing. A repository's file may only make a window smaller, where it is trusted.
Whether there is one, and how large a model's own is, is for the user to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unabridged.daemon.setting import Setting, quoted
from unabridged.errors import InvalidSetting

MOST_TOKENS = 100_000_000  # of anything: more is a slip of the keyboard
MOST_TURNS = 10_000


def _smaller(a: float, b: float) -> bool:
    return a <= b


def _capped(a: int, b: int) -> bool:
    """Compare caps, of which 0 is none."""
    return a > 0 and (b == 0 or a <= b)


def _kept_on(a: bool, b: bool) -> bool:
    return a or not b


_FIELDS = (
    Setting(
        "enabled",
        bool,
        True,
        "Whether requests get a bounded window; false: they pass as they are, and are archived.",
    ),
    Setting(
        "context_window",
        int,
        0,
        "Tokens that the model takes, input and answer together; 0: what `window.models` says.",
        high=MOST_TOKENS,
    ),
    Setting(
        "reserve",
        int,
        0,
        "Tokens of them that are kept for the answer; 0: what the request allows its answer to have.",
        high=MOST_TOKENS,
    ),
    Setting(
        "input_cap",
        int,
        200_000,
        "Tokens of input that are used at most, however many the model takes; 0: no cap.",
        high=MOST_TOKENS,
        tighter=_capped,
    ),
    Setting(
        "rotation_ratio",
        float,
        0.65,
        "Share of the input window at which an epoch ends.",
        low=0.01,
        high=1.0,
        tighter=_smaller,
    ),
    Setting(
        "hard_ratio",
        float,
        0.80,
        "Share of the input window that is not passed between two cuts either, unless each turn would make one.",
        low=0.01,
        high=1.0,
        tighter=_smaller,
    ),
    Setting(
        "rotation_tokens",
        int,
        0,
        "Tokens at which an epoch ends at the latest; it only tightens the ratio. 0: no cap.",
        high=MOST_TOKENS,
        tighter=_capped,
    ),
    Setting(
        "hard_tokens",
        int,
        0,
        "Tokens that are not passed; it only tightens the ratio. 0: no cap.",
        high=MOST_TOKENS,
        tighter=_capped,
    ),
    Setting(
        "rotation_turns",
        int,
        20,
        "Messages of the user after which an epoch ends; where it is as it was, only if that saves more than it costs.",
        low=1,
        high=MOST_TURNS,
        tighter=_smaller,
    ),
    Setting(
        "retain_turns",
        int,
        5,
        "Turns that stay when an epoch ends; fewer where they do not fit.",
        low=1,
        high=MOST_TURNS,
        tighter=_smaller,
    ),
    Setting(
        "result_tokens",
        int,
        4_000,
        "Tokens above which a tool's result is shown as a preview.",
        low=1,
        high=MOST_TOKENS,
        tighter=_smaller,
    ),
    Setting(
        "pressure_tokens",
        int,
        1_000,
        "The same once the results of an epoch are many.",
        low=1,
        high=MOST_TOKENS,
        tighter=_smaller,
    ),
    Setting(
        "pressure_ratio",
        float,
        0.3,
        "Share of the rotation limit from which results are many.",
        low=0.001,
        high=1.0,
        tighter=_smaller,
    ),
    Setting(
        "argument_tokens",
        int,
        4_000,
        "Tokens above which a call's arguments are shown as a preview.",
        low=1,
        high=MOST_TOKENS,
        tighter=_smaller,
    ),
    Setting(
        "input_tokens",
        int,
        16_000,
        "Tokens above which the user's own text is shown as a preview.",
        low=1,
        high=MOST_TOKENS,
        tighter=_smaller,
    ),
    Setting(
        "deduplicate",
        bool,
        True,
        "Whether a result that is the same as one before it becomes a line.",
        tighter=_kept_on,
    ),
    Setting(
        "exempt_tools",
        tuple,
        ("*unabridged*",),
        "Tools (globs) whose results are left whole.",
    ),
)
# By a profile's field.
FIELDS: Mapping[str, Setting] = {setting.name: setting for setting in _FIELDS}

WINDOW = (
    Setting(
        "window.policy",
        str,
        "epoch",
        "How a window is kept: `epoch` cuts seldom, and lists what it left out.",
        choices=("epoch",),
        reserved={"summary": "only `epoch` is built."},
    ),
    *(replace(setting, name=f"window.{setting.name}") for setting in _FIELDS),
    Setting(
        "window.profiles",
        dict,
        {},
        'Any of the fields above for some models: `[window.profiles."anthropic/claude-*"]`; the most specific wins.',
        fields=FIELDS,
    ),
    Setting(
        "window.models",
        dict,
        {},
        'Tokens that models take, by pattern: `"openai/my-model*" = 65536`; the most specific wins.',
        each=Setting("", int, 0, "Tokens.", low=1, high=MOST_TOKENS),
    ),
)


def check(values: Mapping[str, Any], origin: str) -> None:
    """Raise `InvalidSetting` where what one source says leaves no window, for all models or for a pattern."""
    base = {name: values[f"window.{name}"] for name in FIELDS if f"window.{name}" in values}
    _check(base, "window", origin)
    for pattern, fields in values.get("window.profiles", {}).items():
        _check({**base, **fields}, f"window.profiles.{quoted(pattern)}", origin)


def _check(fields: Mapping[str, Any], place: str, origin: str) -> None:
    window, reserve = fields.get("context_window", 0), fields.get("reserve", 0)
    if window and reserve >= window:
        raise InvalidSetting(
            f"{place}: what is reserved for the answer ({reserve:,}) leaves nothing of {window:,} tokens",
            setting=f"{place}.reserve",
            origin=origin,
        )
