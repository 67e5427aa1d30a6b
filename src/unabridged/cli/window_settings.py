"""una window settings: what holds for a model, and where each value comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unabridged.cli import human
from unabridged.cli.arguments import Arguments
from unabridged.cli.config import toml
from unabridged.cli.table import draw
from unabridged.daemon import config as configuration
from unabridged.daemon.windowing import window_of
from unabridged.daemon.windowsettings import FIELDS
from unabridged.window.choosing import Chosen


def run(arguments: Arguments) -> int:
    """Show every field with its origin, and the limits that follow."""
    screen = arguments.screen
    config = configuration.load(arguments.environ).for_folder(str(Path.cwd()))
    found = window_of(config, arguments.text("model"), arguments.number("reserve"))
    if arguments.flag("json"):
        screen.json(_document(found, config.text("window.policy")))
        return 0
    rows = [
        (f"window.{name}", toml(_plain(getattr(found.profile, name))), str(found.origins[name]))
        for name in FIELDS
    ]
    draw(screen, ("setting", "value", "origin"), rows)  # where a value comes from is never cut
    _close(arguments, found)
    return 0


def _document(found: Chosen, policy: str) -> dict[str, Any]:
    limits = found.limits
    return {
        "model": found.model,
        "policy": policy,
        "settings": [
            {
                "name": f"window.{name}",
                "value": _plain(getattr(found.profile, name)),
                "origin": found.origins[name].source,
                "pattern": found.origins[name].pattern,
            }
            for name in FIELDS
        ],
        "context_window": {"tokens": found.window, "origin": str(found.window_origin)},
        "reserve": found.reserve,
        "limits": {
            "window": limits.window,
            "rotation": limits.rotation,
            "hard": limits.hard,
            "rotation_turns": limits.rotation_turns,
            "retain_turns": limits.retain_turns,
            "enabled": limits.enabled,
        },
        "ignored": list(found.ignored),
    }


def _close(arguments: Arguments, found: Chosen) -> None:
    screen, limits = arguments.screen, found.limits
    model = found.model or "such a model"
    if found.window:
        told = f"A request to {model} takes {human.number(found.window)} tokens ({found.window_origin})"
        if found.reserve:
            told += f", {human.number(found.reserve)} of them kept for the answer"
    else:
        told = f"How many tokens {model} takes is not known; `window.models` can say it"
    screen.note(f"{told}.")
    if not limits.enabled:
        screen.note("It gets no window: its requests pass as they are, and are archived.")
        return
    screen.note(
        f"An epoch ends at {human.number(limits.rotation)} tokens or {limits.rotation_turns} turns and keeps "
        f"{limits.retain_turns}; {human.number(limits.hard)} tokens are not passed."
    )
    for name in found.ignored:
        screen.note(f"The project's file is ignored for window.{name}: a project may only tighten it.")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
