"""The entry point of the commands `unabridged` and `una`."""

from __future__ import annotations

from unabridged.cli.entry import main

__all__ = ["main"]
