"""Rollouts that Codex has compressed: `.jsonl.zst`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
PIECE = 1 << 20  # bytes of compressed input taken at once
MAX_WINDOW = 128 << 20  # bytes; a frame that needs a larger window is not read


def is_compressed(head: bytes) -> bool:
    """Tell whether a file begins as a zstd frame."""
    return head.startswith(MAGIC)


def decompressed(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes that compressed blocks hold, over any number of frames.

    A file that ends inside a frame, or is damaged, gives what stands before that.
    """
    frames = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    frame = frames.decompressobj()
    for block in blocks:
        left = block
        while left:
            try:
                out = frame.decompress(left)
            except zstandard.ZstdError:
                return
            if out:
                yield out
            if not frame.eof:
                break
            left = frame.unused_data
            frame = frames.decompressobj()


def decompress(data: bytes) -> bytes:
    """Return the bytes that a compressed file, or the beginning of one, holds."""
    pieces = (data[at : at + PIECE] for at in range(0, len(data), PIECE))
    return b"".join(decompressed(pieces))
