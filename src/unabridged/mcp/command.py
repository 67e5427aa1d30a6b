"""una mcp: serves one agent on standard input and output, or with --http all that know the token of its run."""

from __future__ import annotations

from unabridged.mcp import pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unabridged.mcp.http import Arguments


def run(arguments: Arguments) -> int:
    """Serve as it is asked for; return the exit status."""
    if not arguments.flag("http"):
        return pipe.run(arguments)
    from unabridged.mcp import http  # it imports the SDK, which no pipe has to pay for

    return http.run(arguments)
