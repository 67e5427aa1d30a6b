"""una restore: write original files back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from unabridged.api.original import Original
from unabridged.api.writing import NewFile
from unabridged.cli import human, reading
from unabridged.cli.arguments import Arguments
from unabridged.cli.original import sameness
from unabridged.cli.progress import Progress
from unabridged.cli.restore_all import restore_all
from unabridged.cli.screen import Screen
from unabridged.errors import InvalidInput

STANDARD_OUTPUT = "-"


def run(arguments: Arguments) -> int:
    """Restore one file, or every file of every session."""
    session = arguments.text("session")
    if arguments.given("all"):
        if session or arguments.given("to"):
            raise InvalidInput("--all takes no session and no --to", hint="una restore --all DIR")
        return restore_all(arguments)
    if not session or not arguments.given("to"):
        raise InvalidInput(
            "`una restore` needs a session and --to PATH", hint="`una sessions` lists the sessions."
        )
    return _restore_one(arguments, reading.session_of(arguments.client(), session))


def _restore_one(arguments: Arguments, session: str) -> int:
    screen = arguments.screen
    to = arguments.text("to")
    original = Original(
        partial(arguments.client().call, "original"),
        session,
        _origin(arguments),
        arguments.flag("allow-gaps"),
        arguments.number("generation"),
    )
    if to == STANDARD_OUTPUT:
        for piece in original.pieces():
            screen.raw(piece)
        return 0
    target = Path(to).expanduser()
    if target.is_dir() and not target.is_symlink():
        target = target / Path(str(original.page["path"])).name
    with Progress(screen, "restoring") as progress, NewFile(target, arguments.flag("force")) as file:
        _copy(original, file.write, progress)
    facts = {"session": session, **original.facts(target)}
    if arguments.flag("json"):
        screen.json(facts)
    else:
        _draw(screen, facts)
    return 0


def _origin(arguments: Arguments) -> str:
    origin = arguments.text("origin")
    path = Path(origin).expanduser()
    return str(path.absolute()) if origin and path.exists() else origin


def _copy(original: Original, write: Callable[[bytes], None], progress: Progress) -> None:
    done = 0
    for piece in original.pieces():
        write(piece)
        done += len(piece)
        progress.update({"done": done, "total": original.size})


def _draw(screen: Screen, facts: Mapping[str, Any]) -> None:
    screen.line(f"{screen.archived(str(facts['path']))}: {human.size(facts['bytes'])}, {sameness(facts)}")
    screen.line(screen.style(f"sha256 {facts['sha256']}", "dim"))
    screen.note(f"It was {facts['origin']}.")
    older = [int(number) for number in facts["generations"] if number < facts["generation"]]
    if older:
        screen.note(
            f"The file was rewritten; --generation {older[-1]} gives what was in it before"
            + (f", and so on down to {older[0]}." if len(older) > 1 else ".")
        )
    if facts["name"]:
        screen.note(f"Its host looks for it as {facts['name']}.")
