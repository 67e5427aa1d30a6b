"""The window's settings: tables of the user's own keys, where each value comes from, what a project may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged.daemon import config
from unabridged.daemon.windowing import window_of
from unabridged.daemon.windowsettings import FIELDS
from unabridged.errors import InvalidSetting, NotFound, UnknownSetting
from unabridged.window.choosing import Origin
from unabridged.window.limits import Profile

FILE = """
[window]
rotation_turns = 30
[window.profiles."anthropic/claude-*"]
retain_turns = 3
exempt_tools = ["Read"]
[window.profiles."openai/gpt-4.1*"]
enabled = false
[window.models]
"openai/mine.v2*" = 65_536
"""
CLAUDE = "anthropic/claude-sonnet-4-5"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"UNABRIDGED_HOME": str(tmp_path / "home")}


def write(env: dict[str, str], text: str = FILE) -> str:
    path = Path(env["UNABRIDGED_HOME"]) / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_every_field_of_a_profile_is_a_setting_with_its_default() -> None:
    assert {name: setting.default for name, setting in FIELDS.items()} == {
        name: getattr(Profile(), name) for name in Profile.__struct_fields__
    }


def test_a_file_says_what_holds_for_all_models_and_for_some(env: dict[str, str]) -> None:
    path = write(env)
    found = window_of(config.load(env), CLAUDE, reserve=32_000)
    assert (found.profile.rotation_turns, found.profile.retain_turns) == (30, 3)
    assert found.profile.exempt_tools == ("Read",)
    assert found.limits.window == 168_000
    assert found.origins["rotation_turns"] == Origin(path)
    assert found.origins["retain_turns"] == Origin(path, "anthropic/claude-*")
    assert not window_of(config.load(env), "openai/gpt-4.1").limits.enabled
    assert window_of(config.load(env), "openai/mine.v2-large").window == 65_536


def test_flags_and_the_environment_of_an_explicit_start_beat_every_profile_of_the_file(
    env: dict[str, str],
) -> None:
    write(env)
    env |= {"UNABRIDGED_WINDOW_RETAIN_TURNS": "8"}
    found = window_of(config.load(env, explicit=True), CLAUDE)
    assert (found.profile.retain_turns, found.origins["retain_turns"]) == (
        8,
        Origin("UNABRIDGED_WINDOW_RETAIN_TURNS"),
    )
    assert window_of(config.load(env, {"window.retain_turns": "9"}), CLAUDE).profile.retain_turns == 9


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ENABLED", "false"),
        ("INPUT_CAP", "0"),
        ("RETAIN_TURNS", "1"),
        ("ROTATION_TURNS", "2"),
        ("RESULT_TOKENS", "1"),
        ("CONTEXT_WINDOW", "1000000"),
        ("MODELS", '{"*" = 4096}'),
        ("PROFILES", '{"*" = {enabled = false}}'),
    ],
)
def test_what_a_clients_environment_says_of_a_window_counts_for_nothing_and_is_told(
    env: dict[str, str], name: str, value: str
) -> None:
    """A repository can set the environment of what runs in it: it would decide what requests cost and hide."""
    write(env)
    before = window_of(config.load(env), CLAUDE)
    loaded = config.load({**env, f"UNABRIDGED_WINDOW_{name}": value})
    assert window_of(loaded, CLAUDE) == before
    assert [(one.name, one.origin) for one in loaded.ignored] == [
        (f"window.{name.lower()}", f"UNABRIDGED_WINDOW_{name}")
    ]


def test_a_table_in_the_environment_is_joined_with_the_files(env: dict[str, str]) -> None:
    path = write(env)
    env["UNABRIDGED_WINDOW_PROFILES"] = '{"anthropic/claude-*" = {rotation_turns = 7}}'
    loaded = config.load(env, explicit=True)
    found = window_of(loaded, CLAUDE)
    assert (found.profile.rotation_turns, found.profile.retain_turns) == (7, 3)
    rows = {row["name"]: row["origin"] for row in loaded.listed()}
    assert rows['window.profiles."anthropic/claude-*".rotation_turns'] == "UNABRIDGED_WINDOW_PROFILES"
    assert rows['window.profiles."anthropic/claude-*".retain_turns'] == path


def test_each_entry_of_a_table_is_listed_with_value_origin_and_meaning(env: dict[str, str]) -> None:
    path = write(env)
    loaded = config.load(env)
    rows = {row["name"]: row for row in loaded.listed()}
    row = rows['window.profiles."openai/gpt-4.1*".enabled']
    assert (row["value"], row["origin"], row["default"]) == (False, path, True)
    assert row["doc"] == FIELDS["enabled"].doc
    assert rows['window.models."openai/mine.v2*"']["value"] == 65_536
    assert "window.profiles" not in rows
    assert loaded.row('window.models."openai/mine.v2*"')["value"] == 65_536
    assert loaded.row("window.models")["value"] == {"openai/mine.v2*": 65_536}
    with pytest.raises(NotFound):
        loaded.row('window.models."other"')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[window]\nretain_turns = 0\n", "between 1 and"),
        ("[window]\nretain_turns = 'many'\n", "whole number"),
        ("[window]\nrotation_ratio = 1.5\n", "between 0.01 and 1"),
        ("[window]\npolicy = 'summary'\n", "only `epoch` is built"),
        ("[window]\npolicy = 'other'\n", "one of epoch"),
        ("[window]\nprofiles = 3\n", "window.profiles must be a table"),
        ("[window.profiles]\n'a*' = 3\n", r"window.profiles.\"a\*\" must be a table"),
        ("[window.profiles.'a*']\nretain_turns = true\n", r"\.retain_turns must be a whole number"),
        ("[window.models]\n'a*' = 0\n", "between 1 and"),
        ("[window.models]\n'a*' = 'big'\n", "whole number"),
        ("[window]\nreserve = 9\n[window.profiles.'a*']\ncontext_window = 9\n", "leaves nothing of 9 tokens"),
    ],
)
def test_what_a_window_cannot_take_is_refused_at_load(env: dict[str, str], text: str, reason: str) -> None:
    write(env, text)
    with pytest.raises(InvalidSetting, match=reason):
        config.load(env)


@pytest.mark.parametrize("text", ["[window]\nretain_turn = 1\n", "[window.profiles.'a*']\nretain_turn = 1\n"])
def test_an_unknown_field_is_refused_with_the_nearest(env: dict[str, str], text: str) -> None:
    path = write(env, text)
    with pytest.raises(UnknownSetting, match=r"did you mean '(window\.)?retain_turns'") as caught:
        config.load(env)
    assert caught.value.details["origin"] == path


def project(env: dict[str, str], tmp_path: Path, user: str, theirs: str) -> config.Config:
    root = tmp_path / "repository"
    root.mkdir()
    write(env, f"[projects]\ntrusted = ['{root}']\n{user}")
    (root / config.PROJECT_FILE).write_text(theirs)
    return config.load(env).for_project(str(root))


def test_a_trusted_repository_makes_a_window_smaller_model_by_model(
    env: dict[str, str], tmp_path: Path
) -> None:
    user = "[window]\nretain_turns = 9\n[window.profiles.'*claude*']\nretain_turns = 2\n"
    theirs = "[window]\nretain_turns = 4\ninput_cap = 50_000\n"
    found = project(env, tmp_path, user, theirs)
    claude, other = window_of(found, CLAUDE), window_of(found, "openai/gpt-5")
    assert (claude.profile.retain_turns, claude.ignored) == (2, ("retain_turns",))
    assert (other.profile.retain_turns, other.ignored) == (4, ())
    assert claude.limits.window == other.limits.window == 50_000


def test_a_repository_decides_neither_whether_there_is_a_window_nor_how_large_the_models_is(
    env: dict[str, str], tmp_path: Path
) -> None:
    theirs = (
        "[window]\nenabled = false\ncontext_window = 9_000_000\ninput_cap = 0\nexempt_tools = ['*']\n"
        "deduplicate = false\nrotation_tokens = 10_000\n"
        "[window.profiles.'*']\nenabled = false\nhard_ratio = 1.0\n[window.models]\n'*' = 9_000_000\n"
    )
    found = project(env, tmp_path, "", theirs)
    chosen = window_of(found, CLAUDE)
    assert chosen.limits.enabled
    assert (chosen.window, chosen.limits.rotation, chosen.limits.hard) == (200_000, 10_000, 160_000)
    assert chosen.ignored == ("deduplicate", "enabled", "hard_ratio", "input_cap")
    assert {item.name for item in found.ignored} >= {
        "window.enabled",
        "window.context_window",
        "window.input_cap",
        "window.exempt_tools",
        "window.deduplicate",
        "window.models",
    }


def test_a_folder_in_a_trusted_repository_has_its_settings(env: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "deep" / "er").mkdir(parents=True)
    write(env, f"[projects]\ntrusted = ['{root}']\n")
    (root / config.PROJECT_FILE).write_text("[window]\nretain_turns = 2\n")
    loaded = config.load(env)
    assert window_of(loaded.for_folder(str(root / "deep" / "er")), CLAUDE).profile.retain_turns == 2
    assert window_of(loaded.for_folder(str(tmp_path)), CLAUDE).profile.retain_turns == 5
    assert loaded.for_folder("") is loaded
