"""How large the prompts of a `Provider` are, and what of each its cache had already: by comparing prefixes.

The rules are those of the public documentation (2026-11). Where the client marks what is to be cached (Anthropic), a
prefix is written at each mark, and read at a mark or up to twenty blocks before one; where it does not (OpenAI), the
longest prefix in common with any earlier request is read, in steps of 128 tokens. Below 1,024 tokens nothing is cached.
Nothing expires: tests do not wait.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST = 1_024  # tokens of a prefix that is cached
LOOK_BACK = 20  # blocks before a mark
STEP = 128  # tokens
CHARS_A_TOKEN = 4


@dataclass(frozen=True)
class Segment:
    """One part of a prompt: its bytes without marks, and whether a mark stands on it. `marks`: None without any API."""

    text: str
    marked: bool | None = None


@dataclass(frozen=True)
class Size:
    """Tokens of one prompt: all of them, and what of them was read from and written to the cache."""

    tokens: int
    read: int
    write: int
    model: str
    side: bool = False

    def usage(self) -> dict[str, int]:
        """As the provider reports it."""
        return {
            "input_tokens": self.tokens - self.read - self.write,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.write,
        }


class Meter:
    """Counts the prompts of one provider. A `window` of 0 takes prompts of any length."""

    def __init__(self, window: int = 0) -> None:
        self.window = window
        self.sizes: list[Size] = []
        self._known: set[bytes] = set()
        self._lock = threading.Lock()

    def measured(self, segments: Sequence[Segment], model: str, side: bool = False) -> Size:
        """Count a prompt, and remember what of it is cached now."""
        ends, digests, at = list[int](), list[bytes](), 0
        running = hashlib.sha256(model.encode())
        for segment in segments:
            data = segment.text.encode("utf-8", "surrogatepass")
            running.update(len(data).to_bytes(8, "big") + data)
            at += len(segment.text)
            digests.append(running.digest())
            ends.append(-(-at // CHARS_A_TOKEN))
        marks = [place for place, segment in enumerate(segments) if segment.marked]
        with self._lock:
            if segments and segments[0].marked is None:
                read, write = self._unasked(ends, digests), 0
            else:
                read, write = self._marked(ends, digests, marks)
            size = Size(ends[-1] if ends else 0, read, write, model, side)
            self.sizes.append(size)
        return size

    def _marked(self, ends: Sequence[int], digests: Sequence[bytes], marks: Sequence[int]) -> tuple[int, int]:
        """Tokens read and written."""
        places = (at for mark in marks for at in range(max(0, mark - LOOK_BACK), mark + 1))
        read = max((ends[at] for at in places if digests[at] in self._known), default=0)
        written = [mark for mark in marks if ends[mark] >= LEAST]
        self._known.update(digests[mark] for mark in written)
        return read, max(0, ends[written[-1]] - read) if written else 0

    def _unasked(self, ends: Sequence[int], digests: Sequence[bytes]) -> int:
        known = max(
            (end for end, digest in zip(ends, digests, strict=True) if digest in self._known), default=0
        )
        self._known.update(digests)
        return known // STEP * STEP if known >= LEAST else 0

    def summary(self) -> dict[str, float]:
        """Prompts, the largest, all tokens, and what share of them was read from the cache, also of what could be.

        Side calls are left out.
        """
        own = [size for size in self.sizes if not size.side]
        total = sum(size.tokens for size in own)
        # What a history that only grows would have read: all that the prompt before it had.
        most = sum(min(before.tokens, size.tokens) for before, size in pairwise(own))
        return {
            "prompts": len(own),
            "largest": max((size.tokens for size in own), default=0),
            "tokens": total,
            "read_share": sum(size.read for size in own) / total if total else 0.0,
            "read_of_possible": sum(size.read for size in own) / most if most else 0.0,
        }
