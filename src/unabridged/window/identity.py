"""What a conversation of the wire is called: in the archive, and where a model reads it."""

from __future__ import annotations

import hashlib

from unabridged.window.messages import Conversation, Role

ID_BYTES = 16


def conversation_id(host: str, host_session: str, chain: str = "") -> bytes:
    """Return a conversation's id.

    `chain` is "" for the session's main conversation, else what tells another one of the same session: the key of its
    own first user item.
    """
    return hashlib.sha256("\0".join((host, host_session, chain)).encode()).digest()[:ID_BYTES]


def chain(conversation: Conversation) -> str:
    """Return the key of the first user item, "" where there is none."""
    return next((item.key for item in conversation.items if item.role is Role.USER), "")
