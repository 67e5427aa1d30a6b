"""The life of a daemon: made ready, served, drained, gone."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import uvloop

from unabridged.daemon.admission import Admission
from unabridged.daemon.config import Config
from unabridged.daemon.dispatch import Dispatcher
from unabridged.daemon.ending import Ending
from unabridged.daemon.logs import Log
from unabridged.daemon.running import Parts
from unabridged.daemon.transport import Server
from unabridged.daemon.watchdog import Watchdog
from unabridged.errors import DaemonUnavailable
from unabridged.service.operations import OPERATIONS

# Seconds that a thread may hold the global lock while another waits; the default of 5 ms would be felt in every search
# that runs beside the writer.
SWITCH_SECONDS = 0.0005
# Objects allocated before the collector looks at the youngest ones: batches allocate tens of thousands of values that
# hold no cycles.
COLLECT_AFTER = 50_000
LAST_SECONDS = 2.0  # that cancelled requests get to end
LOOK_SECONDS = 1.0  # between two looks whether the daemon is idle, or its home gone, at most

Ready = Callable[[dict[str, Any]], None]


class Daemon:
    """One daemon, from its parts being there to its end."""

    def __init__(
        self,
        config: Config,
        parts: Parts,
        log: Log,
        started: float,
        ending: Ending,
        owns: Callable[[], bool],
    ) -> None:
        """Serve what `parts` hold, until told by `ending`, asked, or needed by nobody.

        `owns` tells whether the home is still there, and this process its owner.
        """
        self._ending, self._owns = ending, owns
        self._config = config
        self._parts = parts
        self._log = log
        self._started = started
        self._reason = ""
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hurried = False
        parts.info.stopper = self.stop

    def run(self, ready: Ready) -> None:
        """Serve until stopped; `ready` is called once clients can connect."""
        sys.setswitchinterval(SWITCH_SECONDS)
        gc.collect()
        gc.freeze()
        gc.set_threshold(COLLECT_AFTER, 20, 50)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve(ready))

    def stop(self, reason: str) -> None:
        """Begin to stop; may be called from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._begin_stop, reason)

    def _begin_stop(self, reason: str) -> None:
        assert self._stopping is not None
        if self._stopping.is_set():
            self._hurried = True  # asked twice: what is active is not waited for
        self._reason = self._reason or reason
        self._stopping.set()

    async def _serve(self, ready: Ready) -> None:
        loop = self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        loop.set_exception_handler(self._fault)
        config, log, parts = self._config, self._log, self._parts
        dispatcher = Dispatcher(
            parts.services,
            loop.call_soon_threadsafe,
            log,
            config.number("daemon.readers"),
            parts.info.slow_requests,
        )
        parts.index.give_way = dispatcher.courtesy.give_way
        server = Server(
            loop,
            OPERATIONS,
            dispatcher,
            log,
            Admission(config, parts.info.version, parts.services.store.capabilities.engine).admit,
            connections=config.number("daemon.connections"),
            requests=config.number("daemon.requests"),
            handshake_seconds=config.seconds("daemon.handshake_seconds"),
            stall_seconds=config.seconds("daemon.stall_seconds"),
        )
        watchdog = Watchdog(loop.call_soon_threadsafe, log)
        parts.info.server, parts.info.stalls = server.facts, lambda: watchdog.stalls
        await server.listen(config.layout.socket)
        parts.begin()
        facts = self._facts()
        log.info("ready", seconds=round(time.time() - self._started, 3), **facts)
        ready(facts)
        with self._ending.telling(loop, self._begin_stop):
            self._look_around(server)
            await self._stopping.wait()
            await self._drain(server)
        self._end_without_home(server)
        watchdog.close()
        server.close()
        await self._until(lambda: not server.connections, time.monotonic() + LAST_SECONDS)
        dispatcher.close(LAST_SECONDS)

    def _facts(self) -> dict[str, Any]:
        info = self._parts.info
        return {
            "pid": info.pid,
            "version": info.version,
            "started": int(info.started),
            "socket": self._config.layout.socket,
            "store": self._config.text("store.url") or self._config.layout.store,
        }

    def _fault(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._log.failure("loop-fault", error)
        else:
            self._log.warning("loop-fault", what=str(context.get("message", ""))[:200])

    def _end_without_home(self, server: Server) -> None:
        """End at once where the home was removed: nothing can be kept there.

        There may be another home by now, with a daemon of its own, into whose files what is flushed here would go.
        """
        if not self._owns():
            self._log.warning("home-gone")
            server.close_listener()  # of a deep home it lies elsewhere
            os._exit(0)

    # --- the end ----------------------------------------------------------------------------------------------------

    def _look_around(self, server: Server) -> None:
        """Stop when nobody needs the daemon any longer, or when its home is gone."""
        seconds = self._config.seconds("daemon.idle_seconds") or float("inf")
        if self._stopping is None or self._stopping.is_set() or self._loop is None:
            return
        self._end_without_home(server)
        now = self._loop.time()
        last = max(server.last_use, now - self._parts.quiet_for())
        busy = server.connections or server.active or self._parts.busy()
        if not busy and now - last >= seconds:
            # From here on nobody can connect; whoever just tried is told so by the closed socket and starts another.
            self._begin_stop("idle")
            server.close_listener()
            return
        wait = seconds if busy else seconds - (now - last)
        self._loop.call_later(min(max(wait, 0.01), LOOK_SECONDS), self._look_around, server)

    async def _drain(self, server: Server) -> None:
        """Accept nothing more; give active requests their time, then cancel them."""
        self._log.info("stopping", reason=self._reason, active=server.active)
        server.close_listener()
        server.drain()
        self._parts.quiet()
        deadline = time.monotonic() + self._config.seconds("daemon.drain_seconds")
        await self._until(lambda: not server.active, deadline)
        if server.active:
            server.cancel_all(DaemonUnavailable("the daemon stopped before the request was done"))
            await self._until(lambda: not server.active, time.monotonic() + LAST_SECONDS)

    async def _until(self, condition: Callable[[], bool], deadline: float) -> None:
        while not condition() and time.monotonic() < deadline and not self._hurried:
            await asyncio.sleep(0.01)
