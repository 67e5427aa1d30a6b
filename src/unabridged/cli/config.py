"""una config: settings, where each value comes from, how to change one."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from unabridged.api.writing import NewFile, make_folder
from unabridged.cli.arguments import Arguments
from unabridged.cli.table import draw
from unabridged.daemon import config as configuration
from unabridged.daemon.paths import layout
from unabridged.daemon.setting import Setting, quoted
from unabridged.errors import InvalidSetting


def run(arguments: Arguments) -> int:
    """Show, get, set, or print the path."""
    action = arguments.verb.name.split(" ", 1)[1]
    return _ACTIONS[action](arguments)


def _show(arguments: Arguments) -> int:
    screen = arguments.screen
    config = configuration.load(arguments.environ)
    ignored = [{"name": left.name, "origin": left.origin, "why": left.why} for left in config.ignored]
    if arguments.flag("json"):
        screen.json({"file": config.layout.config_file, "settings": config.listed(), "ignored": ignored})
        return 0
    origin = arguments.flag("origin")
    rows: list[tuple[str, ...]] = []
    for row in config.listed():
        cells = (str(row["name"]), toml(row["value"]))
        rows.append((*cells, str(row["origin"])) if origin else (*cells, str(row["doc"])))
    draw(screen, ("setting", "value", "origin" if origin else "meaning"), rows, flexible=2)
    for left in ignored:
        screen.note(f"{left['origin']} is ignored for {left['name']}: {left['why']}.")
    return 0


def _get(arguments: Arguments) -> int:
    screen = arguments.screen
    config = configuration.load(arguments.environ)
    row = config.row(arguments.text("key"))
    if arguments.flag("json"):
        screen.json(row)
    else:
        screen.line(str(row["value"]) if isinstance(row["value"], str) else toml(row["value"]))
    return 0


def _set(arguments: Arguments) -> int:
    screen = arguments.screen
    setting, place = configuration.placed(arguments.text("key"), "command line")
    value = given(setting, arguments.text("value"))
    path = Path(layout(arguments.environ).config_file).resolve()
    configuration.load_file(path)  # whatever is wrong with it is told as everywhere
    changed = edited(_text(path), place, value)
    make_folder(path.parent)
    with NewFile(path, force=True) as file:
        file.write(changed.encode())
    shown = list(value) if setting.type is tuple else value
    if arguments.flag("json"):
        screen.json({"name": setting.name, "value": shown, "origin": str(path)})
        return 0
    screen.line(f"{setting.name} = {toml(shown)}")
    screen.note(f"Written to {path}. {_when(setting)}")
    return 0


def _when(setting: Setting) -> str:
    """Say when a change is taken: a window is kept by who sends the requests."""
    if setting.name.startswith(("window.", "gateway.")):
        return "`una run`, `una gateway` and programs take it when they are started."
    return "A daemon that runs takes it after `una daemon restart`."


def _path(arguments: Arguments) -> int:
    path = layout(arguments.environ).config_file
    if arguments.flag("json"):
        arguments.screen.json({"path": path, "exists": Path(path).exists()})
    else:
        arguments.screen.line(path)
    return 0


_ACTIONS = {"show": _show, "get": _get, "set": _set, "path": _path}


def given(setting: Setting, text: str) -> Any:
    """Return the value that a text on the command line means: TOML where it is some, else the text itself."""
    try:
        value: Any = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    if setting.type is str and not isinstance(value, str):
        value = text
    return setting.read(value, "command line")


def edited(text: str, keys: Sequence[str], value: Any) -> str:
    """Return the configuration file's text with the value at some keys changed; comments and order stay."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise InvalidSetting(f"the configuration file is not valid TOML: {error}") from error
    *tables, name = keys
    place: Any = document
    for depth, table in enumerate(tables):
        if table not in place:
            # Of `[a.b.c]` only the last is written, the others are said by it.
            place[table] = tomlkit.table(is_super_table=depth < len(tables) - 1)
        place = place[table]
        if not hasattr(place, "items"):
            raise InvalidSetting(f"`{table}` is not a table in the configuration file")
    place[name] = list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
    return tomlkit.dumps(document)


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def toml(value: object) -> str:
    """Return a setting's value as TOML writes it, a table on one line."""
    import json

    if isinstance(value, dict):
        entries = cast("dict[str, object]", value).items()
        return "{" + ", ".join(f"{quoted(key)} = {toml(one)}" for key, one in entries) + "}"
    return json.dumps(value, ensure_ascii=False)
