"""What holds for a model: sources in order, patterns within one, a project that only tightens."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.window.choosing import BUILT_IN, TOLD, UNKNOWN, Chosen, Origin, Said, chosen
from unabridged.window.limits import Profile
from unabridged.window.models import WINDOWS, best

MODEL = "anthropic/claude-sonnet-4-5"


def smaller(a: int, b: int) -> bool:
    return a <= b


def test_without_settings_a_known_model_has_its_own_window_and_the_defaults() -> None:
    found = chosen(MODEL, [])
    assert (found.profile, found.window, found.limits.rotation) == (Profile(), 200_000, 130_000)
    assert found.window_origin == Origin(BUILT_IN, "*claude-*")
    assert set(found.origins.values()) == {Origin()}


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("anthropic/claude-opus-5-5", 1_000_000),
        ("anthropic/claude-sonnet-4-5[1m]", 1_000_000),
        ("anthropic/Claude-Haiku-4-5", 200_000),
        ("openai/gpt-5.2-codex", 400_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("openai/gpt-4o-mini", 128_000),
        ("openai/gpt-4", 8_192),
        ("openai/anthropic/claude-sonnet-4.5", 200_000),
        ("openai/local-llama", 0),
    ],
)
def test_models_are_known_by_the_most_specific_pattern(model: str, window: int) -> None:
    assert WINDOWS.get(best(WINDOWS, model), 0) == window
    assert chosen(model, []).window == window


def test_an_unknown_model_gets_what_suits_the_smallest() -> None:
    found = chosen("openai/local-llama", [])
    assert (found.window, found.window_origin, found.limits.rotation, found.limits.hard) == (
        0,
        Origin(UNKNOWN),
        96_000,
        128_000,
    )


def test_a_later_source_beats_an_earlier_ones_most_specific_profile() -> None:
    file = Said("file", {"retain_turns": 9}, {"anthropic/claude-sonnet-*": {"retain_turns": 2}})
    variable = Said("VARIABLE", {"retain_turns": 7})
    assert chosen(MODEL, [file]).origins["retain_turns"] == Origin("file", "anthropic/claude-sonnet-*")
    found = chosen(MODEL, [file, variable])
    assert (found.profile.retain_turns, str(found.origins["retain_turns"])) == (7, "VARIABLE")


def test_within_a_source_the_most_specific_pattern_wins_field_by_field() -> None:
    file = Said(
        "file",
        {"rotation_turns": 50, "input_cap": 90_000},
        {"anthropic/*": {"rotation_turns": 30, "retain_turns": 3}, "*sonnet*": {"retain_turns": 4}},
    )
    found = chosen(MODEL, [file])
    profile = found.profile
    assert (profile.rotation_turns, profile.retain_turns, profile.input_cap) == (30, 3, 90_000)
    assert str(found.origins["rotation_turns"]) == "file (anthropic/*)"


def test_the_users_table_of_models_goes_before_what_is_built_in_and_a_profile_before_both() -> None:
    file = Said("file", models={"*sonnet*": 50_000, "anthropic/*": 1_000})
    assert chosen(MODEL, [file]).window == 1_000
    assert chosen(MODEL, [file], told=70_000).window == 1_000
    over = Said("VARIABLE", models={"*": 60_000})
    assert chosen(MODEL, [file, over]).window_origin == Origin("VARIABLE", "*")
    profile = Said("file", profiles={"anthropic/*": {"context_window": 40_000}}, models={"*": 1})
    found = chosen(MODEL, [profile])
    assert (found.window, found.window_origin) == (40_000, Origin("file", "anthropic/*"))


def test_a_request_tells_its_models_window_where_the_user_does_not() -> None:
    found = chosen(MODEL, [], told=1_000_000)
    assert (found.window, found.window_origin) == (1_000_000, Origin(TOLD))


def test_what_an_answer_may_have_is_kept_for_it_and_leaves_a_window() -> None:
    assert chosen(MODEL, [], reserve=32_000).limits.window == 168_000
    assert chosen(MODEL, [], reserve=900_000).limits.window == 50_000
    said = Said("file", {"reserve": 150_000})
    assert chosen(MODEL, [said], reserve=1_000).limits.window == 50_000


PROJECT_TIGHTER: dict[str, Any] = {"retain_turns": smaller, "rotation_turns": smaller, "enabled": None}


def with_project(user: dict[str, Any], **project: Any) -> Chosen:
    return chosen(
        MODEL,
        [Said("file", profiles={"*sonnet*": user})],
        project=Said("project", **project),
        tighter=PROJECT_TIGHTER,
    )


def test_a_project_tightens_what_comes_out_for_the_model() -> None:
    found = with_project({"retain_turns": 4}, fields={"retain_turns": 3})
    assert (found.profile.retain_turns, found.origins["retain_turns"]) == (3, Origin("project"))


def test_a_project_neither_loosens_nor_sets_what_is_the_users() -> None:
    found = with_project(
        {"retain_turns": 2},
        fields={"retain_turns": 3, "rotation_turns": 10},
        profiles={"*": {"enabled": False, "input_cap": 5}},
    )
    assert (found.profile.retain_turns, found.profile.rotation_turns, found.profile.enabled) == (2, 10, True)
    assert found.ignored == ("enabled", "input_cap", "retain_turns")


def test_a_field_that_there_is_not_names_the_nearest() -> None:
    with pytest.raises(UnknownSetting, match="did you mean 'retain_turns'"):
        chosen(MODEL, [Said("file", {"retain_turn": 1})])
    with pytest.raises(InvalidSetting):
        chosen(MODEL, [Said("file", {"context_window": 10, "reserve": 10})])
