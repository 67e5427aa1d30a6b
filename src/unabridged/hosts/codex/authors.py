"""Who wrote a message: a person, the model, or the host in their name."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.hosts.calls import is_own_text
from unabridged.hosts.injected import CODEX_SHELL, CODEX_SUMMARY, CODEX_TEXTS
from unabridged.schema.records import ECHO, HUMAN, META, SUMMARY

TYPED = "user."  # begins the kind of a content item that a person gave (versions from 0.160)
UNKNOWN = "unknown"

ROLES = {"user": "user", "assistant": "assistant", "developer": "system", "system": "system"}


def user_flags(text: str, kinds: Sequence[str] | None, index: int) -> int:
    """Return the flags of a content item of a user message."""
    if kinds is not None and index < len(kinds) and kinds[index] != UNKNOWN:
        if kinds[index].startswith(TYPED):
            return HUMAN
        return SUMMARY if kinds[index].startswith("compaction.") else _host_flags(text)
    text = text[:200].lstrip()
    if text.startswith(CODEX_TEXTS) or is_own_text(text):
        return _host_flags(text)
    if text.startswith(CODEX_SUMMARY):
        return SUMMARY
    return 0 if text.startswith(CODEX_SHELL) else HUMAN


def system_flags(text: str) -> int:
    """Return the flags of a developer or system message."""
    return _host_flags(text)


def _host_flags(text: str) -> int:
    return META | ECHO if is_own_text(text.lstrip()) else META
