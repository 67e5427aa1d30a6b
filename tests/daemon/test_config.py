"""Where values come from, who wins, who is refused."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from unabridged.daemon import config, paths
from unabridged.daemon.settings import SETTINGS
from unabridged.errors import InvalidSetting, LimitExceeded, UnknownSetting


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"UNABRIDGED_HOME": str(tmp_path / "home")}


def write(env: dict[str, str], text: str) -> Path:
    path = Path(env["UNABRIDGED_HOME"]) / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_anything_every_value_is_its_default(env: dict[str, str]) -> None:
    found = config.load(env)
    assert dict(found.values) == {name: setting.default for name, setting in SETTINGS.items()}
    assert set(found.origins.values()) == {"default"}


def test_the_users_file_beats_defaults_the_environment_beats_the_file_flags_beat_all(
    env: dict[str, str],
) -> None:
    path = write(env, "[daemon]\nslow_ms = 1\nidle_seconds = 2\nconnections = 3\n")
    env |= {"UNABRIDGED_DAEMON_IDLE_SECONDS": "20", "UNABRIDGED_DAEMON_CONNECTIONS": "30"}
    found = config.load(env, {"daemon.connections": "99"}, explicit=True)
    assert found.number("daemon.slow_ms") == 1
    assert found.seconds("daemon.idle_seconds") == 20.0
    assert found.number("daemon.connections") == 99
    assert [
        found.origins[name] for name in ("daemon.slow_ms", "daemon.idle_seconds", "daemon.connections")
    ] == [
        str(path),
        "UNABRIDGED_DAEMON_IDLE_SECONDS",
        "flag",
    ]


# What decides what others see, what is masked, where data goes, which programs and budgets there are.
USERS_OWN = {
    "read.scope": "session",
    "redaction.enabled": "false",
    "redaction.literals": "a,b",
    "store.url": "postgresql://elsewhere/db",
    "projects.trusted": "/",
    "daemon.connections": "256",
    "ingest.workers": "16",
    "disk.free_bytes": "0",
}


@pytest.mark.parametrize("name", USERS_OWN)
def test_a_clients_environment_cannot_set_what_is_the_users_own(env: dict[str, str], name: str) -> None:
    env[config.variable(name)] = USERS_OWN[name]
    found = config.load(env)
    assert found.values[name] == SETTINGS[name].default
    assert [item.name for item in found.ignored] == [name]
    assert config.load(env, explicit=True).values[name] != SETTINGS[name].default


def test_an_unknown_setting_is_refused_with_the_nearest_name(env: dict[str, str]) -> None:
    path = write(env, "[daemon]\nidle_secods = 5\n")
    with pytest.raises(UnknownSetting, match=r"daemon\.idle_seconds") as caught:
        config.load(env)
    assert caught.value.details["origin"] == str(path)
    with pytest.raises(UnknownSetting):
        config.load(env, {"no.such": "1"})


def test_other_variables_of_our_prefix_are_nobodys_setting(env: dict[str, str]) -> None:
    assert config.load({**env, "UNABRIDGED_SHARED": "/x", "UNABRIDGED_DAEMON_NONSENSE": "1"}).ignored == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[daemon]\nconnections = 'many'\n", "whole number"),
        ("[daemon]\nconnections = 0\n", "between 1 and 256"),
        ("[daemon]\nconnections = 257\n", "between 1 and 256"),
        ("[daemon]\nconnections = true\n", "whole number"),
        ("[read]\nscope = 'everything'\n", "one of session, project, all"),
        ("[redaction]\nliterals = [1]\n", "list of texts"),
        ("[redaction]\nenabled = 'perhaps'\n", "true or false"),
        ("[daemon\n", "not valid TOML"),
    ],
)
def test_a_value_that_a_setting_cannot_take_is_refused(env: dict[str, str], text: str, reason: str) -> None:
    write(env, text)
    with pytest.raises(InvalidSetting, match=reason):
        config.load(env)


def test_a_file_that_is_no_text_or_too_large_is_refused(env: dict[str, str]) -> None:
    path = write(env, "")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSetting):
        config.load(env)
    path.write_bytes(b"#" * (config.MAX_FILE_BYTES + 1))
    with pytest.raises(LimitExceeded):
        config.load(env)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused_without_waiting_for_it(
    env: dict[str, str], make: Callable[[Path], None]
) -> None:
    path = write(env, "")
    path.unlink()
    make(path)
    with pytest.raises(InvalidSetting, match="is not a file") as caught:
        config.load(env)
    assert str(path) in caught.value.advice


def test_a_repositorys_file_is_ignored_until_its_root_is_trusted(env: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / config.PROJECT_FILE).write_text("[read]\nscope = 'session'\n")
    assert config.load(env).for_project(str(root)).text("read.scope") == "all"
    write(env, f"[projects]\ntrusted = ['{root}']\n")
    found = config.load(env).for_project(str(root))
    assert found.text("read.scope") == "session"
    assert found.origins["read.scope"] == str(root / config.PROJECT_FILE)


def test_a_trusted_repository_can_tighten_and_never_loosen(env: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    write(
        env,
        f"[projects]\ntrusted = ['{root}']\n[read]\nscope = 'project'\n[redaction]\nliterals = ['mine']\n"
        "[ingest]\ntail = false\n",
    )
    (root / config.PROJECT_FILE).write_text(
        "[read]\nscope = 'all'\n[redaction]\nenabled = false\nliterals = ['theirs']\n[ingest]\ntail = true\n"
        "[daemon]\nconnections = 1\n"
    )
    found = config.load(env).for_project(str(root))
    assert found.text("read.scope") == "project"
    assert found.flag("redaction.enabled")
    assert found.texts("redaction.literals") == ("mine", "theirs")
    assert not found.flag("ingest.tail")
    assert found.number("daemon.connections") == 16
    assert sorted(item.name for item in found.ignored) == [
        "daemon.connections",
        "ingest.tail",
        "read.scope",
        "redaction.enabled",
    ]


def test_every_setting_is_listed_with_value_origin_and_meaning(env: dict[str, str]) -> None:
    rows = config.load(env).listed()
    assert [row["name"] for row in rows] == list(SETTINGS)
    assert all(row["doc"].endswith(".") and row["origin"] for row in rows)


def test_a_home_holds_everything_and_two_homes_share_nothing(tmp_path: Path) -> None:
    one, two = (paths.layout({"UNABRIDGED_HOME": str(tmp_path / name)}) for name in ("one", "two"))
    for name in (
        "store",
        "index",
        "run",
        "lock",
        "socket",
        "logs",
        "outbox",
        "models",
        "keys",
        "config_file",
    ):
        assert getattr(one, name).startswith(str(tmp_path / "one")), name
        assert getattr(two, name).startswith(str(tmp_path / "two")), name


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "here"}])
def test_without_a_usable_home_the_account_tells_it(home: dict[str, str]) -> None:
    account = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert paths.layout(home, "linux").data == str(account / ".local" / "share" / "unabridged")


def test_without_a_home_the_usual_folders_are_used() -> None:
    place = paths.layout({"HOME": "/home/me"}, "linux")
    assert (place.data, place.config_file, place.state) == (
        "/home/me/.local/share/unabridged",
        "/home/me/.config/unabridged/config.toml",
        "/home/me/.local/state/unabridged",
    )
    env = {"HOME": "/home/me", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative"}
    place = paths.layout(env, "linux")
    assert (place.data, place.config_file) == ("/d/unabridged", "/c/unabridged/config.toml")
    assert place.state == "/home/me/.local/state/unabridged"


def test_the_usual_folders_are_those_that_the_platforms_library_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    known = platformdirs.PlatformDirs("unabridged", appauthor=False)
    place = paths.layout(paths.environment())
    if "UNABRIDGED_HOME" in paths.environment():
        pytest.skip("a home is set")
    assert (place.data, Path(place.config_file).parent, place.state) == (
        known.user_data_dir,
        Path(known.user_config_dir),
        known.user_state_dir,
    )


def test_a_long_path_moves_the_socket_and_nothing_else(tmp_path: Path) -> None:
    deep = str(tmp_path / ("d" * 60) / ("e" * 60))
    place = paths.layout({"UNABRIDGED_HOME": deep})
    other = paths.layout({"UNABRIDGED_HOME": deep + "x"})
    assert len(place.socket) <= paths.MAX_SOCKET_BYTES
    assert place.socket != other.socket
    assert place.socket == paths.layout({"UNABRIDGED_HOME": deep, "XDG_RUNTIME_DIR": "/elsewhere"}).socket
    assert place.lock.startswith(deep)
