"""Which limits hold for a model: what each source of settings says, merged, with the origin of every field.

Sources come in order and a later one wins, whatever patterns the earlier one has: a variable in the environment beats
every profile of a file. Within one source the most specific pattern wins, field by field. A project may only tighten
what comes out of that, model by model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from unabridged.window.limits import Limits, Profile, limits
from unabridged.window.models import WINDOWS, best
from unabridged.window.profiles import DEFAULT, merged, profile

BUILT_IN, UNKNOWN, TOLD = "built in", "unknown", "request"
# Share of a model's window that an answer's allowance may take: clients ask for as much as there is.
MOST_RESERVED = 0.75


class Said(msgspec.Struct, frozen=True):
    """What one source says: fields for all models, fields by pattern, windows of models by pattern."""

    origin: str
    fields: Mapping[str, Any] = {}
    profiles: Mapping[str, Mapping[str, Any]] = {}
    models: Mapping[str, int] = {}


class Origin(msgspec.Struct, frozen=True):
    """Where a value comes from: the source, and the pattern there ("" for all models)."""

    source: str = DEFAULT
    pattern: str = ""

    def __str__(self) -> str:
        """Return both as a person reads them."""
        return f"{self.source} ({self.pattern})" if self.pattern else self.source


class Chosen(msgspec.Struct, frozen=True):
    """What holds for one model. `window`: the tokens that it takes, 0 where nobody knows; `reserve`: for its answer.

    `ignored` are fields of a project's file that would have loosened something.
    """

    model: str
    profile: Profile
    limits: Limits
    origins: Mapping[str, Origin]
    window: int = 0
    window_origin: Origin = Origin(UNKNOWN)
    reserve: int = 0
    ignored: tuple[str, ...] = ()


Tighter = Mapping[str, Callable[[Any, Any], bool] | None]


def chosen(
    model: str,
    said: Sequence[Said],
    *,
    project: Said | None = None,
    tighter: Tighter | None = None,
    reserve: int = 0,
    told: int = 0,
) -> Chosen:
    """Return what holds for `provider/model`.

    `reserve`: tokens that the request allows its answer. `told`: the model's window as the request tells it. `tighter`
    says of each field whether one value is as tight as another; a field without it is no project's to set. Raises
    `InvalidSetting` for values that leave no window, `UnknownSetting` for a field that there is not.
    """
    values, origins = dict[str, Any](), dict.fromkeys(Profile.__struct_fields__, Origin())
    for source in said:
        for name, (value, pattern) in merged(source.fields, source.profiles, model).items():
            values[name], origins[name] = value, Origin(source.origin, pattern)
    before, ignored = profile(values, model), list[str]()
    for name, (value, pattern) in _of_project(project, model).items():
        compare = (tighter or {}).get(name)
        if compare is None or not compare(value, getattr(before, name)):
            ignored.append(name)
            continue
        values[name], origins[name] = value, Origin(project.origin if project else "", pattern)
    found = profile(values, model)
    window, origin = _window(model, said, found, origins["context_window"], told)
    kept = found.reserve or min(reserve, int(window * MOST_RESERVED) if window else reserve)
    return Chosen(
        model, found, limits(found, window, kept), origins, window, origin, kept, tuple(sorted(ignored))
    )


def _of_project(project: Said | None, model: str) -> dict[str, tuple[Any, str]]:
    return merged(project.fields, project.profiles, model) if project else {}


def _window(
    model: str, said: Sequence[Said], found: Profile, origin: Origin, told: int
) -> tuple[int, Origin]:
    if found.context_window:
        return found.context_window, origin
    for source in reversed(said):
        pattern = best(source.models, model)
        if pattern:
            return source.models[pattern], Origin(source.origin, pattern)
    if told:
        return told, Origin(TOLD)
    pattern = best(WINDOWS, model)
    return (WINDOWS[pattern], Origin(BUILT_IN, pattern)) if pattern else (0, Origin(UNKNOWN))
