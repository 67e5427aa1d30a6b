"""Real sessions as the requests that were made in them: what stood in each prompt, and when it was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from unabridged.errors import NotATranscript, PathNotFound
from unabridged.hosts import claude_code, codex, pi
from unabridged.hosts.contract import Block, Head, Host
from unabridged.schema.records import META, SIDE, SUMMARY
from unabridged.schema.tokens import IMAGE_TOKENS
from unabridged.window.messages import (
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

HOSTS: tuple[Host, ...] = (claude_code.HOST, codex.HOST, pi.HOST)
HEAD_BYTES = 64 << 10
MICROS = 1_000_000
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
PROVIDERS = {"claude": "anthropic"}  # first part of a model's name → its provider; all others are OpenAI's
DEFAULT_MODELS = {"codex": "openai/gpt-5"}  # of hosts whose rows do not name the model


class Call(msgspec.Struct, frozen=True):
    """One request: how many items stood in its history, and when (seconds) it was sent."""

    items: int
    time: float


class Session(msgspec.Struct, frozen=True):
    """One session: `model` is `provider/model`."""

    name: str
    host: str
    model: str
    items: tuple[Item, ...]
    calls: tuple[Call, ...]


def load(path: Path) -> Session:
    """Return a transcript's session; raise `PathNotFound` or `NotATranscript`."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError) as error:
        raise PathNotFound(f"there is no transcript at {path}") from error
    for host in HOSTS:
        if not host.sniff(data[:HEAD_BYTES], path):
            continue
        head = host.head(path, data.splitlines(keepends=True))
        if head is not None:
            return _session(f"{host.name}/{path.stem}", host, list(_blocks(host, path, head, data)))
    raise NotATranscript(f"no host is known that writes {path}")


def _blocks(host: Host, path: Path, head: Head, data: bytes) -> Iterator[Block]:
    reader = host.reader(str(path), head, b"", 1)
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        yield from reader.read(line, number).blocks


def _session(name: str, host: Host, blocks: list[Block]) -> Session:
    """Group the blocks of the conversation itself into items; what a host summed up or did aside is left out."""
    keys, items, calls = Keys(), list[Item](), list[Call]()
    model, time = "", 0.0
    for role, group in _messages(blocks):
        time = group[0].time / MICROS or time
        model = model or next((block.model for block in group if block.model.strip("<>") == block.model), "")
        if role is Role.ASSISTANT and items and items[-1].role is not Role.ASSISTANT:
            calls.append(Call(len(items), time))
        made = item(role, [_part(block) for block in group], content_key(_digest(role, group)))
        items.append(keys.keyed(made))
    provider = PROVIDERS.get(model.partition("-")[0], "openai")
    full = f"{provider}/{model}" if model else DEFAULT_MODELS.get(host.name, "anthropic/unknown")
    return Session(name, host.name, full, tuple(items), tuple(calls))


def _messages(blocks: list[Block]) -> Iterator[tuple[Role, list[Block]]]:
    """Yield the blocks of each message with whose it is."""
    held, last = list[Block](), ("", "")
    for block in blocks:
        if block.flags & (SIDE | SUMMARY) or block.kind in ("reasoning", "compaction"):
            continue
        role = "system" if block.role == "user" and block.flags & META else block.role
        this = (role, block.message or block.native)
        if held and this != last:
            yield ROLES.get(last[0], Role.SYSTEM), held
            held = []
        held.append(block)
        last = this
    if held:
        yield ROLES.get(last[0], Role.SYSTEM), held


def _text(block: Block) -> str:
    return "".join(piece if isinstance(piece, str) else piece.text for piece in block.pieces)


def _part(block: Block) -> Part:
    if block.kind == "tool-call":
        return call_part(block.tool, _text(block), block.call)
    if block.kind == "tool-result":
        return result_part(_text(block), block.call, IMAGE_TOKENS * len(block.media))
    if block.kind in ("image", "file"):
        return Part(Kind.MEDIA, IMAGE_TOKENS)
    return text_part(_text(block))


def _digest(role: Role, group: list[Block]) -> bytes:
    found = hashlib.sha256(role.value.encode())
    for block in group:
        for piece in (block.kind, block.call, _text(block)):
            found.update(b"\0" + piece.encode("utf-8", "surrogatepass"))
    return found.digest()
