"""What an export of ChatGPT is made of, and how one is told from other files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from unabridged.hosts.contract import Head
from unabridged.hosts.exports import Form, members_of, string_of
from unabridged.hosts.lines import values

CONVERSATION, NODE = "conversation", "node"  # the lines that a conversation is kept as
TITLE_CHARACTERS = 200
FIRST = 80  # bytes of the tree that hold the id of its first node
DIGITS = 24  # of the name of a conversation without an id

# Older exports have one document, newer ones a numbered row of them.
_NAMES = re.compile(r"conversations(?:-\d+)?\.json", re.IGNORECASE)
_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{"(?:conversation|node)":\{"')
_OTHERS = ("users.json", "projects.json", "memories.json")  # what the exports of Claude.ai hold
_OWN = ("conversations", "chat.html", "user.json")


class _Form:
    """See `hosts.exports.Form`."""

    def wants(self, name: str) -> bool:
        """Tell whether a file of that name holds conversations."""
        return _NAMES.fullmatch(name) is not None

    def begins(self, head: bytes) -> bool:
        """Tell whether a document is one of ChatGPT's, or holds kept lines."""
        if _LINE.match(head):
            return True
        return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{") and _MAPPING.search(head) is not None

    def looks_like(self, names: Sequence[str]) -> bool:
        """Tell by the names of its files whether an archive is one of ChatGPT's."""
        held = "\n".join(names)
        return any(name in held for name in _OWN) and not any(name in held for name in _OTHERS)

    def name_of(self, element: bytes) -> str:
        """Return a conversation's id; of one without, a name made of its first message's."""
        members = members_of(element)
        mapping = bytes(memoryview(members.get("mapping", b""))[:FIRST])
        if not mapping.startswith(b"{"):
            return ""
        for key in ("conversation_id", "id"):
            found = string_of(members.get(key))
            if found:
                return found
        return f"unnamed-{hashlib.sha256(mapping).hexdigest()[:DIGITS]}"


FORM: Form = _Form()


def head(lines: Iterable[bytes]) -> Head | None:
    """Return the conversation that the first line of its kind describes."""
    for line in lines:
        for value in values(line).items:
            row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            found: Any = row.get(CONVERSATION)
            if isinstance(found, dict):
                told = cast("dict[str, Any]", found)
                name: Any = told.get("conversation_id") or told.get("id")
                if isinstance(name, str):
                    return Head(name, title=title_of(told))
    return None


def title_of(conversation: dict[str, Any]) -> str:
    """Return a conversation's title."""
    title: Any = conversation.get("title")
    return title[:TITLE_CHARACTERS] if isinstance(title, str) else ""
