"""Paths as operations take them, from what a program gives; and the home or store that a path means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

from unabridged.daemon import paths
from unabridged.daemon.paths import Layout
from unabridged.errors import InvalidInput
from unabridged.store import folder as stores


def absolute(given: object) -> Any:
    """Return a path from the root on; "" stays, and what is no path is left to the check of the request."""
    path = os.fspath(cast("PathLike[str]", given)) if isinstance(given, PathLike) else given
    return os.path.abspath(path) if isinstance(path, str) and path and "\0" not in path else path


def absolute_all(given: Iterable[object]) -> list[Any]:
    """Return paths from the root on; raise `InvalidInput` for one path, which is not several."""
    if isinstance(given, str | bytes | PathLike):
        raise InvalidInput("Expected `array`, got `str`: paths come in a list", field="paths")
    return [absolute(path) for path in given]


def project_at(given: object) -> Any:
    """Return a project as operations take it: a path from the root on, an id as it is."""
    if isinstance(given, str):
        named = given.startswith("host:") or "\0" in given
        path = os.sep in given or given.startswith(".") or (not named and os.path.isdir(given))
        return absolute(given) if path and not named else given
    return absolute(given)


def moved(env: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return where hosts keep their sessions instead of the usual place: as given, else as this process is told."""
    return paths.hosts_moved(paths.environment()) if env is None else env


def folder_of(project: str | PathLike[str] | None) -> str:
    """Return the folder that a program works in: as given, else the current one; "" when that was removed."""
    if project is not None:
        return project_at(project)
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def layout_of(home: str | PathLike[str] | None) -> Layout:
    """Return where everything of a home lies; None: the home of this process's environment."""
    env = paths.environment()
    return paths.layout(env if home is None else {**env, paths.HOME_VARIABLE: os.fspath(home)})


def meant_by(path: str | PathLike[str]) -> tuple[Layout, str]:
    """Return the home that a path is, or is the store of; for a store outside of any home the usual home, and it."""
    given = absolute(path)
    usual = layout_of(None)
    if given in (usual.data, usual.store):
        return usual, ""
    if not stores.is_store(Path(given)):
        return layout_of(given), ""
    home = layout_of(os.path.dirname(given))
    if home.store == given and os.path.isdir(home.keys):  # a home that was in use has keys
        return home, ""
    return usual, given
