"""una mcp: serves one agent on standard input and output, or with --http all that know the token of its run."""

from __future__ import annotations

from unabridged.errors import InvalidInput
from unabridged.mcp import pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from unabridged.mcp import http

    class Arguments(http.Arguments, Protocol):
        """What the command line gave."""

        def given(self, name: str) -> bool:
            """Tell whether an option was given."""
            ...


def run(arguments: Arguments) -> int:
    """Serve as it is asked for; return the exit status."""
    if not arguments.flag("http"):
        for name in ("port", "port-file", "json"):
            if arguments.given(name):
                raise InvalidInput(f"--{name} goes with --http", field=name, hint="Add --http.")
        return pipe.run(arguments)
    from unabridged.mcp import http as listener  # it imports the SDK, which no pipe has to pay for

    return listener.run(arguments)
