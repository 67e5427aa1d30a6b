"""The one codec between frozen records and stored bytes.

A stored value is `format version (1 byte), kind tag (1 byte), MessagePack array of the record's fields, first 8 bytes
of the SHA-256 over all before`. Fields are only ever appended to a record, each with a default, so that an older value
decodes; a newer format version is refused. `docs/format.md` describes every kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar, cast

import msgspec
import msgspec.inspect

from unabridged.errors import Corrupt, StoreTooNew

FORMAT_VERSION = 1
DIGEST_BYTES = 8  # enough to notice damage; identity rests on full content digests, not on this
HEADER_BYTES = 2

R = TypeVar("R", bound=msgspec.Struct)

# A file name or a host's JSON may hold lone surrogates, which UTF-8 cannot. Each is stored as MARK and a private-use
# character in its place, MARK itself as MARK and "0"; texts without either (all but a few) are stored as they are.
MARK = "\U0010ffff"
MARK_UTF8 = MARK.encode()
_STAND_IN = {chr(code): chr(code - 0xD800 + 0xE000) for code in range(0xD800, 0xE000)} | {MARK: "0"}
_ORIGINAL = {stand_in: char for char, stand_in in _STAND_IN.items()}
_UNENCODABLE = re.compile(f"[\ud800-\udfff{MARK}]")
_ESCAPED = re.compile(f"{MARK}([0\ue000-\ue7ff])")

_encoder = msgspec.msgpack.Encoder(order="deterministic")
_encoders: dict[tuple[int, type[Any]], Callable[[Any], bytes]] = {}
_packers: dict[tuple[int, type[Any]], Callable[[Any], bytes]] = {}
_texts: dict[type[Any], bool] = {}
_decoders: dict[tuple[int, type[Any]], Callable[[bytes], Any]] = {}


def encode(tag: int, record: msgspec.Struct) -> bytes:
    """Return the canonical bytes of a record."""
    return encoder(tag, type(record))(record)


def packed(tag: int, record: msgspec.Struct) -> bytes:
    """Return the canonical bytes of a record without the digest at their end."""
    return _packer(tag, type(record))(record)


def encoder(tag: int, record: type[Any]) -> Callable[[Any], bytes]:
    """Return the function that encodes records of a type, for callers that encode many."""
    known = _encoders.get((tag, record))
    if known is None:
        known = _encoders[tag, record] = _made_encoder(_packer(tag, record))
    return known


def _packer(tag: int, record: type[Any]) -> Callable[[Any], bytes]:
    known = _packers.get((tag, record))
    if known is None:
        known = _packers[tag, record] = _made_packer(bytes((FORMAT_VERSION, tag)), _holds_text(record))
    return known


def _made_packer(head: bytes, holds_text: bool) -> Callable[[Any], bytes]:
    pack = _encoder.encode

    def pack_one(record: msgspec.Struct) -> bytes:
        try:
            body = pack(record)
        except UnicodeEncodeError:
            body = pack(_escaped(record))
        else:
            if holds_text and MARK_UTF8 in body:
                body = pack(_escaped(record))
        return head + body

    return pack_one


def _made_encoder(pack_one: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    def encode_one(record: msgspec.Struct) -> bytes:
        body = pack_one(record)
        return body + sha256(body).digest()[:DIGEST_BYTES]

    return encode_one


def encode_fields(tag: int, record: msgspec.Struct, count: int) -> bytes:
    """Return the canonical bytes of a record's first `count` fields: what a version that had no others wrote."""
    plain = msgspec.to_builtins(record, builtin_types=(bytes,))[:count]
    body = _encoder.encode(mapped(plain, _escaped_text))
    head = bytes((FORMAT_VERSION, tag)) + body
    return head + sha256(head).digest()[:DIGEST_BYTES]


def verify(tag: int, data: bytes) -> None:
    """Raise `StoreTooNew` for a newer format, `Corrupt` for bytes that are not what was written."""
    if len(data) < HEADER_BYTES + DIGEST_BYTES:
        raise Corrupt("a stored value is too short", size=len(data))
    if data[0] > FORMAT_VERSION:
        raise StoreTooNew("a stored value has a newer format", found=data[0], known=FORMAT_VERSION)
    if data[1] != tag or sha256(data[:-DIGEST_BYTES]).digest()[:DIGEST_BYTES] != data[-DIGEST_BYTES:]:
        raise Corrupt("a stored value has the wrong digest", kind=tag)


def decode(tag: int, record: type[R], data: bytes) -> R:
    """Return the record in `data`, verified; raise `StoreTooNew` or `Corrupt`."""
    return decoder(tag, record)(data)


def decoder(tag: int, record: type[R]) -> Callable[[bytes], R]:
    """Return the function that decodes records of a type, for callers that decode many."""
    known = _decoders.get((tag, record))
    if known is None:
        known = _decoders[tag, record] = _made_decoder(tag, record, _holds_text(record))
    return known


def _made_decoder(tag: int, record: type[R], holds_text: bool) -> Callable[[bytes], R]:
    unpack = msgspec.msgpack.Decoder(record).decode
    head = bytes((FORMAT_VERSION, tag))

    def decode_one(data: bytes) -> R:
        content = memoryview(data)[:-DIGEST_BYTES]  # not copied: a segment has hundreds of kilobytes
        digest = sha256(content).digest()[:DIGEST_BYTES]
        if data[:HEADER_BYTES] != head or digest != data[-DIGEST_BYTES:]:
            verify(tag, data)  # raises what it is
        try:
            found = unpack(content[HEADER_BYTES:])
            if holds_text and MARK_UTF8 in data:
                plain = mapped(msgspec.to_builtins(found, builtin_types=(bytes,)), _unescaped_text)
                found = msgspec.convert(plain, record)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise Corrupt("a stored value does not decode", kind=tag) from error
        return found

    return decode_one


def entry_digest(data: bytes) -> bytes:
    """Return the digest part (8 bytes) of a stored value."""
    return data[-DIGEST_BYTES:]


def _holds_text(record: type[Any]) -> bool:
    """Tell whether a record has a field that can hold text: those with none are the large ones."""
    found = _texts.get(record)
    if found is None:
        fields = cast("msgspec.inspect.StructType", msgspec.inspect.type_info(record)).fields
        plain = (msgspec.inspect.BytesType, msgspec.inspect.IntType, msgspec.inspect.BoolType)
        found = _texts[record] = not all(isinstance(field.type, plain) for field in fields)
    return found


def _escaped(record: msgspec.Struct) -> Any:
    return mapped(msgspec.to_builtins(record, builtin_types=(bytes,)), _escaped_text)


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return plain values with every text in them changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [mapped(item, change) for item in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {mapped(key, change): mapped(item, change) for key, item in items}
    return value


def _escaped_text(text: str) -> str:
    return _UNENCODABLE.sub(lambda match: MARK + _STAND_IN[match[0]], text)


def _unescaped_text(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ORIGINAL[match[1]], text)
