"""The clock of a store on this machine, which `Store.now` returns: the one place below the daemon that reads it."""

from __future__ import annotations

import time

from unabridged.schema.ids import Micros


def system_clock() -> Micros:
    """Return microseconds since 1970 UTC."""
    return Micros(time.time_ns() // 1000)
