"""The archive, for programs in Python."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unabridged.api import places
from unabridged.api.asking import Engine, request_of, seconds_of
from unabridged.api.connections import Connections
from unabridged.api.methods import Methods
from unabridged.api.original import Original
from unabridged.api.writing import NewFile
from unabridged.daemon.client import TIMEOUT, Client
from unabridged.daemon.paths import Layout
from unabridged.errors import InvalidInput
from unabridged.service.requests import OriginalRequest

if TYPE_CHECKING:
    from unabridged.api.window import Window

NAME = "python"  # what the daemon calls this client in its log
CONNECTIONS = 4  # of one archive at once: the daemon serves sixteen unless told otherwise


@dataclass(frozen=True, slots=True)
class Restored:
    """What was written. `identical`: byte for byte the original; else `redactions` or `missing` say why it is not."""

    path: Path
    bytes: int
    sha256: str
    identical: bool
    redactions: int
    missing: int  # bytes that the archive no longer has
    origin: str  # where the file was
    name: str  # where its host would look for it, below the folder of its sessions
    generation: int
    generations: list[int]


class Archive(Methods):
    """The archive of one home: every operation is a method.

    Use it as a context, or call `close`. Any number of threads may share one: each call that runs at the same time has
    a connection of its own. What fails is an error of `unabridged.errors`. A call whose daemon dies is repeated once
    where that is harmless, else it raises `DaemonUnavailable`; the next call starts another daemon.
    """

    def __init__(
        self,
        home: str | PathLike[str] | None = None,
        *,
        project: str | PathLike[str] | None = None,
        scope: str = "",
        session: str = "",
        start: bool = True,
        timeout: float | None = TIMEOUT,
        connections: int = CONNECTIONS,
    ) -> None:
        """Connect to the daemon of a home, and start it unless it runs (or not `start`).

        home: its folder; None: that of the command `una`. project: the folder that is worked in; None: the current one.
        scope: the widest that is wanted (session, project, all); "": what the user grants. session: the one that the
        scope `session` means. timeout: seconds that a call may take unless it says otherwise; None: any number.
        connections: calls that run at the same time; further ones wait. Raises `DaemonUnavailable`, or what keeps the
        daemon from starting.
        """
        layout = places.layout_of(home)
        self._begin(_connected(layout, project, scope, session, start, connections), timeout, layout, project)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        in_process: bool = False,
        create: bool = False,
        project: str | PathLike[str] | None = None,
        scope: str = "",
        session: str = "",
        timeout: float | None = TIMEOUT,
    ) -> Archive:
        """Open a home, or the store in one; with `in_process` without a daemon, in this process.

        Then this process owns it until it is closed: `StoreLocked` while a daemon or another process does. `create`
        makes a store where there is none, which otherwise raises `StoreMissing`. A store outside of any home (a copy, a
        backup) is opened in this process only; its search index is made anew each time, and `search` says how far
        that is. The other arguments are those of `Archive`.
        """
        layout, store = places.meant_by(path)
        made = cls.__new__(cls)
        if in_process:
            engine = _inside(layout, project, scope, session, store, create)
            cls._begin(made, engine, timeout, layout, project)
        elif store:
            raise InvalidInput(
                "that store is not in a home: no daemon serves it", field="path", hint="Use in_process=True."
            )
        else:
            engine = _connected(layout, project, scope, session, True, CONNECTIONS)
            cls._begin(made, engine, timeout, layout, project)
        return made

    def _begin(
        self, engine: Engine, timeout: float | None, layout: Layout, project: str | PathLike[str] | None
    ) -> None:
        self._layout, self._folder = layout, places.folder_of(project)
        # Also when the program ends, or forgets to: no worker outlives it, and no lock.
        self._finish = weakref.finalize(self, engine.close)
        super().__init__(engine, timeout)

    def close(self) -> None:
        """Cancel what other threads run and let everything go; later calls raise `ArchiveClosed`."""
        self._finish()

    def cancel(self) -> None:
        """End the calls that other threads wait for: they raise `Cancelled`. What is committed stays."""
        self._engine.cancel()

    def __enter__(self) -> Archive:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def window(
        self,
        session: str = "",
        *,
        model: str = "",
        host: str = "api",
        chain: str = "",
        settings: Mapping[str, Any] | None = None,
        strict: bool = False,
    ) -> Window:
        """Return the window of a conversation with a model: what is sent of it is bounded, all of it is archived.

        session: a name that the same conversation has again when the program is started anew; "": a new one.
        model: `provider/model` (`anthropic/claude-…`, `openai/gpt-…`), for requests that name none and for the format
        of lists of messages. host: who keeps the conversation. chain: tells conversations of one session apart.
        settings: of the table `[window]`, before all other sources: `{"retain_turns": 3}`. strict: whether what the
        archive refuses is raised; else the request is sent as it was last cut, and `Window.fault` says so. Raises
        `InvalidSetting`, `UnknownSetting`.
        """
        from unabridged.api import windowing  # noqa: PLC0415 - it brings the rules of redaction along

        rules = windowing.WindowRules(self._layout, self._folder, settings)
        names = (host, session or secrets.token_hex(16), chain)
        return windowing.opened(self._ask, rules, names, self._folder, model, strict)

    def read_original(
        self,
        session: str,
        *,
        origin: str = "",
        generation: int = 0,
        allow_gaps: bool = False,
        timeout: float | None = None,
    ) -> Iterator[bytes]:
        """Yield the bytes of a session's original file in order, some megabytes at a time.

        The arguments are those of `original`; `timeout` is for each piece.
        """
        return self._original(session, origin, generation, allow_gaps, timeout).pieces()

    def restore(
        self,
        session: str,
        to: str | PathLike[str],
        *,
        origin: str = "",
        generation: int = 0,
        allow_gaps: bool = False,
        overwrite: bool = False,
        timeout: float | None = None,
    ) -> Restored:
        """Write a session's original file to a path: whole or not at all, readable by its owner alone.

        A file that is there is replaced only when told to `overwrite`, else `WouldOverwrite` is raised. The other
        arguments are those of `original`; `timeout` is for each page. Raises `Incomplete` unless `allow_gaps` when some
        of it is no longer in the archive.
        """
        original = self._original(session, origin, generation, allow_gaps, timeout)
        target = Path(to)
        with NewFile(target, overwrite) as file:
            for piece in original.pieces():
                file.write(piece)
        facts: dict[str, Any] = {**original.facts(target), "path": target}
        return Restored(**facts)

    def _original(
        self, session: str, origin: str, generation: int, allow_gaps: bool, timeout: float | None
    ) -> Original:
        seconds = self._timeout if timeout is None else seconds_of(timeout)

        def ask(asked: Mapping[str, Any]) -> Mapping[str, Any]:
            return self._engine.call("original", request_of(OriginalRequest, asked), None, seconds)

        return Original(ask, session, origin, allow_gaps, generation)


def _connected(
    layout: Layout,
    project: str | PathLike[str] | None,
    scope: str,
    session: str,
    start: bool,
    connections: int,
) -> Connections:
    if isinstance(connections, bool) or connections < 1:
        raise InvalidInput("an archive needs a connection", field="connections", value=connections)
    folder = places.folder_of(project)

    def connect() -> Client:
        return Client(layout, name=NAME, project=folder, scope=scope, session=session, start=start)

    return Connections(connect, connections)


def _inside(
    layout: Layout,
    project: str | PathLike[str] | None,
    scope: str,
    session: str,
    store: str,
    create: bool,
) -> Engine:
    from unabridged.api import inside, owning  # noqa: PLC0415 - they bring the store and the index along

    shake = owning.handshake(NAME, places.folder_of(project), scope, session)
    return inside.Inside(owning.own(layout, shake, store, create))
