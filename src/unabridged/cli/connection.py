"""Reaches the daemon for a verb."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    Notice = Callable[[Mapping[str, Any]], None]

    class Caller(Protocol):
        """What a verb needs of a connection; `daemon.client.Client` is one, the tests have another."""

        def call(
            self,
            op: str,
            params: Mapping[str, Any],
            on_progress: Notice | None = None,
            timeout: float | None = None,
        ) -> dict[str, Any]:
            """Run an operation; raises what the daemon answered as an `UnabridgedError`."""
            ...

        def close(self) -> None:
            """End the connection; what still runs for it is cancelled."""
            ...


def reach(environ: Mapping[str, str], start: bool) -> Caller:
    """Connect to the daemon of the caller's home, from the folder where the caller stands.

    It is started when `start` and it does not run.
    """
    from unabridged.daemon.client import Client
    from unabridged.daemon.paths import layout

    return Client.connect(layout(environ), start=start, project=_folder())


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs a start more than the search
    except FileNotFoundError:  # removed meanwhile
        return ""
