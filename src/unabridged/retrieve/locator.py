"""Locators: signed, opaque names of one exact passage.

A locator is a capability of this installation: it binds project, event, byte range, document version, scope, issue and
expiry, under HMAC-SHA256 with a key that never leaves the machine. It resolves to exactly that passage or to a named
status, never to another version. A handle is a short deterministic name of the same place, without a signature: it
grants nothing, every check is made again when it is resolved.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from unabridged.errors import InvalidInput
from unabridged.schema.ids import Micros, Ordinal, ProjectId, SessionId

PREFIX = "una1_"
HANDLE_PREFIX = "w"
SIGNATURE_BYTES = 16  # of the HMAC; 128 bits
WHENCE = "Handles (w…) come from answers, of a search for example; take one over as a whole."
LIFETIME = 30 * 86_400 * 1_000_000  # microseconds; a locator in a transcript stays useful for a month
MAX_LOCATOR = 512  # characters
STAMPED = b"\0stamp\0"  # no locator's payload begins so: a stamp is never the signature of one
PROJECT_BYTES = 4  # of the project's id in a handle
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u


class Place(msgspec.Struct, frozen=True, array_like=True):
    """A passage: UTF-8 bytes `start` to `end` of an event's text (or of a document's, when `event` is 0)."""

    project: ProjectId
    event: Ordinal
    start: int
    end: int
    document: Ordinal = Ordinal(0)
    version: int = 0
    session: SessionId = SessionId(b"")
    level: int = 3
    generation: int = 0
    issued: Micros = Micros(0)
    expires: Micros = Micros(0)
    name: str = ""  # of an item of the wire: the range is of the text that it has there


@dataclass(frozen=True, slots=True)
class Handle:
    """What a short handle says: the first bytes of the project's id, an ordinal, a byte range."""

    project: bytes
    event: Ordinal
    start: int
    end: int


class Locators:
    """Signs and verifies locators with the installation's keys."""

    def __init__(self, keys: Mapping[int, bytes], current: int) -> None:
        """Use `keys` (id → at least 32 random bytes); sign with the one of id `current`."""
        self._keys = dict(keys)
        self._current = current

    def sign(self, place: Place) -> str:
        """Return the locator of a place."""
        payload = bytes((self._current,)) + msgspec.msgpack.encode(place)
        return PREFIX + _b64(payload + self._mac(self._current, payload))

    def verify(self, text: str) -> Place | None:
        """Return the place that a locator names, or None for anything that these keys did not sign."""
        if not text.startswith(PREFIX) or len(text) > MAX_LOCATOR:
            return None
        try:
            data = base64.urlsafe_b64decode(text[len(PREFIX) :] + "==")
        except (binascii.Error, ValueError):
            return None
        payload, mac = data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:]
        if len(payload) < 2 or payload[0] not in self._keys or _b64(data) != text[len(PREFIX) :]:
            return None
        if not hmac.compare_digest(mac, self._mac(payload[0], payload)):
            return None
        try:
            return msgspec.msgpack.decode(payload[1:], type=Place)
        except msgspec.DecodeError:
            return None

    def stamp(self, data: bytes) -> bytes:
        """Return what shows later that this installation gave `data` out."""
        return self._mac(self._current, STAMPED + data)

    def stamps(self, data: bytes) -> list[bytes]:
        """Return every stamp by which `data` is known, also those of earlier keys."""
        return [self._mac(key, STAMPED + data) for key in self._keys]

    def _mac(self, key: int, payload: bytes) -> bytes:
        return hmac.digest(self._keys[key], payload, "sha256")[:SIGNATURE_BYTES]


def handle_of(project: ProjectId, event: Ordinal, start: int, end: int) -> str:
    """Return the short handle of a passage of an event."""
    data = project[:PROJECT_BYTES] + _varint(event) + _varint(start) + _varint(max(0, end - start))
    data += hashlib.sha256(data).digest()[:1]  # so that a mistyped handle is refused, not another passage
    return HANDLE_PREFIX + _base32(data)


def parse_handle(text: str) -> Handle:
    """Return what a handle says; raise `InvalidInput`."""
    data = _unbase32(text[len(HANDLE_PREFIX) :])
    if len(data) < PROJECT_BYTES + 4 or hashlib.sha256(data[:-1]).digest()[:1] != data[-1:]:
        raise InvalidInput("that is not a handle", hint=WHENCE, field="target")
    values, at = list[int](), PROJECT_BYTES
    for _ in range(3):
        value, at = _read_varint(data, at)
        values.append(value)
    return Handle(data[:PROJECT_BYTES], Ordinal(values[0]), values[1], values[1] + values[2])


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
        shift += 7
    raise InvalidInput("that is not a handle", hint=WHENCE, field="target")


def _base32(data: bytes) -> str:
    bits = int.from_bytes(b"\x01" + data, "big")
    out = list[str]()
    while bits:
        out.append(ALPHABET[bits & 31])
        bits >>= 5
    return "".join(reversed(out))


def _unbase32(text: str) -> bytes:
    bits = 0
    for char in text.lower():
        digit = ALPHABET.find(char)
        if digit < 0:
            raise InvalidInput("that is not a handle", hint=WHENCE, field="target")
        bits = bits << 5 | digit
    data = bits.to_bytes(max(1, -(-bits.bit_length() // 8)), "big")
    if data[:1] != b"\x01":
        raise InvalidInput("that is not a handle", hint=WHENCE, field="target")
    return data[1:]
