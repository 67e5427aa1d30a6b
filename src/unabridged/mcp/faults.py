"""Faults of the program itself, told without what was asked."""

from __future__ import annotations

import sys
import traceback

from unabridged.errors import InternalError


def told(error: Exception) -> InternalError:
    """Return the error for the caller, having written where it arose to the error stream; its text may hold content."""
    sys.stderr.write("".join(traceback.format_tb(error.__traceback__)) + f"{type(error).__name__}\n")
    return InternalError(type=type(error).__name__)
