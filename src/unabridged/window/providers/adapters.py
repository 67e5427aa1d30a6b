"""The adapter for a request, by the path that it is sent to or the name of its format."""

from __future__ import annotations

from collections.abc import Mapping

from unabridged.window.providers.anthropic import Anthropic
from unabridged.window.providers.chat import Chat
from unabridged.window.providers.contract import Adapter
from unabridged.window.providers.opencode import OpenCode
from unabridged.window.providers.pi import Pi
from unabridged.window.providers.responses import Responses

ANTHROPIC, RESPONSES, CHAT = Anthropic(), Responses(), Chat()
PI, OPENCODE = Pi(), OpenCode()

MESSAGES_FORMAT, RESPONSES_FORMAT, CHAT_FORMAT = "messages", "responses", "chat"
PI_FORMAT, OPENCODE_FORMAT = "pi", "opencode"
ADAPTERS: Mapping[str, Adapter] = {
    MESSAGES_FORMAT: ANTHROPIC,
    RESPONSES_FORMAT: RESPONSES,
    CHAT_FORMAT: CHAT,
    PI_FORMAT: PI,
    OPENCODE_FORMAT: OPENCODE,
}
# What each format calls the list of a request's items.
LISTS: Mapping[str, str] = {
    MESSAGES_FORMAT: "messages",
    RESPONSES_FORMAT: "input",
    CHAT_FORMAT: "messages",
    PI_FORMAT: "messages",
    OPENCODE_FORMAT: "messages",
}

# Endings of paths; what stands before them (`/v1`, a token) is the server's.
PATHS: tuple[tuple[str, Adapter], ...] = (
    ("/messages", ANTHROPIC),
    ("/messages/count_tokens", ANTHROPIC),
    ("/responses", RESPONSES),
    ("/chat/completions", CHAT),
)


def adapter_for(path: str) -> Adapter | None:
    """Return the adapter for a path (a query may follow), None for one that is passed on as it is."""
    bare = path.partition("?")[0].rstrip("/")
    return next((adapter for ending, adapter in PATHS if bare.endswith(ending)), None)
