"""What a question looks at."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo

from unabridged.errors import InvalidInput, LimitExceeded
from unabridged.schema.ids import Micros, SessionId
from unabridged.schema.records import SIDE, Event

MAX_EXCLUDED = 1_000  # source keys visible in the live window
SECOND = 1_000_000  # microseconds
NONE = Micros(0)
SPANS = {"s": SECOND, "m": 60 * SECOND, "h": 3_600 * SECOND, "d": 86_400 * SECOND, "w": 7 * 86_400 * SECOND}

_RELATIVE = re.compile(r"(\d{1,6})\s*([smhdw])")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Filters:
    """Everything that narrows a question; empty means any. Times are microseconds, `until` exclusive."""

    kinds: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    path: str = ""
    since: Micros = NONE
    until: Micros = NONE
    session: SessionId | None = None
    exclude: frozenset[str] = field(default_factory=frozenset[str])
    branch: frozenset[int] | None = None  # ordinals of the events on a session's current branch
    side: bool = True
    superseded: bool = False  # notes that were replaced, too: for who looks at them

    @property
    def narrows(self) -> bool:
        """Whether anything is left out at all."""
        return self != Filters()

    def allows(self, event: Event) -> bool:
        """Tell whether an event passes (source keys are checked where they are known)."""
        if self.kinds and event.kind not in self.kinds:
            return False
        if self.roles and event.role not in self.roles:
            return False
        if self.tools and event.tool not in self.tools:
            return False
        if self.hosts and event.host not in self.hosts:
            return False
        if not self.side and event.flags & SIDE:
            return False
        if self.branch is not None and event.ordinal not in self.branch:
            return False
        if self.session is not None and event.session != self.session:
            return False
        if self.path and not any(names(path, self.path) for path in event.paths):
            return False
        if self.since and event.time < self.since:
            return False
        return not (self.until and event.time >= self.until)


def names(path: str, wanted: str) -> bool:
    """Tell whether `wanted` is the path, its end at a separator, or a folder above it."""
    path, wanted = path.replace("\\", "/"), wanted.replace("\\", "/").rstrip("/")
    return path == wanted or path.endswith("/" + wanted.lstrip("/")) or path.startswith(wanted + "/")


def parse_time(text: str, now: Micros, zone: tzinfo, what: str, *, end: bool = False) -> Micros:
    """Return microseconds for `7d`, `2h`, `yesterday`, `today`, a date or an ISO 8601 time; 0 for "".

    Times without a zone are in the user's. With `end`, a date means its end.
    """
    text = text.strip()
    if not text:
        return Micros(0)
    relative = _RELATIVE.fullmatch(text)
    if relative:
        return Micros(max(0, now - int(relative[1]) * SPANS[relative[2]]))
    day = timedelta(days=1)
    today = (
        datetime.fromtimestamp(now / SECOND, UTC)
        .astimezone(zone)
        .replace(hour=0, minute=0, second=0, microsecond=0)
    )
    if text in ("today", "yesterday"):
        start = today if text == "today" else today - day
        return _micros(start + day if end else start)
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"`{what}` is not a time",
            field=what,
            hint="Use 2026-01-31, 2026-01-31T12:00, 7d, 2h, today or yesterday.",
        ) from error
    if found.tzinfo is None:
        found = found.replace(tzinfo=zone)
    return _micros(found + day if end and _DATE.fullmatch(text) else found)


def _micros(when: datetime) -> Micros:
    return Micros(max(0, int(when.timestamp() * SECOND)))


def excluded(keys: list[str]) -> frozenset[str]:
    """Return the source keys to leave out; raise `LimitExceeded` over 1,000."""
    if len(keys) > MAX_EXCLUDED:
        raise LimitExceeded(
            "too many excluded source keys", field="exclude", limit=MAX_EXCLUDED, size=len(keys)
        )
    return frozenset(keys)
