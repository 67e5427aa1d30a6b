"""A conversation as the window sees it, whatever wire format it came in.

An item is one element of a provider's list: a message, or in OpenAI Responses also a call, an output, a reasoning item.
Its parts are its blocks in order. Items hold what decisions need and no wire form: bytes stay with the adapter, which
copies what is untouched.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from unabridged.schema.tokens import by_length

KEY_CHARS = 32  # hexadecimal digits: 128 bits of a SHA-256; another text of the same key cannot be made
# Digits of a key that name an item where a model reads it: short, and unique in a conversation.
NAME_CHARS = 16
DIGEST_BYTES = 16  # of a digest over keys
FRAME_TOKENS = 4  # tokens; what a message costs beside its content, for its role and its borders


class Role(enum.Enum):
    """Who speaks. `SYSTEM` is also a developer; `TOOL` is whatever holds a tool's result, a user's message too."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    OTHER = "other"


class Kind(enum.Enum):
    """What a part is. `STATE` is a host's or provider's own opaque memory of what came before, never cut."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"
    REASONING = "reasoning"
    MEDIA = "media"
    STATE = "state"
    OTHER = "other"


class Part(msgspec.Struct, frozen=True, gc=False):
    """One block. `tokens` is an estimate; `call` pairs a call with its result.

    `text` is what is said, the text of a result, or a call's arguments as JSON or free text; empty for other kinds.
    """

    kind: Kind
    tokens: int
    text: str = ""
    call: str = ""
    name: str = ""


class Item(msgspec.Struct, frozen=True):
    """One element of the list. `key` names its content and its occurrence: equal content again is another key."""

    role: Role
    parts: tuple[Part, ...]
    key: str
    tokens: int

    def part_key(self, at: int) -> str:
        """Return what names one part: the item's key where it has no other."""
        return self.key if len(self.parts) == 1 else f"{self.key}#{at}"

    def name(self, at: int | None = None) -> str:
        """Return the short name of the item or of one of its parts, as a model reads it."""
        short = short_name(self.key)
        return short if at is None or len(self.parts) == 1 else f"{short}#{at}"


class Conversation(msgspec.Struct, frozen=True, dict=True):
    """Everything that one request says. `model` is `provider/model`; `fixed`: tokens outside of the items (tools)."""

    model: str
    items: tuple[Item, ...]
    fixed: int = 0

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of all items, in order."""
        return tuple([item.key for item in self.items])

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens of the whole request."""
        return self.fixed + sum([item.tokens for item in self.items])


class Keys:
    """Hands out the keys of one conversation's items, in order: the second item of equal content is `…-2`."""

    def __init__(self) -> None:
        """Begin with the first item."""
        self._seen = dict[str, int]()

    @classmethod
    def behind(cls, before: Iterable[str], items: Iterable[Item]) -> Keys:
        """Begin behind items of these keys.

        `items`, whose keys are those of their content alone, are all that will come.
        """
        made, coming = cls(), {item.key for item in items}
        if coming.isdisjoint(before):  # the first of a content has the key of the content alone
            return made
        for key in before:
            base = key[:KEY_CHARS]
            if base in coming:
                made._seen[base] = made._seen.get(base, 0) + 1
        return made

    def keyed(self, item: Item) -> Item:
        """Return the next item, which has the key of its content alone, with the key that it has here."""
        seen, key = self._seen, item.key
        times = seen.get(key, 0) + 1
        seen[key] = times
        return item if times == 1 else Item(item.role, item.parts, f"{key}-{times}", item.tokens)


def short_name(key: str) -> str:
    """Return an item's key as a model reads it."""
    digits, _, repeated = key.partition("-")
    return digits[:NAME_CHARS] + (f"-{repeated}" if repeated else "")


def keys_digest(items: Sequence[Item]) -> bytes:
    """Return the digest over the keys of items in order."""
    return hashlib.sha256("\n".join([item.key for item in items]).encode()).digest()[:DIGEST_BYTES]


def content_key(digest: bytes) -> str:
    """Return the key of a content from its digest."""
    return digest[: KEY_CHARS // 2].hex()


def item(role: Role, parts: Sequence[Part], key: str) -> Item:
    """Return an item with its tokens added up."""
    return Item(role, tuple(parts), key, FRAME_TOKENS + sum(part.tokens for part in parts))


def text_part(text: str) -> Part:
    """Return a part that is said."""
    return Part(Kind.TEXT, by_length(len(text)), text)


def call_part(name: str, arguments: str, call: str) -> Part:
    """Return a tool call."""
    return Part(Kind.CALL, by_length(len(arguments) + len(name)), arguments, call, name)


def result_part(text: str, call: str, beside: int = 0) -> Part:
    """Return a tool's result; `beside`: tokens of what it holds that is no text."""
    return Part(Kind.RESULT, by_length(len(text)) + beside, text, call)
