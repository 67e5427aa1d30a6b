"""The entry point of the daemon.

`python -m unabridged.app.daemon [--detach] [--explicit] [--ready N] [--place DATA CONFIG STATE] [--set NAME=VALUE]…`:
with `--detach` the process leaves its starter at once, before anything heavy is imported; `--explicit` says that a
person started it; `--place` says where its folders are, else the environment does; on the descriptor `--ready` it
writes one JSON line: the facts of the running daemon, or the error that kept it from running.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from unabridged.daemon.config import Config

WAIT_SECONDS = 30.0  # for the lock of a daemon that is stopping: it may have a worker that hangs
POLL_SECONDS = 0.01


def main(arguments: list[str]) -> int:
    """Run a daemon; return its exit status."""
    started = time.time()
    # Until `Ending` hears it: there is nothing to tidy up, and no trace of the program to be shown.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    options = _options(arguments)
    if options["detach"]:
        detach()
    ready = Readiness(options["ready"])
    from unabridged.errors import InternalError, UnabridgedError

    try:
        return _run(options, ready, started)
    except UnabridgedError as error:
        ready.tell({"error": error.to_dict()})
        sys.stderr.write(f"unabridged: {error.code}: {error.message}\n")
        return error.exit_code
    except (
        Exception
    ) as error:  # told to the starter, which would try again and again; its trace goes to the log
        ready.tell(
            {
                "error": InternalError(
                    "the daemon failed while it started", type=type(error).__name__
                ).to_dict()
            }
        )
        raise
    finally:
        ready.close()


class Readiness:
    """Where the starter waits for the first word."""

    def __init__(self, descriptor: int) -> None:
        """Tell it on a descriptor; -1: nobody waits."""
        self._descriptor = descriptor

    def tell(self, facts: dict[str, Any]) -> None:
        """Write one JSON line; the first one is all that counts."""
        if self._descriptor < 0:
            return
        try:
            os.write(self._descriptor, json.dumps(facts).encode() + b"\n")
        except OSError:
            pass  # the starter has gone; the daemon runs all the same
        self.close()

    def close(self) -> None:
        """Let the starter go on."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def detach() -> None:
    """Become a process of its own: no terminal, no parent that waits, no folder that it keeps busy."""
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.umask(0o077)


def _options(arguments: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"detach": False, "explicit": False, "ready": -1, "place": None, "flags": {}}
    rest = iter(arguments)
    for argument in rest:
        if argument in ("--detach", "--explicit"):
            options[argument[2:]] = True
        elif argument == "--ready":
            options["ready"] = int(next(rest))
        elif argument == "--place":
            options["place"] = (next(rest), next(rest), next(rest))
        elif argument == "--set":
            name, _, value = next(rest).partition("=")
            options["flags"][name] = value
        else:
            raise SystemExit(f"unknown argument {argument}")
    return options


def _run(options: dict[str, Any], ready: Readiness, started: float) -> int:
    from unabridged.daemon import config, folders, lock, paths
    from unabridged.daemon.logs import Log
    from unabridged.errors import StoreLocked

    place = paths.Layout(*options["place"]) if options["place"] else None
    settings = config.load(paths.environment(), options["flags"], explicit=options["explicit"], place=place)
    folders.prepare(settings)
    layout = settings.layout
    # Only who holds the lock opens the store, migrates it, or touches the socket.
    ownership = _own(settings, ready)
    if ownership is None and not options["detach"]:
        # A service is tried again after a failure only: it takes over once the other daemon has left.
        raise StoreLocked("another daemon serves this home", owner=lock.read_owner(layout.lock))
    if ownership is None:
        return 0
    try:
        log = Log(layout.logs, settings.text("daemon.log_level"))
        _serve(settings, ownership, log, ready, started, options["explicit"])
    finally:
        ownership.release()
    return 0


def _own(settings: Config, ready: Readiness) -> Any:
    """Take the lock; return None when another daemon answers, having told the starter so."""
    from unabridged.daemon import client, lock
    from unabridged.errors import StoreLocked

    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return lock.acquire(settings.layout.lock)
        except StoreLocked:
            if client.answers(settings.layout.socket):
                ready.tell({"running": lock.read_owner(settings.layout.lock)})
                return None
            if time.monotonic() > deadline:
                raise
        time.sleep(POLL_SECONDS)


def _serve(
    settings: Config, ownership: Any, log: Any, ready: Readiness, started: float, explicit: bool
) -> None:
    from unabridged.daemon import filesystem, parts
    from unabridged.daemon.ending import Ending
    from unabridged.daemon.lifecycle import Daemon
    from unabridged.errors import UnabridgedError
    from unabridged.store.open import open_store

    ending = Ending()  # neither opening the store nor closing it is cut short
    place = settings.text("store.url") or settings.layout.store
    try:
        if "://" not in place:
            filesystem.check_store_folder(place)
        store = open_store(place, create=True, engine=settings.text("store.engine"))
    except UnabridgedError as error:
        log.failure("start-failed", error)
        raise
    made = parts.compose(settings, store, log, explicit)

    def tell(facts: dict[str, Any]) -> None:
        ownership.describe(**facts)
        ready.tell(facts)

    try:
        Daemon(settings, made, log, started, ending, ownership.stands).run(tell)
    finally:
        made.close()
        log.info("stopped")
        log.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
