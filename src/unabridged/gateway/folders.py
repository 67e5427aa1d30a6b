"""Where a host works, as its requests say: a gateway that was started elsewhere still files them in their project.

Hosts write their folder into what stands at the front of every request. Only there it is looked for, in each host's own
words: what a user, a file or a tool says is no evidence of where the host is.
"""

from __future__ import annotations

import re
from itertools import islice

import msgspec

from unabridged.gateway.identity import CLAUDE_CODE, CODEX, OPENCODE, PI
from unabridged.window.messages import Conversation, Role
from unabridged.window.providers.splice import FAILURES

# Items at the front, before and around the first message of the user.
FRONT = 5
LONGEST = 4_096  # characters of a path
# How Codex begins the item in which it tells of its surroundings; the user's messages begin otherwise.
SURROUNDINGS = "<environment_context>"
_SAYS = {
    CLAUDE_CODE: re.compile(r"^ - Primary working directory: (/.+)$", re.MULTILINE),
    CODEX: re.compile(r"^ *<cwd>(/[^<]+)</cwd>$", re.MULTILINE),
    OPENCODE: re.compile(r"^<env>\n *Working directory: (/.+)$", re.MULTILINE),
    # What a repository says of itself stands before it in the same text.
    PI: re.compile(r"<cwd>\n(/[^<\n]+)\n</cwd>\s*\Z"),
}


class _Front(msgspec.Struct):
    system: str | list[_Text] = ""
    instructions: str | None = None
    cwd: str = ""  # as an extension of ours says it outright


class _Text(msgspec.Struct):
    text: str = ""


_front = msgspec.json.Decoder(_Front)


def folder(host: str, body: bytes, conversation: Conversation) -> str:
    """Return the folder that a host's request says it works in, "" where it does not."""
    says = _SAYS.get(host)
    if says is None:
        return ""
    said = _outside(body)
    found = (says.search(text) for text in (*_beside(said), *_first(conversation)))
    path = said.cwd if said.cwd.startswith("/") else next((match[1] for match in found if match), "")
    return path if len(path) <= LONGEST and "\0" not in path else ""


def _outside(body: bytes) -> _Front:
    try:
        return _front.decode(body)
    except FAILURES:
        return _Front()


def _beside(front: _Front) -> list[str]:
    """Return what stands beside the list."""
    system = [front.system] if isinstance(front.system, str) else [part.text for part in front.system]
    return [*system, front.instructions or ""]


def _first(conversation: Conversation) -> list[str]:
    """Return what a host itself says in the first items."""
    return [
        part.text
        for item in islice(conversation.items, FRONT)
        for part in item.parts
        if item.role is Role.SYSTEM or (item.role is Role.USER and part.text.startswith(SURROUNDINGS))
    ]
