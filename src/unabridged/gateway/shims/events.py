"""What happened in a host, as the daemon's operation `hook` takes it and answers it.

OpenCode names no transcript: its database is followed by the daemon as it grows, and what is said is archived with each
request before. Reading it at the end of a turn would only meet a host that is just starting again.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.gateway.shims.asked import Asked


class _Specific(msgspec.Struct):
    context: str = msgspec.field(default="", name="additionalContext")


class _Output(msgspec.Struct):
    specific: _Specific = msgspec.field(default_factory=_Specific, name="hookSpecificOutput")


def said(given: Asked) -> dict[str, Any]:
    """Return what a host says, as a hook would get it."""
    return msgspec.json.decode(bytes(given.input) or b"{}", type=dict[str, Any])


def context(output: str) -> str:
    """Return what the model is to be told, from what a hook would print."""
    try:
        return msgspec.json.decode(output, type=_Output).specific.context if output else ""
    except msgspec.DecodeError:
        return ""
