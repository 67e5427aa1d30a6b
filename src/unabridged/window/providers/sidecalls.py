"""Requests that a host makes beside the conversation: titles, summaries, its own compaction. They are passed on."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from unabridged.hosts.injected import COMPACTIONS
from unabridged.window.messages import Conversation, Item, Kind, Role

# How the history begins that a host sends after it has made it short.
COMPACTED = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
)
# The type of an item that asks the provider itself for a compaction.
TRIGGER = "compaction_trigger"
TITLES = ("Generate a title for this conversation",)


class Aside(enum.Enum):
    """What a request is for. `NONE` is the conversation itself."""

    NONE = "none"
    TITLE = "title"
    COMPACTION = "compaction"


def aside(conversation: Conversation) -> Aside:
    """Return what a request is for."""
    items = conversation.items
    if items and items[-1].parts and items[-1].parts[-1].name == TRIGGER:
        return Aside.COMPACTION
    if _last_user(items).startswith(COMPACTIONS):
        return Aside.COMPACTION
    first = next((item for item in items if item.role is Role.USER), None)
    texts = [part.text for part in first.parts] if first else []
    return Aside.TITLE if any(text.lstrip().startswith(TITLES) for text in texts) else Aside.NONE


def compacted(conversation: Conversation) -> bool:
    """Tell whether a host's own summary stands in the history: its compaction has taken place."""
    return any(
        part.text.lstrip().startswith(COMPACTED)
        for item in conversation.items
        if item.role is Role.USER
        for part in item.parts
    )


def _last_user(items: Sequence[Item]) -> str:
    if not items or items[-1].role is not Role.USER:
        return ""
    texts = [part.text for part in items[-1].parts if part.kind is Kind.TEXT]
    return texts[-1].lstrip() if texts else ""
