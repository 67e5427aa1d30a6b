"""Who wrote a user row: a person at the prompt, or the host on its own?"""

from __future__ import annotations

from unabridged.hosts.claude_code.rows import Cause
from unabridged.hosts.injected import CLAUDE_OUTPUTS, CLAUDE_OWN, CLAUDE_TEXTS
from unabridged.schema.records import ECHO, HUMAN, META

# Origins that are a person; without an origin it is one too.
PEOPLE = frozenset(("human", "person", "composer", "voice-call", "remote"))


def author_flags(text: str, cause: Cause | None) -> int:
    """Return HUMAN for a prompt that a person typed, META for the host's own texts, else 0.

    With ECHO it is a command of this product's, which others than a person cannot give: they would hide what they say.
    """
    if text.startswith(CLAUDE_TEXTS):
        return META
    if text.startswith(CLAUDE_OUTPUTS):
        return 0
    kind = cause.kind if cause is not None else None
    if kind is None or kind in PEOPLE:
        return HUMAN | ECHO if text.startswith(CLAUDE_OWN) else HUMAN
    return META if kind == "task-notification" else 0
