"""una resume: start a session's agent with the session open again."""

from __future__ import annotations

import os
import shlex
import shutil

from unabridged.cli import human, reading
from unabridged.errors import InvalidInput, PathNotFound, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from unabridged.cli.arguments import Arguments

# host -> the words that open one of its sessions again, in front of the session's id. Seen with Claude Code 2.1.332,
# Codex 0.171.0, OpenCode 1.18.33, Pi 1.6.0.
WORDS: Mapping[str, tuple[str, ...]] = {
    "claude-code": ("claude", "--resume"),
    "codex": ("codex", "resume"),
    "opencode": ("opencode", "--session"),
    "pi": ("pi", "--session"),
}


def run(arguments: Arguments) -> int:
    """Become the agent, in the session's folder; in a pipe, or with --print, write the command instead."""
    screen = arguments.screen
    client = arguments.client()
    target = reading.session_of(client, arguments.text("session"))
    session = client.call("show", {"target": target, "limit": 1})["session"]
    command, folder = words(session), str(session.get("cwd") or "")
    if arguments.flag("json"):
        screen.json({"command": command, "folder": folder})
        return 0
    if arguments.flag("print") or not screen.terminal:
        line = shlex.join(command)
        screen.line(screen.archived(f"cd {shlex.quote(folder)} && {line}" if folder else line))
        return 0
    _check(session, folder)
    program = shutil.which(command[0], path=arguments.environ.get("PATH"))
    if program is None:
        raise InvalidInput(f"there is no program {command[0]!r}", hint="Install it, or put it on PATH.")
    screen.flush()
    return _become(os.path.abspath(program), command, folder)  # noqa: PTH100 - pathlib costs a start more


def _become(program: str, command: list[str], folder: str) -> NoReturn:
    if folder:
        os.chdir(folder)
    try:
        os.execv(program, command)
    except OSError as error:
        raise InvalidInput(f"{program} cannot be run: {error.strerror}") from error


def words(session: Mapping[str, Any]) -> list[str]:
    """Return the command that opens a session again. Raises `Refused` where there is none."""
    host, name = str(session["host"]), str(session["host_session"])
    if session.get("relation") == "subagent":
        parent = human.short(str(session["parent"]))
        raise Refused(
            "a subagent's session is not opened by itself", hint=f"`una resume {parent}` opens its parent."
        )
    if host not in WORDS:
        raise Refused(f"no command opens a session of {host} again", hint="`una show` reads it here.")
    if not name or name.startswith("-") or not name.isprintable():
        raise Refused(
            f"{host} cannot be told of a session with such a name", hint="`una show` reads it here."
        )
    return [*WORDS[host], name]


def _check(session: Mapping[str, Any], folder: str) -> None:
    """Refuse to start an agent that would not find the session."""
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - pathlib costs a start more
        raise PathNotFound(
            f"the folder of the session is gone: {folder}",
            hint="`una resume SESSION --print` has the command.",
        )
    files = [str(path) for path in session.get("origins") or ()]
    if files and not any(os.path.exists(path) for path in files):  # noqa: PTH110
        raise PathNotFound(
            f"the agent does not have the session any more: {files[0]} is gone",
            hint=f"`una restore {human.short(str(session['session']))} --to {shlex.quote(files[0])}` writes it back.",
        )
