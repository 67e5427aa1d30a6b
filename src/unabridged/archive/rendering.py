"""The deterministic text of an event: the coordinates of everything.

A rendering is made once, at admission, from the pieces that a host's reader gives; it is stored as references into the
kept original (or as chunks, for long lines) and never made again. All coordinates are UTF-8 byte offsets into it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from unabridged.hosts.contract import Block, Ref
from unabridged.schema.ids import Digest
from unabridged.schema.records import Piece

RENDERING_VERSION = 1
JOIN = b"\n\n"  # between the members of a document
MAX_RENDERING = 32 << 20  # bytes; a longer rendering is cut there and the event marked PARTIAL
PART_CHARS = 256 << 10  # characters of a long rendering that are encoded at once

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate."""
    if text.isascii():
        return text
    return _SURROGATE.sub("\ufffd", text)


def render(block: Block) -> bytes:
    """Return the UTF-8 text of a block."""
    texts = [piece if isinstance(piece, str) else piece.text for piece in block.pieces]
    text = texts[0] if len(texts) == 1 else "".join(texts)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def parts(block: Block, most: int) -> Iterator[bytes]:
    """Yield what `render` returns in parts of at most 1 MiB, up to the last whole character within `most` bytes."""
    left = most
    for piece in block.pieces:
        text = piece if isinstance(piece, str) else piece.text
        for at in range(0, len(text), PART_CHARS):
            part = clean(text[at : at + PART_CHARS]).encode()
            if len(part) > left:
                yield part[:left].decode("utf-8", "ignore").encode()
                return
            left -= len(part)
            yield part


def stored_pieces(block: Block) -> list[Piece]:
    """Return the pieces as they are stored: literals, and paths into the line's JSON."""
    return [list(piece.path) if isinstance(piece, Ref) else clean(piece) for piece in block.pieces]


def digest(kind: str, role: str, tool: str, call: str, text: bytes, media: Sequence[str]) -> Digest:
    """Return the digest of what a block says: kind, role, tool, call, text, media digests.

    Times and places have no part in it, so that copies of a block in other sessions have the same digest.
    """
    return digest_of_parts(kind, role, tool, call, len(text), (text,), media)


def digest_of_parts(
    kind: str, role: str, tool: str, call: str, size: int, text: Iterable[bytes], media: Sequence[str]
) -> Digest:
    """Return what `digest` returns for a text of `size` bytes that comes in parts."""
    head = f"{RENDERING_VERSION}\0{kind}\0{role}\0{tool}\0{call}\0{size}\0".encode("utf-8", "surrogatepass")
    state = hashlib.sha256(head)
    for part in text:
        state.update(part)
    for item in media:
        state.update(item.encode())
    return Digest(state.digest())
