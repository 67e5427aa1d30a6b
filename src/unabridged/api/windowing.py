"""Makes windows for a program, by what a person set: the limits of a model, what is masked in stored texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unabridged.api.keeping import Ask, Keeper, Named
from unabridged.api.window import Window
from unabridged.daemon import config as configuration
from unabridged.daemon import paths
from unabridged.daemon.windowing import window_of
from unabridged.service.compose import text_redactor
from unabridged.window.identity import conversation_id
from unabridged.window.limits import Limits


class WindowRules:
    """The settings of a home and of a trusted project in it."""

    def __init__(self, layout: paths.Layout, folder: str, settings: Mapping[str, Any] | None = None) -> None:
        """Read the settings; those in `settings` (names without `window.`) go before all others."""
        given = {f"window.{name}": value for name, value in (settings or {}).items()}
        loaded = configuration.load(paths.environment(), given, place=layout)
        self._config = loaded.for_folder(folder)
        self._redact: Callable[[str], tuple[str, int]] | None = None

    def limits(self, model: str, reserve: int, told: int) -> Limits:
        """Return the limits for `provider/model`; `reserve`, `told`: what the request says of answer and window."""
        return window_of(self._config, model, reserve, told).limits

    def redact(self, text: str) -> str:
        """Return a text as the archive would keep it."""
        if self._redact is None:
            self._redact = text_redactor(
                self._config.flag("redaction.enabled"),
                self._config.texts("redaction.literals"),
                self._config.texts("redaction.patterns"),
            )
        return self._redact(text)[0]


def opened(ask: Ask, rules: WindowRules, names: Sequence[str], cwd: str, model: str, strict: bool) -> Window:
    """Return the window of a conversation; `names`: its host, the host's session, and its chain."""
    host, session, chain = names
    conversation = conversation_id(host, session, chain).hex()
    return Window(Keeper(ask, Named(conversation, host, session, cwd, model), strict), rules)
