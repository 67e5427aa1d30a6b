"""Draws an error: for a person on standard error, for a program as JSON on standard output."""

from __future__ import annotations

from typing import Any

from unabridged.cli.screen import Screen
from unabridged.errors import UnabridgedError


def report(screen: Screen, error: UnabridgedError, as_json: bool) -> int:
    """Write the error; return the exit status that it asks for."""
    if as_json:
        screen.json({"error": error.to_dict()})
        return error.exit_code
    screen.tell("error:", error.message + _detail(error.details), "red")
    if error.advice:
        screen.tell("hint:", error.advice, "yellow")
    return error.exit_code


def _detail(details: dict[str, Any]) -> str:
    shown = [f"{key} {value}" for key, value in details.items() if isinstance(value, str | int | float) and value != ""]
    return f" ({', '.join(shown)})" if shown else ""
