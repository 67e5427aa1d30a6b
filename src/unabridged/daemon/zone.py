"""The zone of the machine's user, with its summer times."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ZERO = timedelta(0)


class LocalZone(tzinfo):
    """What the C library knows of the local time, for any date that it knows one of; UTC for others."""

    def utcoffset(self, dt: datetime | None) -> timedelta:
        """Return how far the zone is ahead of UTC at a local time."""
        if dt is None:
            return ZERO
        try:
            return _ahead(time.mktime((*dt.timetuple()[:6], 0, 0, -1)))
        except (OverflowError, ValueError, OSError):
            return ZERO

    def dst(self, dt: datetime | None) -> timedelta:
        """Return no difference: the offset has it."""
        del dt
        return ZERO

    def tzname(self, dt: datetime | None) -> str:
        """Return a name."""
        del dt
        return "local"

    def fromutc(self, dt: datetime) -> datetime:
        """Return a local time for one of UTC."""
        seconds = (dt.replace(tzinfo=UTC) - _EPOCH).total_seconds()
        try:
            return dt + _ahead(seconds)
        except (OverflowError, ValueError, OSError):
            return dt


def _ahead(seconds: float) -> timedelta:
    return timedelta(seconds=time.localtime(seconds).tm_gmtoff)
