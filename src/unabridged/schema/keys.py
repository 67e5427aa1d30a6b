"""Order-preserving encoding of key tuples.

A key is `version, kind tag, index number, parts…`. Integers are 8 bytes big endian; fixed-length bytes stand as they
are; text is UTF-8 with NUL escaped as 00 FF and terminated by 00 01, so that comparing encoded keys compares the tuples
and no key is a prefix of another key's text part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unabridged.errors import InvalidInput, LimitExceeded

KEY_VERSION = 1
UINT_BYTES = 8
MAX_KEY_BYTES = 2047  # bytes; longer keys are refused, so that every engine can hold and page over them
# The largest integer that every engine orders correctly (PostgreSQL's bigint is signed).
MAX_INTEGER = 2**63 - 1

KeyPart = bytes | int | str


@dataclass(frozen=True, slots=True)
class PartType:
    """How one part of a key is encoded: `kind` is "fixed" (with `size` bytes), "uint" or "text"."""

    kind: str
    size: int = 0

    def encode(self, value: KeyPart) -> bytes:
        """Encode one part, or raise `InvalidInput`."""
        if self.kind == "uint":
            if not isinstance(value, int) or not 0 <= value <= MAX_INTEGER:
                raise InvalidInput("a key's integer is out of range", size=8)
            return value.to_bytes(8, "big")
        if self.kind == "fixed":
            if not isinstance(value, bytes) or len(value) != self.size:
                raise InvalidInput("a key's bytes have the wrong length", limit=self.size)
            return value
        if not isinstance(value, str):
            raise InvalidInput("a key's part is not text")
        return value.encode("utf-8", "surrogatepass").replace(b"\x00", b"\x00\xff") + b"\x00\x01"

    def decode(self, data: bytes, at: int) -> tuple[KeyPart, int]:
        """Decode one part that starts at `at`; return it with the offset behind it."""
        if self.kind == "uint":
            return int.from_bytes(data[at : at + 8], "big"), at + 8
        if self.kind == "fixed":
            return data[at : at + self.size], at + self.size
        end = data.index(b"\x00\x01", at)
        return data[at:end].replace(b"\x00\xff", b"\x00").decode("utf-8", "surrogatepass"), end + 2


UINT = PartType("uint")
TEXT = PartType("text")
FIXED12 = PartType("fixed", 12)
FIXED16 = PartType("fixed", 16)
FIXED20 = PartType("fixed", 20)
FIXED32 = PartType("fixed", 32)


def encode(tag: int, index: int, types: Sequence[PartType], parts: Sequence[KeyPart]) -> bytes:
    """Encode a key, or a prefix of one when parts are fewer than types; raise `LimitExceeded` over 2,047 bytes."""
    if len(parts) > len(types):
        raise InvalidInput("a key has too many parts", limit=len(types))
    out = bytearray((KEY_VERSION, tag, index))
    for kind, part in zip(types, parts, strict=False):
        out += kind.encode(part)
    if len(out) > MAX_KEY_BYTES:
        raise LimitExceeded("a key is too long", limit=MAX_KEY_BYTES, size=len(out))
    return bytes(out)


def decode(types: Sequence[PartType], data: bytes) -> tuple[KeyPart, ...]:
    """Decode a whole key's parts (behind the three leading bytes)."""
    at, parts = 3, list[KeyPart]()
    for kind in types:
        part, at = kind.decode(data, at)
        parts.append(part)
    return tuple(parts)


def after_prefix(prefix: bytes) -> bytes:
    """Return the smallest byte string that is greater than every string that begins with `prefix` (not all FF)."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,))
