"""What a verb is and takes, as data: help, shell completions and the reference page are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from unabridged.cli.connection import Caller
    from unabridged.cli.screen import Screen

FLAG = "flag"
TEXT = "text"
NUMBER = "number"
LIST = "list"  # may be given several times, or with commas
PATH = "path"


class Option(NamedTuple):
    """One `--option`. kind: FLAG, TEXT, NUMBER, LIST or PATH; choices: the only values that it takes."""

    name: str
    kind: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    short: str = ""
    default: str = ""  # as shown in help; the daemon or the verb applies it


class Positional(NamedTuple):
    """One argument without dashes. number: "1", "?" (optional), "*" (any number), "+" (one or more)."""

    name: str
    help: str
    number: str = "1"
    choices: tuple[str, ...] = ()
    kind: str = TEXT


class Verb(NamedTuple):
    """One verb. `name` may be two words (`daemon start`); `module` is imported when the verb runs.

    examples: (command line, what it does). optional: the module may be absent from this build, then the verb is not
    listed.
    """

    name: str
    summary: str
    module: str
    positionals: tuple[Positional, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    group: str = ""
    details: str = ""
    optional: bool = False


class Arguments:
    """The values that a command line gave a verb, with what the verb works with: screen, environment, daemon.

    What was not given is empty.
    """

    __slots__ = ("_connect", "_values", "environ", "screen", "verb")

    def __init__(
        self,
        verb: Verb,
        values: dict[str, Any],
        screen: Screen,
        environ: Mapping[str, str],
        connect: Callable[[bool], Caller],
    ) -> None:
        """Hold the values by the names of the verb's options and positionals."""
        self.verb = verb
        self._values = values
        self.screen = screen
        self.environ = environ
        self._connect = connect

    def client(self, start: bool = True) -> Caller:
        """Return a connection to the daemon, started when `start` and it does not run."""
        return self._connect(start)

    def flag(self, name: str) -> bool:
        """Return whether a flag was given."""
        return bool(self._values.get(name))

    def text(self, name: str, default: str = "") -> str:
        """Return a text value."""
        return str(self._values.get(name, default))

    def number(self, name: str, default: int = 0) -> int:
        """Return a whole number."""
        return int(self._values.get(name, default))

    def list(self, name: str) -> list[str]:
        """Return the values of an option or positional that can be given several times."""
        return list(self._values.get(name, ()))

    def given(self, name: str) -> bool:
        """Return whether the command line named it at all."""
        return name in self._values
