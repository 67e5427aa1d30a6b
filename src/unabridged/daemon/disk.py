"""How much room is left on the store's disk, and whether more may be admitted."""

from __future__ import annotations

import os
import time
from typing import Any

from unabridged.errors import DiskLow

FULL_BYTES = (
    8 << 20
)  # free bytes below which a disk counts as full whatever the limit: writes fail at any moment
FRESH_SECONDS = 0.25  # for which one look at the file system holds; a batch is at most a few MiB


class DiskGuard:
    """Refuses admissions while fewer than `limit` bytes are free."""

    def __init__(self, folder: str, limit: int) -> None:
        """Watch the file system that holds `folder`."""
        self._folder = folder
        self._limit = limit
        self._looked = 0.0
        self._free = 0

    def free(self) -> int:
        """Return the bytes that an ordinary user can still write."""
        now = time.monotonic()
        if now - self._looked > FRESH_SECONDS or not self._looked:
            found = os.statvfs(self._folder)
            self._free, self._looked = found.f_bavail * found.f_frsize, now
        return self._free

    def admit(self) -> None:
        """Raise `DiskLow` when too little is free."""
        free = self.free()
        if free < self._limit:
            raise DiskLow(free=free, limit=self._limit)

    def facts(self) -> dict[str, Any]:
        """Return free bytes, the limit, whether admissions are refused, and whether nothing more fits."""
        free = self.free()
        return {
            "free_bytes": free,
            "limit_bytes": self._limit,
            "low": free < self._limit,
            "full": free < FULL_BYTES,
        }
