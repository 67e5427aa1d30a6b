"""What a verb is and takes, as data: help, shell completions and the reference page are made from it.

Imports nothing: every start of the program pays for this module (`typing` alone costs as much as a search).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from unabridged.cli.connection import Caller
    from unabridged.cli.screen import Screen

FLAG = "flag"
TEXT = "text"
NUMBER = "number"
LIST = "list"  # may be given several times, or with commas
PATH = "path"

REST = "rest"  # a positional that takes all words from the first one without a dash on, as they are


class Option:
    """One `--option`. kind: FLAG, TEXT, NUMBER, LIST or PATH; choices: the only values that it takes.

    `default` is what help shows; the daemon or the verb applies it.
    """

    __slots__ = ("choices", "default", "help", "kind", "metavar", "name", "short")

    def __init__(
        self,
        name: str,
        kind: str,
        help: str,
        metavar: str = "",
        choices: tuple[str, ...] = (),
        *,
        short: str = "",
        default: str = "",
    ) -> None:
        """Describe the option; nothing of it changes afterwards."""
        self.name = name
        self.kind = kind
        self.help = help
        self.metavar = metavar
        self.choices = choices
        self.short = short
        self.default = default


class Positional:
    """One argument without dashes. number: "1", "?" (optional), "*" (any number), "+" (one or more), REST."""

    __slots__ = ("choices", "help", "kind", "name", "number")

    def __init__(
        self,
        name: str,
        help: str,
        number: str = "1",
        *,
        choices: tuple[str, ...] = (),
        kind: str = TEXT,
    ) -> None:
        """Describe the argument; nothing of it changes afterwards."""
        self.name = name
        self.help = help
        self.number = number
        self.choices = choices
        self.kind = kind


class Verb:
    """One verb. `name` may be two words (`daemon start`); `module` is imported when the verb runs.

    examples: (command line, what it does). optional: the module may be absent from this build, then the verb is not
    listed.
    """

    __slots__ = (
        "details",
        "examples",
        "group",
        "module",
        "name",
        "optional",
        "options",
        "positionals",
        "summary",
    )

    def __init__(
        self,
        name: str,
        summary: str,
        module: str,
        positionals: tuple[Positional, ...] = (),
        options: tuple[Option, ...] = (),
        examples: tuple[tuple[str, str], ...] = (),
        group: str = "",
        details: str = "",
        *,
        optional: bool = False,
    ) -> None:
        """Describe the verb; nothing of it changes afterwards."""
        self.name = name
        self.summary = summary
        self.module = module
        self.positionals = positionals
        self.options = options
        self.examples = examples
        self.group = group
        self.details = details
        self.optional = optional


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
