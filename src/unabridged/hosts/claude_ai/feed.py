"""A conversation of an export as lines: `{"chat": …}`, then `{"chat_message": …}` for each message.

A message's line holds its exact JSON text, and beside it `above`: the message before it on its branch. A project is
`{"project": …}` with a `{"doc": …}` for each document; what the model remembers is one `{"memory": …}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from unabridged.hosts import exports, tree
from unabridged.hosts.claude_ai.discover import CHAT, DOC, DOCS, MEMORY, MESSAGE, MESSAGES, PROJECT
from unabridged.hosts.given import Row
from unabridged.hosts.lines import values
from unabridged.hosts.oneline import one_line

_items = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode


def rows(texts: list[bytes]) -> Iterator[Row]:
    """Yield the lines of a conversation from its JSON text, given once for each time that the export holds it."""
    for text in texts:
        members = exports.members_of(text)
        if MESSAGES in members:
            messages = _array(members.pop(MESSAGES))
            yield Row(CHAT, _line(CHAT, _encode(members)))
            yield from _messages(messages, exports.string_of(members.get("current_leaf_message_uuid")))
        elif DOCS in members:
            docs = _array(members.pop(DOCS))
            yield Row(PROJECT, _line(PROJECT, _encode(members)))
            for at, doc in enumerate(docs):
                name = _member(doc, "uuid") or f"{at}"
                yield Row(f"{DOC}:{name}", _line(DOC, bytes(doc)))
        else:
            yield Row(MEMORY, _line(MEMORY, _encode(members)))


def _messages(messages: list[msgspec.Raw], leaf: str) -> Iterator[Row]:
    """Yield messages branch by branch, that of `leaf` or of the newest message last.

    Old exports tell no parents: there each message follows the one before it.
    """
    texts: dict[str, msgspec.Raw] = {}
    parents: dict[str, str] = {}
    told = any(b'"parent_message_uuid"' in bytes(message) for message in messages)
    last = ""
    for at, message in enumerate(messages):
        name = _member(message, "uuid") or f"message-{at}"
        parents.setdefault(name, _member(message, "parent_message_uuid") if told else last)
        texts[name] = message
        last = name
    for name in tree.branches(parents, leaf or last):
        above = parents[name] if parents[name] in texts else ""
        yield Row(name, _line(MESSAGE, bytes(texts[name]), above))


def _line(kind: str, data: bytes, above: str = "") -> bytes:
    rest = b',"above":%b' % _encode(above) if above else b""
    return b'{"%b":%b%b}\n' % (kind.encode(), one_line(data), rest)


def _array(text: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return _items.decode(text)
    except (msgspec.DecodeError, RecursionError):
        found: Any = next(iter(values(bytes(text)).items), None)
    items = cast("list[Any]", found) if isinstance(found, list) else []
    return [msgspec.Raw(_encode(item)) for item in items]


def _member(message: msgspec.Raw, key: str) -> str:
    return exports.string_of(exports.members_of(message).get(key))
