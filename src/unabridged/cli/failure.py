"""Draws an error: for a person on standard error, for a program as JSON on standard output."""

from __future__ import annotations

from unabridged.cli.screen import Screen
from unabridged.errors import UnabridgedError

# Details that the message, the hint or the command line itself already tell.
_SAID = {"field", "nearest", "setting", "stopping"}


def report(screen: Screen, error: UnabridgedError, as_json: bool) -> int:
    """Write the error; return the exit status that it asks for."""
    if as_json:
        screen.json({"error": error.to_dict()})
        return error.exit_code
    screen.tell("error:", error.message + _detail(error), "red")
    for candidate in error.details.get("candidates") or ():
        screen.note(f"  {candidate}")
    if error.advice:
        screen.tell("hint:", error.advice, "yellow")
    return error.exit_code


def _detail(error: UnabridgedError) -> str:
    shown: list[str] = []
    for key, value in error.details.items():
        if (
            key in _SAID
            or (key == "origin" and value == "command line")
            or not isinstance(value, str | int | float)
            or value == ""
            or str(value) in error.message
        ):
            continue
        shown.append(f"{key} {value}")
    return f" ({', '.join(shown)})" if shown else ""
