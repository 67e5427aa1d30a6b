"""How an original's bytes are packed into segments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from unabridged.archive import compress
from unabridged.schema.ids import Digest, OriginId, ProjectId
from unabridged.schema.records import Segment

SEGMENT_TARGET = (
    262_144  # bytes; a segment is closed behind the first line that reaches it. One line's read unpacks
)
# one segment (about 0.2 ms), and larger ones compress only a few per cent better
SEGMENT_MAX = 1 << 20  # bytes; a longer line spans several segments


class Packer:
    """Packs kept bytes into segments that partition one origin generation."""

    def __init__(self, project: ProjectId, origin: OriginId, number: int, start: int, source: int) -> None:
        """Go on at `start` of the kept original, which is `source` of the host's file."""
        self._at = (project, origin, number)
        self._start = start
        self._source = source
        self._kept: list[bytes] = []
        self._raw: list[bytes] = []
        self._kept_size = self._raw_size = 0
        self._changed = False

    @property
    def full(self) -> bool:
        """Whether the open segment has reached its target."""
        return self._kept_size >= SEGMENT_TARGET

    def add(self, kept: bytes, raw: bytes) -> None:
        """Add a line as it is kept and as the host wrote it."""
        self._kept.append(kept)
        self._raw.append(raw)
        self._kept_size += len(kept)
        self._raw_size += len(raw)
        self._changed = self._changed or kept is not raw

    def cut(self, provisional: bool = False) -> Iterator[Segment]:
        """Close the open segment; yield it, in slices when a long line made it larger than a segment may be.

        Of slices of a redacted line only the first names the host's bytes.
        """
        kept = b"".join(self._kept)
        raw = b"".join(self._raw) if self._changed else kept
        at = 0
        while at < len(kept):
            part = kept[at : at + SEGMENT_MAX] if len(kept) > SEGMENT_MAX else kept
            if not self._changed:
                yield self._segment(part, self._source + at, len(part), b"", provisional)
            elif at == 0:
                yield self._segment(part, self._source, len(raw), hashlib.sha256(raw).digest(), provisional)
            else:
                yield self._segment(
                    part, self._source + len(raw), 0, hashlib.sha256(b"").digest(), provisional
                )
            self._start += len(part)
            at += len(part)
        self._source += self._raw_size
        self._kept, self._raw, self._kept_size, self._raw_size, self._changed = [], [], 0, 0, False

    def _segment(
        self, part: bytes, source: int, size: int, source_digest: bytes, provisional: bool
    ) -> Segment:
        codec, dictionary, data = compress.pack(part)
        return Segment(
            *self._at,
            self._start,
            len(part),
            Digest(hashlib.sha256(part).digest()),
            codec,
            dictionary,
            data,
            source,
            size,
            source_digest,
            provisional,
        )
