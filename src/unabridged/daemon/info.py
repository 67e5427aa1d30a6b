"""What the daemon tells of itself: the port that status, stats, doctor and shutdown use."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from unabridged.daemon import examine
from unabridged.daemon.config import Config
from unabridged.daemon.disk import DiskGuard
from unabridged.daemon.dispatch import SlowRequests
from unabridged.errors import DiskFull, DiskLow
from unabridged.service.ports import Finding

Facts = Callable[[], dict[str, Any]]


@dataclass(slots=True)
class Info:
    """Facts of one process. What belongs to parts that start later is filled in then."""

    config: Config
    version: str
    guard: DiskGuard
    slow_requests: SlowRequests
    stopper: Callable[[str], None]
    explicit: bool
    started: float = field(default_factory=time.time)
    pid: int = field(default_factory=os.getpid)
    server: Facts = dict
    workers: Facts = dict
    follower: Facts = dict
    agents: Facts = dict
    outbox: Facts = dict
    stalls: Callable[[], int] = int

    def facts(self) -> dict[str, Any]:
        """Return pid, version, uptime and what the parts count."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        scale = 1 if sys.platform == "darwin" else 1024
        return {
            "pid": self.pid,
            "version": self.version,
            "started": int(self.started),
            "uptime_seconds": round(time.time() - self.started, 1),
            "socket": self.config.layout.socket,
            "home": self.config.layout.data,
            "log": self.config.layout.logs,
            "explicit": self.explicit,
            "peak_memory_bytes": usage.ru_maxrss * scale,
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
            "stalls": self.stalls(),
            **self.server(),
            "ingest": self.workers(),
            "mcp": self.agents(),
            "outbox": self.outbox(),
        }

    def slow(self) -> list[dict[str, Any]]:
        """Return the last slow requests."""
        return self.slow_requests.listed()

    def disk(self) -> dict[str, Any]:
        """Return the disk guard's readings."""
        return self.guard.facts()

    def admit(self) -> None:
        """Raise `DiskLow` when nothing more may be admitted."""
        self.guard.admit()

    def tailing(self) -> dict[str, Any]:
        """Return what is followed."""
        return self.follower()

    def problems(self) -> list[dict[str, Any]]:
        """Return what is wrong with the settings, and with the events that hooks left."""
        held = int(self.outbox().get("quarantined", 0))
        waiting = [
            {
                "code": "outbox-quarantined",
                "message": f"{held} events of hosts could not be applied",
                "hint": "`una outbox` lists them.",
            }
        ]
        return [*self._ignored(), *(waiting if held else [])]

    def _ignored(self) -> list[dict[str, Any]]:
        return [
            {"code": "setting-ignored", "message": f"{item.name} from {item.origin}: {item.why}"}
            for item in self.config.ignored
        ]

    def examine(self, fix: bool) -> Iterator[Finding]:
        """Check files, settings, disk."""
        yield from examine.files(self.config.layout, fix, running=True)
        ignored = self._ignored()
        detail = "; ".join(str(item["message"]) for item in ignored) or "every value is heeded"
        yield Finding("settings", not ignored, detail, "`una config show --origin`" if ignored else "")
        disk = self.guard.facts()
        free = f"{disk['free_bytes'] >> 20:,} MiB are free, {disk['limit_bytes'] >> 20:,} MiB are wanted"
        hint = DiskFull.hint if disk["full"] else DiskLow.hint if disk["low"] else ""
        yield Finding("disk", not hint, free, hint)
        if self.stalls():
            yield Finding("event loop", False, f"it stood still {self.stalls()} times", "`una daemon logs`")

    def stop(self, reason: str) -> None:
        """Begin to drain and stop."""
        self.stopper(reason)
