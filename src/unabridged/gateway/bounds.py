"""The limits of a model's window: what the user says of it, else what is known of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.window import models
from unabridged.window.limits import Limits, Profile, limits
from unabridged.window.profiles import resolve

RESERVE_SHARE = 4  # a request's own bound for its answer counts up to this part of the model's window
SETTINGS = "settings"  # the fault where the user's settings cannot be read

Profiles = Mapping[str, Mapping[str, Any]]


def bounds(profiles: Profiles, model: str, reserve: int) -> tuple[Limits, str]:
    """Return the limits for `provider/model`; `reserve`: tokens that a request leaves for its answer, 0: not said.

    Where the settings for the model cannot be read nothing is left out, and the second value is a fault.
    """
    try:
        profile = resolve(profiles, model).profile if profiles else Profile()
        size = models.size(model)
        most = (profile.context_window or size.window) // RESERVE_SHARE
        return limits(profile, size.window, min(reserve or size.reserve, most) if most else 0), ""
    except (InvalidSetting, UnknownSetting):
        return Limits(enabled=False), SETTINGS
