"""What every question is asked with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unabridged.archive.resolve import Resolver
from unabridged.retrieve.locator import Locators
from unabridged.schema.ids import Micros
from unabridged.schema.scope import Scope
from unabridged.store.contract import Reader

Redact = Callable[[str], tuple[str, int]]  # text → text without secrets, how many were taken out


@dataclass(frozen=True, slots=True)
class Context:
    """One consistent state, what the caller may see of it, and the clock. For one thread."""

    reader: Reader
    resolver: Resolver
    scope: Scope
    locators: Locators
    now: Micros
    redact: Redact
    generation: int = 0  # of the index
    offset_minutes: int = 0  # of the user's zone
    cancelled: Callable[[], bool] = lambda: False
