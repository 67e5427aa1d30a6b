"""All settings as one frozen value: defaults, files, environment and flags, each value with its origin."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unabridged.daemon.paths import Layout, layout
from unabridged.daemon.settings import SETTINGS, Setting
from unabridged.errors import InvalidSetting, LimitExceeded, UnknownSetting

PREFIX = "UNABRIDGED_"
PROJECT_FILE = ".unabridged.toml"
MAX_FILE_BYTES = 1 << 20  # a configuration file of more is a mistake
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Ignored:
    """A value that was left out, and why."""

    name: str
    origin: str
    why: str


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting's value and where it came from. `layout` says where the files are."""

    layout: Layout
    values: Mapping[str, Any]
    origins: Mapping[str, str]
    ignored: tuple[Ignored, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])  # for the hosts' own overrides only

    def number(self, name: str) -> int:
        """Return a whole number."""
        return int(self.values[name])

    def seconds(self, name: str) -> float:
        """Return a duration in seconds."""
        return float(self.values[name])

    def text(self, name: str) -> str:
        """Return a text."""
        return str(self.values[name])

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        return bool(self.values[name])

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self.values[name])

    def for_project(self, root: str) -> Config:
        """Return the settings as a project's own file tightens them; itself where the user does not trust the root."""
        path = Path(root) / PROJECT_FILE
        if not root or os.path.realpath(root) not in map(os.path.realpath, self.texts("projects.trusted")):
            return self
        values, origins, ignored = dict(self.values), dict(self.origins), list(self.ignored)
        for name, value in _flat(load_file(path)).items():
            setting, origin = known(name, str(path)), str(path)
            if setting.tighter is None:
                ignored.append(Ignored(name, origin, "a project may not set it"))
                continue
            wanted = setting.read(value, origin)
            if setting.type is tuple:  # a project's list adds to the user's
                wanted = tuple(dict.fromkeys((*values[name], *wanted)))
            if not setting.tighter(wanted, values[name]):
                ignored.append(Ignored(name, origin, "a project may only tighten it"))
                continue
            values[name], origins[name] = wanted, origin
        return replace(self, values=values, origins=origins, ignored=tuple(ignored))

    def listed(self) -> list[dict[str, Any]]:
        """Return name, value, origin, default and doc of every setting, in the table's order."""
        return [
            {
                "name": name,
                "value": list(self.values[name]) if setting.type is tuple else self.values[name],
                "origin": self.origins[name],
                "default": list(setting.default) if setting.type is tuple else setting.default,
                "doc": setting.doc,
            }
            for name, setting in SETTINGS.items()
        ]


def load(
    env: Mapping[str, str],
    flags: Mapping[str, str] | None = None,
    *,
    explicit: bool = False,
    place: Layout | None = None,
) -> Config:
    """Merge defaults, the user's file, the environment and flags (names to texts).

    `explicit` says that a person started this process: only then may the environment set what is the user's alone,
    since a repository can set the environment of a client that starts a daemon on demand.
    Raises `UnknownSetting` or `InvalidSetting`.
    """
    place = place or layout(env)
    values: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
    origins, ignored = dict.fromkeys(SETTINGS, DEFAULT), list[Ignored]()

    def take(setting: Setting, value: object, origin: str) -> None:
        values[setting.name], origins[setting.name] = setting.read(value, origin), origin

    for name, value in _flat(load_file(Path(place.config_file))).items():
        take(known(name, place.config_file), value, place.config_file)
    variables = {variable(name): setting for name, setting in SETTINGS.items()}
    for name, value in env.items():
        setting = variables.get(name)
        if setting is None:
            continue
        if setting.who == "user" and not explicit:
            ignored.append(
                Ignored(setting.name, name, "only `una daemon start` takes it from the environment")
            )
            continue
        take(setting, value, name)
    for name, value in (flags or {}).items():
        take(known(name, "flag"), value, "flag")
    return Config(place, values, origins, tuple(ignored), dict(env))


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + name.replace(".", "_").upper()


def known(name: str, origin: str) -> Setting:
    """Return the setting of that name; raise `UnknownSetting` with the nearest one."""
    found = SETTINGS.get(name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, SETTINGS, n=1, cutoff=0.5)
    message = f"there is no setting {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
    raise UnknownSetting(message, setting=name, origin=origin, nearest=near[0] if near else "")


def load_file(path: Path) -> dict[str, Any]:
    """Return what a configuration file says, {} where there is none; raise `InvalidSetting` or `LimitExceeded`."""
    way_out = f"Correct {path}, or move it away."
    try:
        if path.exists() and not path.is_file():  # reading a pipe would wait for ever
            raise InvalidSetting("the configuration file is not a file", hint=way_out, origin=str(path))
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidSetting(
            "the configuration file cannot be read", hint=way_out, origin=str(path)
        ) from error
    if len(data) > MAX_FILE_BYTES:
        raise LimitExceeded(
            "the configuration file is too large", hint=way_out, origin=str(path), limit=MAX_FILE_BYTES
        )
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(
            f"the configuration file is not valid TOML: {error}", hint=way_out, origin=str(path)
        ) from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables as dotted names."""
    found = dict[str, Any]()
    for key, value in table.items():
        name = prefix + key
        if isinstance(value, dict):
            found.update(_flat(value, f"{name}."))  # pyright: ignore[reportUnknownArgumentType]
        else:
            found[name] = value
    return found
