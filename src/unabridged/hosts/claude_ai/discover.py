"""What an export of Claude.ai is made of, and how one is told from other files.

It holds conversations, the projects that a person made with their documents, and what the model remembers of the
person: in one document each, or in one for each project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from unabridged.hosts.contract import Head
from unabridged.hosts.exports import Form, members_of, string_of
from unabridged.hosts.lines import values

# The lines that a conversation is kept as; a project and its documents; what is remembered.
CHAT, MESSAGE = "chat", "chat_message"
PROJECT, DOC = "project", "doc"
MEMORY = "memory"
MESSAGES, DOCS, REMEMBERED = (
    "chat_messages",
    "docs",
    "conversations_memory",
)  # members that tell what an object is
MEMORIES = "memories"  # begins the name of what is remembered
TITLE_CHARACTERS = 200

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAMES = re.compile(rf"(?:conversations(?:-\d+)?|projects|memories|{_UUID})\.json", re.IGNORECASE)
_BEGINS = re.compile(rb'"(?:chat_messages"\s*:\s*\[|conversations_memory"\s*:)')
_DOCS, _PROMPT = re.compile(rb'"docs"\s*:\s*\['), re.compile(rb'"prompt_template"\s*:')
_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{"(?:chat|chat_message|project|doc|memory)":\{"')
_OWN = ("users.json", "projects.json", "memories.json")


class _Form:
    """See `hosts.exports.Form`."""

    def wants(self, name: str) -> bool:
        """Tell whether a file of that name may hold conversations, projects or memories."""
        return _NAMES.fullmatch(name) is not None

    def begins(self, head: bytes) -> bool:
        """Tell whether a document is one of Claude.ai's, or holds kept lines."""
        if _LINE.match(head):
            return True
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
            return False
        project = _PROMPT.search(head) is not None and (
            _DOCS.search(head) is not None or b'"is_starter_project"' in head
        )
        return project or _BEGINS.search(head) is not None

    def looks_like(self, names: Sequence[str]) -> bool:
        """Tell by the names of its files whether an archive is one of Claude.ai's."""
        held = "\n".join(names)
        return any(name in held for name in _OWN)

    def name_of(self, element: bytes) -> str:
        """Return the id of a conversation or project."""
        members = members_of(element)
        if _is_array(members.get(MESSAGES)) or _is_array(members.get(DOCS)):
            return string_of(members.get("uuid"))
        if REMEMBERED in members:
            return f"{MEMORIES}-{string_of(members.get('account_uuid'))}".rstrip("-")
        return ""


FORM: Form = _Form()


def _is_array(text: Any) -> bool:
    return text is not None and bytes(memoryview(text)[:1]) == b"["


def head(lines: Iterable[bytes]) -> Head | None:
    """Return what the first line that describes a conversation, a project or memories names."""
    for line in lines:
        for value in values(line).items:
            row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            for kind in (CHAT, PROJECT, MEMORY):
                found: Any = row.get(kind)
                if isinstance(found, dict):
                    return _head(kind, cast("dict[str, Any]", found))
    return None


def _head(kind: str, told: dict[str, Any]) -> Head:
    if kind == MEMORY:
        account: Any = told.get("account_uuid")
        return Head(f"{MEMORIES}-{account if isinstance(account, str) else ''}".rstrip("-"), title="Memories")
    return Head(str(told.get("uuid")), title=title_of(kind, told))


def title_of(kind: str, told: dict[str, Any]) -> str:
    """Return the title of a conversation or project."""
    name: Any = told.get("name")
    title = name[:TITLE_CHARACTERS] if isinstance(name, str) else ""
    return f"Project: {title}" if kind == PROJECT else title
