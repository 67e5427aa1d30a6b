"""Keeps the one process that speaks MCP: started when an agent asks for it, ended with the daemon.

That process imports the protocol's SDK, which takes longer than anything else here, so it serves every agent of this
home from one socket and stays for a while after the last has gone. It says over its channel when it listens and how
many agents are connected.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import msgspec

from unabridged.daemon.channel import ChannelClosed
from unabridged.daemon.logs import Log
from unabridged.daemon.paths import Layout
from unabridged.daemon.workers import Process
from unabridged.errors import DaemonUnavailable, ProtocolError
from unabridged.service.ports import Check

ROLE = "mcp"
START_SECONDS = 30.0  # that the process may take until it listens: a cold disk holds a large SDK
LOOK_SECONDS = 0.05  # between two looks whether the one who waits is still there
CLOSE_SECONDS = 5.0  # that the thread gets to end the process


class Orders(msgspec.Struct, frozen=True):
    """What the process is told first: where it listens, and the three folders of the home that it serves."""

    socket: str
    data: str
    config: str
    state: str


class Standing(msgspec.Struct, frozen=True):
    """What the process tells: that it listens, with so many agents connected."""

    sessions: int = 0


class Speaking:
    """The process and the thread that owns it: the kernel ends a worker with the thread that started it."""

    def __init__(self, layout: Layout, log: Log, errors: str) -> None:
        """Serve a home; nothing is started until somebody asks."""
        self._orders = Orders(layout.mcp_socket, layout.data, layout.config, layout.state)
        self._log = log
        self._errors = errors
        self._changed = threading.Condition()
        self._wanted = False
        self._closed = False
        self._ready = False
        self._started = 0  # processes so far
        self._failed = 0  # which of them was the last to end before it listened
        self._process: Process | None = None
        self._thread: threading.Thread | None = None
        self.sessions = 0

    def reach(self, check: Check) -> tuple[str, int]:
        """Return the socket's path and the process's number once it listens; raise `DaemonUnavailable`."""
        deadline = time.monotonic() + START_SECONDS
        with self._changed:
            started = self._started
            self._want()
            while not self._ready:
                self._changed.wait(LOOK_SECONDS)
                check()
                if self._closed or self._failed > started or time.monotonic() > deadline:
                    raise DaemonUnavailable(
                        "the process that speaks MCP does not start", error_stream=self._errors
                    )
            return self._orders.socket, self._process.pid if self._process is not None else 0

    def facts(self) -> dict[str, Any]:
        """Return the process's number (0: none runs) and how many agents are connected."""
        process = self._process
        return {"pid": process.pid if process is not None else 0, "agents": self.sessions}

    def _want(self) -> None:
        if self._closed:
            raise DaemonUnavailable("the daemon is stopping")
        self._wanted = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="mcp", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def close(self) -> None:
        """End the process."""
        with self._changed:
            self._closed = True
            process, thread = self._process, self._thread
            self._changed.notify_all()
        if process is not None:
            process.channel.close()
        if thread is not None:
            thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._wanted and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                self._wanted = False
            status = self._serve()
            self._remove_socket()
            with self._changed:
                self._process = None
                closed = self._closed
                self._changed.notify_all()
            if status and not closed:
                self._log.warning("worker-died", role=ROLE, status=status)

    def _serve(self) -> int:
        """Run one process to its end; return its exit status."""
        try:
            process = Process(ROLE, self._errors)
        except OSError as error:
            self._log.failure("worker-not-started", error)
            with self._changed:
                self._started += 1
                self._failed = self._started
            return 0
        with self._changed:
            self._process = process
            self._started += 1
            closed = self._closed
        if not closed:
            self._follow(process)
        return process.end()

    def _follow(self, process: Process) -> None:
        """Listen to the process until it ends."""
        try:
            process.channel.send(msgspec.msgpack.encode(self._orders))
            while True:
                told = msgspec.msgpack.decode(process.channel.receive(), type=Standing)
                with self._changed:
                    self._ready, self._wanted, self.sessions = True, False, told.sessions
                    self._changed.notify_all()
        except (ChannelClosed, ProtocolError, msgspec.DecodeError):
            pass  # it has gone, or says what it should not: either way it is of no more use
        with self._changed:
            if not self._ready:
                self._failed = self._started
            self._ready, self.sessions = False, 0
            self._changed.notify_all()

    def _remove_socket(self) -> None:
        try:
            os.unlink(self._orders.socket)
        except OSError:
            return  # it never listened, or the folder has gone
