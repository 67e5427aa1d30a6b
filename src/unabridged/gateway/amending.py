"""Words that a client puts behind its newest message only, as aider does with its reminder.

In the next request that message stands without them. What they are, the first such pair tells; from then on a message
that ends with them is archived as it will be sent the next time, so that it is there once. Where the client sends it
otherwise then, it is archived as it is sent: nothing is lost by a wrong guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.window.execute import Row, following
from unabridged.window.messages import Conversation, Item, Kind, Role
from unabridged.window.providers.contract import Adapter, Request
from unabridged.window.providers.splice import (
    NotUnderstood,
    elements,
    encoded,
    member_spans,
    replaced,
    with_member,
)

# Tokens of a message that is archived so; a longer one may have to be durable as it is, to be shown as a preview.
SHORT_TOKENS = 4_000
BEGINS = "\n"  # what is put behind a message is a paragraph of its own


def amended(line: Sequence[str], newest: str, conversation: Conversation) -> str:
    """Return what stood behind the newest message (`newest`) of a request with the keys `line`, and does no longer.

    "" where nothing did: the message is still there, or what is like it was not said before the last answer.
    """
    keys, items = conversation.keys, conversation.items
    if not line or not newest or (len(line) <= len(keys) and keys[len(line) - 1] == line[-1]):
        return ""
    known = frozenset(line)
    for at in range(len(items) - 2, -1, -1):
        if keys[at] in known or items[at + 1].role is not Role.ASSISTANT:
            continue
        text = _said(items[at])
        if text and text != newest and newest.startswith(text) and newest[len(text) :].startswith(BEGINS):
            return newest[len(text) :]
    return ""


def as_sent_later(adapter: Adapter, member: str, request: Request, rows: list[Row], words: str) -> list[Row]:
    """Return rows with the newest message as it will be sent without `words` behind it, if it ends with them.

    `member` is what the format calls its list.
    """
    items = request.conversation.items
    if not words or not items or not rows or rows[-1].key != items[-1].key or rows[-1].part:
        return rows
    item, raw = items[-1], rows[-1].raw
    text = _said(item)
    if item.tokens > SHORT_TOKENS or not text.endswith(words) or len(text) == len(words):
        return rows
    try:
        shorter = _with_text(raw, text[: -len(words)])
        read = adapter.read(b'{"' + member.encode() + b'":[' + shorter + b"]}").conversation.items
    except (NotUnderstood, KeyError):
        return rows
    found = following(request.conversation.keys[:-1], read)
    return [*rows[:-1], Row(found[0].key, shorter, rows[-1].origin)] if len(found) == 1 else rows


def _said(item: Item) -> str:
    """Return what a user's message of one text says, "" for any other item."""
    if item.role is not Role.USER or len(item.parts) != 1 or item.parts[0].kind is not Kind.TEXT:
        return ""
    return item.parts[0].text


def _with_text(raw: bytes, text: str) -> bytes:
    """Return a message of one text with another one."""
    start, end = member_spans(raw)["content"]
    content = raw[start:end]
    if content[:1] == b'"':
        return replaced(raw, [((start, end), encoded(text))])
    (block,) = elements(content)
    return replaced(raw, [((start, end), b"[" + with_member(bytes(block), "text", encoded(text)) + b"]")])
