"""What a handshake is granted."""

from __future__ import annotations

import os
from typing import Any

from unabridged.daemon import wire
from unabridged.daemon.config import Config
from unabridged.errors import DaemonIncompatible, InvalidInput
from unabridged.schema.scope import Level
from unabridged.service.caller import MAX_PATH_CHARS, Caller, level_of
from unabridged.service.operations import OPERATIONS

CAPABILITIES = sorted((*wire.FEATURES, *OPERATIONS))


class Admission:
    """Answers handshakes as the user's settings say; nothing that a client sends widens what it may see."""

    def __init__(self, config: Config, version: str, engine: str) -> None:
        """Tell clients of this version and storage engine."""
        self._config = config
        self._server: dict[str, Any] = {
            "protocol": wire.PROTOCOL,
            "version": version,
            "pid": os.getpid(),
            "capabilities": CAPABILITIES,
            "store": {"path": config.text("store.url") or config.layout.store, "engine": engine},
            "limits": {
                "frame_bytes": wire.MAX_FRAME,
                "connections": config.number("daemon.connections"),
                "requests": config.number("daemon.requests"),
            },
        }

    def admit(self, asked: wire.Handshake) -> tuple[Caller, dict[str, Any]]:
        """Return who the client is from now on, and the answer; raise `DaemonIncompatible` or `InvalidInput`."""
        missing = sorted(set(asked.capabilities) - set(CAPABILITIES))
        if missing:
            raise DaemonIncompatible("this daemon lacks what the client needs", missing=missing[:20])
        if "\0" in asked.project or len(asked.project) > MAX_PATH_CHARS:
            raise InvalidInput("that is not the path of a folder", field="project", limit=MAX_PATH_CHARS)
        level = self._granted(asked)
        return Caller(level, asked.project, asked.session), {**self._server, "scope": level.name.lower()}

    def _granted(self, asked: wire.Handshake) -> Level:
        """Return the smaller of what is asked and what the user grants (a trusted project's file may grant less)."""
        config = self._config
        for root in config.texts("projects.trusted") if asked.project else ():
            real, folder = os.path.realpath(root), os.path.realpath(asked.project)
            if folder == real or folder.startswith(real.rstrip("/") + "/"):
                config = config.for_project(root)
        granted = level_of(config.text("read.scope"), "read.scope")
        return min(granted, level_of(asked.scope)) if asked.scope else granted
