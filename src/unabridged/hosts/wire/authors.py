"""Who wrote a text of a request: a person, or a host in their name?

On the wire nothing tells them apart but how they begin, so what any host is known to put there counts for all.
"""

from __future__ import annotations

from unabridged.hosts.calls import OWN_MARK, is_own_text
from unabridged.hosts.injected import (
    AIDER_EXAMPLES,
    AIDER_REMINDERS,
    AIDER_TEXTS,
    CLAUDE_OUTPUTS,
    CLAUDE_OWN,
    CLAUDE_TEXTS,
    CODEX_SHELL,
    CODEX_SUMMARY,
    CODEX_TEXTS,
    COMPACTIONS,
)
from unabridged.schema.records import ECHO, HUMAN, META, SUMMARY

AIDER = "aider"
LOOKED_AT = 300  # characters; a host puts a sentence of its own before what a hook of ours said
SUMMARIES = (
    CODEX_SUMMARY,
    "This session is being continued from a previous conversation",
    "The conversation history before this point was compacted into the following summary",
)
INJECTED = (*CLAUDE_TEXTS, *CODEX_TEXTS, *COMPACTIONS)
OUTPUTS = (*CLAUDE_OUTPUTS, CODEX_SHELL)

ROLES = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


def is_scripted(host: str, text: str) -> bool:
    """Tell whether a host says a text as the user, and the model's answer to it as well."""
    if host != AIDER:
        return False
    return text.startswith(AIDER_TEXTS) or (len(text) < LOOKED_AT and text.strip() in AIDER_EXAMPLES)


def reminder_at(host: str, text: str) -> int:
    """Return where a host's reminder begins that a text ends with; -1 where there is none."""
    return max(text.rfind(begin) for begin in AIDER_REMINDERS) if host == AIDER else -1


def text_flags(text: str, role: str, *, side: bool) -> int:
    """Return the flags of a text; beside the main conversation no person speaks."""
    begin = text[:LOOKED_AT].lstrip()
    own = ECHO if OWN_MARK in begin else 0
    if role == "assistant":
        return 0
    if role != "user" or is_own_text(begin) or begin.startswith(INJECTED):
        return META | own
    if begin.startswith(SUMMARIES):
        return SUMMARY
    asked = ECHO if begin.startswith(CLAUDE_OWN) else 0
    return asked if side or begin.startswith(OUTPUTS) else HUMAN | asked
