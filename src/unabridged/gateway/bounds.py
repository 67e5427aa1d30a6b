"""The limits of a model's window, as the user's settings and the request have them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from unabridged.daemon.config import Config
from unabridged.daemon.origins import Headers, values
from unabridged.daemon.windowing import window_of
from unabridged.errors import InvalidSetting, UnknownSetting
from unabridged.window.limits import Limits
from unabridged.window.models import told_by

# Gets `provider/model`, the tokens that a request leaves for its answer, and those of its window where it tells (0: not
# said). The second value is a fault: the settings leave no window, and nothing is left out.
MODELS = 64  # with what their requests say of themselves, whose limits are remembered
Bounds = Callable[[str, int, int], tuple[Limits, str]]


def of_settings(config: Config) -> Bounds:
    """Return the limits that settings give."""

    @lru_cache(MODELS)
    def bounds(model: str, reserve: int, told: int) -> tuple[Limits, str]:
        try:
            return window_of(config, model, reserve, told).limits, ""
        except (InvalidSetting, UnknownSetting) as error:
            return Limits(enabled=False), error.code

    return bounds


def told_window(headers: Headers) -> int:
    """Return the tokens of the model's window where a request tells it, else 0."""
    return told_by(b",".join(values(headers, b"anthropic-beta")).decode("latin-1").split(","))
