"""Compression of stored payload.

Payload below `DICTIONARY_LIMIT` uses a shipped, versioned dictionary, since short texts alone compress badly.
Dictionaries are trained only on text that ships with the product (`scripts/dictionary`), so that no user's text is ever
part of one.
"""

from __future__ import annotations

import hashlib
import threading
from importlib import resources

import zstandard

from unabridged.errors import Corrupt, StoreTooNew

LEVEL = 1  # zstd, for segments: 1.4-1.8 times the speed of level 3 for 4 % more bytes on real transcripts
SHORT_LEVEL = 3  # zstd, for short payload with a dictionary
DICTIONARY_LIMIT = 16_384  # bytes; above, a dictionary no longer pays
DICTIONARY_VERSION = 1  # what new payload is written with
MIN_COMPRESSED = 64  # bytes; shorter payload is stored as it is
MAX_UNPACKED = 64 << 20  # bytes; refuse to unpack more at once, whatever a damaged header claims

STORED, ZSTD = 0, 1

_local = threading.local()


def _dictionary(version: int) -> zstandard.ZstdCompressionDict:
    if not 0 < version <= DICTIONARY_VERSION:
        raise StoreTooNew(
            "stored payload uses a newer compression dictionary", found=version, known=DICTIONARY_VERSION
        )
    data = resources.files("unabridged.archive").joinpath("dictionaries", f"v{version}.zdict").read_bytes()
    return zstandard.ZstdCompressionDict(data)


def _compressor(version: int) -> zstandard.ZstdCompressor:
    cache: dict[int, zstandard.ZstdCompressor] | None = getattr(_local, "compressors", None)
    if cache is None:
        cache = _local.compressors = {}
    if version not in cache:
        cache[version] = (
            zstandard.ZstdCompressor(level=SHORT_LEVEL, dict_data=_dictionary(version))
            if version
            else zstandard.ZstdCompressor(level=LEVEL)
        )
    return cache[version]


def _decompressor(version: int) -> zstandard.ZstdDecompressor:
    cache: dict[int, zstandard.ZstdDecompressor] | None = getattr(_local, "decompressors", None)
    if cache is None:
        cache = _local.decompressors = {}
    if version not in cache:
        cache[version] = zstandard.ZstdDecompressor(dict_data=_dictionary(version) if version else None)
    return cache[version]


def pack(data: bytes) -> tuple[int, int, bytes]:
    """Return (codec, dictionary version, packed bytes); payload that does not shrink is stored as it is."""
    if len(data) < MIN_COMPRESSED:
        return STORED, 0, data
    version = DICTIONARY_VERSION if len(data) < DICTIONARY_LIMIT else 0
    packed = _compressor(version).compress(data)
    return (ZSTD, version, packed) if len(packed) < len(data) else (STORED, 0, data)


def unpack(codec: int, dictionary: int, data: bytes, size: int) -> bytes:
    """Return the payload of `size` bytes; raise `Corrupt` or `StoreTooNew`."""
    if codec == STORED:
        unpacked = data
    elif codec == ZSTD:
        if size > MAX_UNPACKED:
            raise Corrupt("stored payload claims an impossible size", size=size, limit=MAX_UNPACKED)
        try:
            unpacked = _decompressor(dictionary).decompress(data, max_output_size=size)
        except zstandard.ZstdError as error:
            raise Corrupt("stored payload does not decompress") from error
    else:
        raise StoreTooNew("stored payload uses a newer codec", found=codec, known=ZSTD)
    if len(unpacked) != size:
        raise Corrupt("stored payload has the wrong size", size=len(unpacked), expected=size)
    return unpacked


def unpack_first(codec: int, dictionary: int, data: bytes, size: int, count: int) -> bytes:
    """Return the first `count` bytes of a payload of `size` bytes: what lies behind is not unpacked.

    Raises as `unpack` does. Damage behind those bytes is not noticed here: a record's own digest tells of it.
    """
    if codec != ZSTD or count >= size:
        return unpack(codec, dictionary, data, size)[:count]
    try:
        with _decompressor(dictionary).stream_reader(data) as reader:
            unpacked = reader.read(count)
    except zstandard.ZstdError as error:
        raise Corrupt("stored payload does not decompress") from error
    if len(unpacked) != count:
        raise Corrupt("stored payload has the wrong size", size=len(unpacked), expected=size)
    return unpacked


def verified(codec: int, dictionary: int, data: bytes, size: int, digest: bytes) -> bytes:
    """Return the payload after comparing its SHA-256; raise `Corrupt`."""
    unpacked = unpack(codec, dictionary, data, size)
    if hashlib.sha256(unpacked).digest() != digest:
        raise Corrupt("stored payload has the wrong digest", size=size)
    return unpacked
