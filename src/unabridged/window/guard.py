"""A fault of ours that must not stop an agent: what raises is told, and what was under way goes on without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


def tried(make: Callable[[], T], errors: list[Exception]) -> T | None:
    """Return what is made; None where that raises, which is put among the errors."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - a fault of ours must not stop an agent; it is told as one
        errors.append(error)
        return None


async def awaited(work: Callable[[], Awaitable[T]], errors: list[Exception]) -> T | None:
    """Return what comes of some work that is begun here; None where that raises, which is put among the errors."""
    try:
        return await work()
    except Exception as error:  # noqa: BLE001 - a fault of ours must not stop an agent; it is told as one
        errors.append(error)
        return None
