"""What an extension asks, a line each, and what it gets. A request names what the host has; no answer is a policy.

`{"id", "op", "host", "session", "cwd", …}` → `{"id", …}`. Operations: `plan` (what to send of these messages),
`answered` (what the last request cost), `compact` (what stands for these messages when the host makes its history
short), `event` (what happened in the host, as the daemon's operation `hook` takes it).
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.window.providers.splice import FAILURES, NotUnderstood, elements, encoded, members

NOTHING = msgspec.Raw(b"")
LINE_BYTES = 64 << 20  # of one request; a host with more to send sends it as it is


class Asked(msgspec.Struct, frozen=True):
    """One request. Which members there are depends on `op`; all that is not known is ignored.

    Tokens, as the host says them (0: not said): `limit` of the model's window, `reserve` of its answer, `fixed` of what
    is sent beside the messages. `url`: the provider's address. `aside`: the host is about to make its history short.
    """

    id: int = 0
    op: str = ""
    host: str = ""
    session: str = ""
    cwd: str = ""
    model: str = ""
    url: str = ""
    limit: int = 0
    reserve: int = 0
    fixed: int = 0
    aside: bool = False
    reason: str = ""
    messages: msgspec.Raw = NOTHING
    usage: msgspec.Raw = NOTHING
    input: msgspec.Raw = NOTHING


class Planned(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to send: each element is the number of a message as it was given, or a message; None: all as they are.

    `fault`: the code of what failed of ours; `status`: a line for a status bar; `notice`: what a person should know.
    """

    id: int
    messages: tuple[int | msgspec.Raw, ...] | None = None
    fault: str = ""
    status: str = ""
    notice: str = ""


class Compacted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What stands for the messages; `cancel`: they are not archived, and must stay where they are."""

    id: int
    text: str = ""
    cancel: bool = False
    fault: str = ""


class Told(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer that is nothing but an answer; `output`: what the host is to be told, `fault` as above."""

    id: int
    output: str = ""
    fault: str = ""


_asked = msgspec.json.Decoder(Asked)


def asked(line: bytes) -> Asked | None:
    """Return a request, None for what is none."""
    try:
        return _asked.decode(line)
    except FAILURES:
        pass
    try:  # half of a surrogate pair, as programs leave it that cut texts: the messages stay as they are
        found = members(line)
        messages = found.pop("messages", NOTHING)
        return msgspec.structs.replace(_asked.decode(msgspec.json.encode(found)), messages=messages)
    except (*FAILURES, NotUnderstood):
        return None


def body(given: Asked, reserve: int) -> bytes:
    """Return a request's messages as a body of their host's format."""
    outside: dict[str, Any] = {"model": given.model, "fixed": given.fixed, "tools": [True]}
    if given.cwd:
        outside["cwd"] = given.cwd
    if reserve > 0:
        outside["max_tokens"] = reserve
    return encoded(outside)[:-1] + b',"messages":' + (bytes(given.messages) or b"[]") + b"}"


def numbered(given: bytes, sent: bytes) -> tuple[int | msgspec.Raw, ...]:
    """Return a list in terms of another: the numbers of elements that are in it as they were, and the others.

    Raises `NotUnderstood`.
    """
    before, found, at = [bytes(one) for one in elements(given)], list[int | msgspec.Raw](), 0
    places = dict[bytes, list[int]]()
    for index in range(len(before) - 1, -1, -1):
        places.setdefault(before[index], []).append(index)
    for raw in elements(sent):
        same = places.get(bytes(raw), [])
        while same and same[-1] < at:
            same.pop()
        if same:
            at = same.pop() + 1
            found.append(at - 1)
        else:
            found.append(raw)
    return tuple(found)
