"""Conversations for tests, made of items without a wire format."""

from __future__ import annotations

from hashlib import sha256

from unabridged.window.messages import (
    Conversation,
    Item,
    Keys,
    Kind,
    Part,
    Role,
    call_part,
    content_key,
    item,
    result_part,
    text_part,
)


def user(text: str) -> Item:
    return _made(Role.USER, [text_part(text)])


def system(text: str) -> Item:
    return _made(Role.SYSTEM, [text_part(text)])


def said(text: str) -> Item:
    return _made(Role.ASSISTANT, [text_part(text)])


def call(name: str, arguments: str = "{}", tool: str = "Bash") -> Item:
    return _made(Role.ASSISTANT, [call_part(tool, arguments, name)])


def result(name: str, text: str) -> Item:
    return _made(Role.TOOL, [result_part(text, name)])


def memory(text: str) -> Item:
    return _made(Role.OTHER, [Part(Kind.STATE, 10, text)])


def conversation(*items: Item, model: str = "anthropic/m", fixed: int = 0) -> Conversation:
    return Conversation(model, tuple(map(Keys().keyed, items)), fixed)


def turns(count: int, words: int = 10, first: int = 0) -> list[Item]:
    """So many turns of a question and an answer, of about so many tokens each."""
    found = list[Item]()
    for number in range(first, first + count):
        found += [user(f"question {number} " + "word " * words), said(f"answer {number} " + "word " * words)]
    return found


def keys(talk: Conversation) -> frozenset[str]:
    return frozenset(one.key for one in talk.items)


def _made(role: Role, parts: list[Part]) -> Item:
    content = repr([(part.kind.value, part.text, part.call, part.name) for part in parts])
    return item(
        role, parts, content_key(sha256((role.value + content).encode("utf-8", "surrogatepass")).digest())
    )
