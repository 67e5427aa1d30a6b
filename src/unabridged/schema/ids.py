"""Distinct types for every id, with the hash that derives them."""

from __future__ import annotations

import hashlib
from typing import NewType

ProjectId = NewType("ProjectId", bytes)  # 16 bytes
SessionId = NewType("SessionId", bytes)  # 16 bytes
OriginId = NewType("OriginId", bytes)  # 16 bytes
IdentityHash = NewType("IdentityHash", bytes)  # 12 bytes: names a block whatever its content
EventId = NewType("EventId", bytes)  # 20 bytes: 12 of the identity, 8 of the content digest
DocumentId = NewType("DocumentId", bytes)  # 20 bytes: the same layout
SourceHash = NewType("SourceHash", bytes)  # 16 bytes: a whole source key
ChunkDigest = NewType("ChunkDigest", bytes)  # 32 bytes: SHA-256 of the uncompressed payload
Digest = NewType("Digest", bytes)  # 32 bytes: SHA-256
Ordinal = NewType("Ordinal", int)  # 0 < n < 2**63, per project, never reused
Position = NewType("Position", int)  # 0 < n < 2**63, per project, gapless
Micros = NewType("Micros", int)  # microseconds since 1970-01-01 UTC

GLOBAL = ProjectId(bytes(16))
NO_SESSION = SessionId(bytes(16))
NO_ORIGIN = OriginId(bytes(16))
IDENTITY_BYTES = 12
EVENT_ID_BYTES = 20


def hashed(size: int, *parts: str | bytes) -> bytes:
    """Return the first `size` bytes (at most 32) of a SHA-256 over length-prefixed parts.

    Text is UTF-8 with lone surrogates passed through, so any string that a transcript can hold has a hash.
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.digest()[:size]


def project_id(root: str) -> ProjectId:
    """Return the id of the project whose root is the real path `root`."""
    return ProjectId(hashed(16, "project", root))


def session_id(host: str, host_session: str) -> SessionId:
    """Return the id of a host's session."""
    return SessionId(hashed(16, "session", host, host_session))


def origin_id(host: str, location: str) -> OriginId:
    """Return the id of a host file (its real path) or stream (its name)."""
    return OriginId(hashed(16, "origin", host, location))


def identity_hash(host: str, identity: str) -> IdentityHash:
    """Return the hash that names a block of a host across sessions and copies."""
    return IdentityHash(hashed(IDENTITY_BYTES, "block", host, identity))


class Identities:
    """`identity_hash` for many blocks of one host."""

    def __init__(self, host: str) -> None:
        """Prepare for the blocks of a host."""
        self._start = _framed("block") + _framed(host)

    def hash(self, identity: str) -> IdentityHash:
        """Return the same as `identity_hash(host, identity)`."""
        return IdentityHash(hashlib.sha256(self._start + _framed(identity)).digest()[:IDENTITY_BYTES])


def _framed(part: str) -> bytes:
    raw = part.encode("utf-8", "surrogatepass")
    return len(raw).to_bytes(8, "big") + raw


_SOURCE = _framed("source")


def event_id(identity: IdentityHash, digest: Digest) -> EventId:
    """Return the id of one content of a block."""
    return EventId(identity + digest[: EVENT_ID_BYTES - IDENTITY_BYTES])


def document_id(kind: str, first: bytes, digest: Digest) -> DocumentId:
    """Return the id of a document from its kind, what it begins with, and its content digest."""
    return DocumentId(
        hashed(IDENTITY_BYTES, "document", kind, first) + digest[: EVENT_ID_BYTES - IDENTITY_BYTES]
    )


def source_hash(source_key: str) -> SourceHash:
    """Return the lookup hash of a whole source key (`host:session:native`)."""
    return SourceHash(hashlib.sha256(_SOURCE + _framed(source_key)).digest()[:16])
