"""Times as answers show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_MICROS = 253_402_300_799_999_999  # the end of the year 9999, which ISO 8601's four digits can name


def iso(micros: int) -> str:
    """Return microseconds since 1970 as ISO 8601 in UTC, "" for 0 (unknown) or what no calendar holds."""
    if not 0 < micros <= MAX_MICROS:
        return ""
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
