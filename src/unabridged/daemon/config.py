"""All settings as one frozen value: defaults, files, environment and flags, each value with its origin."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from unabridged.daemon.paths import Layout, layout
from unabridged.daemon.setting import Setting, unknown
from unabridged.daemon.settings import SETTINGS
from unabridged.daemon.windowsettings import check
from unabridged.errors import InvalidSetting, LimitExceeded, NotFound

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
class Source:
    """What one source says: values by the settings' names."""

    origin: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting's value and where it came from. `layout` says where the files are.

    `sources` are the user's, in order; `project` is a trusted project's own, wherever it only tightens and not.
    """

    layout: Layout
    values: Mapping[str, Any]
    origins: Mapping[str, str]
    ignored: tuple[Ignored, ...] = ()
    sources: tuple[Source, ...] = ()
    project: Source | None = None
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
        said, origin = dict[str, Any](), str(path)
        for name, value in _flat(load_file(path)).items():
            setting = known(name, origin)
            if setting.tighter is None and not setting.fields:
                ignored.append(Ignored(name, origin, "a project may not set it"))
                continue
            wanted = said[name] = setting.read(value, origin)
            if setting.tighter is None:  # a table whose fields are compared for each model
                continue
            if setting.type is tuple:  # a project's list adds to the user's
                wanted = tuple(dict.fromkeys((*values[name], *wanted)))
            if not setting.tighter(wanted, values[name]):
                ignored.append(Ignored(name, origin, "a project may only tighten it"))
                continue
            values[name], origins[name] = wanted, origin
        check(said, origin)
        return replace(
            self,
            values=values,
            origins=origins,
            ignored=tuple(ignored),
            project=Source(origin, said),
        )

    def for_folder(self, folder: str) -> Config:
        """Return the settings for work in a folder: as `for_project` of the nearest trusted root that holds it."""
        return self.for_project(self.trusted_root(folder))

    def trusted_root(self, folder: str) -> str:
        """Return the nearest root that holds a folder and that the user trusts, "" where there is none."""
        trusted = set(map(os.path.realpath, self.texts("projects.trusted")))
        place = os.path.realpath(folder) if folder else ""
        while place and place not in trusted:
            above = os.path.dirname(place)
            place = "" if above == place else above
        return place

    def listed(self) -> list[dict[str, Any]]:
        """Return name, value, origin, default and doc of every setting, in the table's order.

        A table has a row for each of its entries or their fields, and one of its own where it has none.
        """
        rows = list[dict[str, Any]]()
        for name, setting in SETTINGS.items():
            if setting.type is not dict or not self.values[name]:
                rows.append(_row(name, self.values[name], self.origins[name], setting))
            else:
                rows += self._entries(setting)
        return rows

    def row(self, name: str) -> dict[str, Any]:
        """Return what `listed` says of one setting, of a whole table, or of an entry in one."""
        setting, _ = placed(name, "command line")
        if setting.name in SETTINGS:
            return _row(setting.name, self.values[setting.name], self.origins[setting.name], setting)
        found = next((row for row in self.listed() if row["name"] == setting.name), None)
        if found is None:
            raise NotFound(f"nothing sets {setting.name}", hint="`una config show` lists what is set.")
        return found

    def _entries(self, setting: Setting) -> list[dict[str, Any]]:
        origins = dict[str, str]()
        for source in self.sources:
            for path in leaves(setting, source.values.get(setting.name, {})):
                origins[path] = source.origin
        return [
            _row(path, value, origins[path], one)
            for path, (value, one) in leaves(setting, self.values[setting.name]).items()
        ]


def _row(name: str, value: Any, origin: str, setting: Setting) -> dict[str, Any]:
    return {
        "name": name,
        "value": list(value) if setting.type is tuple else value,
        "origin": origin,
        "default": list(setting.default) if setting.type is tuple else setting.default,
        "doc": setting.doc,
    }


def leaves(setting: Setting, table: Mapping[str, Any]) -> dict[str, tuple[Any, Setting]]:
    """Return the values in a table setting by their dotted names, each with what it is."""
    found = dict[str, tuple[Any, Setting]]()
    for key, value in table.items():
        single = setting.entry(key)
        if single is not None:
            found[single.name] = (value, single)
            continue
        for field_name, one in value.items():
            member = setting.member(key, field_name, DEFAULT)
            found[member.name] = (one, member)
    return found


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
    sources, ignored = list[Source](), list[Ignored]()
    file = place.config_file
    sources.append(_source(file, _flat(load_file(Path(file)))))
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
        sources.append(_source(name, {setting.name: value}))
    sources.append(_source("flag", flags or {}))
    values: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
    origins = dict.fromkeys(SETTINGS, DEFAULT)
    for source in sources:
        for name, value in source.values.items():
            values[name] = _joined(values[name], value) if SETTINGS[name].type is dict else value
            origins[name] = source.origin
    said = tuple(source for source in sources if source.values)
    return Config(place, values, origins, tuple(ignored), said, env=dict(env))


def _source(origin: str, values: Mapping[str, Any]) -> Source:
    """Return what a source says, every value read and checked."""
    read = dict[str, Any]()
    for name, value in values.items():
        setting = known(name, origin)
        read[setting.name] = setting.read(value, origin)
    check(read, origin)
    return Source(origin, read)


def _joined(known: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return one table with another's entries in it; entries that are tables are joined field by field."""
    found = dict(known)
    for key, value in more.items():
        before = found.get(key)
        found[key] = {**before, **value} if isinstance(value, dict) and isinstance(before, dict) else value
    return found


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + name.replace(".", "_").upper()


def known(name: str, origin: str) -> Setting:
    """Return the setting of that name; raise `UnknownSetting` with the nearest one."""
    found = SETTINGS.get(name)
    if found is not None:
        return found
    raise unknown(name, name, SETTINGS, origin)


def placed(name: str, origin: str) -> tuple[Setting, tuple[str, ...]]:
    """Return the setting of a name and its place in a file; also for an entry of a table, and its field.

    Keys in such names are quoted as TOML has them: `window.profiles."anthropic/*".retain_turns`.
    """
    for table in (one for one in SETTINGS.values() if one.type is dict):
        if name.startswith(f"{table.name}."):
            parts = _parts(name[len(table.name) + 1 :], name, origin)
            place = (*table.name.split("."), *parts)
            single = table.entry(parts[0])
            if single is not None and len(parts) == 1:
                return single, place
            if single is None and len(parts) == 2:
                return table.member(parts[0], parts[1], origin), place
            raise unknown(name, name, SETTINGS, origin)
    setting = known(name, origin)
    return setting, tuple(setting.name.split("."))


def _parts(dotted: str, name: str, origin: str) -> list[str]:
    """Return the keys of a dotted name, read as TOML reads them."""
    try:
        value: object = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        raise unknown(name, name, SETTINGS, origin) from None
    parts = list[str]()
    while isinstance(value, dict):
        key, value = next(iter(cast("dict[str, object]", value).items()))
        parts.append(key)
    return parts


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
        table_setting = SETTINGS.get(name)
        if isinstance(value, dict) and (table_setting is None or table_setting.type is not dict):
            found.update(_flat(value, f"{name}."))  # pyright: ignore[reportUnknownArgumentType]
        else:
            found[name] = value
    return found
