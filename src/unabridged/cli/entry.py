"""Runs one command line: finds the verb, reads its arguments, draws what fails."""

from __future__ import annotations

import os
import sys

import unabridged
from unabridged.cli.arguments import Arguments
from unabridged.cli.connection import reach
from unabridged.cli.parse import HELP_WORDS, find_verb, own_words, parse
from unabridged.cli.screen import standard
from unabridged.daemon.paths import environment
from unabridged.errors import Cancelled, PathNotFound, PathUnreadable, UnabridgedError, UnknownOperation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unabridged.cli.connection import Caller
    from unabridged.cli.screen import Screen

    Connect = Callable[[bool], Caller]

# What a shell reports of a program that a broken pipe ended: 128 and SIGPIPE.
BROKEN_PIPE = 141


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line of this process and return its exit status."""
    environ = environment()
    words = sys.argv[1:] if words is None else words
    status = run(words, standard(environ), environ, lambda start: reach(environ, start))
    return _closed(status)


def run(words: Sequence[str], screen: Screen, environ: Mapping[str, str], connect: Connect) -> int:
    """Run a command line on a screen; errors of the tree are drawn, a stopped call says so."""
    as_json = "--json" in words or "--jsonl" in words
    try:
        try:
            status = _run(words, screen, environ, connect)
        except KeyboardInterrupt:
            raise Cancelled("stopped", hint="") from None
        screen.flush()
    except UnabridgedError as error:
        return _failed(screen, error, as_json)
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:  # of a file that a verb did not expect to be closed to it
        return _failed(screen, _unexpected(error), as_json)
    return status


def _unexpected(error: OSError) -> UnabridgedError:
    if error.filename:
        return PathUnreadable(f"{os.fsdecode(error.filename)}: {error.strerror}")
    if isinstance(error, FileNotFoundError):  # what `os.getcwd` says
        return PathNotFound("the current folder does not exist any more", hint="Change to another folder.")
    return PathUnreadable(error.strerror or str(error))


def _failed(screen: Screen, error: UnabridgedError, as_json: bool) -> int:
    from unabridged.cli.failure import report

    try:
        status = report(screen, error, as_json)
        screen.flush()
    except BrokenPipeError:
        return BROKEN_PIPE
    return status


def _closed(status: int) -> int:
    """Keep the interpreter from complaining about a pipe whose reader went away."""
    if status == BROKEN_PIPE:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _run(words: Sequence[str], screen: Screen, environ: Mapping[str, str], connect: Connect) -> int:
    first = words[0] if words else ""
    if first in ("--version", "-V", "-v", "version"):
        screen.line(f"unabridged {unabridged.__version__}")
        return 0
    if first in HELP_WORDS or first == "help":
        return _help(words[1:], screen)
    if not words or first.startswith("-"):
        words = ["overview", *words]
    verb, count = find_verb(words)
    rest = words[count:]
    if HELP_WORDS & set(own_words(verb, rest)):
        return _help(words[:count], screen)
    values = parse(verb, rest)
    try:
        module = __import__(verb.module, fromlist=["run"])  # importlib would cost a millisecond
    except ModuleNotFoundError as error:
        if not verb.optional:
            raise
        raise UnknownOperation(f"this build has no `una {verb.name}`", hint="") from error
    return int(module.run(Arguments(verb, values, screen, environ, connect)))


def _help(words: Sequence[str], screen: Screen) -> int:
    from unabridged.cli import help as drawing

    named = [word for word in words if not word.startswith("-")]
    if not named:
        drawing.overview(screen)
    elif drawing.group(named[0]) and len(named) == 1:
        drawing.describe_group(screen, named[0])
    else:
        drawing.describe(screen, find_verb(named)[0])
    return 0
