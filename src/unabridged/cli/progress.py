"""Shows how far a long call has come: rate, share, remaining time.

Nothing is shown of a call that ends within a second. On a terminal one line is redrawn; elsewhere a line is written
every few seconds, so that a log shows life without filling up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from unabridged.cli import human
from unabridged.cli.columns import cut
from unabridged.cli.screen import Screen

# Seconds before anything is shown: shorter work needs no progress.
QUIET_SECONDS = 1.0
# Seconds between redraws on a terminal (ten a second read as motion) and between lines elsewhere.
REDRAW_SECONDS = 0.1
LINE_SECONDS = 5.0
# Below this share the remaining time is a guess that misleads.
LEAST_SHARE = 0.01
# What the daemon's notifications count when they do not say `done`.
COUNTED = ("records", "windows")


class Progress:
    """The progress of one call; use it as a context so that its line is cleared at the end."""

    def __init__(self, screen: Screen, label: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the clock; `label` says what is going on (`importing`)."""
        self._screen = screen
        self._label = label
        self._clock = clock
        self._started = clock()
        self._shown = 0.0
        self._drawn = False

    def __enter__(self) -> Progress:
        """Return this progress."""
        return self

    def __exit__(self, *_: object) -> None:
        """Clear the line."""
        if self._drawn and self._screen.messages_terminal:
            self._screen.overwrite("")
        self._drawn = False

    def update(self, news: Mapping[str, Any]) -> None:
        """Take a progress notification.

        It says `done` of `total` in `unit` (bytes unless it is a noun), or a count of its own; `label`, `detail`.
        """
        now = self._clock()
        pause = REDRAW_SECONDS if self._screen.messages_terminal else LINE_SECONDS
        if now - self._started < QUIET_SECONDS or (self._shown and now - self._shown < pause):
            return
        self._shown = now
        text = describe(self._label, news, now - self._started)
        if self._screen.messages_terminal:
            self._screen.overwrite(cut(text, self._screen.width - 1))
            self._drawn = True
        else:
            self._screen.note(text)


def describe(label: str, news: Mapping[str, Any], elapsed: float) -> str:
    """Return one line: what, how much of how much, rate, remaining time, detail."""
    unit = _unit(news)
    done = float(news.get("done") or news.get(unit) or 0)
    total = float(news.get("total") or 0)
    parts = [str(news.get("label") or label)]
    rate = done / elapsed if elapsed > 0 else 0.0
    if not done and not total:
        return parts[0]
    if unit == "bytes":
        parts.append(f"{human.size(done)} of {human.size(total)}" if total else human.size(done))
        parts.append(f"{rate / 1e6:.1f} MB/s")
    else:
        shown = human.number(int(done))
        parts.append(f"{shown} of {human.number(int(total))} {unit}" if total else f"{shown} {unit}")
        parts.append(f"{rate:,.0f} {unit}/s")
    if total and total >= done and done / total >= LEAST_SHARE and rate > 0:
        parts.insert(1, f"{100 * done / total:.0f} %")
        parts.append(f"{human.span((total - done) / rate)} left")
    detail = str(news.get("detail") or news.get("check") or "")
    if detail:
        parts.append(detail)
    return " · ".join(parts)


def _unit(news: Mapping[str, Any]) -> str:
    """Return what is counted: the given unit, or the one count that the notification holds."""
    return str(news.get("unit") or next((unit for unit in COUNTED if unit in news), "bytes"))
