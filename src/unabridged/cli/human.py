"""Writes sizes, spans, numbers, moments for people."""

from __future__ import annotations

# Decimal units, as disks and `ls -h --si` count: 1 MB is 1,000,000 bytes.
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")
_STEP = 1000.0


def size(count: float) -> str:
    """Return a number of bytes with its unit: `0 B`, `812 B`, `4.2 MB`."""
    value = float(count)
    for unit in _SIZES:
        if value < _STEP or unit == _SIZES[-1]:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= _STEP
    raise AssertionError("the last unit always returns")


def number(count: int) -> str:
    """Return a whole number with its thousands apart: `1,234,567`."""
    return f"{count:,}"


def span(seconds: float) -> str:
    """Return a span of time: `40 ms`, `2.3 s`, `4 min 05 s`, `3 h 12 min`, `5 d 03 h`."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600:02d} h"


def moment(iso: str) -> str:
    """Return an ISO 8601 time in UTC as `2026-03-14 09:22` (still UTC); what is no time comes back as it is."""
    if len(iso) >= 16 and iso[4:5] == "-" and iso[10:11] == "T":
        return f"{iso[:10]} {iso[11:16]}"
    return iso


def plural(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 session`, `2,000 sessions`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def place(path: str, home: str) -> str:
    """Return a path with a tilde for the home folder that it is below: `~/.codex/config.toml`."""
    below = home.rstrip("/") + "/"
    return f"~/{path[len(below) :]}" if home and path.startswith(below) else path


def short(identity: str, length: int = 8) -> str:
    """Return the beginning of an id: enough characters to name it again."""
    return identity[:length]
