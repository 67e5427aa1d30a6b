"""Host times as microseconds since 1970 UTC, with the offset that the host wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from unabridged.schema.ids import Micros

MICROS = 1_000_000
DAY_SECONDS = 86_400
# Magnitudes that tell units apart: seconds reach 1e11 in the year 5138, milliseconds reach 1e14 then.
LARGEST_SECONDS = 1e11
LARGEST_MILLIS = 1e14


class HostTime(NamedTuple):
    """A moment, and how many minutes the host's clock was ahead of UTC."""

    micros: Micros
    offset_minutes: int = 0


UNKNOWN = HostTime(Micros(0))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_iso(text: str | None) -> HostTime:
    """Read an ISO 8601 time; without an offset it is UTC; `UNKNOWN` when it is none."""
    if not text:
        return UNKNOWN
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return UNKNOWN
    if moment.tzinfo is UTC:  # nearly always
        return HostTime(_micros(moment))
    offset = moment.utcoffset()
    if offset is None:
        return HostTime(_micros(moment.replace(tzinfo=UTC)))
    return HostTime(_micros(moment), round(offset.total_seconds() / 60))


def _micros(moment: datetime) -> Micros:
    since = moment - _EPOCH
    return Micros((since.days * DAY_SECONDS + since.seconds) * MICROS + since.microseconds)


def from_unix(value: float | None) -> HostTime:
    """Read seconds, milliseconds or microseconds since 1970, told apart by size; `UNKNOWN` when it is none of them."""
    if value is None or not 0 < value < LARGEST_MILLIS * 1000:
        return UNKNOWN
    if value < LARGEST_SECONDS:
        return HostTime(Micros(round(value * MICROS)))
    if value < LARGEST_MILLIS:
        return HostTime(Micros(round(value * 1000)))
    return HostTime(Micros(round(value)))
