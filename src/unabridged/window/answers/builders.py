"""Which builder puts together the answers of a format?"""

from __future__ import annotations

from unabridged.window.answers.anthropic import AnthropicAnswer
from unabridged.window.answers.chat import ChatAnswer
from unabridged.window.answers.contract import Builder
from unabridged.window.answers.responses import ResponsesAnswer
from unabridged.window.providers.adapters import ANTHROPIC, CHAT, RESPONSES
from unabridged.window.providers.contract import Adapter


def builder(adapter: Adapter) -> Builder:
    """Return what puts together the answers of a format."""
    if adapter is ANTHROPIC:
        return AnthropicAnswer()
    if adapter is RESPONSES:
        return ResponsesAnswer()
    assert adapter is CHAT
    return ChatAnswer()
