"""Limits: what a model's window and a user's settings come to."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.window.limits import Limits, Profile, limits
from unabridged.window.profiles import matches, resolve


def test_the_input_window_is_the_models_without_the_reserve() -> None:
    found = limits(Profile(), 180_000, 20_000)
    assert (found.window, found.rotation, found.hard) == (160_000, 104_000, 128_000)
    assert found.gates.budget == 31_200


def test_a_window_of_a_million_is_not_filled_for_nothing() -> None:
    found = limits(Profile(), 1_000_000, 64_000)
    assert (found.window, found.rotation, found.hard) == (200_000, 130_000, 160_000)
    assert limits(Profile(input_cap=0), 1_000_000, 0).rotation == 650_000


def test_an_unknown_model_has_limits_that_suit_the_smallest() -> None:
    found = limits(Profile())
    assert (found.window, found.rotation, found.hard) == (0, 96_000, 128_000)
    assert limits(Profile()) == Limits(gates=found.gates, thrifty=True)


def test_absolute_caps_only_tighten() -> None:
    assert limits(Profile(rotation_tokens=50_000, hard_tokens=60_000), 200_000).rotation == 50_000
    wide = limits(Profile(rotation_tokens=900_000, hard_tokens=900_000), 200_000)
    assert (wide.rotation, wide.hard) == (130_000, 160_000)
    assert limits(Profile(hard_tokens=10_000), 200_000).rotation == 10_000


def test_a_window_holds_more_turns_than_are_kept() -> None:
    assert limits(Profile(rotation_turns=3, retain_turns=5)).rotation_turns == 6


def test_the_gate_under_pressure_is_not_above_the_other() -> None:
    assert limits(Profile(result_tokens=500)).gates.pressure == 500


@pytest.mark.parametrize(
    ("fields", "window", "reserve"),
    [
        ({}, 1_000, 1_000),
        ({"rotation_ratio": 0.0}, 0, 0),
        ({"hard_ratio": 1.5}, 0, 0),
        ({"retain_turns": 0}, 0, 0),
        ({"input_cap": -1}, 0, 0),
    ],
)
def test_what_leaves_no_window_is_refused(fields: dict[str, Any], window: int, reserve: int) -> None:
    with pytest.raises(InvalidSetting):
        limits(Profile(**fields), window, reserve)


def test_profiles_are_merged_field_by_field_and_the_most_specific_wins() -> None:
    profiles = {
        "anthropic/claude-opus-*": {"retain_turns": 9},
        "*": {"retain_turns": 3, "rotation_turns": 30, "result_tokens": 2_000},
        "Anthropic/*": {"retain_turns": 4, "rotation_turns": 40},
    }
    found = resolve(profiles, "anthropic/Claude-Opus-5")
    assert (found.profile.retain_turns, found.profile.rotation_turns, found.profile.result_tokens) == (
        9,
        40,
        2_000,
    )
    assert found.origins["retain_turns"] == "anthropic/claude-opus-*"
    assert found.origins["rotation_turns"] == "Anthropic/*"
    assert found.origins["result_tokens"] == "*"
    assert found.origins["input_tokens"] == "default"
    assert resolve(profiles, "openai/gpt-5").profile.retain_turns == 3


def test_of_two_equally_specific_profiles_the_later_one_holds() -> None:
    assert resolve({"a*": {"retain_turns": 2}, "*a": {"retain_turns": 7}}, "a").profile.retain_turns == 7


def test_a_pattern_is_compared_without_regard_to_case() -> None:
    assert matches("OpenAI/GPT-*", "openai/gpt-5.1-codex")
    assert not matches("openai/gpt-?", "openai/gpt-50")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"retain_turn": 3}, UnknownSetting),
        ({"retain_turns": "many"}, InvalidSetting),
        ({"deduplicate": 3}, InvalidSetting),
    ],
)
def test_a_mistake_shows_in_a_profile_that_no_model_has_yet(
    fields: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        resolve({"other/*": fields}, "anthropic/x")
