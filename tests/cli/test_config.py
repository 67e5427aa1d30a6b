"""Settings are shown with their origin and changed without losing a comment."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.cli.double import Outcome, una
from unabridged.daemon.settings import SETTINGS

FILE = """# my settings
[read]  # how far
# narrow while I test
scope = "project"  # not all

[redaction]
literals = [
    "hunter2",  # an old one
]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def config(home: Path, *words: str, **environ: str) -> Outcome:
    return una("config", *words, environ={"UNABRIDGED_HOME": str(home), **environ})


def write(home: Path, text: str = FILE) -> Path:
    home.mkdir()
    path = home / "config.toml"
    path.write_text(text)
    return path


def test_every_setting_is_listed_with_its_origin(home: Path) -> None:
    path = write(home)
    shown = config(home, "show", "--json", UNABRIDGED_DAEMON_IDLE_SECONDS="60")
    rows = {row["name"]: row for row in shown.json["settings"]}
    assert set(rows) == set(SETTINGS)
    assert (rows["read.scope"]["value"], rows["read.scope"]["origin"]) == ("project", str(path))
    assert rows["daemon.idle_seconds"]["origin"] == "UNABRIDGED_DAEMON_IDLE_SECONDS"
    assert rows["daemon.connections"]["origin"] == "default"
    drawn = config(home, "show", "--origin")
    assert str(path) in drawn.out


def test_what_the_environment_may_not_set_is_told(home: Path) -> None:
    done = config(home, "show", UNABRIDGED_READ_SCOPE="session")
    assert "UNABRIDGED_READ_SCOPE is ignored for read.scope" in done.err


def test_one_setting_is_printed_alone(home: Path) -> None:
    write(home)
    assert config(home, "get", "read.scope").out == "project\n"
    assert config(home, "get", "daemon.connections").out == "16\n"
    assert config(home, "get", "redaction.literals").out == '["hunter2"]\n'
    assert config(home, "get", "read.scope", "--json").json["value"] == "project"


def test_the_path_is_printed_even_when_there_is_no_file(home: Path) -> None:
    assert config(home, "path").out == f"{home}/config.toml\n"
    assert config(home, "path", "--json").json == {"path": f"{home}/config.toml", "exists": False}


def test_set_keeps_comments_and_order(home: Path) -> None:
    path = write(home)
    done = config(home, "set", "read.scope", "session")
    assert done.status == 0
    assert path.read_text() == FILE.replace('"project"', '"session"')
    config(home, "set", "daemon.idle_seconds", "60")
    assert path.read_text().startswith(FILE.replace('"project"', '"session"'))
    assert config(home, "get", "daemon.idle_seconds").out == "60.0\n"
    assert "una daemon restart" in done.err


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("daemon.connections", "32", 32),
        ("daemon.idle_seconds", "60", 60.0),
        ("ingest.tail", "off", False),
        ("ingest.tail", "true", True),
        ("read.scope", '"all"', "all"),
        ("store.engine", "true", "true"),
        ("redaction.literals", "a,b", ["a", "b"]),
        ("redaction.literals", '["a,b"]', ["a,b"]),
    ],
)
def test_values_are_toml_or_plain_text(home: Path, name: str, text: str, value: object) -> None:
    assert config(home, "set", name, text, "--json").json["value"] == value
    assert config(home, "get", name, "--json").json["value"] == value


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("set", "read.scpe", "all"), "unknown-setting", "read.scope"),
        (("get", "daemon.conections"), "unknown-setting", "daemon.connections"),
        (("set", "read.scope", "everything"), "invalid-setting", "session, project, all"),
        (("set", "daemon.connections", "many"), "invalid-setting", "whole number"),
        (("set", "daemon.connections", "100000"), "invalid-setting", "256"),
    ],
)
def test_a_wrong_name_or_value_is_refused_and_nothing_is_written(
    home: Path, words: tuple[str, ...], code: str, says: str
) -> None:
    done = config(home, *words, "--json")
    assert done.status == 2
    assert done.json["error"]["code"] == code
    assert says in done.json["error"]["message"]
    assert not home.exists()


def test_the_file_is_private_and_a_file_that_is_no_toml_is_left_alone(home: Path) -> None:
    config(home, "set", "read.scope", "all")
    path = home / "config.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("[read\n")
    assert config(home, "set", "read.scope", "all").status == 2
    assert path.read_text() == "[read\n"


def test_a_file_that_is_a_link_is_changed_where_it_lies(home: Path, tmp_path: Path) -> None:
    path = write(home)
    kept = tmp_path / "dotfiles.toml"
    path.rename(kept)
    path.symlink_to(kept)
    config(home, "set", "read.scope", "session")
    assert path.is_symlink()
    assert kept.read_text() == FILE.replace('"project"', '"session"')


@pytest.mark.parametrize("data", [b"\xff\xfe", b"daemon = 1\n", b"[daemon\n"])
def test_a_file_that_cannot_be_changed_is_an_error_and_stays(home: Path, data: bytes) -> None:
    path = write(home)
    path.write_bytes(data)
    done = config(home, "set", "daemon.slow_ms", "5")
    assert done.status == 2
    assert "error: " in done.err
    assert path.read_bytes() == data
