"""Who wrote a message: a person, the model, or the host in their name."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.hosts.calls import is_own_text
from unabridged.schema.records import ECHO, HUMAN, META, SUMMARY

TYPED = "user."  # begins the kind of a content item that a person gave (versions from 0.160)
UNKNOWN = "unknown"

# What the host sends as the user, by how it begins. Versions that note each item's kind are not asked for this.
_HOST_TEXT = (
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<user_instructions>",
    "<environment_context>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<apps_instructions>",
    "<personality_spec>",
    "<model_switch>",
    "<multi_agent",
    "<realtime_",
    "<goal_context>",
    "<skill>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<hook_prompt",
)
_SUMMARY_TEXT = "Another language model started to solve this problem"
_SHELL_TEXT = "<user_shell_command>"  # a person ran a command: theirs, but no request to the model

ROLES = {"user": "user", "assistant": "assistant", "developer": "system", "system": "system"}


def user_flags(text: str, kinds: Sequence[str] | None, index: int) -> int:
    """Return the flags of a content item of a user message."""
    if kinds is not None and index < len(kinds) and kinds[index] != UNKNOWN:
        if kinds[index].startswith(TYPED):
            return HUMAN
        return SUMMARY if kinds[index].startswith("compaction.") else _host_flags(text)
    text = text[:200].lstrip()
    if text.startswith(_HOST_TEXT) or is_own_text(text):
        return _host_flags(text)
    if text.startswith(_SUMMARY_TEXT):
        return SUMMARY
    return 0 if text.startswith(_SHELL_TEXT) else HUMAN


def system_flags(text: str) -> int:
    """Return the flags of a developer or system message."""
    return _host_flags(text)


def _host_flags(text: str) -> int:
    return META | ECHO if is_own_text(text.lstrip()) else META
