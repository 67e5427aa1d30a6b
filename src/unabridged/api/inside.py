"""Runs operations in this process, which owns the store meanwhile: the daemon's parts without its socket."""

from __future__ import annotations

import os
import threading
from typing import Any

import msgspec

from unabridged.api.asking import Progress
from unabridged.api.owning import Owned
from unabridged.api.running import Running
from unabridged.errors import ArchiveClosed, InternalError, UnabridgedError
from unabridged.service.caller import Call, Pending
from unabridged.service.operations import OPERATIONS
from unabridged.service.requests import Request

CLOSE_SECONDS = 15.0  # that cancelled calls get to end before the store is closed under them


class Inside:
    """The engine of an archive that this process owns."""

    def __init__(self, owned: Owned) -> None:
        """Run operations on what is owned, and let it go at the end."""
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._running = set[Running]()
        self._closed = False
        self._services, self._caller, self._log = owned.services, owned.caller, owned.log
        self._stack = owned.stack

    def call(self, op: str, request: Request, on_progress: Progress | None, seconds: float) -> dict[str, Any]:
        """Run an operation; see `Engine`."""
        running = Running(on_progress, seconds)
        with self._changed:
            if self._closed or os.getpid() != self._process:
                raise ArchiveClosed
            self._running.add(running)
        try:
            return self._handled(op, request, running)
        except UnabridgedError:
            if running.fault is not None:
                raise running.fault from None
            raise
        except Exception as error:  # a fault in one request is an error of the tree, as a daemon answers it
            self._log.failure("request-failed", error, operation=op)
            raise InternalError(type=type(error).__name__) from error
        finally:
            with self._changed:
                self._running.discard(running)
                self._changed.notify_all()
            if running.closes:
                self._stack.close()

    def _handled(self, op: str, request: Request, running: Running) -> dict[str, Any]:
        services = self._services
        call = Call(services, self._caller, running.progress, running.check, services.now())
        running.check()
        answer = OPERATIONS[op].handler(call, request)
        if isinstance(answer, Pending):
            answer = answer.answer(answer.commit.result())
        running.check()
        return msgspec.json.decode(msgspec.json.encode(answer))

    def cancel(self) -> None:
        """End what runs now; see `Engine`."""
        with self._changed:
            for running in self._running:
                running.cancel()

    def close(self) -> None:
        """Cancel what runs, end the workers, close the store, let the lock go; see `Engine`."""
        if os.getpid() != self._process:  # a forked child owns nothing
            return
        with self._changed:
            if self._closed:
                return
            self._closed = True
            for running in self._running:
                running.cancel()
            self._changed.wait_for(self._others_ended, CLOSE_SECONDS)
            for running in self._running:
                if running.thread == threading.get_ident():
                    running.closes = True
                    return
        self._stack.close()

    def _others_ended(self) -> bool:
        mine = threading.get_ident()
        return all(running.thread == mine for running in self._running)
