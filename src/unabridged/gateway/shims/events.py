"""What happened in a host, as the daemon's operation `hook` takes it and answers it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from unabridged.gateway.identity import OPENCODE
from unabridged.gateway.shims.asked import Asked
from unabridged.hosts.opencode import discover

TRANSCRIPT = "transcript_path"


def said(given: Asked, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what a host says; OpenCode does not know the path of its database, so that stands with it."""
    found = msgspec.json.decode(bytes(given.input) or b"{}", type=dict[str, Any])
    home = environ.get("HOME", "")
    if given.host == OPENCODE and not found.get(TRANSCRIPT) and home:
        places = discover.roots(environ, Path(home))
        named = places[1:] or [places[0] / f"{discover.DATABASE}{discover.SUFFIX}"]
        found[TRANSCRIPT] = str(named[0])
    return found


class _Specific(msgspec.Struct):
    context: str = msgspec.field(default="", name="additionalContext")


class _Output(msgspec.Struct):
    specific: _Specific = msgspec.field(default_factory=_Specific, name="hookSpecificOutput")


def context(output: str) -> str:
    """Return what the model is to be told, from what a hook would print."""
    try:
        return msgspec.json.decode(output, type=_Output).specific.context if output else ""
    except msgspec.DecodeError:
        return ""
