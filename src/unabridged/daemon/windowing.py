"""The window settings of one configuration, resolved for a model."""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.daemon.config import Config, Source
from unabridged.daemon.windowsettings import FIELDS
from unabridged.window.choosing import Chosen, Said, chosen

_TIGHTER = {name: setting.tighter for name, setting in FIELDS.items()}


def window_of(config: Config, model: str, reserve: int = 0, told: int = 0) -> Chosen:
    """Return profile, limits and origins for `provider/model`; `config.for_project(root)` first, where there is one.

    `reserve`: tokens that a request allows its answer (`max_tokens`); `told`: the model's window where a request tells
    it. Raises `InvalidSetting` where the settings together leave no window.
    """
    return chosen(
        model,
        [_said(source) for source in config.sources],
        project=_said(config.project) if config.project else None,
        tighter=_TIGHTER,
        reserve=reserve,
        told=told,
    )


def _said(source: Source) -> Said:
    values: Mapping[str, object] = source.values
    fields = {name: values[f"window.{name}"] for name in FIELDS if f"window.{name}" in values}
    return Said(
        source.origin,
        fields,
        source.values.get("window.profiles", {}),
        source.values.get("window.models", {}),
    )
